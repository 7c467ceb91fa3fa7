"""The phrases of a report."""

import pytest

from checker.model import Exit
from checker.report.phrases import absent_inputs, counted, exit_phrase, host_phrase, ranks_phrase
from tests.checker.report_records import EXIT, observations


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        ([3], "rank 3"),
        ([3, 0, 1, 1], "ranks 0-1, 3"),
        (range(8192), "ranks 0-8191"),
        (range(0, 40, 2), "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 12 more"),
    ],
)
def test_ranks_are_named_in_ranges(ranks: list[int], text: str) -> None:
    """Neighbors are joined, and a long list ends with how many are left."""
    assert ranks_phrase(ranks) == text


def test_numbers_come_with_their_noun() -> None:
    """One is singular, thousands are grouped."""
    assert [counted(1, "entry", "entries"), counted(1234, "line")] == ["1 entry", "1,234 lines"]


def test_a_host_name_that_is_absurdly_long_is_cut() -> None:
    """A log cannot push the verdict off the first line."""
    assert host_phrase("n" * 300) == "host " + "n" * 37 + "..."


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (None, ""),
        (EXIT, "ended by signal 9 (SIGKILL)"),
        (EXIT._replace(signal=15, by="launcher"), "ended by signal 15 (SIGTERM) from the launcher"),
        (EXIT._replace(signal=44), "ended by signal 44"),
        (EXIT._replace(signal=None, code=1), "ended with exit code 1"),
        (EXIT._replace(signal=None, code=0), "ended normally"),
    ],
)
def test_the_end_of_a_process_is_said_in_words(ended: Exit | None, text: str) -> None:
    """A signal has its name, and its sender where that is known."""
    assert exit_phrase(ended) == text


def test_logs_that_are_absent_are_asked_for() -> None:
    """Ranks without a log, the launcher and the kernel are named if nothing of them was read."""
    seen = observations(world_size=3, sources=frozenset({"rank"}))
    assert absent_inputs(seen) == [
        "the logs of ranks 0-2",
        "the launcher's console output",
        "the kernel log of the hosts (dmesg -T, as root)",
    ]
    assert absent_inputs(observations()) == []
