"""torchrun restarts the ranks after a passing failure, and they dial the dead ranks' addresses.

Made by one rank that raises in the first attempt only. Run with
`python tests/repro/run.py restart_stale_store`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator

import torch.distributed as dist
from training import Batch, build_model, connect, log, random_batch, train

_PASSING = "RuntimeError: the feature store did not answer"
_STALE = [
    _PASSING,
    "Gloo connectFullMesh failed with [",
    "timed out connecting: SO_ERROR: Connection refused, remote=[",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
]
_RESTARTED = ["--nproc-per-node=4", "--max-restarts=1"]

CAPTURES = {
    "tee": {
        "torchrun": ["--standalone", *_RESTARTED, "--tee=3"],
        "exit": 1,
        "expect": {"console.log": _STALE},
        "absent": ["training finished"],
    },
    "log_dir": {
        "torchrun": ["--standalone", *_RESTARTED, "--log-dir=logs", "--redirects=3"],
        "environment": {"LOGLEVEL": "INFO"},
        "exit": 1,
        "expect": {
            "console.log": ["restart_count=1", "use_agent_store: True"],
            "logs/*/attempt_0/1/stderr.log": [_PASSING],
            "logs/*/attempt_1/?/stderr.log": _STALE[1:3],
        },
        "absent": ["training finished"],
    },
    # Without --standalone the rendezvous is static, and its handler shares its store as well.
    "static": {
        "torchrun": [*_RESTARTED, "--master-port=29533"],
        "environment": {"LOGLEVEL": "INFO"},
        "exit": 1,
        "expect": {"console.log": [*_STALE, "use_agent_store: True"]},
        "absent": ["training finished"],
    },
    # Both ways out: the keys of each attempt begin with its number, or it gets a store of its own.
    "keys_of_its_own": {
        "torchrun": [*_RESTARTED, "--tee=3", "--master-port=29534"],
        "arguments": ["--keys-of-its-own"],
        "exit": 0,
        "expect": {"console.log": [_PASSING, "rank 3: training finished"]},
        "absent": ["connectFullMesh", "ChildFailedError"],
    },
    "store_of_its_own": {
        "torchrun": ["--standalone", *_RESTARTED, "--tee=3"],
        "environment": {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "LOGLEVEL": "INFO"},
        "exit": 0,
        "expect": {
            "console.log": [
                _PASSING,
                "attempts left; will restart worker group",
                "use_agent_store: False",
                "rank 3: training finished",
            ]
        },
        "absent": ["connectFullMesh", "ChildFailedError"],
    },
}

UNLUCKY_RANK = 1
UNLUCKY_STEP = 8
STEPS = 20


def batches(rank: int) -> Iterator[Batch]:
    """Yield a rank's batches; in the first attempt one of them cannot be had."""
    first = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
    for step in range(STEPS):
        if first and rank == UNLUCKY_RANK and step == UNLUCKY_STEP:
            raise RuntimeError("the feature store did not answer")
        yield random_batch(seed=1000 * rank + step)


def connect_apart() -> int:
    """Join a process group whose keys in torchrun's store are those of this attempt alone."""
    server = dist.TCPStore(
        os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False
    )
    attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
    return connect(
        store=dist.PrefixStore(f"attempt_{attempt}", server),
        rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]),
    )


def main(*, keys_of_its_own: bool) -> None:
    """Train to the end, which only a second attempt can reach."""
    # The ranks of a large job do not start at one moment, and it is the early ones that read too
    # early. Of two ranks the addresses decide which dials: where both wait, nothing is printed.
    time.sleep(0.5 * int(os.environ["RANK"]))
    rank = connect_apart() if keys_of_its_own else connect()
    train(build_model(), batches(rank))
    log.info("training finished")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys-of-its-own", action="store_true")
    main(keys_of_its_own=parser.parse_args().keys_of_its_own)
