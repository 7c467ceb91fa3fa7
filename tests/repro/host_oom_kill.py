"""One rank leaks host memory until the kernel kills it: exit code -9 and a kernel log record.

Made by rank 2 keeping every batch in a list, with all ranks in a memory cgroup of limited size.
Needs root and cgroup v1. Run with `python tests/repro/run.py host_oom_kill`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import torch
import torch.distributed as dist
from training import Batch, build_model, connect, log, random_batch, train

_KERNEL = {
    "dmesg.log": [
        "invoked oom-killer: ",
        "oom-kill:constraint=CONSTRAINT_MEMCG,",
        "Memory cgroup out of memory: Killed process {pid of rank 2} (",
    ],
    "dmesg-T.log": ["Memory cgroup out of memory: Killed process {pid of rank 2} ("],
}

CAPTURES = {
    "tee": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "memory_limit_mib": 2048,
        "exit": 1,
        "expect": {
            "console.log": [
                "failed (exitcode: -9) local_rank: 2 (pid: {pid of rank 2}) of binary: ",
                "rank      : 2 (local_rank: 2)",
                "exitcode  : -9 (pid: {pid of rank 2})",
                "traceback : Signal 9 (SIGKILL) received by PID {pid of rank 2}",
            ],
            **_KERNEL,
        },
    },
    # A peer that allocates while the victim is still giving its memory back can be killed as well,
    # milliseconds later, and torchrun may then name the peer as the first failure. Not every run
    # has a second victim.
    "busy_peers": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--busy-peers"],
        "memory_limit_mib": 2048,
        "exit": 1,
        "expect": {
            "console.log": [
                "failed (exitcode: -9) local_rank: ",
                "traceback : Signal 9 (SIGKILL) received by PID {pid of rank 2}",
            ],
            **_KERNEL,
        },
    },
}

LEAKING_RANK = 2
FEATURE_MIB = 48


def batches(rank: int, *, busy_peers: bool) -> Iterator[Batch]:
    """Yield a rank's batches; the leaking rank also keeps the features of each."""
    seen: list[torch.Tensor] = []
    for step in range(200):
        if rank == LEAKING_RANK or busy_peers:
            # Random numbers, since untouched or zero pages would not be charged to the process.
            features = torch.rand(FEATURE_MIB * 2**20 // 4)
        if rank == LEAKING_RANK:
            seen.append(features)
            log.info("kept %d batches for the epoch statistics", len(seen))
        yield random_batch(seed=1000 * rank + step)


def main(busy_peers: bool) -> None:
    """Train until the kernel kills the leaking rank."""
    rank = connect()
    train(build_model(), batches(rank, busy_peers=busy_peers))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--busy-peers", action="store_true")
    main(parser.parse_args().busy_peers)
