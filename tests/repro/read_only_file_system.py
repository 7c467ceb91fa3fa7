"""A file system is remounted read-only in the middle of a run, and the next checkpoint fails.

Made by remounting a small file system in a mount namespace of the run's own, as the kernel does
after an error of the disk. Needs root. Run with `python tests/repro/run.py read_only_file_system`.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import torch
import torch.distributed as dist
from training import build_model, connect, log, random_batch, train_step

_FOUR = ["--standalone", "--nproc-per-node=4"]
_SMALL = {"/mnt/out": 64}

CAPTURES = {
    "torch_save": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--save=file"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": [
                "train rank 0: saved step 5",
                "RuntimeError: [enforce fail at inline_container.cc:",
                "open file failed with strerror: Read-only file system",
            ]
        },
    },
    "folder": {
        "torchrun": _FOUR,
        "arguments": ["--save=folder"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": ["OSError: [Errno 30] Read-only file system: '/mnt/out/step_10'"]
        },
    },
}

OUT = Path("/mnt/out")


def main(kind: str) -> None:
    """Save every five steps; after the first save nothing can be written any more."""
    rank = connect()
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 11):
        loss = train_step(model, optimizer, random_batch(seed=1000 * rank + step))
        log.info("step %d loss %.4f", step, loss)
        if step % 5 == 0 and rank == 0:
            path = OUT / f"step_{step}"
            if kind == "folder":
                path.mkdir()
                path /= "model.pt"
            torch.save(model.state_dict(), path)
            log.info("saved step %d", step)
            subprocess.run(["mount", "-o", "remount,ro", str(OUT)], check=True)
    dist.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", choices=["file", "folder"], required=True)
    main(parser.parse_args().save)
