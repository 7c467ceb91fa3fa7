"""The stacks of many ranks become one sentence, where they suspect somebody."""

from pathlib import Path

import pytest

from checker.report.stacks_text import stacks_sentence
from checker.scan.observe import observe
from tests.checker.match.test_stack_clusters import ALL_REDUCE, LOADING, dumped
from tests.checker.observed import NOTHING

LOGS = Path(__file__).parents[2] / "logs" / "stalled_save"
SAVING = (
    "write (/v/torch/serialization.py:700)",
    "__exit__ (/v/torch/serialization.py:500)",
    "save (/v/torch/serialization.py:966)",
    "save_checkpoint (/w/train.py:40)",
    "main (/w/train.py:64)",
)


def test_the_suspect_is_named_with_its_way() -> None:
    """The majority has its operation and place, the suspect the frames from where it parted."""
    stacks = [dumped(rank, *ALL_REDUCE) for rank in range(7)]
    seen = NOTHING._replace(stacks=(*stacks, dumped(7, *SAVING)))
    assert stacks_sentence(seen) == (
        "7 of 8 ranks wait in all_reduce (train.py:61),"
        " rank 7 is in save_checkpoint -> save -> ... -> write"
    )


def test_processes_without_a_rank_are_named_by_id() -> None:
    """Dumps that nothing joins to ranks speak of processes."""
    stacks = [dumped(None, *ALL_REDUCE, pid=pid) for pid in (11, 12, 13)]
    seen = NOTHING._replace(stacks=(*stacks, dumped(None, *LOADING, pid=14)))
    assert stacks_sentence(seen) == (
        "3 of 4 processes wait in all_reduce (train.py:61), process 14 is in next_batch -> read"
    )


NAMED = (
    "3 of 4 ranks wait in _engine_run_backward (training.py:73),"
    " rank 3 is in save_checkpoint -> save -> _save"
)
NATIVE = (
    "3 of 4 ranks wait in c10d::Reducer::finalize_backward,"
    " rank 3 is in caffe2::serialize::PyTorchStreamWriter::writeRecord"
    " -> mz_zip_writer_add_mem_ex_v2 -> ... -> __GI___libc_write"
)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("faulthandler", NAMED),
        ("py_spy", NAMED),
        ("py_spy_json", NAMED),
        ("py_spy_locals", NAMED),
        ("gdb", NATIVE),
    ],
)
def test_real_dumps_name_the_rank_that_saves(folder: str, expected: str) -> None:
    """Whatever tool shows the four ranks, the one that saves is told from those that wait."""
    seen = observe([str(LOGS / folder)], frozenset())
    assert stacks_sentence(seen) == expected


def test_nobody_is_suspected_of_one_dump() -> None:
    """A single stack has no others to compare with."""
    assert stacks_sentence(NOTHING._replace(stacks=(dumped(0, *LOADING),))) is None
    assert stacks_sentence(NOTHING) is None
