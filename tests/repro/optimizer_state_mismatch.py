"""A resumed run trains other parameters than the saved one, and the optimizer refuses its state.

Made by freezing a layer after the resume, or by other parameter groups. Run with
`python tests/repro/run.py optimizer_state_mismatch`.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from training import build_model, connect, log, random_batch, train_step

_FOUR = ["--standalone", "--nproc-per-node=4"]

CAPTURES = {
    "frozen": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--fault=frozen"],
        "exit": 1,
        "expect": {
            "console.log": [
                "ValueError: loaded state dict contains a parameter group that doesn't match the "
                "size of optimizer's group"
            ]
        },
    },
    "groups": {
        "torchrun": _FOUR,
        "arguments": ["--fault=groups"],
        "exit": 1,
        "expect": {
            "console.log": [
                "ValueError: loaded state dict has a different number of parameter groups"
            ]
        },
    },
}


def split_by_decay(model: nn.Module) -> list[dict[str, Any]]:
    """Put biases into a group without weight decay, as trainers do."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    biases = [p for p in model.parameters() if p.ndim == 1]
    return [{"params": matrices}, {"params": biases, "weight_decay": 0.0}]


def main(fault: str) -> None:
    """Train, and resume with another list of trained parameters."""
    rank = connect()
    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(1, 6):
        loss = train_step(model, optimizer, random_batch(seed=1000 * rank + step))
        log.info("step %d loss %.4f", step, loss)
    log.info("resuming")
    groups: Any = split_by_decay(model)
    if fault == "frozen":
        model.module[0].weight.requires_grad_(False)  # type: ignore[index, union-attr]
        groups = [p for p in model.parameters() if p.requires_grad]
    fresh = torch.optim.AdamW(groups)
    try:
        fresh.load_state_dict(optimizer.state_dict())
    finally:
        dist.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["frozen", "groups"], required=True)
    main(parser.parse_args().fault)
