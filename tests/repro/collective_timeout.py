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
from torch.distributed.elastic.multiprocessing.errors import record
from training import Batch, build_model, connect, log, random_batch, train

_LATE = "train rank 3: tokenized shard 4 of 40"
_TIMED_OUT = [
    # The ranks between the late one's neighbours may wait to receive or to send.
    "Timed out waiting 10000ms for ",
    "Root Cause (first observed failure):",
]
_IN_STEP = {
    "arguments": ["--late-for=all_reduce"],
    "exit": 1,
    "absent": ["tokenized shard 40 of 40"],
}
_RECORDED = {**_IN_STEP, "arguments": ["--late-for=all_reduce", "--record"]}
# An agent that looks every 5 s leaves the ranks that waited the time to print so.
_SLOW = ["--standalone", "--monitor-interval=5"]

CAPTURES = {
    "all_reduce": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        **_IN_STEP,
        "expect": {"console.log": [*_TIMED_OUT, _LATE]},
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
    "plain": {
        "torchrun": [*_SLOW, "--nproc-per-node=4"],
        **_IN_STEP,
        "expect": {"console.log": [*_TIMED_OUT, _LATE]},
    },
    "log_dir": {
        "torchrun": [*_SLOW, "--nproc-per-node=4", "--log-dir=logs", "--redirects=3"],
        **_RECORDED,
        "expect": {
            "console.log": _TIMED_OUT[1:],
            "logs/*/attempt_0/?/stderr.log": _TIMED_OUT[:1],
            "logs/*/attempt_0/3/stderr.log": [_LATE],
        },
    },
    "tee_2": {
        "torchrun": [*_SLOW, "--nproc-per-node=2", "--tee=3"],
        **_RECORDED,
        "expect": {"console.log": [*_TIMED_OUT, "train rank 1: tokenized shard 4 of 40"]},
    },
    "log_dir_tee": {
        "torchrun": [*_SLOW, "--nproc-per-node=4", "--log-dir=logs", "--tee=3"],
        **_IN_STEP,
        "expect": {
            "console.log": [*_TIMED_OUT, _LATE],
            "logs/*/attempt_0/3/stderr.log": [_LATE],
        },
    },
    "plain_8": {
        "torchrun": [*_SLOW, "--nproc-per-node=8"],
        **_IN_STEP,
        "expect": {"console.log": [*_TIMED_OUT, _LATE]},
    },
    "log_dir_8": {
        "torchrun": [*_SLOW, "--nproc-per-node=8", "--log-dir=logs", "--redirects=3"],
        **_RECORDED,
        "expect": {
            "console.log": _TIMED_OUT[1:],
            "logs/*/attempt_0/?/stderr.log": _TIMED_OUT[:1],
            "logs/*/attempt_0/3/stderr.log": [_LATE],
        },
    },
}

# Of a world of two ranks it is the last.
LATE_RANK = 3
TIMEOUT_SECONDS = 10
SHARDS = 40


def preprocess(rank: int) -> None:
    """Take a second for each shard on the late rank; the others find theirs done."""
    if rank != min(LATE_RANK, dist.get_world_size() - 1):
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
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    run = record(main) if options.record else main
    run(options.late_for)
