"""Captures as values in one unit."""

from typing import Any

import pytest

from checker.match.values import comparison_tokens, span_of, typed_value, version_in_range


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("20.00 MiB", "size", 20971520),
        ("1039168kB", "size", 1064108032),
        ("2 GB", "size", 2000000000),
        ("512 bytes", "size", 512),
        ("0:30:00", "dur", 1800),
        ("1.5 hours", "dur", 5400),
        ("250ms", "dur", 0.25),
        ("250 milliseconds", "dur", 0.25),
        ("10 mins", "dur", 600),
        ("600000", "ms", 600),
        ("1800", "s", 1800),
        ("1,234,567", "n", 1234567),
        ("0.25", "n", 0.25),
        ("1.2.3", "n", "1.2.3"),
        ("12676", "pid", 12676),
        ("00000000:3B:00.0", "bus", "0000:3b:00"),
        ("3b:00.0", "bus", "0000:3b:00"),
        ("node-7", "host", "node-7"),
    ],
)
def test_capture_becomes_a_value_in_one_unit(text: str, kind: str, value: Any) -> None:
    """Sizes are bytes, durations seconds, bus ids of one form; what is odd stays text."""
    assert typed_value(text, kind) == value


@pytest.mark.parametrize(
    ("version", "wanted", "inside"),
    [
        ("0.18.3", ">=0.17.1,<0.18.4", True),
        ("0.18.4", ">=0.17.1,<0.18.4", False),
        ("0.17.1", ">=0.17.1", True),
        ("0.17.1", ">0.17.1", False),
        ("0.17.1", "<=0.17.1", True),
        ("2.6.0+cu124", "==2.6", True),
        ("2.7.0rc1", "<2.7", True),
        ("2.7.0.post1", "<=2.7", False),
        ("2.10.0", ">=2.9", True),
    ],
)
def test_version_is_compared_by_its_numbers(version: str, wanted: str, inside: bool) -> None:
    """Numbers compare as numbers, pre-releases lie before, local parts do not count."""
    assert version_in_range(version, wanted) is inside


def test_comparison_is_split_into_tokens() -> None:
    """Numbers with units are converted, names may name their sign."""
    assert comparison_tokens("kill.total - own > 1GiB") == [
        "kill.total",
        "-",
        "own",
        ">",
        1073741824,
    ]
    assert comparison_tokens("code in [144..150]") == ["code", "in", "[", 144, "..", 150, "]"]
    with pytest.raises(ValueError, match="cannot read"):
        comparison_tokens("idle ? 3")


def test_span_has_an_amount_and_a_unit() -> None:
    """Spans of time are seconds; lines and steps keep their unit."""
    assert span_of("2 h") == (7200.0, "s")
    assert span_of("5 lines") == (5.0, "lines")
