"""/dev/shm is too small: a loader worker fails to get shared memory, or dies of a bus error.

Made by a tmpfs of 2 MiB on /dev/shm, in a mount namespace of the run's own. Needs root. Run with
`python tests/repro/run.py shm_full`.
"""

from __future__ import annotations

import argparse
from multiprocessing.shared_memory import SharedMemory

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from training import CLASSES, TOKENS, VOCABULARY, Batch, build_model, connect, train

_FOUR = ["--standalone", "--nproc-per-node=4"]
_SMALL = {"/dev/shm": 2}
_FAILED = [
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "Root Cause (first observed failure):",
]

CAPTURES = {
    # torch (2.10 and later) asks for the pages of a batch before it writes to them.
    "large_batches": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--large-batches"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "RuntimeError: Caught RuntimeError in DataLoader worker process ",
                "RuntimeError: unable to allocate shared memory(shm) for file </torch_",
                ">: No space left on device (28)",
                "exitcode  : 1 (pid: ",
            ]
        },
        "absent": ["Bus error"],
    },
    # Shared memory that a data set makes itself is not asked for; the first write to a page that
    # does not fit is a SIGBUS.
    "shared_cache": {
        "torchrun": _FOUR,
        "arguments": ["--cache=worker"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "ERROR: Unexpected bus error encountered in worker. "
                "This might be caused by insufficient shared memory (shm).",
                " is killed by signal: Bus error. "
                "It is possible that dataloader's workers are out of shared memory. "
                "Please try to raise your shared memory limit.",
                "rank      : 2 (local_rank: 2)",
                "exitcode  : 1 (pid: ",
            ]
        },
    },
    "shared_cache_without_workers": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--cache=rank"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "failed (exitcode: -7) local_rank: 2 (pid: {pid of rank 2}) of binary: ",
                "traceback : Signal 7 (SIGBUS) received by PID {pid of rank 2}",
            ]
        },
        "absent": ["Unexpected bus error"],
    },
}

CACHING_RANK = 2
RECORDS = 160
CACHED_BYTES = 48 * 1024


class Shard(Dataset[Batch]):
    """The records of one rank, each with an image."""

    def __init__(self, pixels: int, cache: SharedMemory | None) -> None:
        self.pixels = pixels
        self.cache = cache

    def __len__(self) -> int:
        return RECORDS

    def __getitem__(self, index: int) -> Batch:
        if self.cache is not None:
            start = index * CACHED_BYTES
            self.cache.buf[start : start + CACHED_BYTES] = bytes(CACHED_BYTES)
        generator = torch.Generator().manual_seed(index)
        return {
            "input_ids": torch.randint(VOCABULARY, (TOKENS,), generator=generator),
            "label": torch.tensor(index % CLASSES),
            "image": torch.zeros(3, self.pixels, self.pixels),
        }


def main(*, large_batches: bool, cache: str) -> None:
    """Train until /dev/shm is full."""
    rank = connect()
    caching = cache != "none" and rank == CACHING_RANK
    memory = SharedMemory(create=True, size=RECORDS * CACHED_BYTES) if caching else None
    dataset = Shard(pixels=128 if large_batches else 4, cache=memory)
    workers = 2 if large_batches or (caching and cache == "worker") else 0
    train(build_model(), DataLoader(dataset, batch_size=8, num_workers=workers))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--large-batches", action="store_true")
    parser.add_argument("--cache", choices=["none", "worker", "rank"], default="none")
    options = parser.parse_args()
    main(large_batches=options.large_batches, cache=options.cache)
