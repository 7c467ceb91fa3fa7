"""A loop in one process: nan in a table, an overflow that is skipped, a save tried again."""

import errno
import logging
import warnings

import torch
from torch import nn

NEEDS = ["torch", "numpy"]
COMMAND = ["python", "plain_loop.py"]
EXPECT = [
    "BlockingIOError: [Errno 11] Resource temporarily unavailable: 'epoch_1.pt'",
    "Grad scaler skipped a step",
    "FutureWarning",
    "  3      nan",
    "done, 0 errors",
]

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("train")


def save(model: nn.Module, path: str, *, busy: bool) -> None:
    """Write a checkpoint, as onto a file system that is busy at first."""
    for attempt in range(1, 4):
        try:
            if busy and attempt == 1:
                raise OSError(errno.EAGAIN, "Resource temporarily unavailable", path)
            torch.save(model.state_dict(), path)
        except OSError:
            log.warning("saving %s failed (attempt %d of 3), trying again", path, attempt)
            log.warning("details of the failed save", exc_info=True)
            continue
        log.info("saved %s at attempt %d", path, attempt)
        return


def train_epoch(model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int) -> float:
    """Take ten steps, one of which overflows in the way that mixed precision expects."""
    scale = 65536.0
    total = 0.0
    for step in range(10):
        optimizer.zero_grad()
        rows = torch.randn(32, 16)
        loss = ((model(rows) - rows.sum(dim=1, keepdim=True)) ** 2).mean()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if epoch == 1 and step == 2:
            scale /= 2
            print(f"Grad scaler skipped a step: found inf in gradients, reducing scale to {scale}")
            continue
        optimizer.step()
        total += loss.item()
        if step % 5 == 4:
            log.info("epoch %d step %d loss %.4f grad_norm %.3f", epoch, step, loss, norm)
    return total / 10


def main() -> None:
    """Train for three epochs and print what each class got right."""
    torch.manual_seed(3)
    log.info("torch %s, cuda available: %s", torch.__version__, torch.cuda.is_available())
    log.warning("CUDA is not available, running on the CPU; this is slow for large models")
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    warnings.warn("argument 'lr_decay' is deprecated, use a schedule", FutureWarning, stacklevel=1)
    with torch.autocast("cuda"):
        log.info("autocast asked for")
    for epoch in range(1, 4):
        loss = train_epoch(model, optimizer, epoch)
        log.info("epoch %d: train loss %.4f, val error %.4f", epoch, loss, 0.5 / epoch)
        save(model, f"epoch_{epoch}.pt", busy=epoch == 1)
    print("class  recall  errors")
    for label, hits in enumerate([[1.0, 1.0], [0.0, 1.0], [1.0], []]):
        print(f"{label:>3} {torch.tensor(hits).mean().item():>8.3f} {hits.count(0.0):>5}")
    log.info("done, 0 errors")


if __name__ == "__main__":
    main()
