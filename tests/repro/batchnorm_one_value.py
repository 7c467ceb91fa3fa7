"""The last batch of an epoch has one row, and batch normalization has no variance to compute.

Made by a data set whose size leaves one row over on every rank. Run with
`python tests/repro/run.py batchnorm_one_value`.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from training import CLASSES, connect, log

_MESSAGE = (
    "ValueError: Expected more than 1 value per channel when training, "
    "got input size torch.Size([1, 64])"
)

CAPTURES = {
    "tee": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "exit": 1,
        "expect": {"console.log": [_MESSAGE, "epoch 1 step 4 loss "]},
        "absent": ["epoch 1 step 5 loss "],
    },
    "plain": {
        "torchrun": ["--standalone", "--nproc-per-node=2"],
        "exit": 1,
        "expect": {"console.log": [_MESSAGE]},
    },
}

ROWS_PER_RANK = 33
BATCH = 8


def main() -> None:
    """Train for an epoch whose last batch has one row."""
    rank = connect()
    rows = ROWS_PER_RANK * dist.get_world_size()
    data = TensorDataset(torch.randn(rows, 32), torch.randint(CLASSES, (rows,)))
    loader = DataLoader(data, batch_size=BATCH, sampler=DistributedSampler(data))
    layers = nn.Sequential(nn.Linear(32, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, CLASSES))
    model = DistributedDataParallel(layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (features, labels) in enumerate(loader, start=1):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(features), labels)
        loss.backward()
        optimizer.step()
        log.info("epoch 1 step %d loss %.4f", step, loss.item())
    log.info("rank %d done", rank)


if __name__ == "__main__":
    main()
