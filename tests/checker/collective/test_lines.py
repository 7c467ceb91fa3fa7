"""What torch prints of collectives, in the wordings of its versions."""

import pytest

from checker.collective.lines import COLLECTIVE_LITERALS, read_collective
from checker.collective.records import Call, CollectiveNote, Telling
from tests.checker.observed import line

WORK = "WorkNCCL(SeqNum=15173, OpType=ALLREDUCE, Timeout(ms)=1800000)"


def note(text: str) -> list[CollectiveNote]:
    """What a line tells, without the line."""
    return [one._replace(line=line()) for one in read_collective(line(text), COLLECTIVE_LITERALS)]


def told(group: str, described: str, *tellings: Telling, at: int | None = None) -> CollectiveNote:
    """A note of the test's line."""
    return CollectiveNote(line(), group, described, tellings, at)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"[Rank 1] Watchdog caught collective operation timeout: {WORK} ran for 1803170 "
            "milliseconds before timing out.",
            told("", "", Telling(1, waits_in=Call(15173, "ALLREDUCE"), timeout=1800.0)),
        ),
        (
            "[PG 0 Rank 1] Timeout at NCCL work: 5, last enqueued NCCL work: 7, last completed "
            "NCCL work: 4.",
            told("0", "", Telling(1, enqueued=7, completed=4), at=5),
        ),
        (
            "[PG 0 (default_pg) Rank 3] Exception (either an error or timeout) detected by "
            "watchdog at work: 5, last enqueued NCCL work: 7, last completed NCCL work: -1.",
            told("0", "default_pg", Telling(3, enqueued=7, completed=-1), at=5),
        ),
        (
            "[PG ID 2 PG GUID 3(mesh_tp) Rank 5]  failure detected by watchdog at work sequence "
            "id: 4711 PG status: last enqueued work: 4713, last completed work: 4710",
            told("3", "mesh_tp", Telling(5, enqueued=4713, completed=4710), at=4711),
        ),
        (
            "[PG ID 0 PG GUID 0(default_pg) Rank 2] Received a dump signal due to a collective "
            "timeout from this local rank and we will try our best to dump the debug info. Last "
            "enqueued NCCL work: 166, last completed NCCL work: 165.This is most likely",
            told("0", "default_pg", Telling(2, enqueued=166, completed=165)),
        ),
        (
            "[PG ID 0 PG GUID 0 Rank 6] Process group watchdog thread terminated with exception: "
            "[Rank 6] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3, "
            "OpType=COALESCED, NumelIn=18446744073709551615, NumelOut=18446744073709551615, "
            "Timeout(ms)=600000) ran for 600001 milliseconds before timing out.",
            told("0", "", Telling(6, waits_in=Call(3, "COALESCED"), timeout=600.0)),
        ),
        (
            "\t - To our best knowledge, ranks [0, 12] are the lagging ranks that caused this "
            "timeout. They never joined any collectives",
            told(
                "desync report",
                "",
                Telling(0, other=True, missing=True),
                Telling(12, other=True, missing=True),
            ),
        ),
        (
            "\t   - [0, 1] joined but didn't finish collective #5 (count from 1)",
            told(
                "desync report",
                "",
                Telling(0, other=True, waits_in=Call(5, "")),
                Telling(1, other=True, waits_in=Call(5, "")),
            ),
        ),
        (
            "[Rank 0]: Rank 1 failed to pass monitoredBarrier in 3000 ms",
            told("monitored barrier", "", Telling(1, other=True, missing=True, timeout=3.0)),
        ),
        (
            "Detected mismatch between collectives on ranks. Rank 1 is running collective: "
            "CollectiveFingerPrint(SequenceNumber=5, OpType=ALLREDUCE, TensorShape=[4, 2], "
            "TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default))), but "
            "Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=6OpType=BARRIER).",
            told(
                "debug check",
                "",
                Telling(1, other=True, waits_in=Call(5, "ALLREDUCE", 8, None, "4, 2 Float")),
                Telling(0, other=True),
            ),
        ),
    ],
)
def test_wordings(text: str, expected: CollectiveNote) -> None:
    """Each wording gives the group, the rank in it, and the numbers."""
    assert note(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE, "
        "Timeout(ms)=1800000) ran for 1800012 milliseconds before timing out.",
        "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=15173, OpType=ALL",
        "NCCL Work update periodically: last enqueued NCCL work: 5, last completed NCCL work: 4.",
        "what we logged as last enqueued work: see above",
        "[PG ID 0 PG GUID 0(default_pg) Rank 5]  failure detected by watchdog at work sequence "
        "id: 4711 PG status: last enqueued work: 47",
        "[PG 1 Rank 1] Timeout at NCCL work: 5, last enqueued NCCL work: 7, last completed NCCL "
        "work: 4.",
    ],
)
def test_what_names_no_number_or_no_group_tells_nothing(text: str) -> None:
    """Torch 1.8 has no number, a cut line no whole one, and counters need a group of one name."""
    assert note(text) == []
