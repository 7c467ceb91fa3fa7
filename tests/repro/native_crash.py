"""Native code of one rank reads where nothing is mapped, or aborts; its peers lose the connection.

Made by rank 1, which reads at address 0 or calls `abort` after a few steps. Run with
`python tests/repro/run.py native_crash`.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import os
from collections.abc import Iterator

import torch.distributed as dist
from training import Batch, build_model, connect, random_batch, train

_FOUR = ["--standalone", "--nproc-per-node=4", "--tee=3", "--monitor-interval=5"]
_SEGMENTATION = [
    "rank      : 1 (local_rank: 1)",
    "exitcode  : -11 (pid: ",
    "traceback : Signal 11 (SIGSEGV) received by PID ",
]

CAPTURES = {
    "segmentation_fault": {
        "torchrun": _FOUR,
        "arguments": ["--end=segfault"],
        "exit": 1,
        "expect": {"console.log": _SEGMENTATION},
    },
    "with_faulthandler": {
        "torchrun": _FOUR,
        "arguments": ["--end=segfault", "--faulthandler"],
        "exit": 1,
        "expect": {
            "console.log": [
                "Fatal Python error: Segmentation fault",
                " (most recent call first):",
                *_SEGMENTATION,
            ]
        },
    },
    "aborted": {
        "torchrun": _FOUR,
        "arguments": ["--end=abort", "--faulthandler"],
        "exit": 1,
        "expect": {
            "console.log": [
                "Fatal Python error: Aborted",
                "exitcode  : -6 (pid: ",
                "traceback : Signal 6 (SIGABRT) received by PID ",
            ]
        },
    },
}

STEPS, LAST_STEP = 400, 8


def crash(end: str) -> None:
    """End this process in native code."""
    if end == "segfault":
        ctypes.string_at(0)
    os.abort()


def batches(rank: int, end: str) -> Iterator[Batch]:
    """Give random batches, until native code ends rank 1."""
    for step in range(STEPS):
        if rank == 1 and step == LAST_STEP:
            crash(end)
        yield random_batch(seed=1000 * rank + step)


def main(end: str) -> None:
    """Train until a rank is gone."""
    rank = connect()
    train(build_model(), batches(rank, end))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--end", choices=["segfault", "abort"], required=True)
    parser.add_argument("--faulthandler", action="store_true")
    chosen = parser.parse_args()
    if chosen.faulthandler:
        faulthandler.enable()
    main(chosen.end)
