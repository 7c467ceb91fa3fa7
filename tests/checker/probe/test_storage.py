"""The mount table, and what mounts answer."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.probe.children import Children
from checker.probe.machine import Machine
from checker.probe.mount_table import mount_of, parse_mounts
from tests.checker.probe.trees import facts_of, machine_of
from tests.dead_mount import dead_mount
from tests.needs import needs

TABLE = r"""22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
23 22 0:21 / /proc rw - proc proc rw
40 22 0:45 / /data rw,relatime - nfs4 10.0.0.5:/export rw,vers=4.2,hard
41 22 0:46 / /mnt/my\040drive\134x rw - 9p C:\134 rw,aname=drvfs
42 40 0:47 / /data/scratch ro - fuse.s3fs s3fs ro
43 22 259:3 / /data rw - xfs /dev/nvme1n1 rw
broken row
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A folder `data` below the constructed root, on a tmpfs of one page and two inodes."""
    folder = tmp_path / "root/data"
    folder.mkdir(parents=True)
    options = "size=4096,nr_inodes=2"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_the_mount_table() -> None:
    """Escapes are read, and rows that are cut are left out."""
    mounts = parse_mounts(TABLE)

    assert [(mount.point, mount.type, mount.source) for mount in mounts] == [
        ("/", "ext4", "/dev/nvme0n1p2"),
        ("/proc", "proc", "proc"),
        ("/data", "nfs4", "10.0.0.5:/export"),
        ("/mnt/my drive\\x", "9p", "C:\\"),
        ("/data/scratch", "fuse.s3fs", "s3fs"),
        ("/data", "xfs", "/dev/nvme1n1"),
    ]


@pytest.mark.parametrize(
    ("path", "device"),
    [
        ("/", "259:2"),
        ("/database/x", "259:2"),
        ("/data", "259:3"),
        ("/data/run/log", "259:3"),
        ("/data/scratch/x", "0:47"),
        ("/mnt/my drive\\x/log", "0:46"),
    ],
)
def test_the_mount_of_a_path(path: str, device: str) -> None:
    """The longest prefix that ends at a slash; of two on one point the later."""
    mount = mount_of(path, parse_mounts(TABLE))

    assert mount is not None
    assert mount.device == device


@needs("root")
def test_room(tmp_path: Path, small: Path) -> None:
    """A mount without space, or without inodes, is named, unless it cannot be written anyway."""
    table = "50 22 0:50 / /data rw - tmpfs tmpfs rw\n51 22 0:51 / /ro ro - nfs4 a:/b rw\n"
    machine = machine_of(tmp_path, {"/proc/self/mountinfo": table})
    (tmp_path / "root/ro").mkdir()
    before = facts_of(machine, "mounts.")
    (small / "file").write_bytes(b"x" * 4096)
    after = facts_of(machine, "mounts.")

    assert before["mounts.network"] == ["/ro (nfs4)"]
    assert before["mounts.space"][1:] == ["/data (tmpfs) 4096 of 4096 bytes free, 1 of 2 inodes"]
    assert (before["mounts.full"], before["mounts.no_inodes"]) == ([], [])
    assert (after["mounts.full"], after["mounts.no_inodes"]) == (["/data"], ["/data"])
    assert after["mounts.silent"] == []


def test_shared_memory_that_is_not_mounted(tmp_path: Path) -> None:
    """The folder of the root file system is not taken for it."""
    machine = machine_of(tmp_path, {"/proc/self/mountinfo": TABLE})

    assert facts_of(machine, "shm.") == {
        "shm.size": ("not mounted",),
        "shm.free": ("not mounted",),
    }


@needs("root")
@needs("fuse")
def test_a_mount_that_does_not_answer(tmp_path: Path) -> None:
    """It is named with the wait point; the others answer."""
    with dead_mount(tmp_path / "dead"):
        children = Children(30)
        began = time.monotonic()
        machine = Machine(children, paths=[str(tmp_path / "dead/run.log")])
        told = facts_of(machine, "mounts.")
        took = time.monotonic() - began

    assert told["mounts.silent"] == [
        f"{tmp_path}/dead (fuse.hangfs) "
        "did not answer in 3 s (state S, waits in request_wait_answer)"
    ]
    assert f"{tmp_path}/dead (fuse.hangfs)" in told["mounts.network"]
    assert any(text.startswith("/ (") for text in told["mounts.space"])
    assert len(children.left) == 1
    assert took < 15
