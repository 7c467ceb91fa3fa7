"""A compiled function is first called where no C++ compiler can be found, on every rank.

Made by a `PATH` in which there is nothing. Run with
`python tests/repro/run.py compile_without_compiler`.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
from training import connect, log

_ERROR = (
    "torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found in "
    "torch._inductor.config.cpp.cxx: (None, 'g++')"
)

CAPTURES = {
    "tee": {
        "torchrun": ["--standalone", "--nproc-per-node=2", "--tee=3"],
        "environment": {"PATH": "/nonexistent"},
        "exit": 1,
        "expect": {"console.log": [_ERROR]},
    },
    "plain_python": {
        "torchrun": None,
        "environment": {
            "PATH": "/nonexistent",
            "RANK": "0",
            "WORLD_SIZE": "1",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": "0",
        },
        "exit": 1,
        "expect": {"console.log": [_ERROR]},
    },
}


def main() -> None:
    """Compile a function, and call it once."""
    connect()
    score = torch.compile(lambda values: torch.relu(values * 2 + 1).sum())
    log.info("score %.4f", score(torch.rand(16)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
