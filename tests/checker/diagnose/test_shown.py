"""What a report shows, and what it leaves out."""

from typing import Any

import pytest

from checker.check import report_status
from checker.judgement import Report
from checker.pipeline import diagnose_texts
from tests.checker.failures import catalogue_of, told

pytestmark = pytest.mark.rule("shown", "user-code")

WEAK: dict[str, Any] = {"signs": {"a": "odd words"}, "signatures": [{"weak": ["a"]}]}
BANNER = "loading config.yaml\nmodel has 7 layers\nstep 1 loss 2.5\nstep 2 loss 2.4\n"
STEPS = "".join(f"step {step} loss 2.0\n" for step in (3, 4, 5))
MISTAKE = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 87, in collate
    ids = record["input_ids"]
KeyError: 'input_ids'
"""
DEEP = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 87, in collate
    return pad(rows)
  File "/opt/venv/lib/python3.11/site-packages/torch/nn/utils/rnn.py", line 9, in pad
    raise ValueError("no rows")
ValueError: no rows
"""


def report_of(text: str, *known: str, **entries: tuple[dict[str, Any], dict[str, Any]]) -> Report:
    """The report on one file."""
    return diagnose_texts(
        catalogue_of(*(known or ("disk-full",)), **entries), {"a.log": text}, {}, {}
    )


def shown(text: str, *known: str, **fields: Any) -> list[tuple[str, str]]:
    """Id and confidence of what is shown of a weak entry and of others."""
    return [item[:2] for item in told(report_of(text, *known, odd=(WEAK, fields)))]


def test_possible_damage_is_shown_although_the_run_went_on() -> None:
    """What recovers from nothing is told, however well the run ended."""
    end = "srun: error: node1: task 0: Exited with exit code 0\n"
    assert shown("odd words\n" + STEPS) == []
    assert shown("odd words\n" + STEPS, recovers="never") == [("odd", "possible")]
    assert shown("odd words\n" + end, recovers="never") == [("odd", "possible")]


def test_possible_failure_of_an_earlier_attempt_is_history() -> None:
    """That the last attempt went well is no reason to hide why there was one."""
    end = "srun: error: node1: task 0: Exited with exit code 0\n"
    first = BANNER + "odd words\nKilled\n"
    assert shown(first + BANNER + STEPS + end) == [("odd", "possible")]
    assert shown(BANNER + "odd words\n" + end) == []


def test_likely_failure_of_another_attempt_explains_nothing_here() -> None:
    """Each attempt needs an explanation of its own."""
    again = "loading config.yaml\nmodel has 7 layers\nodd words\n"
    assert shown(BANNER + MISTAKE + again, "user-code-error") == [
        ("odd", "possible"),
        ("user-code-error", "likely"),
    ]
    assert shown(BANNER + "odd words\n" + MISTAKE, "user-code-error") == [
        ("user-code-error", "likely")
    ]


def test_possible_diagnosis_sets_no_status_and_a_benign_one_neither() -> None:
    """Only what is likely or certain does, a stop among it."""
    strong: dict[str, Any] = {"signs": {"a": "odd words"}, "signatures": [{"strong": ["a"]}]}
    for detect, fields, status in (
        (WEAK, {}, 0),
        (strong, {"kind": "benign"}, 0),
        (strong, {}, 1),
        (strong, {"kind": "stop"}, 1),
        (strong, {"kind": "symptom"}, 1),
    ):
        report = report_of("odd words\n", odd=(detect, fields))
        assert len(report.diagnoses) == 1
        assert report_status(report) == status


def test_one_benign_diagnosis_is_shown_and_none_beside_a_possible_one() -> None:
    """Two harmless things are no more news than one."""
    harmless = (WEAK, {"kind": "benign"})
    one = report_of("odd words\n", alike=harmless, other=harmless)
    assert [item[0] for item in told(one)] == ["alike"]
    beside = report_of("odd words\n", alike=harmless, odd=(WEAK, {}))
    assert [item[0] for item in told(beside)] == ["odd"]


def test_exception_below_the_users_frame_is_possible() -> None:
    """A library raised it, so that it may be either's; the user's last frame is quoted."""
    for text, level, frame in (
        (MISTAKE, "likely", "/workspace/train.py:87 in collate"),
        (DEEP, "possible", "/workspace/train.py:87 in collate"),
    ):
        report = report_of(text, "user-code-error")
        assert told(report) == [("user-code-error", level, "initiating", None, None)]
        assert dict(report.diagnoses[0].evidence[0].values)["frame"] == frame


def test_merely_possible_entry_on_the_exception_leaves_it_the_users() -> None:
    """Only a failure that is likely takes the exception for itself."""
    for strength, first in (("weak", "user-code-error"), ("strong", "bad")):
        detect = {"signs": {"a": {"traceback": "KeyError"}}, "signatures": [{strength: ["a"]}]}
        report = report_of(MISTAKE, "user-code-error", bad=(detect, {}))
        assert [item[:2] for item in told(report)] == [(first, "likely")]


def test_program_that_cannot_be_parsed_is_the_users() -> None:
    """Python prints no call, but it names the file."""
    text = (
        '  File "/workspace/train.py", line 3\n    def f(:\n          ^\n'
        "SyntaxError: invalid syntax\n"
    )
    assert told(report_of(text, "user-code-error"))[0][:2] == ("user-code-error", "likely")
