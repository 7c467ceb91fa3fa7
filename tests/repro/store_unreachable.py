"""Nothing answers where the store of the ranks should be, or its host name is unknown.

Made by starting the second of two nodes, or ranks, without the first. Run with
`python tests/repro/run.py store_unreachable`.
"""

from __future__ import annotations

from training import build_model, connect, random_batch, train

_SECOND = {"RANK": "1", "WORLD_SIZE": "2"}
_TWO = ["--nnodes=2", "--nproc-per-node=1"]
# The top-level domain is reserved, so that no name server knows the name.
_UNKNOWN = "train-master-0.invalid"

CAPTURES = {
    "rank_1": {
        "torchrun": None,
        "environment": {**_SECOND, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29591"},
        "exit": 1,
        "expect": {
            "console.log": [
                "TCP client failed to connect/validate to host 127.0.0.1:29591 - timed out (try=",
                "torch.distributed.DistNetworkError: The client socket has timed out after 8000ms "
                "while trying to connect to (127.0.0.1, 29591).",
            ]
        },
    },
    "agent_static": {
        "torchrun": [
            *_TWO,
            "--node-rank=1",
            "--master-addr=127.0.0.1",
            "--master-port=29592",
            "--rdzv-conf=timeout=8",
        ],
        "exit": 1,
        "expect": {
            "console.log": [
                "static_tcp_rendezvous.py",
                "torch.distributed.DistNetworkError: The client socket has timed out after 8000ms "
                "while trying to connect to (127.0.0.1, 29592).",
            ]
        },
        "absent": ["ChildFailedError"],
    },
    "agent_c10d": {
        "torchrun": [
            *_TWO,
            "--rdzv-backend=c10d",
            "--rdzv-endpoint=127.0.0.1:29593",
            "--rdzv-conf=is_host=0,read_timeout=8",
        ],
        "exit": 1,
        "expect": {
            "console.log": [
                "torch.distributed.DistNetworkError: The client socket has timed out after 8000ms "
                "while trying to connect to (127.0.0.1, 29593).",
                "RendezvousConnectionError: The connection to the C10d store has failed.",
            ]
        },
    },
    "unknown_name": {
        "torchrun": None,
        "environment": {**_SECOND, "MASTER_ADDR": _UNKNOWN, "MASTER_PORT": "29594"},
        "exit": 1,
        "expect": {
            "console.log": [
                "network addresses of (train-master-0.invalid, 29594) cannot be retrieved "
                "(gai error: -",
                "torch.distributed.DistNetworkError: The client socket has timed out after 8000ms "
                "while trying to connect to (train-master-0.invalid, 29594).",
            ]
        },
    },
    "unknown_name_c10d": {
        "torchrun": [
            *_TWO,
            "--rdzv-backend=c10d",
            "--rdzv-endpoint=train-master-0.invalid:29595",
            "--rdzv-conf=read_timeout=8",
        ],
        "exit": 1,
        "expect": {
            "console.log": [
                "network addresses of (train-master-0.invalid, 29595) cannot be retrieved "
                "(gai error: -",
                "RendezvousConnectionError: The connection to the C10d store has failed.",
            ]
        },
    },
}


def main() -> None:
    """Train, if the store answers within eight seconds."""
    rank = connect(timeout_seconds=8)
    train(build_model(), (random_batch(seed=1000 * rank + step) for step in range(20)))


if __name__ == "__main__":
    main()
