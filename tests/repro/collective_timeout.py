"""One rank is late for a collective: the others wait until the process group's timeout and fail.

Made by rank 3 preprocessing its data for much longer than the timeout, either before a step's
gradient all-reduce or before a monitored barrier. Run with
`python tests/repro/run.py collective_timeout`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from datetime import timedelta

import torch.distributed as dist
from training import Batch, build_model, connect, log, random_batch, train

CAPTURES = {
    "all_reduce": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--late-for=all_reduce"],
        "exit": 1,
        "expect": {
            "console.log": [
                "Timed out waiting 10000ms for recv operation to complete",
                "train rank 3: tokenized shard 4 of 40",
                "Root Cause (first observed failure):",
            ]
        },
        "absent": ["tokenized shard 40 of 40"],
    },
    "monitored_barrier": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--late-for=monitored_barrier"],
        "exit": 1,
        "expect": {
            "console.log": [
                "failed to pass monitoredBarrier in 10000 ms",
                "train rank 3: tokenized shard 4 of 40",
                "Root Cause (first observed failure):",
            ]
        },
        "absent": ["tokenized shard 40 of 40"],
    },
}

LATE_RANK = 3
TIMEOUT_SECONDS = 10
SHARDS = 40


def preprocess(rank: int) -> None:
    """Take a second for each shard on the late rank; the others find theirs done."""
    if rank != LATE_RANK:
        return
    for shard in range(1, SHARDS + 1):
        time.sleep(1)
        log.info("tokenized shard %d of %d", shard, SHARDS)


def batches(rank: int, pause_at: int) -> Iterator[Batch]:
    """Yield a rank's batches, the late rank's with a long pause before one of them."""
    for step in range(60):
        if step == pause_at:
            preprocess(rank)
        yield random_batch(seed=1000 * rank + step)


def main(late_for: str) -> None:
    """Train, with one rank late for the chosen collective."""
    rank = connect(timeout_seconds=TIMEOUT_SECONDS)
    if late_for == "monitored_barrier":
        preprocess(rank)
        dist.monitored_barrier(timeout=timedelta(seconds=TIMEOUT_SECONDS), wait_all_ranks=True)
    train(build_model(), batches(rank, pause_at=5))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--late-for", choices=["all_reduce", "monitored_barrier"], required=True)
    main(parser.parse_args().late_for)
