"""A disk cannot give back a block, and the rank that reads it fails with error 5.

Made by a file system on a loop device whose file is cut, so that the kernel finds nothing behind
the cut and reports an error of the device. Needs root. Run with
`python tests/repro/run.py disk_read_error`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from training import Batch, build_model, connect, log, random_batch, train

_FOUR = ["--standalone", "--nproc-per-node=4"]
_SMALL = {"/mnt/data": 1}
_KERNEL = {"dmesg.log": ["I/O error, dev loop", " op 0x0:(READ) flags 0x"]}

CAPTURES = {
    "worker": {
        "torchrun": [*_FOUR, "--tee=3"],
        "arguments": ["--workers=1"],
        "tmpfs_mib": _SMALL,
        "needs": ["mkfs.ext4", "losetup"],
        "exit": 1,
        "expect": {
            "console.log": [
                "OSError: Caught OSError in DataLoader worker process 0.",
                "OSError: [Errno 5] Input/output error",
                "rank      : 2 (local_rank: 2)",
            ],
            **_KERNEL,
        },
    },
    "main_process": {
        "torchrun": _FOUR,
        "arguments": ["--workers=0"],
        "tmpfs_mib": _SMALL,
        "needs": ["mkfs.ext4", "losetup"],
        "exit": 1,
        "expect": {
            "console.log": [
                "OSError: [Errno 5] Input/output error",
                "rank      : 2 (local_rank: 2)",
            ],
            **_KERNEL,
        },
    },
}

DATA = Path("/mnt/data")
UNLUCKY_RANK = 2
SHARDS, SHARD_KIB, DISK_MIB, LEFT_MIB = 60, 512, 48, 20


class Shards(Dataset[Batch]):
    """One batch for each file; only the rank with the disk really reads."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __len__(self) -> int:
        return SHARDS

    def __getitem__(self, index: int) -> Batch:
        if self.rank == UNLUCKY_RANK:
            (DATA / f"shard_{index:03d}.bin").read_bytes()
        return random_batch(seed=1000 * self.rank + index)


def fill(disk: Path) -> str:
    """Write all shards to a disk, and then lose its end; the name of its device is returned."""
    with disk.open("wb") as file:
        file.truncate(DISK_MIB * 2**20)
    subprocess.run(["mkfs.ext4", "-q", str(disk)], check=True)
    # Reads that go through the file's cache would be zeros behind the cut, and no error.
    command = ["losetup", "--direct-io=on", "--find", "--show", str(disk)]
    device = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(["mount", device, str(DATA)], check=True)
    # The kernel lets the device go with its last mount, however this run ends.
    subprocess.run(["losetup", "--detach", device], check=True)
    for index in range(SHARDS):
        (DATA / f"shard_{index:03d}.bin").write_bytes(os.urandom(SHARD_KIB * 1024))
    subprocess.run(["mount", "-o", "remount,ro", str(DATA)], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("1")
    os.truncate(disk, LEFT_MIB * 2**20)
    return device


def keep_kernel_log(device: str) -> None:
    """Store what the kernel said of the device beside the console, as a collector does."""
    output = subprocess.run(["dmesg"], check=True, capture_output=True, text=True).stdout
    ours = [row for row in output.splitlines(keepends=True) if f"dev {Path(device).name}," in row]
    Path("dmesg.log").write_text("".join(ours[-8:]), encoding="utf-8")


def main(workers: int) -> None:
    """Train until the disk of one rank fails."""
    rank = connect()
    device = ""
    if rank == UNLUCKY_RANK:
        device = fill(Path(tempfile.gettempdir()) / "disk.img")
    dist.barrier()
    loader = DataLoader(Shards(rank), batch_size=None, num_workers=workers)
    try:
        train(build_model(), loader)
    except OSError:
        log.info("keeping the kernel log")
        keep_kernel_log(device)
        raise
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, required=True)
    main(parser.parse_args().workers)
