"""Another process listens on the port of the store: the process that has to open it fails.

Made by the runner, which holds the port while torchrun starts; it accepts connections and answers
none, as another program would. Run with `python tests/repro/run.py port_in_use`.
"""

from __future__ import annotations

import argparse
import os

import torch.distributed as dist
from training import build_model, connect, random_batch, train

_PORT = 29577
_IN_USE = (
    "torch.distributed.DistNetworkError: The server socket has failed to listen on any local"
    " network address. port: 29577, useIpv6: false, code: -98, name: EADDRINUSE,"
    " message: address already in use"
)

CAPTURES = {
    "agent": {
        "torchrun": [
            "--nnodes=1",
            "--nproc-per-node=4",
            "--master-addr=127.0.0.1",
            "--master-port=29577",
        ],
        "hold_port": 29577,
        "exit": 1,
        "expect": {"console.log": ["static_tcp_rendezvous.py", _IN_USE]},
        "absent": ["ready, pid", "ChildFailedError"],
    },
    "rank_0": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--own-store"],
        "hold_port": 29577,
        "exit": 1,
        "expect": {
            "console.log": [
                "[default0]:" + _IN_USE,
                "Root Cause (first observed failure):",
                "rank      : 0 (local_rank: 0)",
            ]
        },
        "absent": ["ready, pid"],
    },
    "rank_0_without_libuv": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--own-store"],
        "environment": {"USE_LIBUV": "0"},
        "hold_port": 29577,
        "exit": 1,
        "expect": {
            "console.log": [
                "The server socket has failed to bind to [::]:29577 (errno: 98 - Address already"
                " in use).",
                "DistNetworkError: The server socket has failed to listen on any local network"
                " address.",
            ]
        },
        "absent": ["ready, pid"],
    },
}


def open_own_store() -> None:
    """Ignore the agent's store and use a fixed port, as programs do that srun or mpirun starts."""
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"
    os.environ["MASTER_PORT"] = str(_PORT)


def main(*, own_store: bool) -> None:
    """Train, if the store can be opened."""
    if own_store:
        open_own_store()
    rank = connect()
    train(build_model(), (random_batch(seed=1000 * rank + step) for step in range(20)))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--own-store", action="store_true")
    main(own_store=parser.parse_args().own_store)
