"""One row of one rank's batch makes its loss NaN, and a step later all ranks have NaN weights.

Made by a row without weight, which divides zero by zero; nothing fails, and the run ends well. With
anomaly detection the backward pass raises. Run with `python tests/repro/run.py loss_not_finite`.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from training import build_model, connect, log, random_batch

_FOUR = ["--standalone", "--nproc-per-node=4"]

CAPTURES = {
    "tee": {
        "torchrun": [*_FOUR, "--tee=3"],
        "exit": 0,
        "expect": {
            "console.log": [
                "train rank 2: step 6 loss nan",
                "train rank 0: step 7 loss nan",
                "train rank 0: step 12 loss nan",
                "train rank 0: finished",
            ]
        },
        "absent": ["train rank 0: step 6 loss nan", "Traceback"],
    },
    "anomaly": {
        "torchrun": [*_FOUR, "--monitor-interval=5"],
        "arguments": ["--detect-anomaly"],
        "exit": 1,
        "expect": {
            "console.log": [
                "[rank2]: RuntimeError: Function '",
                "' returned nan values in its 0th output.",
            ]
        },
    },
}

BAD_RANK, BAD_STEP, STEPS = 2, 6, 12


def main(*, detect_anomaly: bool) -> None:
    """Train with rows that carry weights, of which one batch has none."""
    rank = connect()
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, STEPS + 1):
        batch = random_batch(seed=1000 * rank + step)
        bad = rank == BAD_RANK and step == BAD_STEP
        weights = torch.zeros(8) if bad else torch.ones(8)
        optimizer.zero_grad()
        with torch.autograd.set_detect_anomaly(detect_anomaly):
            losses = nn.functional.cross_entropy(
                model(batch["input_ids"]), batch["label"], reduction="none"
            )
            loss = (losses * weights).sum() / weights.sum()
            loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())
    log.info("finished")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--detect-anomaly", action="store_true")
    main(detect_anomaly=parser.parse_args().detect_anomaly)
