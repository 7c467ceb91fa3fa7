"""Reentrant checkpointing of a block with a frozen input cuts the graph, so nothing is trained.

Made as with an adapter on a frozen model: all blocks are checkpointed, and only what is inside
them has a gradient. Run with `python tests/repro/run.py frozen_checkpoint`.
"""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint
from training import CLASSES, VOCABULARY, connect, log, random_batch

_TWO = ["--standalone", "--nproc-per-node=2"]
_WARNING = "UserWarning: None of the inputs have requires_grad=True. Gradients will be None"
_ERROR = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"

CAPTURES = {
    "adapter": {
        "torchrun": [*_TWO, "--tee=3"],
        "exit": 1,
        "expect": {"console.log": [_WARNING, _ERROR]},
        "absent": ["step 1 loss"],
    },
    "plain": {
        "torchrun": _TWO,
        "exit": 1,
        "expect": {"console.log": [_WARNING, _ERROR]},
        "absent": ["step 1 loss"],
    },
    "trained_head": {
        "torchrun": [*_TWO, "--tee=3"],
        "arguments": ["--train-head"],
        "exit": 0,
        "expect": {
            "console.log": [
                _WARNING,
                "the adapter has no gradient",
                "train rank 0: step 3 loss ",
            ]
        },
        "absent": ["RuntimeError"],
    },
}


class Adapted(nn.Module):
    """A frozen layer with a small layer beside it that is trained."""

    def __init__(self) -> None:
        super().__init__()
        self.base = nn.Linear(64, 64).requires_grad_(False)
        self.adapter = nn.Linear(64, 64)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Add the adapter's output to that of the frozen layer."""
        return torch.tanh(self.base(hidden) + self.adapter(hidden))


class Classifier(nn.Module):
    """A frozen text classifier with an adapted block, which is recomputed."""

    def __init__(self, *, train_head: bool) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(VOCABULARY, 64).requires_grad_(False)
        self.block = Adapted()
        self.label = nn.Linear(64, CLASSES).requires_grad_(train_head)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the scores of the labels."""
        return self.label(checkpoint(self.block, self.embedding(tokens), use_reentrant=True))


def main(*, train_head: bool) -> None:
    """Train the adapter, and the head if asked for."""
    rank = connect(timeout_seconds=10)
    bare = Classifier(train_head=train_head)
    model = DistributedDataParallel(bare, find_unused_parameters=train_head)
    optimizer = torch.optim.SGD([p for p in bare.parameters() if p.requires_grad], lr=0.1)
    for step in range(1, 4):
        batch = random_batch(seed=1000 * rank + step)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch["input_ids"]), batch["label"])
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())
    if bare.block.adapter.weight.grad is None:
        log.info("the adapter has no gradient")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-head", action="store_true")
    main(train_head=parser.parse_args().train_head)
