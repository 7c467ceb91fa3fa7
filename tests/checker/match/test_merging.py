"""How often a sign was seen is told once."""

from typing import Any

import pytest

from checker.judgement import Report
from tests.checker.failures import catalogue_of, diagnosed
from tests.needs import ROOT

LOGS = ROOT / "tests" / "logs"


def report_of(detect: dict[str, Any], text: str, **files: str) -> Report:
    """Diagnose logs with one entry."""
    logs = {"train.log": text, **{name + ".log": text for name, text in files.items()}}
    return diagnosed(catalogue_of("disk-full", one_more=(detect, {})), logs)


def counted(detect: dict[str, Any], text: str, **files: str) -> list[tuple[int | None, int, bool]]:
    """Tell rank, times and exactness of the evidence."""
    report = report_of(detect, text, **files)
    (found,) = (*report.diagnoses, *report.recovered)
    return [(s.rank, s.times, s.exact) for s in found.evidence]


TOLD = {
    "signs": {"lost": "lost link to node <n:node>"},
    "signatures": [{"strong": ["lost"]}],
}
CAPTURED = "user_exception_one_rank/restarted/console.log"


@pytest.mark.parametrize("lines", [1, 6, 64, 65, 500])
def test_line_that_is_repeated_is_counted_once_each(lines: int) -> None:
    """As many lines as there are, however many of them are kept."""
    text = "".join(f"[rank1]: lost link to node {row}\n" for row in range(lines))
    assert counted(TOLD, text) == [(1, lines, True)]


def test_lines_of_a_real_log_are_counted() -> None:
    """Each of two ranks lost its peer once in both attempts of a captured run."""
    detect = {
        "signs": {"closed": "Connection closed by peer"},
        "signatures": [{"strong": ["closed"]}],
    }
    text = (LOGS / CAPTURED).read_text(encoding="utf-8")
    report = report_of(detect, text)
    evidence = [s for found in (*report.diagnoses, *report.recovered) for s in found.evidence]
    assert [sum(s.times for s in evidence if s.rank == rank) for rank in (0, 1, 3)] == [0, 2, 2]


def test_copies_of_a_log_are_not_counted_twice() -> None:
    """What several files tell of one rank may be the same, so the most that one tells counts."""
    text = "[rank1]: lost link to node 4\n" * 3
    assert counted(TOLD, text, copy=text) == [(1, 3, False)]


def test_lines_that_were_not_kept_count_only_where_all_kept_ones_match() -> None:
    """Of a shape that matches in some lines only, no more is claimed than was seen."""
    detect = {**TOLD, "signs": {"lost": {"log": {"regex": "lost link to node 1[0-9]$"}}}}
    text = "".join(f"[rank1]: lost link to node {row}\n" for row in range(200))
    assert counted(detect, text) == [(1, 10, False)]


@pytest.mark.parametrize(("least", "found"), [(6, True), (7, False)])
def test_count_takes_each_line_once(least: int, found: bool) -> None:
    """Six lines are no seven, though all have one shape."""
    detect = {
        **TOLD,
        "signatures": [{"strength": "strong", "all": ["lost", {"count": "lost", "min": least}]}],
    }
    text = "".join(f"[rank1]: lost link to node {row}\n" for row in range(6))
    assert bool(report_of(detect, text).diagnoses) is found


def test_count_of_a_series_is_the_number_of_its_samples() -> None:
    """A series that was bad three times is told so."""
    detect = {
        "signs": {"bad": {"metric": "loss", "is": "nonfinite"}},
        "signatures": [{"strong": ["bad"]}],
    }
    text = "".join(f"[rank0]: step {step} loss nan\n" for step in range(3))
    assert counted(detect, text) == [(0, 3, True)]
