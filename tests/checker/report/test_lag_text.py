"""The lag table in the report."""

from typing import Any

from checker.collective.lagging import places_of_ranks
from checker.judgement import Report
from checker.model import Observations
from checker.report.lag_text import json_lag, lag_rows
from checker.scan.observe import observe_texts
from tests.checker.collective.printed import notified, waits, watchdog

LAGGING = [*waits(0, 167), *waits(1, 167), notified(2, 166, 166)]


def observed(*lines: str) -> Observations:
    """What a console says."""
    return observe_texts({"console.log": "\n".join(lines) + "\n"}, frozenset(), {}, {})


def shown(*lines: str) -> str:
    """The rows of the table."""
    report = Report(observed(*lines), (), (), (), (), (), 0)
    return "\n".join(text for _, text in lag_rows(report))


def test_ranks_that_stood_alike_share_a_row() -> None:
    """The odd ones come first."""
    assert (
        shown(*LAGGING)
        == """\
  Group 0 (default_pg): rank 2 had not enqueued ALLREDUCE 167, in which ranks
    0-1 wait.
    rank 2: last enqueued 166, last completed 166
    ranks 0-1: waiting in ALLREDUCE 167 of 1,024 elements, last enqueued 167,
      last completed 166"""
    )


def test_undecided_table_says_why() -> None:
    """A reason is worth more than silence."""
    assert (
        shown(watchdog(0, 5), watchdog(1, 9))
        == """\
  Group not named: the lines name no process group, and counters of different
    groups say nothing.
    rank 0: waiting in ALLREDUCE 5 of 1,024 elements
    rank 1: waiting in ALLREDUCE 9 of 1,024 elements"""
    )


def test_one_rank_alone_makes_no_table() -> None:
    """Its line says the same."""
    assert shown(*waits(0, 167)) == ""


def test_nothing_told_makes_no_table() -> None:
    """Most logs tell of no collective."""
    assert shown("step 1") == ""


def test_each_rank_has_its_row_in_json() -> None:
    """Machines get the numbers, and the verdict of the group."""
    seen = observed(*LAGGING)
    places = zip(seen.ranks, places_of_ranks(seen), strict=True)
    told: dict[int, Any] = {state.rank: json_lag(place) for state, place in places}
    common = {
        "group": "0",
        "description": "default_pg",
        "last_started": None,
        "verdict": "straggler",
        "why": "rank 2 had not enqueued ALLREDUCE 167, in which ranks 0-1 wait",
    }
    waiting = common | {
        "last_enqueued": 167,
        "last_completed": 166,
        "waits_in": 167,
        "op": "ALLREDUCE",
        "numel_in": 1024,
        "numel_out": 1024,
        "timeout": 600.0,
        "accused": False,
    }
    lagging = common | {
        "last_enqueued": 166,
        "last_completed": 166,
        "waits_in": None,
        "op": None,
        "numel_in": None,
        "numel_out": None,
        "timeout": None,
        "accused": True,
    }
    assert told == {0: waiting, 1: waiting, 2: lagging}
