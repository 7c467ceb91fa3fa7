"""What processes did between two looks: `/proc` is read twice in children; changes leave."""

import os
import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.probe.machine import Machine
from checker.probe.proc_texts import parse_status
from checker.probe.processes import TICKS, each_of

_MOST_THREADS = 512
_IO_NAMES = ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes")


class Thread(NamedTuple):
    """One thread at one look."""

    name: str
    state: str
    wait: str
    """The function of the kernel in which it waits; empty where that is not told."""
    ticks: int
    switches: int
    """How often it left a processor; -1 where that is not told."""


class Look(NamedTuple):
    """All processes at one time."""

    at: float
    """On the clock that never steps."""
    threads: Dict[int, Dict[int, Thread]]
    """TrainingProcess id to its threads; a process that is gone has no row."""
    io: Dict[int, Dict[str, int]]
    unknown: Optional[str]


class ThreadChange(NamedTuple):
    """One thread in both looks."""

    tid: int
    name: str
    states: str
    """Its two states, one letter if they are equal."""
    wait: str
    """The function in which it waited both times; empty if it did not, or that is not told."""
    seconds: float
    """On a processor between the looks."""
    switches: int

    @property
    def stood(self) -> bool:
        """Whether it was never on a processor."""
        return self.seconds == 0 and self.switches <= 0 and "R" not in self.states


class Change(NamedTuple):
    """One process between two looks."""

    pid: int
    span: float
    """Seconds between the looks."""
    threads: Tuple[ThreadChange, ...]
    """The main one first, which has the process's id; it may be missing."""
    io: Dict[str, int]
    """What was read and written meanwhile, in bytes and calls; empty where that is not told."""

    @property
    def seconds(self) -> float:
        """Time on a processor, of all threads."""
        return sum(thread.seconds for thread in self.threads)

    @property
    def main(self) -> Optional[ThreadChange]:
        """The thread with which it began."""
        return next((thread for thread in self.threads if thread.tid == self.pid), None)


def look_at(machine: Machine, pids: Sequence[int]) -> Look:
    """Read the threads of processes, with what they have used so far."""
    at = time.monotonic()
    told, unknown = each_of(machine, "threads", pids, lambda pid: _process_now(machine, pid))
    threads = {
        pid: {int(tid): Thread(*row) for tid, row in one["threads"].items()}
        for pid, one in told.items()
        if one
    }
    return Look(at, threads, {pid: one["io"] for pid, one in told.items() if one}, unknown)


def _process_now(machine: Machine, pid: int) -> Dict[str, Any]:
    folder = "/proc/{}/task".format(pid)
    try:
        tids = os.listdir(machine.root + folder)
    except OSError:
        return {}
    tids.sort(key=lambda tid: (tid != str(pid), len(tid), tid))
    rows = {tid: _thread_now(machine, folder + "/" + tid) for tid in tids[:_MOST_THREADS]}
    return {
        "threads": {tid: row for tid, row in rows.items() if row},
        "io": _io_of(machine, pid),
    }


def _thread_now(machine: Machine, folder: str) -> List[Any]:
    try:
        status = parse_status(machine.text(folder + "/stat"))
        fields = machine.fields(folder + "/status")
    except (OSError, ValueError, IndexError):
        return []
    try:
        wait = machine.text(folder + "/wchan").strip().partition(".")[0]
    except OSError:
        wait = ""
    counts = [
        fields.get(name) for name in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
    ]
    switches = sum(int(count) for count in counts if count and count.isdigit())
    return [
        status.name,
        status.state,
        "" if wait == "0" else wait,
        status.ticks,
        switches if None not in counts else -1,
    ]


def _io_of(machine: Machine, pid: int) -> Dict[str, int]:
    try:
        fields = machine.fields("/proc/{}/io".format(pid))
    except OSError:
        return {}
    return {name: int(fields[name]) for name in _IO_NAMES if fields.get(name, "").isdigit()}


def changes_between(first: Look, second: Look) -> Dict[int, Change]:
    """Compare two looks, process by process; those that are gone are left out."""
    return {pid: _change_of(pid, first, second) for pid in second.threads if pid in first.threads}


def _change_of(pid: int, first: Look, second: Look) -> Change:
    before, after = first.threads[pid], second.threads[pid]
    threads = tuple(_thread_change(tid, before[tid], after[tid]) for tid in after if tid in before)
    one, other = first.io.get(pid, {}), second.io.get(pid, {})
    io = {name: other[name] - one[name] for name in other if name in one}
    return Change(pid, second.at - first.at, threads, io)


def _thread_change(tid: int, before: Thread, after: Thread) -> ThreadChange:
    same = before.state == after.state
    told = -1 not in (before.switches, after.switches)
    return ThreadChange(
        tid,
        after.name,
        after.state if same else before.state + after.state,
        after.wait if before.wait == after.wait else "",
        (after.ticks - before.ticks) / TICKS,
        after.switches - before.switches if told else 0,
    )
