"""A state dict does not fit the model into which it is loaded, and every rank fails.

Made by saving through the wrapper and loading into the bare model, or by another number of
classes. Run with `python tests/repro/run.py load_mismatch`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from training import CLASSES, build_model, connect, log, random_batch, train_step

_FOUR = ["--standalone", "--nproc-per-node=4"]
_FAILED = ["torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"]
_ERROR = "RuntimeError: Error(s) in loading state_dict for Sequential:\n"

CAPTURES = {
    "prefix": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--fault=prefix"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                _ERROR,
                '\tMissing key(s) in state_dict: "0.weight", ',
                '\tUnexpected key(s) in state_dict: "module.0.weight", ',
            ]
        },
    },
    "compiled": {
        "torchrun": _FOUR,
        "arguments": ["--fault=compiled"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                _ERROR,
                '\tUnexpected key(s) in state_dict: "_orig_mod.0.weight", ',
            ]
        },
    },
    "size": {
        "torchrun": [*_FOUR, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--fault=size"],
        "exit": 1,
        "expect": {
            "console.log": _FAILED,
            "logs/*/attempt_0/0/stderr.log": [
                _ERROR,
                "\tsize mismatch for 3.weight: copying a param with shape torch.Size([8, 128]) "
                "from checkpoint, the shape in current model is torch.Size([10, 128]).",
            ],
        },
        "absent": ["Missing key(s)"],
    },
}

CHECKPOINT = Path("step_5.pt")


def saved(fault: str, model: nn.Module) -> dict[str, torch.Tensor]:
    """Return the state as the faulty program takes it; compiling wraps and does not run here."""
    if fault == "prefix":
        return model.state_dict()
    bare: nn.Module = model.module  # type: ignore[assignment]
    return (torch.compile(bare) if fault == "compiled" else bare).state_dict()  # type: ignore[union-attr]


def main(fault: str) -> None:
    """Train, save, and load into a model that has other names or other sizes."""
    rank = connect()
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 6):
        loss = train_step(model, optimizer, random_batch(seed=1000 * rank + step))
        log.info("step %d loss %.4f", step, loss)
    if rank == 0:
        torch.save({"model": saved(fault, model)}, CHECKPOINT)
    dist.barrier()
    log.info("resuming from %s", CHECKPOINT)
    fresh = build_model().module
    if fault == "size":
        fresh[3] = nn.Linear(128, CLASSES + 2)
    try:
        fresh.load_state_dict(torch.load(CHECKPOINT)["model"])
    finally:
        # The stored logs are all files that a run leaves.
        dist.barrier()
        CHECKPOINT.unlink(missing_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["prefix", "compiled", "size"], required=True)
    main(parser.parse_args().fault)
