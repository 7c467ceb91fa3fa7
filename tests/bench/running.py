"""Runs of commands, for the benches: a command enters; what it took leaves.

A small process starts each of them, since what is resident before a program is loaded counts as
its own, and binds it to one processor where that is wanted.
"""

import os
import re
import statistics
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

CHECKER_FAILED = (2, 3, 70, 130)
_STARTER = """
import os, sys, time
if sys.argv[1] == "one":
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
# Where its output goes nowhere, grep ends at the first match.
output = os.memfd_create("output")
told = [(os.POSIX_SPAWN_DUP2, output, number) for number in (1, 2)]
began = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=told)
_, status, used = os.wait4(child, 0)
clock = time.perf_counter() - began
processor, resident = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
print(clock, processor, resident, os.waitstatus_to_exitcode(status))
"""


class Command(NamedTuple):
    """What is run."""

    words: tuple[str, ...]
    alone: bool = False
    """On one processor."""


class Taken(NamedTuple):
    """What one run took."""

    clock: float
    processor: float
    resident: float
    """Most of one process, in MiB."""
    together: float
    """Most of all its processes, where that was watched; of shared pages each a part."""


def run(command: Command, *, watched: bool = False) -> Taken:
    """Run a command to its end; where it is *watched*, see how much its processes hold together."""
    head = [sys.executable, "-I", "-S", "-c", _STARTER, "one" if command.alone else "all"]
    with subprocess.Popen(
        [*head, *command.words],
        stdout=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},
        text=True,
    ) as process:
        watch = _Watch(process.pid)
        if watched:
            watch.start()
        told, _ = process.communicate()
        watch.ended.set()
    if process.returncode:
        sys.exit(f"{command.words[0]}: could not be run")
    clock, processor, resident, status = told.split()
    if "-I" in command.words and int(status) in CHECKER_FAILED:
        sys.exit(f"{' '.join(command.words)}: exit status {status}")
    return Taken(float(clock), float(processor), float(resident), watch.most)


class _Watch(threading.Thread):
    """Looks again and again at the processes that one has started."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.most = 0.0
        self.ended = threading.Event()
        self._pid = pid

    def run(self) -> None:
        while not self.ended.wait(0.02):
            below = family(self._pid)[1:]
            self.most = max(self.most, sum(map(proportional, below)) / 1024)


def compared(commands: Sequence[Command], rounds: int) -> list[Taken]:
    """Run commands in turn, round by round; return medians. A round before warms up.

    Where no rounds are wanted, each is run once.
    """
    taken: list[list[Taken]] = [[] for _ in commands]
    for number in range(rounds + 1):
        for command, found in zip(commands, taken, strict=True):
            one = run(command)
            if number or not rounds:
                found.append(one)
    return [
        found[-1]._replace(
            clock=statistics.median([one.clock for one in found]),
            processor=statistics.median([one.processor for one in found]),
            resident=max(one.resident for one in found),
        )
        for found in taken
    ]


def family(pid: int) -> list[int]:
    """List a process and those that it started."""
    try:
        tasks = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(one for child in tasks for one in family(int(child)))]


def proportional(pid: int) -> int:
    """Read the KiB that a process holds, of shared pages its part."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
    return int(found.group(1)) if found else 0
