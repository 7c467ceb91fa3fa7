"""A layer gets inputs of another dtype than its weights have, outside of autocast.

Made by a model in bfloat16 that is fed float32, and by a product of two plain tensors. Run with
`python tests/repro/run.py dtype_mismatch`.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from training import connect, log

_TWO = ["--standalone", "--nproc-per-node=2", "--monitor-interval=5"]

CAPTURES = {
    "layer": {
        "torchrun": [*_TWO, "--tee=3"],
        "arguments": ["--fault=layer"],
        "exit": 1,
        "expect": {
            "console.log": [
                "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16"
            ]
        },
    },
    "product": {
        "torchrun": _TWO,
        "arguments": ["--fault=product"],
        "exit": 1,
        "expect": {
            "console.log": [
                "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != "
                "c10::Half"
            ]
        },
    },
}


def main(fault: str) -> None:
    """Evaluate a model outside of the autocast under which it was trained."""
    connect()
    model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)).bfloat16()
    features = torch.randn(8, 16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        log.info("step 1 loss %.4f", model(features).float().pow(2).mean().item())
    log.info("evaluating")
    if fault == "layer":
        model(features)
    else:
        features @ torch.randn(16, 4).half()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["layer", "product"], required=True)
    main(parser.parse_args().fault)
