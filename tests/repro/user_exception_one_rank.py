"""One rank's code raises KeyError on a broken record, and the other ranks lose their peer.

Made by one record of rank 2's shard that lacks 'input_ids'; the collate function meets it after
some steps. Run with `python tests/repro/run.py user_exception_one_rank`.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from torch.utils.data import DataLoader, Dataset
from training import CLASSES, TOKENS, VOCABULARY, Batch, build_model, connect, train

_FAILED = [
    "KeyError: 'input_ids'",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "Root Cause (first observed failure):",
    "rank      : 2 (local_rank: 2)",
    "exitcode  : 1 (pid: ",
]
# The same failure in other layouts. An agent that looks every 5 s mostly leaves the peers the time
# to print what they met, and can find several dead, of which it names any as the first.
_SLOW = ["--standalone", "--monitor-interval=5"]
_WITHOUT_FIRST = [_FAILED[1], _FAILED[2], _FAILED[4]]

CAPTURES = {
    "tee": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "[default2]:[rank2]: KeyError: 'input_ids'",
                "error_file: <N/A>",
            ]
        },
    },
    "plain": {
        "torchrun": ["--standalone", "--nproc-per-node=4"],
        "arguments": ["--loader-workers=1"],
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "[rank2]: KeyError: Caught KeyError in DataLoader worker process 0.",
            ]
        },
    },
    "log_dir": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--log-dir=logs", "--redirects=3"],
        "arguments": ["--record"],
        "exit": 1,
        "expect": {
            "console.log": [*_FAILED[1:], "KeyError: 'input_ids'"],
            "logs/*/attempt_0/2/stderr.log": ["KeyError: 'input_ids'"],
            "logs/*/attempt_0/2/error.json": ["KeyError: 'input_ids'", '"py_callstack"'],
            "logs/*/attempt_0/0/stderr.log": ["step 5 loss "],
        },
    },
    "restarted": {
        "torchrun": [
            "--standalone",
            "--nproc-per-node=4",
            "--max-restarts=1",
            "--log-dir=logs",
            "--redirects=3",
            "--tee=3",
        ],
        "arguments": ["--record"],
        "environment": {
            "LOGLEVEL": "INFO",
            # Gives each attempt a store of its own; see restart_stale_store.py.
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        },
        "exit": 1,
        "expect": {
            "console.log": [
                *_FAILED,
                "[default] Worker group FAILED. 1/1 attempts left; will restart worker group",
            ],
            "logs/*/attempt_0/2/error.json": ["KeyError: 'input_ids'"],
            "logs/*/attempt_1/2/error.json": ["KeyError: 'input_ids'"],
        },
    },
    "tee_2": {
        "torchrun": [*_SLOW, "--nproc-per-node=2", "--tee=3"],
        "arguments": ["--record"],
        "exit": 1,
        "expect": {"console.log": [*_WITHOUT_FIRST, "[default1]:[rank1]: KeyError: 'input_ids'"]},
    },
    "log_dir_tee": {
        "torchrun": [*_SLOW, "--nproc-per-node=4", "--log-dir=logs", "--tee=3"],
        "exit": 1,
        "expect": {
            "console.log": [*_WITHOUT_FIRST, "[default2]:[rank2]: KeyError: 'input_ids'"],
            "logs/*/attempt_0/2/stderr.log": ["[rank2]: KeyError: 'input_ids'"],
        },
    },
    "plain_8": {
        "torchrun": [*_SLOW, "--nproc-per-node=8"],
        "exit": 1,
        "expect": {"console.log": [*_WITHOUT_FIRST, "[rank2]: KeyError: 'input_ids'"]},
    },
    "log_dir_8": {
        "torchrun": [*_SLOW, "--nproc-per-node=8", "--log-dir=logs", "--redirects=3"],
        "arguments": ["--record"],
        "exit": 1,
        "expect": {
            "console.log": _WITHOUT_FIRST,
            "logs/*/attempt_0/2/stderr.log": ["KeyError: 'input_ids'"],
        },
    },
}

# Of a world of two ranks it is the last.
BROKEN_RANK = 2
BROKEN_RECORD = 61


Record = dict[str, Any]


class Shard(Dataset[Record]):
    """The records of one rank, as a preprocessing job left them."""

    def __init__(self, rank: int, world_size: int) -> None:
        generator = torch.Generator().manual_seed(rank)
        tokens = torch.randint(VOCABULARY, (160, TOKENS), generator=generator).tolist()
        self.records = [
            {"input_ids": row, "label": index % CLASSES} for index, row in enumerate(tokens)
        ]
        if rank == min(BROKEN_RANK, world_size - 1):
            del self.records[BROKEN_RECORD]["input_ids"]

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> Record:
        return self.records[index]


def collate(records: list[Record]) -> Batch:
    """Stack records into a batch; a record without 'input_ids' is a KeyError."""
    return {
        "input_ids": torch.tensor([record["input_ids"] for record in records]),
        "label": torch.tensor([record["label"] for record in records]),
    }


def main(loader_workers: int) -> None:
    """Train until a batch has the broken record in it."""
    rank = connect()
    shard = Shard(rank, dist.get_world_size())
    loader = DataLoader(shard, batch_size=8, collate_fn=collate, num_workers=loader_workers)
    train(build_model(), loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--loader-workers", type=int, default=0)
    options = parser.parse_args()
    run = record(main) if options.record else main
    run(options.loader_workers)
