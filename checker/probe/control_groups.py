"""Probes of the checker's own control groups, of both versions: memory and tasks.

A group obeys the limits of all groups above it. The one with the tightest limit is told of; where
there is no limit, the innermost.
"""

from typing import Any, Dict, List, NamedTuple, Optional

from checker.probe.machine import Findings, Machine, Unknown, amount
from checker.probe.mount_table import Mount

_NO_LIMIT = 1 << 60
"""Version 1 writes a limit of about 2^63 where there is none."""


class _Names(NamedTuple):
    """The files of one controller in one version."""

    limit: str
    current: str
    peak: str
    events: str
    hits: str
    """The row of the events that counts refusals; in version 1 of memory, a file."""


_GROUP_FILES: Dict[str, _Names] = {
    "memory": _Names("memory.max", "memory.current", "memory.peak", "memory.events", "max"),
    "memory 1": _Names(
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "memory.max_usage_in_bytes",
        "memory.oom_control",
        "memory.failcnt",
    ),
    "pids": _Names("pids.max", "pids.current", "", "pids.events", "max"),
    "pids 1": _Names("pids.max", "pids.current", "", "pids.events", "max"),
}


def probe_memory_group(machine: Machine) -> Findings:
    """What the memory cgroup allows, uses, and has killed for.

    A count of kills above 0 proves the bare `Killed` of a process in this group.
    """
    found = tightest_group(machine, "memory")
    if found is None:
        return {}
    return {
        "memory.cgroup.limit": found.limit(),
        "memory.cgroup.current": found.count(found.names.current),
        "memory.cgroup.peak": found.count(found.names.peak),
        "memory.cgroup.limit_hits": found.hits(),
        "memory.cgroup.oom_kills": found.event("oom_kill"),
    }


def probe_task_group(machine: Machine) -> Findings:
    """How many tasks the cgroup may have, has, and has refused."""
    found = tightest_group(machine, "pids")
    if found is None:
        return {}
    return {
        "pids.cgroup.limit": found.limit(),
        "pids.cgroup.current": found.count(found.names.current),
        "pids.cgroup.refused": found.hits(),
    }


class _Group:
    """One control group, as the files in its folder tell."""

    def __init__(self, machine: Machine, folder: str, names: _Names) -> None:
        self.machine = machine
        self.folder = folder
        self.names = names

    def count(self, name: str) -> Any:
        """Read the number of one file."""
        try:
            return amount(self.machine.text(self.folder + "/" + name))
        except OSError:
            return Unknown("absent")

    def limit(self) -> Any:
        """Read the limit, if one is set."""
        try:
            text = self.machine.text(self.folder + "/" + self.names.limit).strip()
        except OSError:
            return Unknown("absent")
        if not text.isdigit() or int(text) >= _NO_LIMIT:
            return Unknown("no limit is set")
        return int(text)

    def event(self, name: str) -> Any:
        """Read one counter of the events."""
        try:
            return amount(self.machine.fields(self.folder + "/" + self.names.events).get(name))
        except OSError:
            return Unknown("absent")

    def hits(self) -> Any:
        """Read how often the limit was run into."""
        if "." in self.names.hits:
            return self.count(self.names.hits)
        return self.event(self.names.hits)


def tightest_group(machine: Machine, controller: str) -> Optional[_Group]:
    """Find the group that limits first, at or above the checker's own."""
    groups = _own_groups(machine, controller)
    limited = [group for group in groups if isinstance(group.limit(), int)]
    return min(limited, key=_limit_of, default=groups[0] if groups else None)


def _limit_of(group: _Group) -> int:
    return int(group.limit())


def _own_groups(machine: Machine, controller: str) -> List[_Group]:
    """List the groups from the checker's own up to where the tree is mounted."""
    paths = {}
    for row in machine.text("/proc/self/cgroup").splitlines():
        number, controllers, path = row.split(":", 2)
        for name in controllers.split(","):
            paths[name if number != "0" else ""] = path
    for mount in machine.mounts():
        if mount.type == "cgroup" and controller in mount.super_options.split(","):
            names, own = _GROUP_FILES[controller + " 1"], paths.get(controller)
        elif mount.type == "cgroup2":
            names, own = _GROUP_FILES[controller], paths.get("")
        else:
            continue
        folders = [] if own is None else _folders(mount, own)
        groups = [_Group(machine, folder, names) for folder in folders]
        told = [one for one in groups if isinstance(one.count(names.current), int)]
        if told:
            return told
    return []


def _folders(mount: Mount, path: str) -> List[str]:
    """List the folders of a group and of those above it; outside of the mount only its root."""
    root = mount.root.rstrip("/")
    inside = path[len(root) :] if (path + "/").startswith(root + "/") else ""
    parts = [part for part in inside.split("/") if part and part != ".."]
    base = mount.point.rstrip("/")
    return ["/".join([base, *parts[:count]]) for count in range(len(parts), -1, -1)]
