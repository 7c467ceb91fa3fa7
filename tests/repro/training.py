"""A small real training run under DistributedDataParallel, shared by the programs beside it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

VOCABULARY = 512
CLASSES = 8
TOKENS = 16

log = logging.getLogger("train")

Batch = dict[str, torch.Tensor]


def connect(timeout_seconds: float = 120, **options: Any) -> int:
    """Join the process group that torchrun describes in the environment, and return the rank."""
    rank = int(os.environ["RANK"])
    logging.basicConfig(
        level=logging.INFO,
        format=f"%(asctime)s %(levelname)s %(name)s rank {rank}: %(message)s",
    )
    torch.manual_seed(17)
    dist.init_process_group("gloo", timeout=timedelta(seconds=timeout_seconds), **options)
    log.info("ready, pid %d, world size %d", os.getpid(), dist.get_world_size())
    return rank


def build_model(*, find_unused_parameters: bool = False) -> DistributedDataParallel:
    """Build a small text classifier whose gradients are averaged over all ranks."""
    layers = nn.Sequential(
        nn.EmbeddingBag(VOCABULARY, 64),
        nn.Linear(64, 128),
        nn.ReLU(),
        nn.Linear(128, CLASSES),
    )
    return DistributedDataParallel(layers, find_unused_parameters=find_unused_parameters)


def random_batch(seed: int, rows: int = 8) -> Batch:
    """Make one batch that is the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return {
        "input_ids": torch.randint(VOCABULARY, (rows, TOKENS), generator=generator),
        "label": torch.randint(CLASSES, (rows,), generator=generator),
    }


def train(model: DistributedDataParallel, batches: Iterable[Batch], pause: float = 0.1) -> None:
    """Take one optimizer step per batch and log each; `pause` stands for a larger model's work."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(batches, start=1):
        loss = train_step(model, optimizer, batch)
        log.info("step %d loss %.4f", step, loss)
        time.sleep(pause)


def train_step(
    model: DistributedDataParallel, optimizer: torch.optim.Optimizer, batch: Batch
) -> float:
    """Run forward, backward (where the gradients are all-reduced) and the optimizer once."""
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(batch["input_ids"]), batch["label"])
    loss.backward()
    optimizer.step()
    return loss.item()
