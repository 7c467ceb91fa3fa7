"""Files on mounts that others serve: paths enter; what they hold leaves, or that they are silent.

A server can stop to answer at any moment, and whoever opens, reads or even closes a file then may
never come back. So all of it is done by a child, which is asked step by step, each with a
deadline, and left behind if it is silent.
"""

import json
import os
import select
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from checker.probe.children import be_child, ended_by_force, wait_point
from checker.probe.machine import Machine
from checker.probe.mount_table import Mount, mount_of
from checker.probe.storage import is_remote
from checker.scan.read import READ_SIZE, files_below

_SECONDS_OF_STEP = 10.0
_MOST_SILENT = 3
_MOST_LINKS = 40
"""As many as Linux follows (path_resolution(7))."""
_DIGITS_OF_LENGTH = 8


class FarStatus(NamedTuple):
    """What is asked of a path."""

    st_mode: int
    st_dev: int
    st_ino: int


class _Helper(NamedTuple):
    pid: int
    asks: int
    answers: int


def far_files(machine: Machine, left: int) -> "Optional[FarFiles]":
    """Reach files by a child where any mount could stop to answer; None where none could.

    *left* is how many children were left behind already.
    """
    if machine.system != "linux" or not hasattr(os, "fork"):
        return None
    try:
        mounts = machine.mounts()
    except OSError:
        return None
    most = max(1, _MOST_SILENT - left)
    return FarFiles(mounts, most) if any(map(is_remote, mounts)) else None


class FarFiles:
    """Reaches files on remote mounts."""

    def __init__(self, mounts: Sequence[Mount], most: int) -> None:
        """Begin without a child; at most so many are left behind."""
        self._mounts = mounts
        self._most = most
        self._folders: Dict[str, Tuple[str, str]] = {}
        """Where folders lead, and the device of a mount that others serve on the way there."""
        self._helper: Optional[_Helper] = None
        self._silent: Dict[str, str] = {}
        """Devices that did not answer, with the reason."""
        self._lost = 0
        """Files up to this number were opened by a child that is gone."""
        self._opened = 0

    def holds(self, path: str) -> bool:
        """Tell whether a path lies on a mount that others serve."""
        return path != "-" and bool(self._device(path))

    def _device(self, path: str) -> str:
        """Name the device that a path leads to, if others serve it; links on the way count."""
        try:
            whole = _whole(path)
        except OSError:
            return ""
        folder, name = os.path.split(whole)
        if folder not in self._folders:
            self._folders[folder] = self._led_to("/", folder)
        place, device = self._folders[folder]
        return device or self._led_to(place, name)[1]

    def _led_to(self, place: str, path: str) -> Tuple[str, str]:
        """Follow a path as the system does, up to the first mount that others serve.

        Returns where it leads, and the device of that mount; empty where there is none.
        """
        left = path.split("/")[::-1]
        links = _MOST_LINKS
        while left:
            part = left.pop()
            if part in ("", ".", ".."):
                place = os.path.dirname(place) if part == ".." else place
                continue
            inner = os.path.join(place, part)
            mount = mount_of(inner, self._mounts)
            if mount is not None and is_remote(mount):
                return inner, mount.device
            target = _link_target(inner) if links else ""
            if not target:
                place = inner
                continue
            links -= 1
            left += target.split("/")[::-1]
            if target.startswith("/"):
                place = "/"
        return place, ""

    def status(self, path: str) -> FarStatus:
        """Ask what a path is."""
        return FarStatus(*self._ask(path, "status")[0])

    def below(self, path: str) -> Tuple[List[str], List[OSError]]:
        """List the files of a folder and of those in it, and what could not be listed."""
        names, troubles = self._ask(path, "below")[0]
        cut = len(_whole(path))
        return [path + name[cut:] for name in names], [
            OSError(number, text, path + name[cut:]) for number, text, name in troubles
        ]

    def blocks(self, path: str) -> Iterator[bytes]:
        """Read a file."""
        self._opened += 1
        number = self._opened
        self._ask(path, "open", number)
        try:
            while True:
                data = self._ask(path, "read", number)[1]
                if not data:
                    return
                yield data
        finally:
            if number > self._lost:
                self._ask(path, "close", number)

    def end(self) -> None:
        """Let the child end, which is not waited for; its files are lost."""
        if self._helper is not None:
            os.close(self._helper.asks)
            os.close(self._helper.answers)
            self._helper = None
        self._lost = self._opened

    def _ask(self, path: str, step: str, number: int = 0) -> Tuple[Any, bytes]:
        device = self._device(path)
        if device in self._silent:
            raise TimeoutError(0, self._silent[device], path)
        if 0 < number <= self._lost or len(self._silent) >= self._most:
            raise TimeoutError(0, "not read on: another mount did not answer", path)
        if self._helper is None:
            self._helper = _started_helper()
        helper, answered = self._helper, False
        try:
            answer, raw = _answer_to([step, _whole(path), number], helper)
            answered = True
        except (OSError, ValueError):
            told = "its mount did not answer in {:.3g} s{}"
            self._silent[device] = told.format(_SECONDS_OF_STEP, wait_point(helper.pid))
            raise TimeoutError(0, self._silent[device], path) from None
        finally:
            # An answer that was not waited for would be taken for that to the next question.
            if not answered:
                ended_by_force(helper.pid)
                self.end()
        if isinstance(answer, dict):
            raise OSError(answer["number"], answer["text"], path)
        return answer, raw


def _whole(path: str) -> str:
    """Complete a path as the system does: links may lead elsewhere than a text tells."""
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)


def _link_target(place: str) -> str:
    """Read a link on a mount of this machine; empty where it is none."""
    try:
        return os.readlink(place)
    except (OSError, ValueError):
        return ""


def _answer_to(question: List[Any], helper: _Helper) -> Tuple[Any, bytes]:
    until = time.monotonic() + _SECONDS_OF_STEP
    os.write(helper.asks, json.dumps(question).encode("ascii") + b"\n")
    head = _got_in_time(helper.answers, 2 * _DIGITS_OF_LENGTH, until)
    told, raw = int(head[:_DIGITS_OF_LENGTH], 16), int(head[_DIGITS_OF_LENGTH:], 16)
    return json.loads(_got_in_time(helper.answers, told, until)), _got_in_time(
        helper.answers, raw, until
    )


def _got_in_time(pipe: int, size: int, until: float) -> bytes:
    """Read so many bytes; raise OSError where they do not come in time."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    parts: List[bytes] = []
    while size:
        left = until - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError
        part = os.read(pipe, size)
        if not part:
            raise TimeoutError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _started_helper() -> _Helper:
    heard, asks = os.pipe()
    answers, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(asks)
        os.close(answers)
        be_child(lambda pipes: _serve_files(*pipes), [heard, told])
    os.close(heard)
    os.close(told)
    return _Helper(pid, asks, answers)


def _serve_files(heard: int, told: int) -> None:
    """Do what is asked, until nobody asks any more."""
    handles: Dict[int, int] = {}
    rest = b""
    while True:
        data = os.read(heard, 65536)
        if not data:
            return
        *rows, rest = (rest + data).split(b"\n")
        for row in rows:
            step, path, number = json.loads(row)
            answer: Any = None
            raw = b""
            try:
                answer, raw = _done(step, path, number, handles)
            except OSError as error:
                answer = {"number": error.errno or 0, "text": error.strerror or str(error)}
            text = json.dumps(answer).encode("ascii")
            _sent(told, b"%08x%08x" % (len(text), len(raw)) + text + raw)


def _sent(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


def _done(step: str, path: str, number: int, handles: Dict[int, int]) -> Tuple[Any, bytes]:
    if step == "status":
        found = os.stat(path)
        return [found.st_mode, found.st_dev, found.st_ino], b""
    if step == "below":
        troubles: List[OSError] = []
        names = list(files_below(path, troubles))
        return [names, [[t.errno or 0, t.strerror or "", t.filename] for t in troubles]], b""
    if step == "open":
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        handles[number] = handle
        return None, b""
    if step == "read":
        return None, os.read(handles[number], READ_SIZE)
    os.close(handles.pop(number))
    return None, b""
