"""torchrun's root cause is believed only as far as the logs of its ranks go."""

import pytest

from tests.checker.failures import catalogue_of, diagnosed

pytestmark = pytest.mark.rule("launcher")

BLOCK = """\
E0814 03:12:02.456000 41800 torch/distributed/elastic/multiprocessing/api.py:880] failed \
(exitcode: {exit}) local_rank: {rank} (pid: 418{rank}) of binary: /usr/bin/python3
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-08-14_03:12:02
  host      : node-a
  rank      : {rank} (local_rank: {rank})
  exitcode  : {exit} (pid: 418{rank})
  error_file: {file}
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""
TRACE = '[rank{0}]: Traceback (most recent call last):\n[rank{0}]:   File "t.py", line 1, in f\n'
FULL = TRACE + "[rank{0}]: OSError: [Errno 28] No space left on device\n"
WAITED = TRACE + (
    "[rank{0}]: RuntimeError: Timed out waiting 1800000ms for recv operation to complete\n"
)
CLOSED = TRACE + "[rank{0}]: RuntimeError: Connection closed by peer [10.0.0.1]:1\n"


def graded(text: str, rank: int, number: int, file: str = "<N/A>") -> tuple[object, ...]:
    """Whether torchrun's word about a rank and its exit is taken, why, and for what."""
    block = BLOCK.format(rank=rank, exit=number, file=file)
    found = diagnosed(catalogue_of(), {"console.log": text + block}).verdict
    assert found is not None
    return found.agrees, found.why, found.entry, found.ranks


@pytest.mark.parametrize(
    ("text", "rank", "number", "expected"),
    [
        (FULL.format(0), 0, 1, (True, "same", "disk-full", (0,))),
        (FULL.format(0) + WAITED.format(1), 1, -6, (False, "abort", "disk-full", (0,))),
        (FULL.format(0) + CLOSED.format(1), 1, 1, (False, "followed", "disk-full", (0,))),
        (FULL.format(0), 1, -15, (False, "teardown", "disk-full", (0,))),
        (FULL.format(0), 1, 1, (None, "unknown", "disk-full", (0,))),
        (
            WAITED.format(0) + WAITED.format(1),
            1,
            1,
            (False, "waited", "collective-timeout", (0, 1)),
        ),
        ("", 1, -15, (False, "teardown", None, ())),
        ("", 1, 1, (None, "unknown", None, ())),
        ("", 1, -9, (None, "unknown", None, ())),
    ],
)
def test_the_word_of_torchrun_is_weighed(
    text: str, rank: int, number: int, expected: tuple[object, ...]
) -> None:
    """It agrees where the rank failed first, and is overruled where the rank only followed."""
    assert graded(text, rank, number) == expected


def test_who_recorded_its_exception_tells_its_own_time() -> None:
    """Without an error file the time is when the agent noticed the end."""
    told = []
    for file in ("/tmp/t/attempt_0/0/error.json", "<N/A>"):
        text = FULL.format(0) + BLOCK.format(rank=0, exit=1, file=file)
        report = diagnosed(catalogue_of(), {"console.log": text})
        assert report.verdict is not None
        told.append(report.verdict.verdict.recorded)
    assert told == [True, False]


def test_the_earliest_of_several_launchers_is_weighed() -> None:
    """Every node prints its own root cause; one of them names what failed first."""
    late = BLOCK.format(rank=8, exit=1, file="<N/A>").replace("03:12:02", "03:12:09")
    files = {"a.log": late, "b.log": FULL.format(0) + BLOCK.format(rank=0, exit=1, file="<N/A>")}
    report = diagnosed(catalogue_of(), files)
    assert report.verdict is not None
    assert (report.verdict.verdict.rank, report.verdict.others) == (0, 1)
    assert report.verdict.agrees is True
