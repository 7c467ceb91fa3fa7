"""GLOO_SOCKET_IFNAME names an interface that the node does not have, and no rank gets an address.

Made by setting the variable. Run with `python tests/repro/run.py interface_unknown`.
"""

from __future__ import annotations

from training import build_model, connect, random_batch, train

CAPTURES = {
    "other_name": {
        "torchrun": ["--standalone", "--nproc-per-node=2", "--tee=3"],
        "environment": {"GLOO_SOCKET_IFNAME": "ens7f1"},
        "exit": 1,
        "expect": {"console.log": ["ifa != nullptr. Unable to find address for: ens7f1"]},
        "absent": ["ready, pid"],
    },
    "exclusion": {
        "torchrun": ["--standalone", "--nproc-per-node=2", "--log-dir=logs", "--redirects=3"],
        "environment": {"GLOO_SOCKET_IFNAME": "^docker0,lo"},
        "exit": 1,
        "expect": {
            "console.log": ["ChildFailedError"],
            "logs/*/attempt_0/*/stderr.log": ["Unable to find address for: ^docker0"],
        },
    },
}


def main() -> None:
    """Train, if Gloo finds its interface."""
    rank = connect()
    train(build_model(), (random_batch(seed=1000 * rank + step) for step in range(20)))


if __name__ == "__main__":
    main()
