"""One rank saves to storage that does not answer: the others wait, and stacks tell which is which.

Made by rank 3 saving its checkpoint into a pipe that nobody reads. `--look` names the tool that
shows the stacks of all ranks; faulthandler is in the ranks themselves, the others are started by
rank 0. Run with `python tests/repro/run.py stalled_save`.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from training import build_model, connect, log, random_batch, train_step

_PLAIN = {
    "torchrun": ["--standalone", "--nproc-per-node=4"],
    "exit": 1,
    "environment": {"OMP_NUM_THREADS": "1"},
}
CAPTURES = {
    "faulthandler": {
        **_PLAIN,
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "arguments": ["--look=faulthandler"],
        "expect": {
            "console.log": [
                "[default3]:Timeout (0:00:08)!",
                "(most recent call first):",
                " in save_checkpoint",
                " in _engine_run_backward",
            ]
        },
    },
    "py_spy": {
        **_PLAIN,
        "arguments": ["--look=py-spy"],
        "needs": ["py-spy"],
        "expect": {
            "stacks-0.txt": ["_engine_run_backward (torch/autograd/graph.py:"],
            "stacks-3.txt": ['Thread {pid of rank 3} (idle): "MainThread"', "save_checkpoint ("],
        },
    },
    "py_spy_json": {
        **_PLAIN,
        "arguments": ["--look=py-spy-json"],
        "needs": ["py-spy"],
        "expect": {"stacks-3.txt": ['"thread_name": "MainThread"', '"name": "save_checkpoint"']},
    },
    "py_spy_locals": {
        **_PLAIN,
        "arguments": ["--look=py-spy-locals"],
        "needs": ["py-spy"],
        "expect": {"stacks-3.txt": ["Arguments:", "save_checkpoint ("]},
    },
    "gdb": {
        **_PLAIN,
        "arguments": ["--look=gdb"],
        "needs": ["gdb"],
        "deadline": 400,
        "expect": {
            "stacks-0.txt": ["Thread 1 (Thread 0x", "gloo::"],
            "stacks-3.txt": ["Thread 1 (Thread 0x", "write"],
        },
    },
}

SAVING_RANK = 3
STEPS_BEFORE = 3
LOOK_AFTER_SECONDS = 8
COMMANDS = {
    "py-spy": "py-spy dump --pid {pid}",
    "py-spy-json": "py-spy dump --json --pid {pid}",
    "py-spy-locals": "py-spy dump --locals --pid {pid}",
    "gdb": "gdb -p {pid} -batch -ex 'thread apply all bt'",
}


def save_checkpoint(model: DistributedDataParallel) -> None:
    """Save the model to storage that takes a little and then nothing."""
    path = Path.cwd() / "checkpoint.pt"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    log.info("saving to %s", path)
    with path.open("wb", buffering=0) as file:
        torch.save({"model": model.state_dict()}, file)
    os.close(reader)


def show_stacks(tool: str, pids: list[int]) -> None:
    """Let the tool show each rank, then end this one, and so the run."""
    time.sleep(LOOK_AFTER_SECONDS)
    for rank, pid in enumerate(pids):
        with Path(f"stacks-{rank}.txt").open("wb") as file:
            command = COMMANDS[tool].format(pid=pid)
            subprocess.run(command, shell=True, check=False, stdout=file, stderr=file)
    os.unlink("checkpoint.pt")
    os._exit(1)


def look_later(tool: str, rank: int) -> None:
    """Have the stacks shown while all wait."""
    if tool == "faulthandler":
        faulthandler.dump_traceback_later(LOOK_AFTER_SECONDS, file=sys.stderr)
        threading.Timer(LOOK_AFTER_SECONDS + 2, end, [rank]).start()
        return
    pids: list[int] = [0] * dist.get_world_size()
    dist.all_gather_object(pids, os.getpid())
    if rank == 0:
        threading.Thread(target=show_stacks, args=[tool, pids], daemon=True).start()


def end(rank: int) -> None:
    """End the run when all have shown their stacks."""
    if rank == 0:
        os.unlink("checkpoint.pt")
        os._exit(1)


def main(tool: str) -> None:
    """Train, and save on one rank after some steps."""
    rank = connect(timeout_seconds=400)
    model = build_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    look_later(tool, rank)
    for step in range(1, 2 * STEPS_BEFORE):
        log.info("step %d loss %.4f", step, train_step(model, optimizer, random_batch(step)))
        if step == STEPS_BEFORE and rank == SAVING_RANK:
            save_checkpoint(model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--look", choices=["faulthandler", *COMMANDS], required=True)
    main(parser.parse_args().look)
