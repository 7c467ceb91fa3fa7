"""Processes whose stacks are alike stand together, and the minority is the suspect."""

import pytest

from checker.match.stack_clusters import clusters_of, compared_stacks, suspect_clusters
from checker.model import Stack
from tests.checker.observed import line

pytestmark = pytest.mark.rule("stacks")

ALL_REDUCE = (
    "all_reduce (/v/site-packages/torch/distributed/distributed_c10d.py:3001)",
    "wrapper (/v/site-packages/torch/distributed/c10d_logger.py:83)",
    "main (/w/train.py:61)",
)
LOADING = ("read (/w/data.py:9)", "next_batch (/w/data.py:4)", "main (/w/train.py:60)")


def dumped(rank: int | None, *frames: str, number: int = 1, **fields: object) -> Stack:
    """The stack of a rank's main thread."""
    made = Stack(line("dump", number, f"{rank}.txt", rank=rank), 100 + (rank or 0), None, frames)
    return made._replace(**{"thread": "MainThread", **fields})


def placed(*stacks: Stack) -> list[tuple[list[int | None], bool, list[int | None]]]:
    """Ranks and waiting of each cluster, and the ranks that are suspected."""
    clusters = clusters_of(compared_stacks(stacks))
    suspects = [s.line.writer.rank for c in suspect_clusters(clusters) for s in c.stacks]
    return [([s.line.writer.rank for s in c.stacks], c.waits, suspects) for c in clusters]


def test_the_one_that_does_not_wait_is_the_suspect() -> None:
    """Who stands elsewhere than the waiting majority is suspected, wherever those poll."""
    deeper = ("poll (/v/torch/x.py:7)", *ALL_REDUCE)
    moved = tuple(frame.replace(":61)", ":62)") for frame in ALL_REDUCE)
    assert placed(
        dumped(0, *ALL_REDUCE), dumped(1, *deeper), dumped(2, *moved), dumped(3, *LOADING)
    ) == [([0, 1, 2], True, [3]), ([3], False, [3])]


def test_who_waits_for_workers_is_not_suspected() -> None:
    """A rank that is early waits for the others, which are late."""
    stacks = [dumped(rank, *LOADING) for rank in range(3)]
    assert placed(*stacks, dumped(3, *ALL_REDUCE)) == [([0, 1, 2], False, []), ([3], True, [])]


def test_no_majority_suspects_nobody() -> None:
    """Where ranks stand half here and half there, nothing tells which half is late."""
    assert placed(dumped(0, *ALL_REDUCE), dumped(1, *LOADING)) == [
        ([1], False, []),
        ([0], True, []),
    ]


def test_another_collective_is_suspected() -> None:
    """A rank that waits in a collective of its own stands elsewhere."""
    barrier = ("barrier (/v/torch/distributed/distributed_c10d.py:9)", "main (/w/train.py:70)")
    stacks = [dumped(rank, *ALL_REDUCE) for rank in range(3)]
    assert placed(*stacks, dumped(3, *barrier)) == [([0, 1, 2], True, [3]), ([3], True, [3])]


def test_the_main_thread_of_the_last_dump_is_compared() -> None:
    """Other threads, and dumps that a later one follows, do not tell where a rank stands."""
    aside = dumped(0, "wait (threading.py:1)", number=3, thread="pin")
    early = dumped(0, *LOADING)
    late = dumped(0, *ALL_REDUCE, number=2)
    assert placed(early, late, aside) == [([0], True, [])]
    unnamed = [dumped(0, *LOADING, thread=None), dumped(0, *ALL_REDUCE, number=2, thread=None)]
    assert placed(*unnamed) == [([0], True, [])]


def test_helpers_are_no_ranks() -> None:
    """Loader workers and torchrun's agent are dumped too, and are not compared with ranks."""
    worker = dumped(None, "get (q.py:1)", "_worker_loop (torch/utils/data/_utils/worker.py:9)")
    agent = dumped(None, "sleep (x.py:1)", "_invoke_run (torch/agent/server/api.py:9)", pid=7)
    stacks = [dumped(rank, *ALL_REDUCE) for rank in range(2)]
    assert placed(*stacks, worker, agent) == [([0, 1], True, [])]


def test_only_dumps_of_one_kind_are_compared() -> None:
    """A kernel stack of one rank does not stand elsewhere than the Python stacks of all."""
    kernel = dumped(1, "pipe_write", kind="kernel", thread=None)
    assert placed(dumped(0, *ALL_REDUCE), dumped(1, *ALL_REDUCE), kernel) == [([0, 1], True, [])]


def test_native_frames_are_compared_without_the_interpreter() -> None:
    """Arguments of templates and the interpreter's own frames make no difference."""
    gloo = (
        "syscall ()",
        "gloo::Buffer<int>::waitRecv (libtorch.so)",
        "_PyEval_Vector ()",
        "main ()",
    )
    other = ("epoll_wait ()", "gloo::Buffer<long>::waitRecv (libtorch.so)", "cfunction_call ()")
    stacks = (dumped(0, *gloo, kind="native"), dumped(1, *other, kind="native"))
    assert placed(*stacks) == [([0, 1], True, [])]
