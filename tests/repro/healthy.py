"""Nothing fails: a run that ends well but prints much of what a failing run prints.

Has a retried and logged exception, warnings of torch, a progress bar redrawn with carriage returns,
a metric named "error" and a table with nan. Run with `python tests/repro/run.py healthy`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch
import torch.distributed as dist
from training import CLASSES, Batch, build_model, connect, log, random_batch, train_step

_ENDED_WELL = [
    "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/vocabulary.txt'",
    "read the vocabulary at attempt 3",
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`.",
    "find_unused_parameters=True was specified in DDP constructor",
    "epoch 2: 100%|",
    "'error': 0.",
    "| nan ",
    "training finished",
]
_NEVER = ["ChildFailedError", "closing signal", "exitcode"]

CAPTURES = {
    "tee": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "exit": 0,
        "expect": {"console.log": _ENDED_WELL},
        "absent": _NEVER,
    },
    "plain": {
        "torchrun": ["--standalone", "--nproc-per-node=4"],
        "exit": 0,
        "expect": {"console.log": _ENDED_WELL},
        "absent": _NEVER,
    },
}

VOCABULARY_FILE = Path(tempfile.gettempdir()) / "vocabulary.txt"
EPOCHS = 2
STEPS = 20


def read_vocabulary(attempts: int = 5) -> str:
    """Read the file that rank 0 is still writing, as with a slow shared file system."""
    for attempt in range(1, attempts + 1):
        try:
            text = VOCABULARY_FILE.read_text()
        except OSError:
            log.warning("attempt %d of %d failed, will retry", attempt, attempts, exc_info=True)
            time.sleep(1)
            continue
        log.info("read the vocabulary at attempt %d", attempt)
        return text
    raise TimeoutError(f"{VOCABULARY_FILE} did not appear")


def share_vocabulary(rank: int) -> None:
    """Let rank 0 write the file late, so that the others meet its absence."""
    if rank == 0:
        time.sleep(1.5)
        VOCABULARY_FILE.write_text("the a of")
    read_vocabulary()
    dist.barrier()


def progress(batches: Iterable[Batch], rank: int, epoch: int) -> Iterator[Batch]:
    """Redraw one line on rank 0, as tqdm does."""
    start = time.monotonic()
    for done, batch in enumerate(batches, start=1):
        yield batch
        if rank == 0:
            speed = done / (time.monotonic() - start)
            bar = "█" * (done * 10 // STEPS)
            line = f"epoch {epoch}: {done * 100 // STEPS:3d}%|{bar:<10}| {done}/{STEPS}"
            print(f"\r{line} [{speed:.2f}it/s]", end="", file=sys.stderr, flush=True)
    if rank == 0:
        print(file=sys.stderr)


@torch.no_grad()
def evaluate(model: torch.nn.Module, rank: int, epoch: int) -> None:
    """Print the error and the precision of each class, which is nan if it was never predicted."""
    batch = random_batch(seed=9, rows=16)
    predicted = model(batch["input_ids"]).argmax(dim=1)
    correct = predicted == batch["label"]
    if rank != 0:
        return
    print({"error": round(1 - correct.float().mean().item(), 4), "epoch": epoch}, flush=True)
    print("| class | precision |\n| ----- | --------- |", flush=True)
    for label in range(CLASSES):
        precision = correct[predicted == label].float().mean().item()
        print(f"| {label:5d} | {precision:<9.3f} |", flush=True)


def main() -> None:
    """Train to the end."""
    rank = connect()
    share_vocabulary(rank)
    model = build_model(find_unused_parameters=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
    schedule.step()
    for epoch in range(1, EPOCHS + 1):
        batches = (random_batch(seed=1000 * rank + step) for step in range(STEPS))
        for batch in progress(batches, rank, epoch):
            loss = train_step(model, optimizer, batch)
            time.sleep(0.05)
        log.info("epoch %d done, loss %.4f, 0 errors", epoch, loss)
        evaluate(model, rank, epoch)
        schedule.step()
    log.info("training finished")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
