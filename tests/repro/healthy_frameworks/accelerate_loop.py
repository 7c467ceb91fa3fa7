"""Accelerate on two processes: a batch that does not fit is halved until it does."""

import logging

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import find_executable_batch_size, set_seed
from torch import nn

NEEDS = ["torch", "accelerate", "numpy"]
COMMAND = ["accelerate", "launch", "--cpu", "--num_processes=2", "accelerate_loop.py"]
EXPECT = [
    "The following values were not passed to `accelerate launch`",
    "DefaultCPUAllocator: can't allocate memory",
    "Decreasing batch size to",
    "error_rate",
    "training finished",
]

HUGE = 2**45


def main() -> None:
    """Find the batch size, then train."""
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s")
    accelerator = Accelerator()
    log = get_logger("train", log_level="INFO")
    set_seed(5)

    @find_executable_batch_size(starting_batch_size=20)
    def train(batch_size: int) -> None:
        log.warning("Decreasing batch size to: %d", batch_size, main_process_only=True)
        if batch_size > 16:
            try:
                torch.empty(batch_size * HUGE)
            except RuntimeError:
                log.warning("a batch of %d does not fit", batch_size, exc_info=True)
                raise
        model = nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        rows = torch.utils.data.TensorDataset(torch.randn(batch_size * 20, 8))
        loader = torch.utils.data.DataLoader(rows, batch_size=batch_size)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for step, (batch,) in enumerate(loader, start=1):
            loss = model(batch).pow(2).mean()
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            mean = accelerator.reduce(loss.detach(), "mean").item()
            accelerator.print({"step": step, "loss": round(mean, 4), "error_rate": 1 / step})
        accelerator.save_state("state", safe_serialization=False)

    train()
    accelerator.print("training finished")
    accelerator.end_training()


if __name__ == "__main__":
    main()
