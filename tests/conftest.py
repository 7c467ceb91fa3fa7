"""Fixtures and marks that all tests share."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks that tests here use."""
    config.addinivalue_line("markers", "missing(reason): what the test needs is not here")
    config.addinivalue_line("markers", "rule(heading, ...): sections of detection.md it proves")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose need is not met, where every need must be."""
    for mark in item.iter_markers("missing"):
        pytest.fail(f"needed here: {mark.kwargs['reason']}", pytrace=False)
