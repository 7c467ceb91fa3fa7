"""One rank has one batch more than the others, and waits for them at the end of the epoch.

Made by a shard that is longer on rank 1. The others leave the loop and evaluate, or end. Run with
`python tests/repro/run.py uneven_inputs`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from training import Batch, build_model, connect, log, random_batch, train_step

_LONGER = [
    "train rank 0: epoch 1 done after 12 steps",
    "train rank 1: step 12 loss ",
    "[default1]:[rank1]: RuntimeError: [",
]
_NEVER = ["rank 1: step 13", "rank 1: epoch 1 done"]

CAPTURES = {
    # Evaluation needs no other rank, so that the shorter ranks live on while rank 1 waits.
    "evaluation": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_LONGER,
                "Timed out waiting 10000ms for ",
                "rank      : 1 (local_rank: 1)",
            ]
        },
        "absent": _NEVER,
    },
    "last_epoch": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--last-epoch"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_LONGER,
                "train rank 0: training finished",
                "Connection closed by peer",
                "rank      : 1 (local_rank: 1)",
            ]
        },
        "absent": _NEVER,
    },
    "join": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--last-epoch", "--join=throw"],
        "exit": 1,
        "expect": {
            "console.log": [
                "[rank1]: RuntimeError: Detected at least one rank that exhausted inputs."
                " Throwing across all ranks.",
                "[rank0]: RuntimeError: Rank 0 exhausted all inputs.",
            ]
        },
        "absent": _NEVER,
    },
    "joined": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--last-epoch", "--join=wait"],
        "exit": 0,
        "expect": {
            "console.log": [
                "train rank 1: epoch 1 done after 13 steps",
                "train rank 1: training finished",
            ]
        },
    },
}

STEPS = 12
LONGER_RANK = 1


def batches(rank: int) -> Iterator[Batch]:
    """Yield the batches of a rank's shard."""
    for step in range(STEPS + 1 if rank == LONGER_RANK else STEPS):
        yield random_batch(seed=1000 * rank + step)


def train_epoch(model: DistributedDataParallel, rank: int, join: str | None) -> None:
    """Train on all batches of this rank, in a Join context if one is asked for."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = 0
    with Join([model], enable=bool(join), throw_on_early_termination=join == "throw"):
        for step, batch in enumerate(batches(rank), start=1):
            log.info("step %d loss %.4f", step, train_step(model, optimizer, batch))
            time.sleep(0.1)
    log.info("epoch 1 done after %d steps", step)


def evaluate(model: DistributedDataParallel) -> None:
    """Evaluate the bare module, which needs no other rank."""
    with torch.no_grad():
        for batch in range(1, 21):
            model.module(random_batch(seed=batch)["input_ids"])
            time.sleep(1)
            log.info("evaluated batch %d of 20", batch)


def main(*, last_epoch: bool, join: str | None) -> None:
    """Train an epoch, then evaluate or end."""
    rank = connect(timeout_seconds=10)
    model = build_model()
    train_epoch(model, rank, join)
    if not last_epoch:
        evaluate(model)
    log.info("training finished")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--last-epoch", action="store_true")
    parser.add_argument("--join", choices=["throw", "wait"])
    options = parser.parse_args()
    main(last_epoch=options.last_epoch, join=options.join)
