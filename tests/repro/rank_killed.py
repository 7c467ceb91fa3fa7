"""One rank is killed from outside in the middle of training, and its peers lose the connection.

Made by the runner, which sends SIGKILL to rank 1 once that has logged a step. Run with
`python tests/repro/run.py rank_killed`.
"""

from __future__ import annotations

import torch.distributed as dist
from training import build_model, connect, random_batch, train

_KILLED = [
    "failed (exitcode: -9) local_rank: 1 (pid: {pid of rank 1}) of binary: ",
    "Root Cause (first observed failure):",
    "rank      : 1 (local_rank: 1)",
    "exitcode  : -9 (pid: {pid of rank 1})  (SIGKILL)",
    "traceback : Signal 9 (SIGKILL) received by PID {pid of rank 1}",
]

_KILL = {"rank": 1, "signal": "SIGKILL", "after": "step 8 "}

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
        "torchrun": ["--standalone", "--nproc-per-node=4", "--monitor-interval=2"],
        "kill": _KILL,
        "exit": 1,
        # An agent that looks every 2 s can find several dead, and then names any of them first.
        "expect": {
            "console.log": [*_KILLED[3:], "This is typically caused by a remote worker "],
        },
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
