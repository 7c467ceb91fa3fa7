"""The gradient scaler refuses gradients in half precision, or finds none at all.

Made by a model in float16 with a scaler, and by an optimizer whose parameters got no gradient. Run
with `python tests/repro/run.py scaler_misused`.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from training import build_model, connect, log, random_batch

_ONE = ["--standalone", "--nproc-per-node=2", "--monitor-interval=5"]

CAPTURES = {
    "half": {
        "torchrun": [*_ONE, "--tee=3"],
        "arguments": ["--fault=half"],
        "exit": 1,
        "expect": {"console.log": ["ValueError: Attempting to unscale FP16 gradients."]},
    },
    "no_gradients": {
        "torchrun": _ONE,
        "arguments": ["--fault=no_gradients"],
        "exit": 1,
        "expect": {
            "console.log": ["AssertionError: No inf checks were recorded for this optimizer."]
        },
    },
}


def main(fault: str) -> None:
    """Take one step with a gradient scaler."""
    rank = connect()
    model = build_model().module
    if fault == "half":
        model.half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if fault == "no_gradients":
        # What was built after the optimizer is trained, and what the optimizer holds is not.
        model = build_model().module
    scaler = torch.amp.GradScaler("cpu")
    batch = random_batch(seed=1000 * rank)
    loss = nn.functional.cross_entropy(model(batch["input_ids"]).float(), batch["label"])
    scaler.scale(loss).backward()
    log.info("backward done, loss %.4f", loss.item())
    scaler.step(optimizer)
    scaler.update()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["half", "no_gradients"], required=True)
    main(parser.parse_args().fault)
