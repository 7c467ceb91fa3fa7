"""A rank builds another model than its peers, and DistributedDataParallel refuses to wrap it.

Made by freezing a layer, or by counting other classes, on one rank. Run with
`python tests/repro/run.py models_differ`.
"""

from __future__ import annotations

import argparse

import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from training import CLASSES, VOCABULARY, connect, log

CAPTURES = {
    "count": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3", "--monitor-interval=5"],
        "arguments": ["--fault=count"],
        "exit": 1,
        "expect": {
            "console.log": [
                "RuntimeError: DDP expects same model across all ranks, but Rank 3 has 4 params, "
                "while rank 0 has inconsistent 5 params.",
                "RuntimeError: DDP expects same model across all ranks, but Rank 0 has 5 params, "
                "while rank 3 has inconsistent 4 params.",
            ]
        },
    },
    "size": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--monitor-interval=5"],
        "arguments": ["--fault=size"],
        "exit": 1,
        "expect": {
            "console.log": [
                "RuntimeError: [3]: params[3] in this process with sizes [9, 128] appears not to "
                "match sizes of the same param in process 0."
            ]
        },
    },
}


def main(fault: str) -> None:
    """Wrap a model that is another one on rank 3."""
    rank = connect()
    odd = rank == 3
    model = nn.Sequential(
        nn.EmbeddingBag(VOCABULARY, 64),
        nn.Linear(64, 128),
        nn.ReLU(),
        nn.Linear(128, CLASSES + (odd and fault == "size")),
    )
    if odd and fault == "count":
        model[0].weight.requires_grad_(False)
    log.info("wrapping the model")
    DistributedDataParallel(model)
    dist.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["count", "size"], required=True)
    main(parser.parse_args().fault)
