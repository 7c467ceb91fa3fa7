"""Expressions act as if they had been compiled at once."""

import re

import pytest

from checker.lazy_patterns import lazy_pattern


def test_a_lazy_pattern_has_the_methods_of_a_compiled_one() -> None:
    """Text, flags and results are those of the expression itself."""
    pattern = lazy_pattern(r"(a)b", re.IGNORECASE)
    found = pattern.match("Abc")
    assert found is not None
    assert found.groups() == ("A",)
    assert pattern.sub("x", "abAB") == "xx"
    assert lazy_pattern(rb"\d").findall(b"1a2") == [b"1", b"2"]


def test_a_lazy_pattern_has_nothing_else() -> None:
    """A misspelled method fails as it would on the expression itself."""
    with pytest.raises(AttributeError):
        lazy_pattern("a").serach  # type: ignore[attr-defined]  # noqa: B018
