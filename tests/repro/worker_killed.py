"""A loader worker dies without an exception, and its rank fails with it.

Made by a worker of rank 2 that gets SIGKILL, reads at address 0, or leaves with `os._exit`. Run
with `python tests/repro/run.py worker_killed`.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from training import CLASSES, TOKENS, VOCABULARY, Batch, build_model, connect, train

_FOUR = ["--standalone", "--nproc-per-node=4"]
_FAILED = [
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "rank      : 2 (local_rank: 2)",
    "exitcode  : 1 (pid: ",
]

CAPTURES = {
    "killed": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--end=kill"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "RuntimeError: DataLoader worker (pid ",
                ") is killed by signal: Killed. ",
            ]
        },
    },
    "segmentation_fault": {
        "torchrun": _FOUR,
        "arguments": ["--end=segfault"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "ERROR: Unexpected segmentation fault encountered in worker.",
                ") is killed by signal: Segmentation fault. ",
            ]
        },
    },
    "left": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--end=leave"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "RuntimeError: DataLoader worker (pid ",
                ") exited unexpectedly with exit code 3. "
                "Details are lost due to multiprocessing. "
                "Rerunning with num_workers=0 may give better error trace.",
            ]
        },
    },
}

FAILING_RANK = 2
FAILING_RECORD = 60


class Shard(Dataset[Batch]):
    """The records of one rank, one of which ends the worker that reads it."""

    def __init__(self, end: str) -> None:
        self.end = end

    def __len__(self) -> int:
        return 160

    def __getitem__(self, index: int) -> Batch:
        if index == FAILING_RECORD and self.end == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if index == FAILING_RECORD and self.end == "segfault":
            ctypes.string_at(0)
        if index == FAILING_RECORD and self.end == "leave":
            os._exit(3)
        generator = torch.Generator().manual_seed(index)
        return {
            "input_ids": torch.randint(VOCABULARY, (TOKENS,), generator=generator),
            "label": torch.tensor(index % CLASSES),
        }


def main(end: str) -> None:
    """Train until the worker is gone."""
    rank = connect()
    dataset = Shard(end if rank == FAILING_RANK else "none")
    workers = 2 if rank == FAILING_RANK else 0
    train(build_model(), DataLoader(dataset, batch_size=8, num_workers=workers))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--end", choices=["kill", "segfault", "leave"], required=True)
    main(parser.parse_args().end)
