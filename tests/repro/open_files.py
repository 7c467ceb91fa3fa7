"""A rank reaches its limit of open files, since it keeps what its loader workers sent.

Made by a low limit and a program that collects batches in a list. Run with
`python tests/repro/run.py open_files`.
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path
from typing import IO, Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from training import CLASSES, TOKENS, VOCABULARY, Batch, build_model, connect, log, train_step

_FOUR = ["--standalone", "--nproc-per-node=4"]
_FAILED = [
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "exitcode  : 1 (pid: ",
]

CAPTURES = {
    "kept_batches": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--keep=batches"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "RuntimeError: Too many open files. Communication with the workers is no longer "
                "possible. Please increase the limit using `ulimit -n` in the shell or change the "
                "sharing strategy by calling "
                "`torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning of "
                "your code",
            ]
        },
    },
    "kept_files": {
        "torchrun": _FOUR,
        "arguments": ["--keep=files"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                # The worker's thread that hands over tensors fails, and the rank reads nothing.
                "OSError: [Errno 24] Too many open files\n",
                "in recvfds",
                "EOFError\n",
            ]
        },
    },
}

LIMIT = 150
RECORDS = 1600


class Shard(Dataset[Batch]):
    """The records of one rank, which leave a file open each if told so."""

    def __init__(self, *, leaves_open: bool) -> None:
        self.leaves_open = leaves_open
        self.files: list[IO[Any]] = []

    def __len__(self) -> int:
        return RECORDS

    def __getitem__(self, index: int) -> Batch:
        if self.leaves_open:
            self.files.append(Path(__file__).open("rb"))  # noqa: SIM115
        generator = torch.Generator().manual_seed(index)
        return {
            "input_ids": torch.randint(VOCABULARY, (TOKENS,), generator=generator),
            "label": torch.tensor(index % CLASSES),
        }


def main(kept: str) -> None:
    """Train and collect until the limit is reached."""
    connect()
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Shard(leaves_open=kept == "files"), batch_size=8, num_workers=2)
    seen = []
    for step, batch in enumerate(loader, start=1):
        loss = train_step(model, optimizer, batch)
        if step % 10 == 1:
            log.info("step %d loss %.4f", step, loss)
        if kept == "batches":
            seen.append(batch)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", choices=["batches", "files"], required=True)
    main(parser.parse_args().keep)
