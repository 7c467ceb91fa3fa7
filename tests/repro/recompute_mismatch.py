"""A checkpointed block does something else when it is recomputed, and the backward pass refuses it.

Made by a cache that grows with each call, or by a layer that only the first call runs. Run with
`python tests/repro/run.py recompute_mismatch`.
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
_ERROR = "torch.utils.checkpoint.CheckpointError: torch.utils.checkpoint: "

CAPTURES = {
    "metadata": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--fault=cache"],
        "exit": 1,
        "expect": {
            "console.log": [
                _ERROR + "Recomputed values for the following tensors have different metadata than"
                " during the forward pass.",
                "saved metadata: {'shape': torch.Size([8, 64]), 'dtype': torch.float32,",
                "recomputed metadata: {'shape': torch.Size([16, 64]), 'dtype': torch.float32,",
                "train rank 0: step 2 loss ",
            ]
        },
        "absent": ["step 3 loss"],
    },
    "number": {
        "torchrun": [*_FOUR, "--log-dir=logs", "--redirects=3"],
        "arguments": ["--fault=layer"],
        "exit": 1,
        "expect": {
            "logs/*/attempt_0/0/stderr.log": [
                _ERROR + "A different number of tensors was saved during the original forward and"
                " recomputation.",
                "Number of tensors saved during forward: 11",
                "Number of tensors saved during recomputation: 10.",
            ]
        },
        "absent": ["step 3 loss"],
    },
}

FAULTY_STEP = 3


class Block(nn.Module):
    """Attention over what was seen, which keeps state that its recomputation sees changed."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(64, 64)
        self.output = nn.Linear(64, 64)
        self.fault = ""
        self.seen: list[torch.Tensor] = []

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Attend to the batch, and to what the cache holds if there is one."""
        if self.fault == "layer" and not self.seen:
            hidden = torch.relu(hidden)
        if self.fault != "cache":
            self.seen.clear()
        self.seen.append(hidden)
        keys = torch.cat(self.seen)
        weights = torch.softmax(self.query(hidden) @ keys.T, dim=-1)
        return self.output(torch.tanh(weights @ keys))


class Classifier(nn.Module):
    """A text classifier whose middle block is recomputed in the backward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(VOCABULARY, 64)
        self.block = Block()
        self.label = nn.Linear(64, CLASSES)

    def forward(self, tokens: torch.Tensor, fault: str) -> torch.Tensor:
        """Return the scores of the labels."""
        self.block.seen.clear()
        self.block.fault = fault
        hidden = checkpoint(self.block, self.embedding(tokens), use_reentrant=False)
        return self.label(hidden)


def main(fault: str) -> None:
    """Train until the step from which on the block keeps state."""
    rank = connect(timeout_seconds=10)
    model = DistributedDataParallel(Classifier())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 6):
        batch = random_batch(seed=1000 * rank + step)
        optimizer.zero_grad()
        scores = model(batch["input_ids"], fault if step == FAULTY_STEP else "")
        loss = nn.functional.cross_entropy(scores, batch["label"])
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["cache", "layer"], required=True)
    main(parser.parse_args().fault)
