"""Files that a child reaches, with a mount table that calls a local folder remote."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.probe.children import Children
from checker.probe.far_files import FarFiles, far_files
from checker.probe.machine import Machine
from checker.probe.mount_table import Mount
from checker.scan.observe import observe
from tests.checker.probe.trees import machine_of

pytestmark = pytest.mark.rule("machine")


@pytest.fixture
def far(tmp_path: Path) -> Iterator[FarFiles]:
    """What reaches the files of a folder."""
    (tmp_path / "nfs").mkdir()
    made = FarFiles([mount("/", "ext4", "8:1"), mount(f"{tmp_path}/nfs", "nfs4", "0:50")], 3)
    yield made
    made.end()


def mount(point: str, kind: str, device: str) -> Mount:
    """A row of the mount table."""
    return Mount(device, "/", point, "rw", kind, "source", "rw")


def test_only_paths_on_remote_mounts_are_far(far: FarFiles, tmp_path: Path) -> None:
    """The mount itself is, and standard input is not."""
    paths = [f"{tmp_path}/nfs", f"{tmp_path}/nfs/a/b.log", f"{tmp_path}/nfs2/a.log", "-"]

    assert [far.holds(path) for path in paths] == [True, True, False, False]


@pytest.mark.parametrize(
    ("link", "target", "asked"),
    [
        ("a.log", "nfs/a.log", "a.log"),
        ("a.log", "{here}/nfs/a.log", "a.log"),
        ("runs", "nfs", "runs/new/a.log"),
        ("runs", "deep/../nfs", "runs/a.log"),
        ("runs", "nfs", "runs/../a.log"),
        ("deep/up", "../nfs", "deep/up/a.log"),
        ("deep/up", "..", "deep/up/nfs/a.log"),
    ],
)
def test_a_link_leads_onto_a_remote_mount(
    far: FarFiles, tmp_path: Path, link: str, target: str, asked: str
) -> None:
    """Wherever in a path it is."""
    (tmp_path / "deep").mkdir()
    (tmp_path / link).symlink_to(target.format(here=tmp_path))

    assert far.holds(f"{tmp_path}/{asked}")
    assert not far.holds(f"{tmp_path}/deep/a.log")


def test_a_link_that_leads_to_itself_leads_nowhere(far: FarFiles, tmp_path: Path) -> None:
    """The system refuses it, without any server."""
    (tmp_path / "a.log").symlink_to("a.log")

    assert not far.holds(f"{tmp_path}/a.log")


def test_files_are_read_as_they_are(
    far: FarFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at a time too, by names as they were given."""
    monkeypatch.chdir(tmp_path)
    one, other = b"step 1\n" * 40000, bytes(range(256)) * 999
    (tmp_path / "nfs/\udcff.log").write_bytes(one)
    (tmp_path / "nfs/b.log").write_bytes(other)
    names, troubles = far.below("nfs")
    pairs = [far.blocks(name) for name in sorted(names)]
    read = [next(blocks) for blocks in pairs]
    read = [first + b"".join(rest) for first, rest in zip(read, pairs, strict=True)]

    assert (sorted(names), troubles) == (["nfs/b.log", "nfs/\udcff.log"], [])
    assert read == [other, one]
    assert far.status("nfs/b.log")[1:] == (tmp_path.stat().st_dev, os.stat("nfs/b.log").st_ino)


def test_what_the_system_refuses_is_refused_as_ever(far: FarFiles, tmp_path: Path) -> None:
    """With the kind of the error, after which others are asked."""
    with pytest.raises(FileNotFoundError):
        far.status(f"{tmp_path}/nfs/none.log")
    with pytest.raises(IsADirectoryError):
        list(far.blocks(f"{tmp_path}/nfs"))
    (tmp_path / "nfs/a.log").write_text("step 1\n")

    assert list(far.blocks(f"{tmp_path}/nfs/a.log")) == [b"step 1\n"]


def test_a_child_that_died_makes_its_mount_silent(far: FarFiles, tmp_path: Path) -> None:
    """What it had open is not read on, and the mount is not asked again."""
    log = tmp_path / "nfs/a.log"
    log.write_text("step 1\n")
    blocks = far.blocks(str(log))
    assert next(blocks) == b"step 1\n"
    assert far._helper is not None
    os.kill(far._helper.pid, signal.SIGKILL)

    for ask in (lambda: next(blocks), lambda: far.status(str(log))):
        with pytest.raises(TimeoutError, match="its mount did not answer in 10 s"):
            ask()


def test_an_answer_that_was_not_waited_for_is_not_taken_for_the_next(
    far: FarFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C the child is another one."""
    log = tmp_path / "nfs/a.log"
    log.write_text("step 1\n")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("checker.probe.far_files._got_in_time", interrupted)
        with pytest.raises(KeyboardInterrupt):
            far.status(str(log))

    assert list(far.blocks(str(log))) == [b"step 1\n"]


def test_a_log_and_a_folder_are_the_same_through_a_child(far: FarFiles, tmp_path: Path) -> None:
    """All that is observed, with what is no log."""
    folder = tmp_path / "nfs"
    (folder / "deep").mkdir()
    (folder / "deep/rank0.log").write_text("step 1 loss 2.0\nstep 2 loss inf\n")
    (folder / "model.bin").write_bytes(bytes(999))
    (folder / "none.log").symlink_to("nowhere")
    near = observe([str(folder)], frozenset())

    assert observe([str(folder)], frozenset(), far=far) == near


def test_without_a_remote_mount_there_is_no_child(tmp_path: Path) -> None:
    """Nor on a system whose mounts are not told."""
    row = "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    remote = "25 24 0:50 / /nfs rw - nfs4 server:/ rw\n"

    assert far_files(machine_of(tmp_path / "a", {"/proc/self/mountinfo": row}), 0) is None
    assert far_files(machine_of(tmp_path / "b", {"/proc/self/mountinfo": row + remote}), 0)
    assert far_files(Machine(Children(1.0), system="darwin"), 0) is None
