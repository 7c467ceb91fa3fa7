"""Attempts in one file: the last one is diagnosed, and earlier ones are history."""

from typing import Any

import pytest

from checker.judgement import Report
from checker.match.joining import bindings_of
from checker.pipeline import diagnose_texts
from checker.report.render_text import render_text
from tests.checker.failures import catalogue_of
from tests.checker.observed import hit, sighting

pytestmark = pytest.mark.rule("recovery")

LOST = {"signs": {"it": "lost link"}, "signatures": [{"strong": ["it"]}]}
BANNER = "loading config.yaml\nmodel has 7 layers\nstep 1 loss 2.5\nstep 2 loss 2.4\n"
FAILED = "lost link to node 4\nKilled\n"


def report_of(text: str, detect: Any = LOST, **fields: Any) -> Report:
    """The report on one file."""
    return diagnose_texts(catalogue_of("disk-full", x=(detect, fields)), {"a.log": text}, {}, {})


def told(report: Report) -> list[tuple[int | None, int]]:
    """Attempt and confidence of each diagnosis."""
    return [(item.attempt, item.confidence) for item in report.diagnoses]


def test_earlier_attempt_is_history_after_one_that_went_well() -> None:
    """It is at most possible, does not make the headline, and is one line."""
    report = report_of(BANNER + FAILED + BANNER)
    assert told(report) == [(0, 1)]
    text = render_text(report, catalogue_of("disk-full", x=(LOST, {})), False)
    assert text.startswith("No known failure recognized in the last attempt")
    assert "Earlier attempts\n  x (possible), attempt 0: " in text


def test_same_failure_in_two_attempts_is_two_diagnoses() -> None:
    """The last attempt comes first; it made progress, so the other is possible."""
    assert told(report_of(BANNER + FAILED + BANNER + FAILED)) == [(1, 2), (0, 1)]


def test_steps_of_the_next_attempt_are_no_recovery() -> None:
    """Nobody went on: the processes that count now are others."""
    report = report_of(BANNER + FAILED + BANNER)
    assert report.recovered == ()


def test_signs_of_two_attempts_do_not_join() -> None:
    """A signature needs its signs in one attempt."""
    detect = {
        "signs": {"one": "lost link", "other": "gave up waiting"},
        "signatures": [{"strong": ["one", "other"]}],
    }
    assert told(report_of(BANNER + "lost link\ngave up waiting\nKilled\n" + BANNER, detect)) == [
        (0, 1)
    ]
    apart = BANNER + "lost link\nKilled\n" + BANNER + "gave up waiting"
    assert told(report_of(apart, detect)) == []


def test_version_that_one_attempt_prints_holds_for_all() -> None:
    """A restarted run has the same packages, and does not report them again."""
    detect = {
        "signs": {"it": "lost link", "old": {"version": "torch", "range": "<2.5"}},
        "signatures": [{"strong": ["it", "old"]}],
    }
    report = report_of("PyTorch version: 2.4.1\n" + BANNER + FAILED + BANNER + FAILED, detect)
    assert told(report) == [(1, 2), (0, 1)]


def test_line_missing_in_one_attempt_is_not_made_up_by_the_next() -> None:
    """What another process printed later did not come in time."""
    detect = {
        "signs": {
            "began": "saving to disk",
            "done": "saved to disk",
            "never": {"missing": "done", "after": "began", "within": "3 lines"},
        },
        "signatures": [{"strong": ["never"]}],
    }
    lines = "".join(f"step {step} loss 2\n" for step in range(3, 9))
    first = BANNER + "saving to disk\n" + lines + "Killed\n"
    text = first + BANNER + "saving to disk\nsaved to disk\n"
    assert told(report_of(text, detect)) == [(0, 1)]


def test_two_runs_in_one_file_join_nothing() -> None:
    """Of two lines nobody knows whether one run wrote both."""
    one, other = (sighting(line=hit("x", "t", row).line) for row in (1, 2))
    local = {"a": [one], "b": [other]}
    assert list(bindings_of(["a", "b"], local, frozenset(["a.log"]))) == []
    assert len(list(bindings_of(["a", "b"], local, frozenset()))) == 1
