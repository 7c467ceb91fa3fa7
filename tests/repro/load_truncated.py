"""A checkpoint that lacks its end is loaded at the resume, and every rank fails.

Made by cutting a complete checkpoint at different places, as a killed save, a full disk or an
unfinished copy does. Run with `python tests/repro/run.py load_truncated`.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from training import build_model, connect, log, random_batch, train_step

_FOUR = ["--standalone", "--nproc-per-node=4"]
_FAILED = [
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "exitcode  : 1 (pid: ",
]

CAPTURES = {
    "index_missing": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--keep=0.9"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "RuntimeError: PytorchStreamReader failed reading zip archive: "
                "failed finding central directory. This is an internal miniz error.",
            ]
        },
    },
    "empty": {
        "torchrun": _FOUR,
        "arguments": ["--keep=0"],
        "exit": 1,
        "expect": {"console.log": [*_FAILED, "]: EOFError\n"]},
        "absent": ["Ran out of input"],
    },
    "empty_any_pickle": {
        "torchrun": [*_FOUR, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--keep=0", "--any-pickle"],
        "exit": 1,
        "expect": {
            "console.log": _FAILED,
            "logs/*/attempt_0/0/stderr.log": ["EOFError: Ran out of input"],
        },
    },
    # Where less than 64 KiB are left, the search for the index asks for a negative position.
    "small_rest": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--keep=0.05"],
        "exit": 1,
        "expect": {"console.log": [*_FAILED, "OSError: [Errno 22] Invalid argument"]},
        "absent": ["PytorchStreamReader"],
    },
    "legacy": {
        "torchrun": _FOUR,
        "arguments": ["--keep=0.5", "--legacy"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "RuntimeError: unexpected EOF, expected ",
                " more bytes. The file might be corrupted.",
            ]
        },
    },
}

CHECKPOINT = Path("step_5.pt")


def main(keep: float, *, any_pickle: bool, legacy: bool) -> None:
    """Save, cut the file, and load it on all ranks."""
    rank = connect()
    model = build_model()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(1, 6):
        loss = train_step(model, optimizer, random_batch(seed=1000 * rank + step))
        log.info("step %d loss %.4f", step, loss)
    if rank == 0:
        torch.save(
            {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
            CHECKPOINT,
            _use_new_zipfile_serialization=not legacy,
        )
        os.truncate(CHECKPOINT, int(CHECKPOINT.stat().st_size * keep))
    dist.barrier()
    log.info("resuming from %s, %d bytes", CHECKPOINT, CHECKPOINT.stat().st_size)
    try:
        torch.load(CHECKPOINT, weights_only=not any_pickle)
    finally:
        # The stored logs are all files that a run leaves.
        dist.barrier()
        CHECKPOINT.unlink(missing_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=float, required=True)
    parser.add_argument("--any-pickle", action="store_true")
    parser.add_argument("--legacy", action="store_true")
    options = parser.parse_args()
    main(options.keep, any_pickle=options.any_pickle, legacy=options.legacy)
