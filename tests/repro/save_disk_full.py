"""The checkpoint folder's file system is full: torch.save fails and leaves a cut file behind.

Made by a tmpfs of 2 MiB under the checkpoint folder, which holds two checkpoints; the third does
not fit. Needs root. Run with `python tests/repro/run.py save_disk_full`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from training import build_model, connect, log, random_batch, train_step

_FAILED = [
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "exitcode  : 1 (pid: ",
]
_HIDDEN = [
    "RuntimeError: basic_ios::clear: iostream error",
    "During handling of the above exception, another exception occurred:",
    "] . unexpected pos ",
]
_FOUR = ["--standalone", "--nproc-per-node=4"]
_SMALL = {"checkpoints": 2}

CAPTURES = {
    # A path is written by C++ streams, so that the reason is never printed.
    "path": {
        "torchrun": [*_FOUR, "--tee=3"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {"console.log": [*_FAILED, *_HIDDEN, "Connection closed by peer"]},
        "absent": ["No space left on device"],
    },
    # A file object is written by Python, whose error stands in the middle of the chain.
    "file_object": {
        "torchrun": _FOUR,
        "arguments": ["--writer=file_object"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": [*_FAILED, *_HIDDEN[1:], "OSError: [Errno 28] No space left on device"]
        },
    },
    "legacy": {
        "torchrun": [*_FOUR, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--writer=legacy"],
        "tmpfs_mib": _SMALL,
        "exit": 1,
        "expect": {
            "console.log": _FAILED,
            "logs/*/attempt_0/0/stderr.log": [" failed with No space left on device"],
        },
        "absent": ["unexpected pos"],
    },
    # The second attempt resumes from the newest file, which is the one that the first could not
    # finish.
    "restarted": {
        "torchrun": [*_FOUR, "--max-restarts=1", "--log-dir=logs", "--redirects=3"],
        "tmpfs_mib": _SMALL,
        # Gives each attempt a store of its own; see restart_stale_store.py.
        "environment": {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
        "exit": 1,
        "expect": {
            "console.log": _FAILED,
            "logs/*/attempt_0/0/stderr.log": _HIDDEN,
            "logs/*/attempt_1/0/stderr.log": [
                "resuming from checkpoints/step_15.pt",
                "RuntimeError: PytorchStreamReader failed reading zip archive: "
                "failed finding central directory.",
            ],
        },
        "absent": ["No space left on device"],
    },
}

CHECKPOINTS = Path("checkpoints")
SAVE_STEPS = 5
RECORDS = 24_000


def save(state: dict[str, Any], path: Path, writer: str) -> None:
    """Write the state in one of the ways that training programs use."""
    if writer == "file_object":
        with path.open("wb") as file:
            torch.save(state, file)
    else:
        torch.save(state, path, _use_new_zipfile_serialization=writer != "legacy")


def resume(model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Load the newest checkpoint, if there is one, and return the step after which it was made."""
    found = sorted(CHECKPOINTS.glob("step_*.pt"), key=lambda path: path.stat().st_mtime_ns)
    if not found:
        return 0
    log.info("resuming from %s", found[-1])
    state = torch.load(found[-1])
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])


def main(writer: str) -> None:
    """Train, and save every few steps, until a checkpoint does not fit."""
    rank = connect()
    model = build_model()
    optimizer = torch.optim.Adam(model.parameters())
    start = resume(model, optimizer)
    for step in range(start + 1, 41):
        loss = train_step(model, optimizer, random_batch(seed=1000 * rank + step))
        log.info("step %d loss %.4f", step, loss)
        if step % SAVE_STEPS == 0 and rank == 0:
            path = CHECKPOINTS / f"step_{step}.pt"
            log.info("saving %s", path)
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "data_order": torch.arange(RECORDS),
                "step": step,
            }
            save(state, path, writer)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--writer", choices=["path", "file_object", "legacy"], default="path")
    main(parser.parse_args().writer)
