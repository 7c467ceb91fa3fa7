"""A build of PyTorch without CUDA is asked for a GPU, on every rank.

Made by moving the model to `cuda`, by choosing a device, or by asking for NCCL. Run with
`python tests/repro/run.py cuda_asked_of_cpu_build`; it needs the wheel for the CPU.
"""

from __future__ import annotations

import argparse
import os

import torch
import torch.distributed as dist
from training import build_model, connect

_TWO = ["--standalone", "--nproc-per-node=2"]

CAPTURES = {
    "model": {
        "torchrun": [*_TWO, "--tee=3"],
        "arguments": ["--ask=model"],
        "exit": 1,
        "expect": {
            "console.log": ["]: AssertionError: Torch not compiled with CUDA enabled"],
        },
    },
    "device": {
        "torchrun": _TWO,
        "arguments": ["--ask=device"],
        "exit": 1,
        "expect": {
            "console.log": [
                "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'",
            ],
        },
    },
    "nccl": {
        "torchrun": [*_TWO, "--tee=3"],
        "arguments": ["--ask=nccl"],
        "exit": 1,
        "expect": {
            "console.log": [
                "RuntimeError: Distributed package doesn't have NCCL built in",
            ],
        },
    },
}


def main(ask: str) -> None:
    """Ask for what the build does not have."""
    if ask == "nccl":
        dist.init_process_group("nccl")
    if ask == "device":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    connect()
    build_model().to("cuda")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask", choices=["model", "device", "nccl"], required=True)
    main(parser.parse_args().ask)
