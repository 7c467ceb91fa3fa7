"""A look at this machine beside the logs that a person named: paths enter, a `MachineView` leaves.

No path is touched before its mount answered: those on mounts that do not are not read.
"""

import os
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from checker.model import Fact, Input
from checker.probe.machine import Machine
from checker.probe.mount_table import mount_of
from checker.probe.registry import probe_machine, probes, read_first
from checker.probe.storage import ask_mount

_MOST_NAMED = 256
BEFORE_START = 3600.0
"""The kernel log is read from so many seconds before."""


class JobView(NamedTuple):
    """What was found of one run, where several are on the machine."""

    label: str
    paths: Tuple[str, ...]
    """Its logs that can be read."""
    facts: Tuple[Fact, ...]
    processes: Tuple[Tuple[Optional[str], int, int], ...]
    world_size: Optional[int]


class MachineView(NamedTuple):
    """What was found, and which of the named paths can be read."""

    facts: Tuple[Fact, ...]
    logs: Mapping[str, str]
    """Texts of the machine that are read like logs, by what they are called."""
    paths: Tuple[str, ...]
    refused: Tuple[Input, ...]
    """The others, with the reason."""
    processes: Tuple[Tuple[Optional[str], int, int], ...] = ()
    """Host, process id and rank of what was found to run."""
    world_size: Optional[int] = None
    jobs: Tuple[JobView, ...] = ()
    """Empty unless several runs were found."""
    texts: Mapping[str, str] = {}
    """What the run printed and no file holds, by what it is called."""
    silent: float = 0.0
    """How long the run had told nothing when it was looked at, as a watch saw."""
    began: float = 0.0
    """When what runs began at the earliest, in seconds since 1970; 0 where that is unknown."""


NO_VIEW = MachineView((), {}, (), ())


def look_around(machine: Machine, words: Sequence[str]) -> MachineView:
    """Ask all probes, after the mounts of the named paths."""
    paths, refused = readable_paths(machine, words)
    machine.since = machine.since or _since(machine, paths)
    machine.readable = absolute_paths(paths)
    read_first(machine)
    facts = tuple(probe_machine(machine, probes()))
    return MachineView(facts, machine.logs, paths, refused)


def readable_paths(
    machine: Machine, words: Sequence[str]
) -> Tuple[Tuple[str, ...], Tuple[Input, ...]]:
    """Tell the paths that answer from those that do not, each of these with the reason."""
    silent = _silent_words(machine, words)
    for word in words:
        if word != "-" and word not in silent:
            reason = _why_unreadable(machine, word)
            if reason:
                silent[word] = "it " + reason
    refused = tuple(
        Input(word, "unreadable", silent[word], None, None, None, None, None, True)
        for word in words
        if word in silent
    )
    return tuple(word for word in words if word not in silent), refused


def _why_unreadable(machine: Machine, word: str) -> str:
    """Read the beginning and the end of a file in a child: its mount may answer, and it not."""
    place = machine.root + os.path.abspath(word)

    def _read_ends() -> None:
        if os.path.isfile(place):
            with open(place, "rb") as file:
                file.read(4096)
                file.seek(-min(4096, os.path.getsize(place)), os.SEEK_END)
                file.read(4096)

    reply = machine.children.ask("file " + word, 3, _read_ends)
    return reply.unknown or "" if reply.silent else ""


def absolute_paths(words: Sequence[str]) -> List[str]:
    """Complete the named paths without touching them."""
    return [os.path.abspath(word) for word in words if word != "-"]


def _silent_words(machine: Machine, words: Sequence[str]) -> Dict[str, str]:
    """Find the words whose mount does not answer, with the reason."""
    try:
        mounts = machine.mounts()
    except OSError:
        return {}
    reasons: Dict[str, Optional[str]] = {}
    silent: Dict[str, str] = {}
    for word in words:
        mount = None if word == "-" else mount_of(os.path.abspath(word), mounts)
        if mount is None:
            continue
        if mount.device not in reasons:
            reply = ask_mount(machine, mount)
            reasons[mount.device] = reply.unknown if reply.silent else None
        reason = reasons[mount.device]
        if reason is not None:
            silent[word] = "its mount " + reason
    return silent


def _since(machine: Machine, words: Sequence[str]) -> float:
    """Return the time from which the kernel log can tell of a run that wrote these."""
    places = [machine.root + path for path in absolute_paths(words)[:_MOST_NAMED]]

    def _first_written() -> Optional[float]:
        return min((os.stat(place).st_mtime for place in places), default=None)

    reply = machine.children.ask("named paths", 3, _first_written)
    return 0.0 if reply.value is None else float(reply.value) - BEFORE_START
