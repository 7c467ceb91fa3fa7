"""Children that may be left behind: what they answer, and what is said where they do not."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checker.probe.children import Children, Ended, Reply, wait_point
from tests.checker.probe.trees import program
from tests.dead_mount import dead_mount
from tests.needs import ROOT, needs

PROGRAM = """
import json, os, sys, time
sys.path.insert(0, sys.argv[2])
from checker.probe.children import Children
dead = sys.argv[1]
began = time.monotonic()
children = Children(30)
replies = [children.ask(str(n), 0.5, lambda: os.listdir(dead)) for n in range(4)]
replies.append(children.ask("0", 0.5, lambda: "asked twice"))
took = time.monotonic() - began
print(json.dumps([[list(reply) for reply in replies], len(children.left), took]), flush=True)
os._exit(0)
"""


@pytest.fixture
def dead(tmp_path: Path) -> Iterator[Path]:
    """A folder on which a file system is mounted that never answers."""
    with dead_mount(tmp_path / "dead"):
        yield tmp_path / "dead"


@pytest.fixture
def children() -> Children:
    """A runner with time enough."""
    return Children(30)


def raise_error(error: Exception) -> Callable[[], Any]:
    """Make a function that raises this."""

    def _raise() -> Any:
        raise error

    return _raise


def test_what_a_function_returns_comes_back(children: Children) -> None:
    """It runs in another process, in `/`, in a session and an environment of its own."""

    def _tell() -> Any:
        return [os.getcwd(), os.getsid(0) == os.getpid(), sorted(os.environ), os.getppid()]

    assert children.ask("x", 5, _tell) == Reply(
        ["/", True, ["HOME", "LANG", "LC_ALL", "PATH"], os.getpid()], None
    )
    assert children.left == []


@pytest.mark.parametrize(
    ("work", "unknown"),
    [
        (raise_error(PermissionError(13, "Permission denied")), "no right"),
        (raise_error(FileNotFoundError(2, "No such file")), "absent"),
        (raise_error(OSError(5, "Input/output error")), "input/output error"),
        (raise_error(ValueError("odd")), "the probe failed: ValueError: odd"),
        (lambda: os.kill(os.getpid(), 9), "the probe died of signal 9"),
        (lambda: os._exit(7), "the probe ended with status 7 and no answer"),
        (lambda: {1, 2}, "the probe ended with status 70 and no answer"),
    ],
)
def test_why_there_is_no_value(children: Children, work: Callable[[], Any], unknown: str) -> None:
    """A refusal, a defect and a crash are told apart; none reaches the parent."""
    assert children.ask("x", 5, work) == Reply(None, unknown)


def test_a_child_that_sleeps_is_killed_at_its_deadline(children: Children) -> None:
    """What the same resource is asked next is not tried again."""
    began = time.monotonic()
    reply = children.ask("x", 0.3, lambda: time.sleep(20))

    assert time.monotonic() - began < 2
    assert reply.value is None
    assert reply.silent
    assert (reply.unknown or "").startswith("did not answer in 0.3 s (state S")
    assert children.left == []
    assert children.ask("x", 5, lambda: 1) == reply
    assert children.ask("y", 5, lambda: 1) == Reply(1, None)


def test_what_a_child_started_is_killed_with_it(children: Children, tmp_path: Path) -> None:
    """A program that waits for its own child leaves neither behind."""
    program(tmp_path / "bin", "slow", f"sleep 77 & echo $! > {tmp_path}/pid; wait\n")
    reply = children.run_program("x", 0.5, ["slow"], [str(tmp_path / "bin"), "/bin", "/usr/bin"])

    assert reply.silent
    time.sleep(0.1)
    state = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
    assert not state.exists() or ") Z " in state.read_text()


def test_no_child_is_started_after_the_budget() -> None:
    """The time of all together is limited, whatever each may take."""
    children = Children(0.2)

    assert children.ask("x", 5, lambda: time.sleep(20)).silent
    assert children.ask("y", 5, lambda: 1) == Reply(
        None, "not asked: the 0.2 s for all probes were over"
    )


def test_a_program_tells_its_status_and_both_streams(children: Children, tmp_path: Path) -> None:
    """It gets no input and an environment in which no language or library is set."""
    folders = [str(tmp_path / "nothing"), str(tmp_path / "bin"), "/bin"]
    program(tmp_path / "bin", "tell", 'cat; echo "$1 $LC_ALL"; echo bad >&2; exit 3\n')
    program(tmp_path / "bin", "crash", "kill -11 $$\n")
    program(tmp_path / "bin", "closed", "")
    (tmp_path / "bin/closed").chmod(0o644)

    assert children.run_program("x", 5, ["tell", "a"], folders) == Reply(
        Ended(3, "a C\n", "bad\n"), None
    )
    assert children.run_program("x", 5, ["crash"], folders) == Reply(Ended(-11, "", ""), None)
    assert children.run_program("x", 5, ["closed"], folders) == Reply(None, "no right")
    assert children.run_program("x", 5, ["no-such-program"], folders) == Reply(None, "absent")


def test_of_too_much_output_the_end_is_kept(children: Children) -> None:
    """A log without an end fills no memory."""
    words = ["head", "-c", "9000000", "/dev/zero"]
    reply = children.run_program("x", 20, words)

    assert len(reply.value.output) == 4 << 20


def test_the_wait_point_of_a_process() -> None:
    """State and kernel function, and nothing of a process that is gone."""
    assert wait_point(os.getpid()).startswith(" (state R")
    assert wait_point(2**22 + 1) == ""


@needs("root")
@needs("fuse")
@pytest.mark.parametrize("place", ["elsewhere", "on it"])
def test_a_dead_mount_is_left_behind(dead: Path, place: str) -> None:
    """Each probe comes back in time with the wait point; three stay, and no fourth is started."""
    on_it = place == "on it"
    environment = {"HOME": str(dead), "PATH": f"{dead}/bin:/usr/bin"} if on_it else {}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, str(dead), str(ROOT)],
        cwd=dead if on_it else "/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=40,
        check=True,
    )
    replies, left, took = json.loads(done.stdout)

    assert replies[0] == [
        None,
        "did not answer in 0.5 s (state S, waits in request_wait_answer)",
        True,
    ]
    assert [reply[2] for reply in replies[1:3]] == [True, True]
    assert replies[3] == [None, "not asked: 3 probes do not end already", False]
    assert replies[4] == replies[0]
    assert left == 3
    assert took < 5
