"""What NCCL's RAS service tells of ranks; its texts are constructed from its source and guide."""

from pathlib import Path

import pytest

from checker.collective.ras import is_ras_answer
from checker.pipeline import diagnose_paths
from checker.probe.looking import NO_VIEW
from checker.report.lag_text import lag_rows
from checker.scan.observe import observe_texts
from checker.snapshot.excerpts import ExcerptShelf
from checker.snapshot.writing import Taken, write_snapshot
from tests.checker.failures import catalogue_of

HEAD = """NCCL version 2.28.3 compiled with CUDA 12.9
CUDA runtime version 12090, driver version 12090

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         8        32        32   RUNNING  MISMATCH
    1         8         4         1         4        32   RUNNING  MISMATCH

"""
DEAD = """Errors
======

DEAD
  1 job process is considered dead (unreachable via the RAS network)
  Process 3487984 on node 172.16.64.213 managing GPU 5

#0-0 (cf264af53edbe986) INCOMPLETE
  Missing communicator data from 2 ranks
  Rank 21 -- GPU 5 managed by process 3487984 on node 172.16.64.213
  Rank 22 -- GPU 6 managed by process 3487985 on node 172.16.64.213

"""
BEHIND = """Warnings
========

#0-0 (cf264af53edbe986) MISMATCH
  Communicator ranks have different AllReduce operation counts
  31 ranks have launched up to operation {most}
  Rank 5 has launched up to operation {rank} -- GPU 5 managed by process 4711 on node 172.16.64.210

#1-3 (0f264af53edbe986) MISMATCH
  Communicator ranks have different AllReduce operation counts
  3 ranks have launched up to operation 70
  Rank 1 has launched up to operation 60 -- GPU 2 managed by process 4713 on node 172.16.64.211

"""


def answer(second: int, *parts: str) -> str:
    """One answer, as the checker keeps it."""
    minute, second = divmod(second, 60)
    return f"asked at 2026-11-30 10:{minute:02}:{second:02} UTC\n" + HEAD + "".join(parts) + "\n"


def behind(most: int, rank: int) -> str:
    """The part of an answer in which a rank has launched less than the others."""
    return BEHIND.format(most=most, rank=rank)


def rulings(text: str) -> list[tuple[str, str, tuple[int, ...], str]]:
    """The verdicts on what an answer tells."""
    seen = observe_texts({"ras.txt": text}, frozenset(), {}, {})
    return [(lag.group, lag.verdict, lag.accused, lag.why) for lag in seen.lags]


def test_counts_that_stand_for_a_minute_tell_who_lags() -> None:
    """Of the communicator of all GPUs alone, since in others a rank has another number."""
    assert rulings(answer(0, behind(120, 119)) + answer(61, behind(120, 119))) == [
        (
            "report of NCCL's RAS",
            "straggler",
            (5,),
            "rank 5 launched fewer operations than most, and no count moved in 61 s",
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        answer(0, behind(120, 119)),
        answer(0, behind(120, 119)) + answer(5, behind(120, 119)),
        answer(0, behind(120, 119)) + answer(61, behind(121, 119)),
        answer(0) + answer(61, behind(120, 119)),
        HEAD + behind(120, 119) + HEAD + behind(120, 119),
    ],
)
def test_unequal_counts_alone_prove_nothing(text: str) -> None:
    """One answer of a healthy job shows them, and so do two a moment apart."""
    assert rulings(text) == [
        (
            "report of NCCL's RAS",
            "undecided",
            (),
            "rank 5 launched fewer operations than most, which means nothing until two answers a "
            "minute apart tell the same",
        )
    ]


def test_a_process_that_the_service_calls_dead_is_unreachable() -> None:
    """It may have ended, be stopped, or be cut off: one without data that answers is not named."""
    assert rulings(answer(0, DEAD, behind(120, 119))) == [
        (
            "report of NCCL's RAS",
            "unreachable",
            (21,),
            "NCCL has not reached the process of rank 21 for a minute",
        )
    ]


def test_it_is_told_where_the_ranks_were_and_kept_in_a_snapshot(tmp_path: Path) -> None:
    """With the row that says so; the excerpt of a snapshot tells the same."""
    (tmp_path / "ras.txt").write_text(answer(0, behind(120, 119)) + answer(60, behind(120, 119)))
    known, shelf = catalogue_of("disk-full"), ExcerptShelf()
    report = diagnose_paths(known, [str(tmp_path / "ras.txt")], None, shelf=shelf)
    target = tmp_path / "a.snap"
    write_snapshot(str(target), Taken(shelf, report.observations.inputs, NO_VIEW, None), known)
    again = diagnose_paths(known, [str(target)], None)

    for told in (report, again):
        assert [text for _, text in lag_rows(told)] == [
            "  A report of NCCL's RAS: rank 5 launched fewer operations than most, and no",
            "    count moved in 60 s.",
        ]
        (lag,) = told.observations.lags
        assert lag.lines[0].shown == (
            "  Rank 5 has launched up to operation 119 -- GPU 5 managed by process 4711 on node "
            "172.16.64.210"
        )


def test_no_other_text_is_taken_for_an_answer() -> None:
    """NCCL prints its version at the top of logs too."""
    assert is_ras_answer(HEAD.encode())
    assert not is_ras_answer(b"NCCL version 2.28.3+cuda12.9\nstep 1 loss 2.0\n")
