"""Fixtures and marks that all tests share."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of a need that is not met where every need must be."""
    config.addinivalue_line("markers", "missing(reason): what the test needs is not here")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose need is not met, where every need must be."""
    for mark in item.iter_markers("missing"):
        pytest.fail(f"needed here: {mark.kwargs['reason']}", pytrace=False)
