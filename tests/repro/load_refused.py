"""A checkpoint that holds more than tensors is refused at the resume, since torch 2.6 by default.

Made by saving a NumPy value, the parsed arguments, or the whole model, which `torch.save` takes
without a word. Run with `python tests/repro/run.py load_refused`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from training import build_model, connect, log, random_batch, train_step

_FOUR = ["--standalone", "--nproc-per-node=4"]
_REFUSED = [
    "_pickle.UnpicklingError: Weights only load failed.",
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument",
]
_FAILED = ["torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"]

CAPTURES = {
    "numpy": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--also=numpy"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                *_REFUSED,
                "Unsupported global: GLOBAL numpy._core.multiarray.scalar was not an allowed "
                "global by default.",
            ]
        },
    },
    "arguments": {
        "torchrun": [*_FOUR, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--also=arguments"],
        "exit": 1,
        "expect": {
            "console.log": _FAILED,
            "logs/*/attempt_0/0/stderr.log": [
                *_REFUSED,
                "Unsupported global: GLOBAL argparse.Namespace was not an allowed global",
            ],
        },
    },
    "whole_model": {
        "torchrun": _FOUR,
        "arguments": ["--also=model"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                *_REFUSED,
                "Unsupported global: GLOBAL torch.nn.modules.container.Sequential was not an "
                "allowed global by default.",
            ]
        },
    },
}

CHECKPOINT = Path("step_5.pt")


def main(options: argparse.Namespace) -> None:
    """Train, save more than tensors, and load it on all ranks."""
    rank = connect()
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = 0.0
    for step in range(1, 6):
        loss = train_step(model, optimizer, random_batch(seed=1000 * rank + step))
        log.info("step %d loss %.4f", step, loss)
    more: dict[str, Any] = {
        "numpy": np.float64(loss),
        "arguments": options,
        "model": model.module,
    }
    if rank == 0:
        torch.save({"model": model.state_dict(), options.also: more[options.also]}, CHECKPOINT)
    dist.barrier()
    log.info("resuming from %s", CHECKPOINT)
    try:
        torch.load(CHECKPOINT)
    finally:
        # The stored logs are all files that a run leaves.
        dist.barrier()
        CHECKPOINT.unlink(missing_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--also", choices=["numpy", "arguments", "model"], required=True)
    main(parser.parse_args())
