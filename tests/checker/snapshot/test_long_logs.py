"""Long logs, of which a snapshot keeps little, are diagnosed alike from it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from checker.probe.looking import NO_VIEW
from checker.snapshot.writing import SnapshotWish
from tests.test_snapshots_alike import snapshot_told

FAILED = (
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line 412, in <module>',
    "    save(model, path)",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.02 GiB is free.",
)
LOST = (
    "[rank3]:[E801 09:22:03.000003 ProcessGroupNCCL.cpp:629] [Rank 3] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=4711, OpType=ALLREDUCE, NumelIn=268435456, "
    "NumelOut=268435456, Timeout(ms)=600000) ran for 600003 milliseconds before timing out."
)


def steps(count: int, loss: Callable[[int], float]) -> list[str]:
    """Write the steps of a run, one a second."""
    return [
        f"2026-08-01 0{3 + i // 3600}:{i // 60 % 60:02}:{i % 60:02},000 INFO train rank 0: "
        f"step {i} loss {loss(i):.4f} grad_norm {1 + i % 97 / 100:.3f} lr 1.0e-04"
        for i in range(count)
    ]


def even(step: int) -> float:
    """A loss that falls a little."""
    return 3 - step / 90000 + step % 7 / 100


LOGS = {
    "goes on": steps(9000, even),
    "ends with no number": steps(9000, lambda i: even(i) if i < 8500 else float("nan")),
    "jumps": steps(9000, lambda i: even(i) + (90 if 7000 < i < 7010 else 0)),
    "is zero": steps(9000, lambda i: even(i) if i < 6000 else 0.0),
    "fails": [*steps(9000, even), *FAILED],
    "fails and goes on": [*steps(4000, even), *FAILED, *steps(4000, even)],
    "fails again and again": [*steps(500, even), *(FAILED * 900), *steps(300, even)],
    "waits after other people's words": [
        *(f"a sentence {i} of a model's, with words of no meaning" for i in range(3000)),
        *steps(900, even),
        LOST,
    ],
    "has a form of its own": [
        *(f"<<{i % 4}>> step {i} loss {even(i):.3f}" for i in range(4000)),
        *("<<2>> " + row for row in FAILED),
    ],
    "draws a bar": [
        "\r".join(f"{i}%|##  | {i}/3000 [00:10<01:00, 1.0it/s, loss=2.{i}]" for i in range(3000))
        + "\r"
        + row
        for row in FAILED
    ],
}


@pytest.mark.parametrize("rows", LOGS.values(), ids=LOGS)
def test_a_long_log_is_told_alike_from_its_snapshot(
    rows: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was left out is known to be missing; little is kept."""
    monkeypatch.chdir(tmp_path)
    log, snapshot = Path("run.log"), tmp_path / "run.snap"
    log.write_text("\n".join(rows) + "\n")

    before, after = snapshot_told([str(log)], NO_VIEW, snapshot, SnapshotWish())

    assert after == before
    assert snapshot.stat().st_size < log.stat().st_size / 20
