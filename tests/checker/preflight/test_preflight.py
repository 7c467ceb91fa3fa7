"""The command, on this machine as it is made for the test."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.dead_mount import dead_mount
from tests.needs import ROOT, needs
from tests.published import published_catalogue

START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from checker.__main__ import run;"
    "sys.exit(run(sys.argv[2:]))"
)


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    """The published entries as a file."""
    known = published_catalogue()
    entries = [{**entry.rule(), "keys": list(entry.keys)} for entry in known.entries]
    target = tmp_path / "catalogue.json"
    target.write_text(json.dumps({"entries": entries, "sha256": "", "date": known.date}))
    return target


def preflight(
    catalogue: Path, *words: str, before: tuple[str, ...] = (), **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run the command as a person would, under an outside guard."""
    start = [sys.executable, "-I", "-S", "-c", START, str(ROOT), "--catalogue", str(catalogue)]
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = str(server.getsockname()[1])
    port = {"MASTER_PORT": free, **environment}
    return subprocess.run(
        [*before, *start, "preflight", *words],
        capture_output=True,
        text=True,
        timeout=55,
        check=False,
        cwd="/",
        env={**os.environ, **port},
    )


def ids(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """Name the risks of a run as data."""
    return [risk["id"] for risk in json.loads(done.stdout)["risks"]]


def test_a_machine_without_risks_says_so_in_one_line(catalogue: Path, tmp_path: Path) -> None:
    """Nothing else is printed, and the folder is not made."""
    done = preflight(catalogue, "--output", str(tmp_path / "out"), "--size", "1kB")

    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")
    assert done.stdout.startswith("no risk seen; ")
    assert not (tmp_path / "out").exists()


def test_a_port_in_use_is_found(catalogue: Path) -> None:
    """By the kernel's table, without a connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        done = preflight(catalogue, "--format", "json", MASTER_PORT=port)

    assert (done.returncode, ids(done)) == (1, ["master-port-address-in-use"])


def test_a_checkpoint_that_does_not_fit_twice_is_a_risk(catalogue: Path, tmp_path: Path) -> None:
    """The folder may be named with or without `--output`."""
    for words in (["--output", str(tmp_path)], [str(tmp_path)]):
        done = preflight(catalogue, *words, "--size", "900PB", "--format", "json")
        assert (done.returncode, ids(done)) == (1, ["torch-save-disk-full"])


@needs("root")
def test_a_full_disk_and_a_small_dev_shm_are_found(catalogue: Path, tmp_path: Path) -> None:
    """In a mount namespace of its own, as a container has one."""
    (tmp_path / "full").mkdir()
    mounts = (
        "mount -t tmpfs -o size=64m tmpfs /dev/shm && "
        f"mount -t tmpfs -o size=8k,nr_inodes=3 tmpfs {tmp_path}/full && "
        f"touch {tmp_path}/full/a; head -c 9999 /dev/zero > {tmp_path}/full/b; "
        'exec "$@"'
    )
    before = ("unshare", "--mount", "sh", "-c", mounts, "sh")
    done = preflight(catalogue, "--format", "json", str(tmp_path / "full"), before=before)

    assert (done.returncode, ids(done)) == (
        1,
        ["dataloader-shm-bus-error", "inode-exhaustion", "torch-save-disk-full"],
    )


@needs("root")
@needs("fuse")
def test_a_mount_that_never_answers_is_a_risk_and_holds_up_nothing(
    catalogue: Path, tmp_path: Path
) -> None:
    """Also where a link leads to it; at most three children are left behind."""
    (tmp_path / "link").symlink_to(tmp_path / "dead/out")
    with dead_mount(tmp_path / "dead"):
        for folder in (tmp_path / "dead/out", tmp_path / "link"):
            began = time.monotonic()
            done = preflight(catalogue, "--output", str(folder), "--format", "json")
            assert time.monotonic() - began < 35
            told: dict[str, Any] = {
                fact["name"]: fact["value"] for fact in json.loads(done.stdout)["facts"]
            }
            assert (done.returncode, ids(done)) == (1, ["storage-mount-does-not-answer"])
            assert told["probes.left"] <= 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "big"], "--size is the size of a checkpoint, and 'big' is none"),
        (["a", "b"], "a run has one folder for checkpoints"),
        (["--format", "html"], "there is no format 'html'"),
        (["--machine"], "the command 'preflight' takes no option --machine"),
    ],
)
def test_what_is_not_understood_is_refused(catalogue: Path, words: list[str], said: str) -> None:
    """With a remedy."""
    done = preflight(catalogue, *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("trainwreck: " + said)
