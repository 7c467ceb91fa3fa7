"""Sacrificial children: what may never answer is asked in a process that can be left behind.

A call on a dead mount or in a lost driver does not return, and not even SIGKILL ends it. So
whatever touches a path, a device or another program runs in a forked child of its own, which is
waited for until a deadline, killed, and left behind if it does not die.
"""

import json
import os
import select
import sys
import time
from typing import Any, Callable, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

from checker.probe.plain_programs import (
    NO_PROGRAM,
    NO_RIGHT_TO_RUN,
    SECONDS_TO_DIE,
    SYSTEM_FOLDERS,
    bare_environment,
    become_program,
    run_by_library,
)

_MOST_LEFT = 3
_MOST_BYTES = 4 << 20


class Reply(NamedTuple):
    """What a child answered, or why it did not."""

    value: Any
    """What the function returned, or the `Ended` of the program."""
    unknown: Optional[str]
    """Why there is no value."""
    silent: bool = False
    """It did not answer in time, now or when the same resource was asked before."""


class Ended(NamedTuple):
    """How a program ended and what it wrote, the last of it if it was too much."""

    status: int
    """The exit status, or the signal's number with a minus."""
    output: str
    errors: str


class _Child(NamedTuple):
    pid: int
    readers: Tuple[int, ...]


class Children:
    """Runs one child at a time; remembers what did not answer, and whom it left behind."""

    def __init__(self, budget: float) -> None:
        """Begin the time that all children together may take, in seconds."""
        self.budget = budget
        self.left: List[int] = []
        """Process ids of the children that could not be ended."""
        self.plainly = sys.platform != "linux"
        """Programs are started by the library: elsewhere no start waits for a dead mount."""
        self._until = time.monotonic() + budget
        self._silent: Dict[str, str] = {}

    def ask(self, resource: str, seconds: float, work: Callable[[], Any]) -> Reply:
        """Call *work* in a child; what it returns must be what JSON can carry."""
        if not self._may_start(resource):
            return self._refused(resource)
        wrote = self._run(resource, seconds, lambda pipes: _answer_call(pipes[0], work), 1)
        if isinstance(wrote, Reply):
            return wrote
        status, (text,) = wrote
        try:
            answer = json.loads(text)
        except ValueError:
            return Reply(None, _no_answer_text(status))
        return Reply(answer.get("value"), answer.get("unknown"))

    def run_program(
        self,
        resource: str,
        seconds: float,
        words: Sequence[str],
        folders: Sequence[str] = SYSTEM_FOLDERS,
    ) -> Reply:
        """Run a program of these folders in a child, with no input and a bare environment."""
        if not self._may_start(resource) and not (self.plainly and self._has_time(resource)):
            return self._refused(resource)
        if self.plainly:
            return self._run_plainly(resource, seconds, words, folders)
        wrote = self._run(
            resource, seconds, lambda pipes: _become_program(pipes, words, folders), 2
        )
        if isinstance(wrote, Reply):
            return wrote
        status, (output, errors) = wrote
        if not output and not errors and status in (NO_PROGRAM, NO_RIGHT_TO_RUN):
            return Reply(None, "absent" if status == NO_PROGRAM else "no right")
        return Reply(Ended(status, _program_text(output), _program_text(errors)), None)

    def _run_plainly(
        self, resource: str, seconds: float, words: Sequence[str], folders: Sequence[str]
    ) -> Reply:
        seconds = min(seconds, max(0.05, self._until - time.monotonic()))
        ran = run_by_library(words, folders, seconds)
        if ran.refused is not None:
            return Reply(None, why_refused(ran.refused))
        if ran.status is None:
            self.left += [] if ran.left is None else [ran.left]
            self._silent[resource] = "did not answer in {:.3g} s".format(seconds)
            return Reply(None, self._silent[resource], True)
        texts = (_program_text(text[-_MOST_BYTES:]) for text in (ran.output, ran.errors))
        return Reply(Ended(ran.status, *texts), None)

    def _may_start(self, resource: str) -> bool:
        self.left = [pid for pid in self.left if _looked_at(pid) is None]
        return hasattr(os, "fork") and self._has_time(resource)

    def _has_time(self, resource: str) -> bool:
        return (
            resource not in self._silent
            and len(self.left) < _MOST_LEFT
            and time.monotonic() < self._until
        )

    def _refused(self, resource: str) -> Reply:
        if resource in self._silent:
            return Reply(None, self._silent[resource], True)
        if not hasattr(os, "fork") and not self.plainly:
            return Reply(None, "not this system")
        if len(self.left) >= _MOST_LEFT:
            return Reply(None, "not asked: {} probes do not end already".format(_MOST_LEFT))
        return Reply(None, "not asked: the {:g} s for all probes were over".format(self.budget))

    def _run(
        self, resource: str, seconds: float, task: Callable[[List[int]], None], pipes: int
    ) -> Any:
        """Fork, and read until the end or the deadline: status and texts, or a reply."""
        seconds = min(seconds, max(0.05, self._until - time.monotonic()))
        try:
            child = _started(task, pipes)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            return Reply(None, "no child could be started: " + reason)
        until = time.monotonic() + seconds
        texts = [b""] * pipes
        status: Optional[int] = None
        waiting = ""
        try:
            if _read_to_end(child.readers, texts, until):
                status = _waited(child.pid, until)
            if status is None:
                waiting = wait_point(child.pid)
        finally:
            if status is None and not ended_by_force(child.pid):
                self.left.append(child.pid)
            for reader in child.readers:
                os.close(reader)
        if status is not None:
            return status, texts
        reason = "did not answer in {:.3g} s{}".format(seconds, waiting)
        self._silent[resource] = reason
        return Reply(None, reason, True)


def _started(task: Callable[[List[int]], None], pipes: int) -> _Child:
    ends = [os.pipe() for _ in range(pipes)]
    try:
        pid = os.fork()
    except OSError:
        for end in ends:
            os.close(end[0])
            os.close(end[1])
        raise
    if pid == 0:
        be_child(task, [writer for _, writer in ends])
    for _, writer in ends:
        os.close(writer)
    return _Child(pid, tuple(reader for reader, _ in ends))


def be_child(task: Callable[[List[int]], None], writers: List[int]) -> NoReturn:
    """Do the task as a process that shares no terminal, folder or environment with the parent."""
    try:
        os.setsid()
        os.chdir("/")
        _let_go_of_streams()
        os.environ.clear()
        os.environ.update(bare_environment(SYSTEM_FOLDERS))
        task(writers)
        os._exit(0)
    except BaseException:  # The stack of the parent must never go on in the child.
        os._exit(70)


def _let_go_of_streams() -> None:
    """Let nobody wait for a child that was left behind: it holds no pipe and no terminal.

    A file is kept, since to close one that lies on a dead mount would block.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        try:
            target = os.readlink("/proc/self/fd/{}".format(stream))
        except OSError:
            target = "pipe:"
        if target.startswith(("pipe:", "socket:", "/dev/")):
            os.dup2(nothing, stream)


def _answer_call(writer: int, work: Callable[[], Any]) -> None:
    answer: Dict[str, Any] = {"value": None, "unknown": None}
    try:
        answer["value"] = work()
    except OSError as error:
        answer["unknown"] = why_refused(error)
    except Exception as error:
        answer["unknown"] = "the probe failed: {}: {}".format(type(error).__name__, error)
    rest = json.dumps(answer).encode("ascii")
    while rest:
        rest = rest[os.write(writer, rest) :]


def why_refused(error: OSError) -> str:
    """Say in the words of facts why the system refused something."""
    if isinstance(error, PermissionError):
        return "no right"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "absent"
    return (error.strerror or str(error)).lower()


def _become_program(pipes: List[int], words: Sequence[str], folders: Sequence[str]) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(pipes[0], 1)
    os.dup2(pipes[1], 2)
    os._exit(become_program(words, folders))


def _read_to_end(readers: Sequence[int], texts: List[bytes], until: float) -> bool:
    """Read until the writers are gone; tell whether they were in time."""
    poll = select.poll()
    for reader in readers:
        poll.register(reader, select.POLLIN)
    opened = set(readers)
    while opened:
        left = until - time.monotonic()
        if left <= 0:
            return False
        for reader, _ in poll.poll(left * 1000):
            piece = os.read(reader, 65536)
            place = readers.index(reader)
            texts[place] = (texts[place] + piece)[-_MOST_BYTES:]
            if not piece:
                poll.unregister(reader)
                opened.remove(reader)
    return True


def _waited(pid: int, until: float) -> Optional[int]:
    """Wait for the end of a child that closed its pipes, no longer than to the deadline."""
    pause = 0.0005
    while True:
        status = _looked_at(pid)
        if status is not None or time.monotonic() > until:
            return status
        time.sleep(pause)
        pause = min(0.02, pause * 2)


def _looked_at(pid: int) -> Optional[int]:
    """Return how a child ended, without waiting; None if it goes on."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0  # The system reaps children by itself where the parent ignores their signal.
    if not found:
        return None
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def ended_by_force(pid: int) -> bool:
    """Kill a child with all that it started; tell whether it died of it."""
    try:
        os.killpg(pid, 9)
    except OSError:  # It has no session of its own yet, or is gone.
        _kill_alone(pid)
    return _waited(pid, time.monotonic() + SECONDS_TO_DIE) is not None


def _kill_alone(pid: int) -> None:
    try:  # noqa: SIM105 - what it would need costs every start
        os.kill(pid, 9)
    except OSError:
        pass


def wait_point(pid: int) -> str:
    """Say in which state a process is and in which function of the kernel it waits."""
    try:
        state = _kernel_text(pid, "stat").rpartition(")")[2].split()[0]
        function = _kernel_text(pid, "wchan").strip()
    except (OSError, IndexError):
        return ""
    where = ", waits in " + function if function not in ("", "0") else ""
    return " (state {}{})".format(state, where)


def _kernel_text(pid: int, name: str) -> str:
    with open("/proc/{}/{}".format(pid, name), "rb") as file:
        return _program_text(file.read(4096))


def _no_answer_text(status: int) -> str:
    if status < 0:
        return "the probe died of signal {}".format(-status)
    return "the probe ended with status {} and no answer".format(status)


def _program_text(text: bytes) -> str:
    return text.decode("utf-8", "replace")
