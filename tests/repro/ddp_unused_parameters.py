"""Parameters that take no part in the loss of one step: DistributedDataParallel fails at the next.

Made by an auxiliary head that is left out of one step, on all ranks or on one. Run with
`python tests/repro/run.py ddp_unused_parameters`.
"""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from training import CLASSES, VOCABULARY, connect, log, random_batch

_FINISHED = (
    "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new"
    " one. This error indicates that your module has parameters that were not used in producing"
    " loss. "
)

CAPTURES = {
    "indices": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "exit": 1,
        "expect": {
            "console.log": [
                _FINISHED + "You can enable unused parameter detection by passing the keyword"
                " argument `find_unused_parameters=True`",
                "Parameter indices which did not receive grad for rank 1: 5 6",
                "train rank 1: step 3 loss ",
            ]
        },
        "absent": ["step 4 loss"],
    },
    "names": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "environment": {"TORCH_DISTRIBUTED_DEBUG": "INFO"},
        "exit": 1,
        "expect": {
            "console.log": [
                "Parameters which did not receive grad for rank 1: auxiliary.bias,"
                " auxiliary.weight",
                "Parameter indices which did not receive grad for rank 1: 5 6",
            ]
        },
        "absent": ["step 4 loss"],
    },
    "one_rank": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3", "--monitor-interval=2"],
        "arguments": ["--on-rank=2"],
        "exit": 1,
        "expect": {
            "console.log": [
                "[rank2]: " + _FINISHED,
                "Parameter indices which did not receive grad for rank 2: 5 6",
                "train rank 2: step 3 loss ",
            ]
        },
        "absent": ["rank 1: step 3 loss"],
    },
}

DROPPED_STEP = 3


class Classifier(nn.Module):
    """A text classifier with an auxiliary head that a step can do without."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(VOCABULARY, 64)
        self.hidden = nn.Linear(64, 128)
        self.label = nn.Linear(128, CLASSES)
        self.auxiliary = nn.Linear(128, 2)

    def forward(
        self, tokens: torch.Tensor, *, with_auxiliary: bool
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Return the scores of the labels and those of the auxiliary head, if asked for."""
        hidden = torch.relu(self.hidden(self.embedding(tokens)))
        return self.label(hidden), self.auxiliary(hidden) if with_auxiliary else None


def step_loss(model: nn.Module, rank: int, step: int, *, with_auxiliary: bool) -> torch.Tensor:
    """Run the forward pass with or without the auxiliary head, and return the loss."""
    batch = random_batch(seed=1000 * rank + step)
    label, auxiliary = model(batch["input_ids"], with_auxiliary=with_auxiliary)
    loss = nn.functional.cross_entropy(label, batch["label"])
    if auxiliary is None:
        return loss
    return loss + nn.functional.cross_entropy(auxiliary, batch["label"] % 2)


def main(on_rank: int | None) -> None:
    """Train with one step that leaves the head out."""
    rank = connect(timeout_seconds=10)
    model = DistributedDataParallel(Classifier())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1, 11):
        dropped = step == DROPPED_STEP and on_rank in (None, rank)
        optimizer.zero_grad()
        loss = step_loss(model, rank, step, with_auxiliary=not dropped)
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--on-rank", type=int)
    main(parser.parse_args().on_rank)
