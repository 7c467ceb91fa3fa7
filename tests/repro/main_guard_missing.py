"""A program without a main guard starts processes by spawn, and each of them runs it again.

Made by loader workers, also by forkserver and in ranks, by ranks that torch spawns, and by a pool.
Run with `python tests/repro/run.py main_guard_missing`.
"""

from __future__ import annotations

import os
import sys

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader
from training import connect

_ERROR = [
    "RuntimeError: \n        An attempt has been made to start a new process before the\n"
    "        current process has finished its bootstrapping phase.\n",
    "            if __name__ == '__main__':\n                freeze_support()\n",
    "main_guard_missing.py",
]

CAPTURES = {
    "loader_spawn": {
        "torchrun": None,
        "arguments": ["spawn"],
        "exit": 1,
        "expect": {
            "console.log": [*_ERROR, "exited unexpectedly with exit code 1. Details are lost"]
        },
        "deadline": 240,
    },
    "loader_forkserver": {
        "torchrun": None,
        "arguments": ["forkserver"],
        "exit": 1,
        "expect": {"console.log": [*_ERROR, ") exited unexpectedly"]},
        "deadline": 240,
    },
    "ranks_spawned": {
        "torchrun": None,
        "arguments": ["ranks"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_ERROR,
                "torch.multiprocessing.spawn.ProcessExitedException: process ",
                " terminated with exit code 1",
            ]
        },
        "deadline": 240,
    },
    "pool_without_end": {
        "torchrun": None,
        "arguments": ["pool"],
        "exit": 1,
        "expect": {
            "console.log": [
                "RuntimeError: context has already been set",
                "multiprocessing.context.TimeoutError",
            ]
        },
    },
    "tee": {
        "torchrun": ["--standalone", "--nproc-per-node=2", "--tee=3"],
        "arguments": ["spawn"],
        "exit": 1,
        "expect": {
            "console.log": [
                "]: RuntimeError: ",
                "rank 1: ready, pid ",
                "        An attempt has been made to start a new process before the\n",
                "exited unexpectedly with exit code 1. Details are lost",
                "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
            ]
        },
        "deadline": 240,
    },
}


def greet(rank: int) -> None:
    """Do the work of a rank that is never reached."""
    print("rank", rank, "is here", flush=True)


# No guard stands here: that it is missing is the failure.
if "WORLD_SIZE" in os.environ:
    connect()
if sys.argv[1] == "ranks":
    mp.spawn(greet, nprocs=2)
elif sys.argv[1] == "pool":
    # A pool replaces each worker that ends, so without a limit this would never return.
    mp.set_start_method("spawn")
    with mp.Pool(2) as pool:
        print(pool.map_async(abs, range(4)).get(timeout=20))
else:
    loader = DataLoader(
        torch.arange(64.0), batch_size=8, num_workers=2, multiprocessing_context=sys.argv[1]
    )
    for step, batch in enumerate(loader, start=1):
        print("step", step, "mean", float(batch.mean()), flush=True)
