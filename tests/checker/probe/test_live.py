"""The look at what runs, with real processes on this machine."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.checker.probe.test_looking import command
from tests.dead_mount import dead_mount
from tests.needs import needs

pytestmark = pytest.mark.rule("live")

# Each begins as a rank does, says so, and then does what its name says.
RANKS = {
    "healthy": "while True: sum(range(9**5)); print('step 1 loss 2.0', flush=True)",
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    # The parent of a vfork is in state D until the child starts a program; `sleep` never does.
    "vfork": (
        "stack = ctypes.create_string_buffer(65536); libc = ctypes.CDLL(None);"
        "top = ctypes.c_void_p(ctypes.addressof(stack) + 65520);"
        "libc.clone(libc.sleep, top, 0x4111, ctypes.c_void_p(50))"
    ),
    "buffered": "while True: sum(range(9**7)); print('step 1 loss 2.0')",
    "dead_child": "os.fork() or os._exit(1); threading.Event().wait()",
    "starved": (
        "r, w = os.pipe();\nif os.fork() == 0:\n while True: sum(range(9**5))\nos.read(r, 1)"
    ),
    "peer": "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); s.accept()",
}
BEGINNING = "import ctypes, os, signal, socket, sys, threading, time; print('began', flush=True)\n"


@contextmanager
def ranks(folder: Path, programs: dict[str, str], **more: Any) -> Iterator[int]:
    """Run programs as the ranks of one job below one process; give its id. All ends after 50 s."""
    names = []
    python = more.get("python", sys.executable) + " -I"
    python += "" if "import torch" in "".join(programs.values()) else " -S"
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(BEGINNING + text + "\n")
        names.append(name)
    start = "".join(
        f"RANK={rank} WORLD_SIZE={len(names)} {python} {folder}/{name}.py "
        f"--output-dir {more.get('output', folder)} > {more.get('log', folder)}/{name}.log 2>&1 &\n"
        for rank, name in enumerate(names)
    )
    job = subprocess.Popen(
        ["timeout", "--foreground", "-s", "KILL", "50", "sh", "-c", start + "wait"],
        cwd=more.get("cwd", "/"),
        env={"PATH": os.environ["PATH"]},
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    try:
        if "log" not in more:
            wait_for([folder / f"{name}.log" for name in names])
        time.sleep(more.get("seconds", 1.5))
        yield job.pid
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def wait_for(logs: list[Path]) -> None:
    """Wait until each program has begun."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if all(log.exists() and "began" in log.read_text() for log in logs):
            return
        time.sleep(0.1)


def look(folder: Path, pid: int, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Look at a job from outside of it, which an outside guard ends."""
    return subprocess.run(
        command(folder, "--pid", str(pid), *words),
        capture_output=True,
        text=True,
        timeout=55,
        check=False,
        **{"cwd": "/", **more},
    )


def readings(told: dict[str, Any]) -> dict[int, str]:
    """Map ranks to what they were seen to do."""
    facts = told["machine"]["facts"]
    return {f["rank"]: f["value"] for f in facts if f["name"] == "process.reading"}


def test_what_two_looks_tell_of_each_rank(tmp_path: Path) -> None:
    """Who is starting a program, works, or buffers what it prints is not called stuck."""
    with ranks(tmp_path, RANKS) as pid:
        done = look(tmp_path, pid, "--format", "json")
    told = json.loads(done.stdout)

    seen = readings(told)
    assert {name: seen.get(rank) for rank, name in enumerate(RANKS)} == {
        "healthy": "working",
        "stopped": "stopped",
        "vfork": "starting",
        "buffered": "working",
        "dead_child": "dead-child",
        "starved": "starved-by-data",
        "peer": "waits-for-peer",
    }
    texts = [f["text"] for f in told["machine"]["facts"] if f["name"] == "process.reading"]
    assert "may wait in the buffer" not in texts[0]
    assert texts[3].endswith("what it prints may wait in the buffer of its output")
    assert {given["path"] for given in told["inputs"]} >= {
        str(tmp_path / f"{name}.log") for name in RANKS
    }
    assert done.returncode == 0
    assert "trainwreck: looking for training processes\n" in done.stderr


SAVING = (
    "file = open(sys.argv[2] + '/model.pt', 'wb', buffering=0)\n"
    "print('saving', flush=True); file.write(bytes(99999))"
)


@needs("root")
@needs("fuse")
@pytest.mark.parametrize("place", ["checkpoint", "working folder", "log", "home and path"])
def test_a_checkpoint_that_a_silent_mount_does_not_take(tmp_path: Path, place: str) -> None:
    """Process, thread, wait point, mount and file are told, wherever else the dead mount is."""
    dead = tmp_path / "dead"
    more: dict[str, Any] = {"working folder": {"cwd": dead}, "log": {"log": dead}}.get(place, {})
    looking: dict[str, Any] = {
        "working folder": {"cwd": dead},
        "home and path": {"env": {"HOME": str(dead), "PATH": f"{dead}/bin:/usr/bin"}},
    }.get(place, {})
    with dead_mount(dead, "writes"), ranks(tmp_path, {"save": SAVING}, output=dead, **more) as pid:
        began = time.monotonic()
        done = look(tmp_path, pid, "--format", "json", **looking)
        took = time.monotonic() - began
        states = subprocess.run(
            ["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True
        )
    told = json.loads(done.stdout)
    (found,) = [f for f in told["machine"]["facts"] if f["name"] == "process.reading"]
    left = [row for row in states.stdout.splitlines() if str(tmp_path / "catalogue.json") in row]
    file = dead / ("save.log" if place == "log" else "model.pt")

    assert (found["value"], found["rank"]) == ("storage-stall", 0)
    assert f"thread {found['pid']} (" in found["text"]
    assert "waits in request_wait_answer" in found["text"]
    assert f"it writes {file} on {dead} (fuse.hangfs), which did not answer" in found["text"]
    assert took < 30
    assert len(left) <= 3


def test_nothing_to_look_at_is_said(tmp_path: Path) -> None:
    """The machine is probed all the same, and how to give a log is shown."""
    with subprocess.Popen(["sleep", "50"]) as other:
        try:
            done = look(tmp_path, 999999999)
        finally:
            other.kill()

    assert done.returncode == 0
    assert done.stdout.startswith(
        "No training process of this user was found on this machine. One of another user\n"
        "or in a container is seen by root, or from inside. To diagnose a log, name it:\n"
        "python3 trainwreck.py LOG.\n"
    )


def test_ctrl_c_tells_what_is_known_so_far(tmp_path: Path) -> None:
    """The look ends, the report does not."""
    with ranks(tmp_path, {"peer": RANKS["peer"]}) as pid:
        looking = subprocess.Popen(
            command(tmp_path, "--pid", str(pid), "--interval", "40"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
        )
        assert looking.stderr is not None
        for line in looking.stderr:
            if "to look again" in line:
                break
        looking.send_signal(signal.SIGINT)
        text, _ = looking.communicate(timeout=30)

    assert looking.returncode == 130
    assert "1 training process: what it does is not known." in " ".join(text.split())
