"""One rank is killed from outside in the middle of training, and its peers lose the connection.

Made by the runner, which sends SIGKILL to rank 1 once that has logged a step. Run with
`python tests/repro/run.py rank_killed`.
"""

from __future__ import annotations

import argparse

import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from training import build_model, connect, random_batch, train

_KILLED = [
    "failed (exitcode: -9) local_rank: 1 (pid: {pid of rank 1}) of binary: ",
    "Root Cause (first observed failure):",
    "rank      : 1 (local_rank: 1)",
    "exitcode  : -9 (pid: {pid of rank 1})  (SIGKILL)",
    "traceback : Signal 9 (SIGKILL) received by PID {pid of rank 1}",
]

_KILL = {"rank": 1, "signal": "SIGKILL", "after": "step 8 "}
# The same failure in other layouts. An agent that looks every 5 s mostly leaves the peers the time
# to print what they met, and can find several dead, of which it names any as the first.
_SLOW = ["--standalone", "--monitor-interval=5"]

CAPTURES = {
    "tee": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "kill": _KILL,
        "exit": 1,
        # The agent looks every 0.1 s: whether a peer prints its error before the agent ends it
        # is a matter of luck here.
        "expect": {"console.log": _KILLED},
    },
    "plain": {
        "torchrun": [*_SLOW, "--nproc-per-node=4"],
        "kill": _KILL,
        "exit": 1,
        "expect": {
            "console.log": [*_KILLED[3:], "This is typically caused by a remote worker "],
        },
    },
    "log_dir": {
        "torchrun": [*_SLOW, "--nproc-per-node=4", "--log-dir=logs", "--redirects=3"],
        "kill": _KILL,
        "exit": 1,
        "expect": {
            "console.log": _KILLED[3:],
            "logs/*/attempt_0/1/stderr.log": ["step 8 "],
        },
    },
    "tee_2": {
        "torchrun": [*_SLOW, "--nproc-per-node=2", "--tee=3"],
        "arguments": ["--record"],
        "kill": _KILL,
        "exit": 1,
        "expect": {"console.log": _KILLED[3:]},
    },
    "log_dir_tee": {
        "torchrun": [*_SLOW, "--nproc-per-node=4", "--log-dir=logs", "--tee=3"],
        "kill": _KILL,
        "exit": 1,
        "expect": {
            "console.log": _KILLED[3:],
            "logs/*/attempt_0/1/stderr.log": ["step 8 "],
        },
    },
    "plain_8": {
        "torchrun": [*_SLOW, "--nproc-per-node=8"],
        "kill": _KILL,
        "exit": 1,
        "expect": {"console.log": _KILLED[3:]},
    },
    "log_dir_8": {
        "torchrun": [*_SLOW, "--nproc-per-node=8", "--log-dir=logs", "--redirects=3"],
        "arguments": ["--record"],
        "kill": _KILL,
        "exit": 1,
        "expect": {"console.log": _KILLED[3:]},
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
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    run = record(main) if parser.parse_args().record else main
    run()
