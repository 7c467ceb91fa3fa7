"""A program for several ranks is started without a launcher, and finds no rank in its environment.

Made by plain `python`, and by a launcher's environment of which a part is missing. Run with
`python tests/repro/run.py launch_without`.
"""

from __future__ import annotations

import argparse

import torch.distributed as dist
from training import connect

CAPTURES = {
    "plain_python": {
        "torchrun": None,
        "arguments": ["--rank-from=torch"],
        "exit": 1,
        "expect": {
            "console.log": [
                "ValueError: Error initializing torch.distributed using env:// rendezvous: "
                "environment variable RANK expected, but not set"
            ]
        },
    },
    "no_master": {
        "torchrun": None,
        "arguments": ["--rank-from=torch"],
        "environment": {"RANK": "0", "WORLD_SIZE": "1"},
        "exit": 1,
        "expect": {"console.log": ["environment variable MASTER_ADDR expected, but not set"]},
    },
    "own_lookup": {
        "torchrun": None,
        "arguments": ["--rank-from=environment"],
        "exit": 1,
        "expect": {"console.log": ["KeyError: 'RANK'"]},
        "absent": ["env:// rendezvous"],
    },
}


def main(source: str) -> None:
    """Join the process group, or ask for the rank first."""
    if source == "torch":
        dist.init_process_group("gloo")
    else:
        connect()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank-from", choices=["torch", "environment"], required=True)
    main(parser.parse_args().rank_from)
