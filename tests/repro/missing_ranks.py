"""Fewer processes start than the world has, and those that came wait for the others in vain.

Made by starting one node of two, or one rank of two. Run with
`python tests/repro/run.py missing_ranks`.
"""

from __future__ import annotations

from training import build_model, connect, random_batch, train

_HALF = ["--nnodes=2", "--nproc-per-node=2"]

CAPTURES = {
    "static": {
        "torchrun": [
            *_HALF,
            "--node-rank=0",
            "--master-addr=127.0.0.1",
            "--master-port=29587",
            "--rdzv-conf=timeout=8",
        ],
        "exit": 1,
        "expect": {
            "console.log": [
                "static_tcp_rendezvous.py",
                "torch.distributed.DistStoreError: Timed out after 9 seconds waiting for clients. "
                "1/2 clients joined.",
            ]
        },
        "absent": ["ready, pid"],
    },
    "c10d": {
        "torchrun": [
            *_HALF,
            "--rdzv-backend=c10d",
            "--rdzv-endpoint=localhost:29588",
            "--rdzv-conf=join_timeout=8",
        ],
        "exit": 1,
        "expect": {
            "console.log": ["torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"]
        },
        "absent": ["ready, pid"],
    },
    "no_launcher": {
        "torchrun": None,
        "environment": {
            "RANK": "0",
            "WORLD_SIZE": "2",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": "29589",
        },
        "exit": 1,
        "expect": {
            "console.log": [
                "torch.distributed.DistStoreError: Timed out after 9 seconds waiting for clients. "
                "1/2 clients joined."
            ]
        },
        "absent": ["ready, pid"],
    },
}


def main() -> None:
    """Train, if all ranks come within eight seconds."""
    rank = connect(timeout_seconds=8)
    train(build_model(), (random_batch(seed=1000 * rank + step) for step in range(20)))


if __name__ == "__main__":
    main()
