"""What the built file says of inputs that are not ordinary logs: a clear line, and the status."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.dead_mount import dead_mount
from tests.needs import needs
from tests.script.run import run

LOG = b"step 1 loss 2.31\nstep 2 loss 2.30\n"


def said(script: Path, folder: Path, *paths: str) -> tuple[int, list[str]]:
    """Run on paths inside a folder; return the status and what stderr says."""
    done = run(script, *paths, cwd=folder)
    assert b"Traceback" not in done.err + done.out
    return done.status, done.err.decode().splitlines()


def test_a_missing_path(script: Path, tmp_path: Path) -> None:
    """A path that does not exist leaves nothing to read."""
    status, lines = said(script, tmp_path, "nowhere.log")

    assert status == 3
    assert lines[0] == "trainwreck: nowhere.log: no such file or folder"


@needs("root")
def test_a_file_without_the_right_to_read(script: Path, tmp_path: Path) -> None:
    """Another user's log is refused with the reason, seen as a user who may not read it."""
    (tmp_path / "secret.log").write_bytes(LOG)
    (tmp_path / "secret.log").chmod(0o600)
    tmp_path.chmod(0o755)
    copy = tmp_path / "trainwreck.py"
    copy.write_bytes(script.read_bytes())
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o011)
    done = subprocess.run(
        ["/usr/bin/python3", "-I", "-S", str(copy), "secret.log"],
        cwd=tmp_path,
        user=65534,
        group=65534,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 4
    assert done.stderr.splitlines()[0] == "trainwreck: secret.log: no right to read it"


def test_a_folder_without_logs(script: Path, tmp_path: Path) -> None:
    """A folder in which nothing can be read is no healthy run."""
    (tmp_path / "empty").mkdir()
    status, lines = said(script, tmp_path, "empty")

    assert status == 3
    assert lines[0] == "trainwreck: empty: a folder without logs"


def test_a_binary_file(script: Path, tmp_path: Path) -> None:
    """A checkpoint given by mistake is named as what it is."""
    (tmp_path / "model.bin").write_bytes(bytes(range(256)) * 64)
    status, lines = said(script, tmp_path, "model.bin")

    assert status == 3
    assert lines[0] == "trainwreck: model.bin: binary"


def test_an_empty_file(script: Path, tmp_path: Path) -> None:
    """An empty log is said to be empty."""
    (tmp_path / "empty.log").write_bytes(b"")
    status, lines = said(script, tmp_path, "empty.log")

    assert status == 3
    assert lines[0] == "trainwreck: empty.log: empty"


def test_a_log_cut_in_the_middle_of_a_character(script: Path, tmp_path: Path) -> None:
    """A file copied while it is written is read as far as it goes."""
    (tmp_path / "cut.log").write_bytes(LOG + "Epoch 3: 41%|██".encode()[:-1])
    status, lines = said(script, tmp_path, "cut.log")

    assert status == 0
    assert lines == ["trainwreck: cut.log: ends in the middle of a character"]


def test_a_fifo_without_a_writer_did_not_answer(script: Path, tmp_path: Path) -> None:
    """A pipe that nobody writes to costs five seconds, not the night."""
    os.mkfifo(tmp_path / "pipe")
    before = time.monotonic()
    status, lines = said(script, tmp_path, "pipe")

    assert status == 4
    assert lines[0] == "trainwreck: pipe: did not answer"
    assert 4.5 < time.monotonic() - before < 15


@needs("root")
@needs("fuse")
@pytest.mark.parametrize(("words", "others"), [(["run.log"], []), (["."], ["."])])
def test_a_mount_that_dies_while_a_log_is_read(
    script: Path, tmp_path: Path, words: list[str], others: list[str]
) -> None:
    """What was read counts, the reason is told once, and the report comes within the budget."""
    dead = tmp_path / "dead"
    with dead_mount(dead, "reads"):
        before = time.monotonic()
        done = run(script, *words, "--format", "json", cwd=dead)
        took = time.monotonic() - before
    given, *more = json.loads(done.out)["inputs"]

    reason = "its mount did not answer in 10 s (state S, waits in request_wait_answer)"
    assert (given["status"], given["reason"]) == ("read", reason)
    assert 4096 <= given["bytes"] < 1 << 24
    told = [given["path"], *others]
    assert [one["path"] for one in more] == others
    assert done.err.decode() == "".join(f"trainwreck: {path}: {reason}\n" for path in told)
    assert done.status == 4
    assert took < 30


@needs("root")
@needs("fuse")
@pytest.mark.parametrize("words", [["run.log"], [".", "{alive}"], ["{dead}/a.log", "{alive}"]])
def test_a_mount_that_is_dead_before(script: Path, tmp_path: Path, words: list[str]) -> None:
    """The paths on it are named as silent, and the others are read."""
    dead, alive = tmp_path / "dead", tmp_path / "alive.log"
    alive.write_bytes(LOG)
    named = [word.format(alive=alive, dead=dead) for word in words]
    with dead_mount(dead):
        done = run(script, *named, cwd=dead)

    reason = "its mount did not answer in 10 s (state S, waits in request_wait_answer)"
    assert done.err.decode() == f"trainwreck: {named[0]}: {reason}\n"
    assert done.status == 4
    assert (b"Read 1 file, 2 lines" in done.out) == (len(words) == 2)


@needs("root")
@needs("fuse")
def test_links_and_folders_lead_onto_a_dead_mount(script: Path, tmp_path: Path) -> None:
    """What lies on the disk of this machine is read all the same, and what does not is named."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "alive.log").write_bytes(LOG)
    (runs / "linked.log").symlink_to(runs / "dead/run.log")
    (runs / "older").symlink_to(runs / "dead/older")
    with dead_mount(runs / "dead"):
        done = run(script, "runs", "--format", "json", cwd=tmp_path)

    reason = "its mount did not answer in 10 s (state S, waits in request_wait_answer)"
    told = {given["path"]: given["reason"] for given in json.loads(done.out)["inputs"]}
    assert told == {
        "runs/alive.log": None,
        "runs/dead": reason,
        "runs/linked.log": reason,
        "runs/older": reason,
    }
    assert done.status == 4


def test_a_process_substitution_is_read(script: Path, tmp_path: Path) -> None:
    """`<(command)` is a pipe with a writer, also if the writer starts late."""
    (tmp_path / "train.log").write_bytes(LOG)
    command = f"'{sys.executable}' -I -S '{script}' <(sleep 1; cat train.log)"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "No known failure recognized" in done.stdout


def test_standard_input_is_read(script: Path) -> None:
    """A dash stands for what is piped in."""
    done = run(script, "-", given=LOG)

    assert (done.status, done.err) == (0, b"")
