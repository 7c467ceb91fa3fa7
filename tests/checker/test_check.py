"""The exit status that a report stands for."""

import pytest

from checker.check import report_status
from checker.model import Diagnosis, Input
from tests.checker.report_records import (
    KILL_DIAGNOSIS,
    PEER_DIAGNOSIS,
    diagnosis,
    observations,
    read_input,
    report,
    rule,
)

READ = read_input("a.log")
MISSING = Input("b", "unreadable", "no such file", None, None, None, None, None, False)
REFUSED = Input("c", "unreadable", "permission denied", None, None, None, None, None, True)
EMPTY = Input("d", "skipped", "empty", 0, 0, None, None, None, False)
CUT = read_input("e.log", reason="interrupted here; nothing after it was read")
ADVICE = diagnosis(rule("advice", kind="benign"), confidence=1)
STOP = diagnosis(rule("limit", kind="stop"), confidence=2)


@pytest.mark.parametrize(
    ("inputs", "diagnoses", "status"),
    [
        ([READ], [], 0),
        ([READ, MISSING, EMPTY], [], 0),
        ([READ], [ADVICE], 0),
        ([READ], [KILL_DIAGNOSIS._replace(confidence=1)], 0),
        ([READ], [KILL_DIAGNOSIS], 1),
        ([READ], [STOP], 1),
        ([READ], [PEER_DIAGNOSIS], 1),
        ([READ, REFUSED], [KILL_DIAGNOSIS], 1),
        ([MISSING, EMPTY], [], 3),
        ([], [], 3),
        ([read_input("f.log", 0)], [], 3),
        ([READ, REFUSED], [], 4),
        ([REFUSED], [], 4),
        ([READ, CUT], [KILL_DIAGNOSIS], 130),
    ],
)
def test_the_status_follows_the_table(
    inputs: list[Input], diagnoses: list[Diagnosis], status: int
) -> None:
    """A diagnosis counts most, then a refusal, then that nothing could be read."""
    assert report_status(report(observations(*inputs), *diagnoses)) == status


def test_what_the_run_recovered_from_is_no_finding() -> None:
    """A failure that passed does not set the status."""
    assert report_status(report(observations(READ), recovered=(KILL_DIAGNOSIS,))) == 0
