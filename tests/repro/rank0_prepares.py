"""Rank 0 prepares the data alone for longer than the collective timeout; the others wait for it.

Made by the usual pattern: the main process goes first, and a barrier holds the others. Their wait
has the process group's timeout of 5 s, and the work takes 40. Run with
`python tests/repro/run.py rank0_prepares`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch.distributed as dist
from training import build_model, connect, log, random_batch, train

_FOUR = ["--standalone", "--nproc-per-node=4"]
_PREPARING = "train rank 0: tokenized shard 2 of 40"
_GAVE_UP = [
    "RuntimeError: [",
    "Timed out waiting 5000ms for ",
    "Root Cause (first observed failure):",
]

CAPTURES = {
    "prepare": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--work=prepare"],
        "exit": 1,
        "expect": {"console.log": [*_GAVE_UP, _PREPARING, "in main_process_first"]},
        "absent": ["tokenized shard 40 of 40", "step 1 loss"],
    },
    "prepare_log_dir": {
        "torchrun": [*_FOUR, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--work=prepare"],
        "exit": 1,
        "expect": {
            "console.log": _GAVE_UP[2:],
            "logs/*/attempt_0/0/stderr.log": [_PREPARING],
            "logs/*/attempt_0/[123]/stderr.log": [*_GAVE_UP[:2], "in main_process_first"],
        },
    },
    "evaluate": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--work=evaluate"],
        "exit": 1,
        "expect": {
            "console.log": [*_GAVE_UP, "train rank 3: step 6 loss", "train rank 0: evaluated 2 of"]
        },
        "absent": ["evaluated 40 of 40", "step 7 loss"],
    },
}

TIMEOUT_SECONDS = 5
PARTS = 40


@contextmanager
def main_process_first() -> Iterator[None]:
    """Hold all ranks but 0 until rank 0 has done the work, as the trainers do."""
    if dist.get_rank() != 0:
        dist.barrier()
    yield
    if dist.get_rank() == 0:
        dist.barrier()


def work(form: str) -> None:
    """Take a second for each part on rank 0; the others find all done."""
    if dist.get_rank() != 0:
        return
    for part in range(1, PARTS + 1):
        time.sleep(1)
        log.info(form, part, PARTS)


def main(kind: str) -> None:
    """Prepare on rank 0 and train, or train and evaluate on rank 0."""
    rank = connect(timeout_seconds=TIMEOUT_SECONDS)
    if kind == "prepare":
        with main_process_first():
            work("tokenized shard %d of %d")
    train(build_model(), (random_batch(1000 * rank + step) for step in range(6)))
    if kind == "evaluate":
        work("evaluated %d of %d")
        dist.barrier()
    train(build_model(), (random_batch(1000 * rank + step) for step in range(6, 12)))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", choices=["prepare", "evaluate"], required=True)
    main(parser.parse_args().work)
