"""A sharded checkpoint does not fit the model, or lacks its metadata, and its load is refused.

Made by loading under other names, into other sizes, or without the file that is written last. Run
with `python tests/repro/run.py dcp_load_refused`.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from training import CLASSES, build_model, connect, log

_TWO = ["--standalone", "--nproc-per-node=2"]
_REFUSED = (
    "torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys(["
)

CAPTURES = {
    "names": {
        "torchrun": [*_TWO, "--tee=3"],
        "arguments": ["--fault=names"],
        "exit": 1,
        "expect": {
            "console.log": [
                _REFUSED,
                "Traceback (most recent call last): (RANK 0)",
                "RuntimeError: Missing key in checkpoint state_dict: model.module.0.weight.",
            ]
        },
    },
    "size": {
        "torchrun": [*_TWO, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--fault=size"],
        "exit": 1,
        "expect": {
            "console.log": ["ChildFailedError"],
            "logs/*/attempt_0/0/stderr.log": [
                _REFUSED,
                "ValueError: Size mismatch between saved torch.Size([8, 128]) and current: "
                "torch.Size([10, 128]) for model.3.weight",
            ],
        },
    },
    "no_metadata": {
        "torchrun": _TWO,
        "arguments": ["--fault=metadata"],
        "exit": 1,
        "expect": {"console.log": [_REFUSED, "metadata"]},
    },
}

FOLDER = Path("step_5")


def main(fault: str) -> None:
    """Save the bare model's state, and load it into something else."""
    rank = connect()
    model = build_model()
    dcp.save({"model": model.module.state_dict()}, checkpoint_id=FOLDER)
    log.info("saved %s", FOLDER)
    fresh: nn.Module = model if fault == "names" else build_model().module
    if fault == "size":
        fresh[3] = nn.Linear(128, CLASSES + 2)  # type: ignore[operator]
    if fault == "metadata" and rank == 0:
        (FOLDER / ".metadata").unlink()
    dist.barrier()
    try:
        log.info("resuming from %s", FOLDER)
        dcp.load({"model": fresh.state_dict()}, checkpoint_id=FOLDER)
    finally:
        # The stored logs are all files that a run leaves.
        dist.barrier()
        shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["names", "size", "metadata"], required=True)
    main(parser.parse_args().fault)
