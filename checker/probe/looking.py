"""A look at this machine beside the logs that a person named: paths enter, a `MachineView` leaves.

No path is touched before its mount answered: those on mounts that do not are not read.
"""

import os
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from checker.model import Fact, Input
from checker.probe.machine import Machine
from checker.probe.mount_table import mount_of
from checker.probe.registry import probe_machine, probes
from checker.probe.storage import ask_mount

_MOST_NAMED = 256
_BEFORE = 3600.0


class MachineView(NamedTuple):
    """What was found, and which of the named paths can be read."""

    facts: Tuple[Fact, ...]
    logs: Mapping[str, str]
    """Texts of the machine that are read like logs, by what they are called."""
    paths: Tuple[str, ...]
    refused: Tuple[Input, ...]
    """The others, with the reason."""


NO_VIEW = MachineView((), {}, (), ())


def look_around(machine: Machine, words: Sequence[str]) -> MachineView:
    """Ask all probes, after the mounts of the named paths."""
    silent = _silent_words(machine, words)
    paths = tuple(word for word in words if word not in silent)
    machine.since = _since(machine, paths)
    facts = tuple(probe_machine(machine, probes()))
    refused = tuple(
        Input(word, "unreadable", "its mount " + silent[word], None, None, None, None, None, True)
        for word in words
        if word in silent
    )
    return MachineView(facts, machine.logs, paths, refused)


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
            silent[word] = reason
    return silent


def _since(machine: Machine, words: Sequence[str]) -> float:
    """Return the time from which the kernel log can tell of a run that wrote these."""
    places = [machine.root + path for path in absolute_paths(words)[:_MOST_NAMED]]

    def _first_written() -> Optional[float]:
        return min((os.stat(place).st_mtime for place in places), default=None)

    reply = machine.children.ask("named paths", 3, _first_written)
    return 0.0 if reply.value is None else float(reply.value) - _BEFORE
