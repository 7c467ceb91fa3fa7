"""A healthy run is ended from outside: by SIGTERM to its agent, by Ctrl-C, or by a closed terminal.

Made by the runner, which gives the run a terminal of its own and acts once rank 1 has logged a
step. Run with `python tests/repro/run.py stopped_from_outside`.
"""

from __future__ import annotations

import torch.distributed as dist
from training import build_model, connect, random_batch, train

_TEE = ["--standalone", "--nproc-per-node=2", "--tee=3"]
_PLAIN = ["--standalone", "--nproc-per-node=2"]
_AFTER = {"rank": 1, "after": "step 8 "}
# torchrun tells the number of the signal since it ran on Python 3.11, and its name before.
_TERMINATED = [
    "Received 15 death signal, shutting down workers",
    "Sending process {pid of rank 1} closing signal SIGTERM",
    "got signal: 15",
]
_INTERRUPTED = [
    "Received 2 death signal, shutting down workers",
    "Sending process {pid of rank 1} closing signal SIGINT",
    "KeyboardInterrupt",
    "got signal: 2",
]
_HUNG_UP = [
    "Received 1 death signal, shutting down workers",
    "Sending process {pid of rank 1} closing signal SIGHUP",
    "got signal: 1",
]

CAPTURES = {
    "sigterm_tee": {
        "torchrun": _TEE,
        "kill": {**_AFTER, "signal": "SIGTERM", "to": "agent"},
        "exit": 1,
        "expect": {"console.log": _TERMINATED},
    },
    "sigterm_log_dir": {
        "torchrun": [*_PLAIN, "--log-dir=logs", "--redirects=3"],
        "kill": {**_AFTER, "signal": "SIGTERM", "to": "agent"},
        "exit": 1,
        "expect": {
            "console.log": _TERMINATED,
            "logs/*/attempt_0/1/stderr.log": ["step 8 "],
        },
    },
    "ctrl_c_tee": {
        "torchrun": _TEE,
        "kill": {**_AFTER, "signal": "SIGINT", "to": "terminal"},
        "exit": 1,
        "expect": {"console.log": _INTERRUPTED},
    },
    "ctrl_c_plain": {
        "torchrun": _PLAIN,
        "kill": {**_AFTER, "signal": "SIGINT", "to": "terminal"},
        "exit": 1,
        "expect": {"console.log": _INTERRUPTED},
    },
    "terminal_closed": {
        "torchrun": _TEE,
        "kill": {**_AFTER, "signal": "SIGHUP", "to": "terminal"},
        "exit": 1,
        "expect": {"console.log": _HUNG_UP},
    },
}

STEPS = 400


def main() -> None:
    """Train for longer than the runner waits with its signal."""
    rank = connect()
    batches = (random_batch(seed=1000 * rank + step) for step in range(STEPS))
    train(build_model(), batches)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
