"""DistributedDataParallel is told twice in one step that a gradient is ready, and refuses it.

Made by reentrant checkpointing: with the search for unused parameters, or of one block that is
called twice. Run with `python tests/repro/run.py ready_twice`.
"""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint
from training import CLASSES, VOCABULARY, connect, log, random_batch

_FOUR = ["--standalone", "--nproc-per-node=4"]
_ERROR = (
    "RuntimeError: Expected to mark a variable ready only once. This error is caused by one of the"
    " following reasons: 1) Use of a module parameter outside the `forward` function."
)
_TWICE = (
    " has been marked as ready twice. This means that multiple autograd engine  hooks have fired"
    " for this particular parameter during this iteration."
)

CAPTURES = {
    "search": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--fault=search"],
        "exit": 1,
        "expect": {
            "console.log": [_ERROR, "Parameter at index 2 with name block.bias" + _TWICE],
        },
        "absent": ["step 1 loss"],
    },
    "two_calls": {
        "torchrun": [*_FOUR, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--fault=two_calls"],
        "exit": 1,
        "expect": {
            "logs/*/attempt_0/0/stderr.log": [
                _ERROR,
                "Parameter at index 2 with name block.bias" + _TWICE,
            ],
        },
        "absent": ["step 1 loss"],
    },
}


class Classifier(nn.Module):
    """A text classifier whose middle block is recomputed in the backward pass."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(VOCABULARY, 64)
        self.block = nn.Linear(64, 64)
        self.label = nn.Linear(64, CLASSES)
        self.calls = calls

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the scores of the labels."""
        hidden = self.embedding(tokens)
        for _ in range(self.calls):
            hidden = torch.tanh(checkpoint(self.block, hidden, use_reentrant=True))
        return self.label(hidden)


def main(fault: str) -> None:
    """Train; the first backward pass fails."""
    rank = connect(timeout_seconds=10)
    model = DistributedDataParallel(
        Classifier(calls=2 if fault == "two_calls" else 1),
        find_unused_parameters=fault == "search",
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 6):
        batch = random_batch(seed=1000 * rank + step)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch["input_ids"]), batch["label"])
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["search", "two_calls"], required=True)
    main(parser.parse_args().fault)
