"""A file system has free space and no free inodes: no new file can be made, old ones still grow.

Made by a tmpfs that may hold twenty files and folders, in a mount namespace of the run's own.
Needs root. Run with `python tests/repro/run.py inodes_full`.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from training import build_model, connect, log, random_batch, train_step

_FOUR = ["--standalone", "--nproc-per-node=4"]
_SMALL = {"/mnt/out": 64}
_FAILED = [
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "64M ",
    "exitcode  : 1 (pid: ",
]

CAPTURES = {
    "folder": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--save=folder"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "OSError: [Errno 28] No space left on device: '/mnt/out/checkpoint-",
            ]
        },
    },
    "torch_save": {
        "torchrun": _FOUR,
        "arguments": ["--save=file"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "RuntimeError: [enforce fail at inline_container.cc:",
                "open file failed with strerror: No space left on device",
            ]
        },
    },
}

OUT = Path("/mnt/out")
INODES = 21


def save(kind: str, model: DistributedDataParallel, step: int) -> None:
    """Write a checkpoint that is one file, or a folder with one."""
    path = OUT / f"checkpoint-{step}"
    log.info("saving %s", path)
    if kind == "folder":
        path.mkdir()
        path /= "model.pt"
    torch.save({"model": model.module.state_dict()}, path)


def main(kind: str) -> None:
    """Train, and save after every step until there is no inode left."""
    rank = connect()
    if rank == 0:
        command = ["mount", "-o", f"remount,size=64m,nr_inodes={INODES}", str(OUT)]
        subprocess.run(command, check=True)
    dist.barrier()
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 40):
        log.info("step %d loss %.4f", step, train_step(model, optimizer, random_batch(step)))
        if rank != 0:
            continue
        try:
            save(kind, model, step)
        except (OSError, RuntimeError):
            for option in ("-h", "-i"):
                subprocess.run(["df", option, str(OUT)], check=True)
            raise
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", choices=["folder", "file"], required=True)
    main(parser.parse_args().save)
