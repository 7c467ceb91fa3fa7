"""Fixtures and marks that all tests share."""

import pytest

from tests.needs import ROOT

THIS_MACHINE = "this machine"
# What these start, mount and fill is seen by whoever else looks at the machine: one at a time,
# as is every module that mounts what never answers.
ABOUT_THIS_MACHINE = (
    "tests/checker/preflight/",
    "tests/checker/probe/",
    "tests/checker/snapshot/",
    "tests/checker/watch/",
    "tests/script/test_look.py",
    "tests/script/test_watch.py",
)
# What the tests of one of these modules share takes long to make.
OF_ONE_PROCESS = ("tests/site/", "tests/generator/pages/")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks that tests here use."""
    config.addinivalue_line("markers", "missing(reason): what the test needs is not here")
    config.addinivalue_line("markers", "rule(heading, ...): sections of detection.md it proves")


def process_group(path: str) -> str:
    """Name the group of a test module that one process runs; empty if any process may."""
    if path.startswith(ABOUT_THIS_MACHINE):
        return THIS_MACHINE
    return path if path.startswith(OF_ONE_PROCESS) else ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tell which tests must not run side by side, before they are handed out."""
    for item in items:
        mounts = hasattr(getattr(item, "module", None), "dead_mount")
        group = THIS_MACHINE if mounts else process_group(item.path.relative_to(ROOT).as_posix())
        if group:
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose need is not met, where every need must be."""
    for mark in item.iter_markers("missing"):
        pytest.fail(f"needed here: {mark.kwargs['reason']}", pytrace=False)
