"""A look at the training that runs on this machine: nothing enters; a `MachineView` leaves.

The processes are found, looked at twice with all other probes in between, and what their logs
hold is read like logs that a person names.
"""

import os
import time
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.model import Fact, Input, Line, Moment, Writer
from checker.probe.looking import BEFORE_START, MachineView, readable_paths
from checker.probe.machine import Machine
from checker.probe.mount_table import Mount
from checker.probe.open_files import (
    Holdings,
    checkpoint_folder,
    holdings_of,
    log_files,
    pipe_readers,
)
from checker.probe.proc_texts import told_world_size
from checker.probe.process_readings import Looked, ProcessReading, readings_of
from checker.probe.processes import TrainingProcess, find_processes
from checker.probe.registry import probe_machine, probes
from checker.probe.sampling import Change, Look, changes_between, look_at
from checker.probe.storage import ask_mount, is_remote
from checker.probe.terminals import pane_texts
from checker.scan.chaining import INTERRUPTED_HERE

PROCESSES = "processes of this machine"
_MOST_LOGS = 64
_MOST_MOUNTS_USED = 24
_MOST_PIPE_READERS = 256


class Wish(NamedTuple):
    """What a person wants of the look."""

    pid: Optional[int]
    interval: float


class _Held(NamedTuple):
    """What the processes have open, and which of their mounts do not answer."""

    holdings: Dict[int, Holdings]
    silent: Dict[str, str]


def look_at_training(machine: Machine, wish: Wish) -> MachineView:
    """Look at the training processes and their logs; Ctrl-C ends the look, not the report."""
    book = _Book()
    try:
        _look(machine, wish, book)
    except KeyboardInterrupt:
        book.refused.append(_told_input("this machine", INTERRUPTED_HERE, False))
    facts = (*book.facts, *_process_facts(machine, book))
    return MachineView(
        tuple(facts),
        machine.logs,
        tuple(book.paths),
        tuple(book.refused),
        tuple(_known_ranks(book.processes)),
        next((size for size in map(_size_of, book.processes) if size), None),
    )


class _Book:
    """What was found so far."""

    def __init__(self) -> None:
        self.processes: Tuple[TrainingProcess, ...] = ()
        self.held = _Held({}, {})
        self.first: Optional[Look] = None
        self.second: Optional[Look] = None
        self.facts: List[Fact] = []
        self.paths: List[str] = []
        self.refused: List[Input] = []
        self.terminals: Dict[str, str] = {}
        """What terminals of the processes showed, where it could be read."""


def _look(machine: Machine, wish: Wish, book: _Book) -> None:
    machine.say("looking for training processes")
    found = find_processes(machine, wish.pid)
    book.processes = found.processes
    book.facts.append(_count_fact(found.processes, found.unknown))
    pids = [one.pid for one in found.processes]
    if pids:
        machine.say("looking at {}, once".format(_named_ranks(found.processes)))
        book.first = look_at(machine, pids)
        _look_at_files(machine, book)
    machine.say("looking at the machine: kernel log, mounts, GPUs, limits")
    _ask_probes(machine, book)
    if book.first is not None:
        left = book.first.at + wish.interval - time.monotonic()
        if left > 0:
            machine.say("waiting {:.0f} s to look again".format(left))
            time.sleep(left)
        machine.say("looking at them again")
        book.second = look_at(machine, pids)
        _read_terminals(machine, book)


def _look_at_files(machine: Machine, book: _Book) -> None:
    machine.say("looking at their open files and mounts")
    holdings, _ = holdings_of(machine, [one.pid for one in book.processes])
    book.held = _Held(holdings, {})
    for pid, mount, prefix in _mounts_of_processes(book.processes, holdings):
        if mount.device not in book.held.silent:
            reply = ask_mount(machine, mount, prefix)
            if reply.silent:
                book.held.silent[mount.device] = reply.unknown or ""
                machine.say("the mount {} of process {} {}".format(mount.point, pid, reply.unknown))
    book.facts += _checkpoint_facts(book)
    named = _logs_of(machine, book)
    readable, refused = readable_paths(machine, named)
    book.paths, book.refused = list(readable), list(refused)
    for path in book.paths:
        machine.say("its log: " + path)
    _read_terminals(machine, book)
    if not named and not book.terminals:
        machine.say(_why_no_log(book))


def _read_terminals(machine: Machine, book: _Book) -> None:
    """Read what terminals show to which processes print, where tmux holds them."""
    for terminal, text in pane_texts(machine, _terminals_of(book)).items():
        before = book.terminals.get(terminal)
        book.terminals[terminal] = text
        machine.logs["terminal {} (tmux)".format(terminal)] = text
        if before is None:
            machine.say("its output: the terminal {}, by tmux".format(terminal))
        elif before == text:
            machine.say("the terminal {} shows nothing new".format(terminal))


def _terminals_of(book: _Book) -> Dict[str, int]:
    return {
        target: one.user
        for one in book.processes
        if one.role != "helper" and one.pid in book.held.holdings
        for target in book.held.holdings[one.pid].streams.values()
        if target.startswith("/dev/pts/")
    }


def _ask_probes(machine: Machine, book: _Book) -> None:
    machine.paths = [path for path in book.paths if path.startswith("/")]
    machine.since = _since_start(machine, book.processes)
    for probe in probes():
        book.facts += probe_machine(machine, [probe])


def _since_start(machine: Machine, processes: Sequence[TrainingProcess]) -> float:
    """Tell from when on the kernel log is of interest: from before the oldest process began."""
    try:
        uptime = float(machine.text("/proc/uptime").split()[0])
    except (OSError, ValueError, IndexError):
        uptime = 0.0
    started = min((one.started for one in processes), default=uptime)
    return machine.now - uptime + started - BEFORE_START


def _mounts_of_processes(
    processes: Sequence[TrainingProcess], holdings: Dict[int, Holdings]
) -> List[Tuple[int, Mount, str]]:
    """List the mounts that matter to the processes: those that they use first, then remote ones."""
    used: Dict[str, Tuple[int, Mount, str]] = {}
    for one in processes:
        held = holdings.get(one.pid)
        for mount in () if held is None else _mounts_in_use(one, held):
            used.setdefault(mount.device, (one.pid, mount, held.prefix if held else ""))
    for one in processes:
        held = holdings.get(one.pid)
        for mount in () if held is None else held.mounts:
            if is_remote(mount):
                used.setdefault(mount.device, (one.pid, mount, held.prefix if held else ""))
    return list(used.values())[:_MOST_MOUNTS_USED]


def _mounts_in_use(process: TrainingProcess, held: Holdings) -> Iterable[Mount]:
    folder = checkpoint_folder(process, held)
    paths = ([folder] if folder else []) + [file.path for file in held.files]
    for path in [*paths, held.folder, *log_files(held)]:
        mount = held.mount_of(path) if path.startswith("/") else None
        if mount is not None:
            yield mount


def _logs_of(machine: Machine, book: _Book) -> List[str]:
    """List the logs of the processes, also those that others write for them."""
    found: List[str] = []
    pipes: Dict[str, bool] = {}
    for one in book.processes:
        held = book.held.holdings.get(one.pid)
        if held is None or one.role == "helper":
            continue
        found += [held.prefix + path for path in log_files(held)]
        for target in held.streams.values():
            if target.startswith("pipe:"):
                pipes[target] = True
    if pipes:
        found += _logs_behind(machine, pipes, book)
    return list(dict.fromkeys(found))[:_MOST_LOGS]


def _logs_behind(machine: Machine, pipes: Dict[str, bool], book: _Book) -> List[str]:
    """List the logs that the readers of pipes write, such as `tee`."""
    known = {one.pid for one in book.processes}
    names = [name for name in os.listdir(machine.root + "/proc") if name.isdigit()]
    others = [int(name) for name in names if int(name) not in known][-_MOST_PIPE_READERS:]
    holdings, _ = holdings_of(machine, others)
    return [
        held.prefix + file.path
        for pid in pipe_readers(pipes, holdings)
        for held in [holdings[pid]]
        for file in held.files
        if file.writes
    ]


def _why_no_log(book: _Book) -> str:
    if _terminals_of(book):
        return "no log: the output goes to a terminal, which no tmux holds"
    return "no log is open; give one: python3 trainwreck.py LOG"


def _checkpoint_facts(book: _Book) -> List[Fact]:
    """Tell on what the checkpoints lie, and whether it answers."""
    for one in book.processes:
        held = book.held.holdings.get(one.pid)
        folder = checkpoint_folder(one, held) if held is not None else None
        mount = held.mount_of(folder) if held is not None and folder else None
        if mount is not None:
            return [
                Fact("checkpoint.folder", folder, None, None),
                Fact("checkpoint.mount.type", mount.type, None, None),
                Fact("checkpoint.mount.source", mount.source, None, None),
                Fact("checkpoint.mount.answers", mount.device not in book.held.silent, None, None),
            ]
    return []


def _process_facts(machine: Machine, book: _Book) -> List[Fact]:
    """Tell of each rank what two looks show, as facts with a line that can be quoted."""
    if book.first is None or book.second is None:
        return []
    changes = changes_between(book.first, book.second)
    looked = _looked_of(book, changes)
    lines: List[Fact] = []
    for number, (one, reading) in enumerate(readings_of(looked), 1):
        line = _line_of(machine, number, one.process, reading)
        lines.append(Fact("process.reading", reading.kind, None, line))
    return [*_thread_facts(changes, book), *lines]


def _looked_of(book: _Book, changes: Dict[int, Change]) -> List[Looked]:
    def _one(process: TrainingProcess, helpers: Tuple[Looked, ...]) -> Looked:
        held = book.held.holdings.get(process.pid)
        return Looked(process, changes.get(process.pid), held, book.held.silent, helpers)

    found = []
    for one in book.processes:
        own = [helper for helper in book.processes if helper.owner == one.pid]
        found.append(_one(one, tuple(_one(helper, ()) for helper in own)))
    return found


def _thread_facts(changes: Dict[int, Change], book: _Book) -> List[Fact]:
    ranks = [one.pid for one in book.processes if one.role == "rank"]
    mains = [changes[pid].main for pid in ranks if pid in changes]
    states = sorted({main.states for main in mains if main is not None})
    waits = sorted(
        {
            thread.wait
            for pid in ranks
            if pid in changes
            for thread in changes[pid].threads
            if thread.stood and thread.wait
        }
    )
    return [
        Fact("process.state", states, None, None),
        Fact("process.wait_point", waits, None, None),
    ]


def _line_of(
    machine: Machine, number: int, process: TrainingProcess, reading: ProcessReading
) -> Line:
    role = "launcher" if process.role == "launcher" else "rank"
    writer = Writer(role, process.rank, process.local_rank, None, None)
    text = "process {} ({}) {}".format(process.pid, process.title, reading.text)
    shown = text if process.rank is None else "rank {}, {}".format(process.rank, text)
    moment = Moment(machine.now, "utc", 1.0)
    return Line(PROCESSES, number, text, shown, writer, process.pid, moment, None)


def _count_fact(processes: Sequence[TrainingProcess], unknown: Optional[str]) -> Fact:
    ranks = sum(one.role == "rank" for one in processes)
    return Fact("process.count", None if unknown and not ranks else ranks, unknown, None)


def _known_ranks(processes: Sequence[TrainingProcess]) -> Iterable[Tuple[Optional[str], int, int]]:
    for one in processes:
        if one.rank is not None:
            yield None, one.pid, one.rank


def _size_of(process: TrainingProcess) -> Optional[int]:
    return told_world_size(process.environment)


def _named_ranks(processes: Sequence[TrainingProcess]) -> str:
    ranks = [one for one in processes if one.role == "rank"]
    shown = ", ".join("{} ({})".format(one.pid, one.title) for one in ranks[:4])
    more = " and {} more".format(len(ranks) - 4) if len(ranks) > 4 else ""
    return "process {}{}".format(shown, more)


def _told_input(path: str, reason: str, refused: bool) -> Input:
    return Input(path, "skipped", reason, None, None, None, None, None, refused)
