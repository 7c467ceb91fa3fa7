"""The pace of the steps, told where it says something."""

import pytest

from checker.catalogue import Catalogue
from checker.judgement import Report
from checker.pipeline import diagnose_texts
from checker.report.html_surroundings import pace_nodes
from checker.report.markup import html_text
from checker.report.pace_text import duration_text, json_pace, pace_rows, told_paces
from tests.published import published_catalogue


def counted(rank: int, first: int, last: int, seconds: float, begin: float) -> list[str]:
    """Steps of a rank, so many seconds apart."""
    return [
        f"[rank{rank}]: {clock(begin + seconds * (step - first))} INFO train: step {step} loss 2.5"
        for step in range(first, last + 1)
    ]


def clock(seconds: float) -> str:
    """A time of day."""
    whole, milli = divmod(round(seconds * 1000), 1000)
    return f"2026-08-14 {3 + whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},{milli:03}"


def read(*lines: str) -> Report:
    """Read a console."""
    catalogue: Catalogue = published_catalogue()
    return diagnose_texts(catalogue, {"console.log": "\n".join(lines) + "\n"}, {}, {})


def rows(*lines: str) -> list[str]:
    """What is told of the pace."""
    return [text for _, text in pace_rows(read(*lines))]


def test_steps_that_stopped_long_before_the_last_line_are_told() -> None:
    """How far the ranks got, how fast, and how long nothing came."""
    lines = [line for rank in range(4) for line in counted(rank, 1, 42, 3.1, 0)]
    last = f"[rank0]: {clock(127.1 + 41 * 60)} WARNING train: still here"
    assert rows(*lines, last) == [
        "  ranks 0-3: steps 1-42, usually 3.1 s a step; then none in the 41 min until the",
        "    last line",
    ]


def test_steps_that_became_slow_are_told() -> None:
    """The last five are compared with those before, so that one slow step changes nothing."""
    fast, slow = counted(0, 1, 30, 2.0, 0), counted(0, 31, 36, 9.0, 70)
    assert rows(*fast, *slow) == [
        "  rank 0: steps 1-36, usually 2 s a step, but 9 s in the last five"
    ]
    assert rows(*fast, *counted(0, 31, 40, 2.0, 70)) == []


def test_html_report_tells_it_in_a_section_of_its_own() -> None:
    """The words are those of the text report; without a stall there is no section."""
    lines = counted(0, 1, 30, 1.0, 0)
    stalled = pace_nodes(read(*lines, f"[rank0]: {clock(1000)} INFO train: the end"))
    assert html_text(stalled) == (
        "<section><h2>Pace of the steps</h2><ul><li>rank 0: steps 1-30, usually 1 s a step; then "
        "none in the 16 min until the last line</li></ul></section>"
    )
    assert html_text(pace_nodes(read(*lines))) == ""


def test_steady_steps_are_not_told() -> None:
    """Where nothing stands out, nothing is said; the JSON report has the pace all the same."""
    lines = counted(2, 1, 20, 2.0, 0)
    assert rows(*lines) == []
    (told,) = told_paces(read(*lines))
    assert json_pace(told) == {
        "path": "console.log",
        "line": 20,
        "rank": 2,
        "host": None,
        "attempt": None,
        "first_step": 1,
        "last_step": 20,
        "last_time": "2026-08-14T03:00:38.000",
        "usual_seconds": 2.0,
        "pauses": 14,
        "latest_seconds": 2.0,
        "silent_seconds": 0.0,
        "stalled": False,
        "slowed": False,
    }


def test_ranks_that_got_elsewhere_are_told_apart() -> None:
    """The one that is behind stands first; no more than four are told."""
    lines = [line for rank in range(6) for line in counted(rank, 1, 30 + rank, 1.0, 0)]
    assert rows(*lines, f"[rank0]: {clock(1000)} INFO train: the end") == [
        "  rank 0: steps 1-30, usually 1 s a step; then none in the 16 min until the last",
        "    line",
        "  rank 1: steps 1-31, usually 1 s a step; then none in the 16 min until the last",
        "    line",
        "  rank 2: steps 1-32, usually 1 s a step; then none in the 16 min until the last",
        "    line",
        "  rank 3: steps 1-33, usually 1 s a step; then none in the 16 min until the last",
        "    line",
        "  and 2 more (--format json has all)",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0124, "0.012 s"),
        (3.14, "3.1 s"),
        (47.6, "48 s"),
        (2460, "41 min"),
        (7500, "2 h 5 min"),
        (7200, "2 h"),
        (360000, "100 h"),
    ],
)
def test_durations_are_no_finer_than_matters(seconds: float, text: str) -> None:
    """Two digits, or minutes."""
    assert duration_text(seconds) == text
