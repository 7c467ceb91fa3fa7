"""Start a watch as a person would, with a catalogue of its own."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.needs import ROOT

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from checker.__main__ import run;"
    "from checker.cli import leave; leave(run(sys.argv[2:]))"
)
EMPTY = '{"entries": [], "sha256": "", "date": "2026-11-30"}'


class Shown(NamedTuple):
    """What a run on a terminal showed, and how it ended."""

    output: bytes
    status: int


def watch(folder: Path, *words: str) -> list[str]:
    """Write the command line of a watch."""
    catalogue = folder / "catalogue.json"
    catalogue.write_text(EMPTY)
    start = [sys.executable, "-I", "-S", "-c", _START, str(ROOT), "--catalogue", str(catalogue)]
    return [*start, "watch", *words]


def program(folder: Path, text: str) -> list[str]:
    """Write a Python program; return its command line."""
    path = folder / "program.py"
    path.write_text("import os, signal, sys, time\n" + text)
    return [sys.executable, "-I", "-S", str(path)]


def run(words: Sequence[str], **more: Any) -> "subprocess.CompletedProcess[bytes]":
    """Run to the end, which an outside guard enforces."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60, **more}
    return subprocess.run(words, check=False, **given)


def on_terminal(
    words: Sequence[str], *acts: tuple[bytes, Callable[[int, int], object]], rows: int = 24
) -> Shown:
    """Run as the foreground of a terminal of 91 columns; act each time that a text has come."""
    pid, terminal = os.forkpty()
    if not pid:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", rows, 91, 0, 0))
        os.execv(words[0], list(words))
    output, waiting, until = b"", list(acts), time.monotonic() + 40
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            output += os.read(terminal, 65536)
        except OSError:
            break
        while waiting and waiting[0][0] in output:
            waiting.pop(0)[1](pid, terminal)
    else:
        os.killpg(pid, 9)
    os.close(terminal)
    return Shown(output.replace(b"\r\n", b"\n"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def type_keys(keys: bytes) -> Callable[[int, int], object]:
    """Type on the terminal."""
    return lambda _, terminal: os.write(terminal, keys)


def send(number: int) -> Callable[[int, int], object]:
    """Send a signal to the process on the terminal, and to no other."""
    return lambda pid, _: os.kill(pid, number)


def resize(rows: int, columns: int) -> Callable[[int, int], object]:
    """Give the terminal another size."""
    size = struct.pack("4H", rows, columns, 0, 0)
    return lambda _, terminal: fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
