"""A compiled function is called with another text each time, until the limit of its variants.

It then runs uncompiled, or ends the rank where the whole graph is demanded. Run with
`python tests/repro/run.py recompile_limit`.
"""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
from training import connect, log

_TWO = ["--standalone", "--nproc-per-node=2"]
_WARNING = "torch._dynamo hit config.recompile_limit (8)"

CAPTURES = {
    "goes_on": {
        "torchrun": [*_TWO, "--tee=3"],
        "exit": 0,
        "expect": {"console.log": [_WARNING, "train rank 0: step 12 loss "]},
        "absent": ["Traceback"],
    },
    "whole_graph": {
        "torchrun": [*_TWO, "--tee=3"],
        "arguments": ["--whole-graph"],
        "exit": 1,
        "expect": {
            "console.log": [
                _WARNING,
                "torch._dynamo.exc.Unsupported: Dynamo recompile limit exceeded",
            ],
        },
    },
}


def scaled(values: torch.Tensor, name: str) -> torch.Tensor:
    """Weigh the values, by the name of their task."""
    return values * 2 if name == "regression" else values / 3


def main(*, whole_graph: bool) -> None:
    """Take twelve steps, each of a task of its own."""
    connect()
    # Generated code is not what is shown, and would need a compiler.
    step = torch.compile(scaled, backend="eager", fullgraph=whole_graph)
    for number in range(1, 13):
        loss = step(torch.rand(16), f"task-{number}").mean()
        log.info("step %d loss %.4f", number, loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole-graph", action="store_true")
    main(whole_graph=parser.parse_args().whole_graph)
