"""Whether a run outlived a stop, or had reached its end before."""

from typing import Any

import pytest

from checker.model import CONFIDENCE
from tests.checker.failures import catalogue_of, diagnosed

pytestmark = pytest.mark.rule("recovery")

NOTICE: tuple[dict[str, Any], dict[str, Any]] = (
    {
        "signs": {
            "told": "this job is preempted",
            "agent": "Received <n> death signal, shutting down workers",
            "interrupted": {"traceback": "KeyboardInterrupt"},
        },
        "signatures": [
            {"decisive": ["told"]},
            {"decisive": ["agent"]},
            {"strong": ["interrupted"]},
        ],
    },
    {"kind": "stop"},
)
CATALOGUE = catalogue_of("host-oom-killer", notice=NOTICE)
PREEMPTED = "{}Caught signal SIGUSR1 on node-a: this job is preempted.\n"
INTERRUPTED = (
    "Traceback (most recent call last):\n"
    '  File "/tmp/tool.py", line 2, in <module>\n'
    "    run()\n"
    "KeyboardInterrupt\n"
)
SIGTERM = (
    "W0814 03:02:{:02}.000000 1420 torch/distributed/elastic/agent/server/api.py:753] "
    "Received 15 death signal, shutting down workers\n"
)
DONE = "Training completed.\n"


def steps(first: int, last: int, head: str = "") -> str:
    """Steps that a run prints."""
    return "".join(f"{head}step {n} loss 2.5\n" for n in range(first, last + 1))


def found(text: str) -> list[tuple[str, str]]:
    """Tell of the stop how sure it is, and whether it stands."""
    report = diagnosed(CATALOGUE, {"a.log": text})
    rows = [(CONFIDENCE[d.confidence], d.role) for d in report.diagnoses]
    return rows + [(CONFIDENCE[d.confidence], "recovered") for d in report.recovered]


def test_run_that_goes_on_longer_than_a_notice_lets_it() -> None:
    """Time to save is given, so that some more steps prove nothing; ten minutes do."""
    row = "2026-08-14 03:{:02}:00 INFO "
    start = PREEMPTED.format(row.format(0))
    within = "".join(steps(n, n, row.format(n)) for n in range(1, 11))
    assert found(start + within) == [("certain", "initiating")]
    assert found(start + within + steps(11, 11, row.format(11))) == [("certain", "recovered")]


def test_steps_without_times_must_be_very_many() -> None:
    """Two hundred last longer than what is left to a run, or two up to its regular end."""
    start = PREEMPTED.format("")
    assert found(start + steps(1, 199)) == [("certain", "initiating")]
    assert found(start + steps(1, 200)) == [("certain", "recovered")]
    assert found(start + steps(1, 2) + DONE) == [("certain", "recovered")]


def test_interrupt_of_a_process_that_counts_on_was_handled() -> None:
    """What a tool that the program runs printed, or what it caught itself, ended nothing."""
    assert found(steps(1, 3) + INTERRUPTED + steps(4, 13)) == [("likely", "recovered")]
    assert found(steps(1, 3) + INTERRUPTED + steps(4, 12)) == [("likely", "initiating")]


def test_interrupt_of_a_rank_that_counts_nothing_was_handled_if_others_go_on() -> None:
    """No other rank makes ten steps without it."""
    rank3 = "".join("[rank3]: " + row for row in INTERRUPTED.splitlines(True))
    assert found(steps(1, 3, "[rank0]: ") + rank3 + steps(4, 13, "[rank0]: ")) == [
        ("likely", "recovered")
    ]
    assert found(steps(1, 3, "[rank0]: ") + rank3 + steps(4, 12, "[rank0]: ")) == [
        ("likely", "initiating")
    ]


def test_stop_that_comes_when_the_run_is_done() -> None:
    """It costs nothing, unless the run stood there for long, or only a stage was done."""
    assert found(steps(1, 3) + DONE + SIGTERM.format(1)) == [("possible", "initiating")]
    assert found(steps(1, 3) + SIGTERM.format(1)) == [("certain", "initiating")]
    assert found(DONE + steps(1, 3) + SIGTERM.format(1)) == [("certain", "initiating")]
    hung = "2026-08-14 02:{}:00 INFO Training completed.\n"
    assert found(steps(1, 3) + hung.format(58) + SIGTERM.format(1)) == [("possible", "initiating")]
    assert found(steps(1, 3) + hung.format(40) + SIGTERM.format(1)) == [("certain", "initiating")]


def test_end_of_a_process_is_no_notice() -> None:
    """Steps of others after an exit prove nothing."""
    ended: tuple[dict[str, Any], dict[str, Any]] = (
        {"signs": {"ended": {"exit": {"signal": 2}}}, "signatures": [{"strong": ["ended"]}]},
        {"kind": "stop"},
    )
    text = "srun: error: node-a: task 3: Exited with exit code 130\n" + steps(1, 300)
    report = diagnosed(catalogue_of("host-oom-killer", ended=ended), {"a.log": text})
    assert [d.rule["id"] for d in report.diagnoses] == ["ended"]
