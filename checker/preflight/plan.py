"""What a run is planned to use: its folder and its port enter, facts leave.

The folder may not be there yet. No path is touched before its mount answered.
"""

import os
from typing import List, NamedTuple, Optional

from checker.model import Fact
from checker.probe.children import Reply
from checker.probe.machine import Machine
from checker.probe.mount_table import mount_of
from checker.probe.storage import ask_mount

USUAL_PORT = 29500
"""That of torchrun, where nothing else is said."""
_LISTENS = "0A"
_SECONDS_FOR_PATH = 3.0
# A new checkpoint is written before the old one is removed.
_CHECKPOINTS = 2


class RunPlan(NamedTuple):
    """What a person says of a run that is to begin."""

    folder: Optional[str]
    size: Optional[int]
    """Of one checkpoint, in bytes."""
    port: int = USUAL_PORT


def plan_facts(machine: Machine, plan: RunPlan) -> List[Fact]:
    """Ask what can be known of the plan."""
    facts = [] if plan.folder is None else _folder_facts(machine, plan.folder, plan.size)
    return [*facts, Fact("plan.port", plan.port, None, None), _port_fact(machine, plan.port)]


def _folder_facts(machine: Machine, named: str, size: Optional[int]) -> List[Fact]:
    folder = os.path.abspath(named)
    mounts = machine.mounts()
    mount = mount_of(folder, mounts)
    if mount is None:
        return []
    reply = ask_mount(machine, mount)
    if not reply.silent:
        # Links may lead elsewhere; what they lead through may be dead as well.
        where = machine.children.ask(
            "path " + folder, _SECONDS_FOR_PATH, lambda: os.path.realpath(machine.root + folder)
        )
        real = str(where.value or "")[len(machine.root) :]
        led = mount_of(real, mounts) if real else None
        if where.silent:
            reply = where
        elif led is not None and led is not mount:
            folder, mount = real, led
            reply = ask_mount(machine, mount)
    return [
        Fact("checkpoint.folder", folder, None, None),
        Fact("checkpoint.mount.type", mount.type, None, None),
        Fact("checkpoint.mount.source", mount.source, None, None),
        Fact("checkpoint.mount.answers", not reply.silent, None, None),
        *_room_facts(reply, size),
    ]


def _room_facts(reply: Reply, size: Optional[int]) -> List[Fact]:
    if reply.unknown is not None:
        return [Fact(name, None, reply.unknown, None) for name in ("plan.free", "plan.shortage")]
    free = int(reply.value[1])
    lacks = None if size is None else max(0, _CHECKPOINTS * size - free)
    return [
        Fact("plan.free", free, None, None),
        Fact("plan.shortage", lacks, "no size was named" if lacks is None else None, None),
    ]


def _port_fact(machine: Machine, port: int) -> Fact:
    wanted = ":{:04X}".format(port)
    try:
        taken = any(
            words[1].endswith(wanted) and words[3] == _LISTENS
            for table in ("tcp", "tcp6")
            for words in _rows(machine, table)
        )
    except OSError:
        return Fact("plan.port_taken", None, "not this system", None)
    return Fact("plan.port_taken", taken, None, None)


def _rows(machine: Machine, table: str) -> List[List[str]]:
    try:
        text = machine.text("/proc/net/" + table)
    except FileNotFoundError:
        if table == "tcp6":
            return []
        raise
    rows = (row.split() for row in text.splitlines()[1:])
    return [words for words in rows if len(words) > 3]
