"""Probes of the control groups of a process, of both versions: memory, tasks, processors, freezer.

A group obeys the limits of all groups above it. The one with the tightest limit is told of; where
there is no limit, the innermost.
"""

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

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
    """Find the group that limits first, at or above the process's own."""
    groups = _own_groups(machine, controller)
    limited = [group for group in groups if isinstance(group.limit(), int)]
    return min(limited, key=_limit_of, default=groups[0] if groups else None)


def _limit_of(group: _Group) -> int:
    return int(group.limit())


def _own_groups(machine: Machine, controller: str) -> List[_Group]:
    """List the groups from the process's own up to where the tree is mounted."""
    found = []
    for folder, version in group_folders(machine, controller):
        names = _GROUP_FILES[controller + " 1" if version == 1 else controller]
        group = _Group(machine, folder, names)
        if isinstance(group.count(names.current), int):
            found.append(group)
    return found


def group_folders(machine: Machine, controller: str) -> List[Tuple[str, int]]:
    """List the folders of a controller's groups, the process's own first, with the version.

    Where both versions are mounted, the controller is in one of them.
    """
    paths = {}
    for row in machine.text("/proc/{}/cgroup".format(machine.subject)).splitlines():
        number, controllers, path = row.split(":", 2)
        for name in controllers.split(","):
            paths[name if number != "0" else ""] = path
    found = []
    for mount in machine.mounts():
        if mount.type == "cgroup" and controller in mount.super_options.split(","):
            version, own = 1, paths.get(controller)
        elif mount.type == "cgroup2" and controller not in paths:
            version, own = 2, paths.get("")
        else:
            continue
        found += [(folder, version) for folder in _folders(mount, own)] if own is not None else []
    return found


def _folders(mount: Mount, path: str) -> List[str]:
    """List the folders of a group and of those above it; outside of the mount only its root."""
    root = mount.root.rstrip("/")
    inside = path[len(root) :] if (path + "/").startswith(root + "/") else ""
    parts = [part for part in inside.split("/") if part and part != ".."]
    base = mount.point.rstrip("/")
    return ["/".join([base, *parts[:count]]) for count in range(len(parts), -1, -1)]


def probe_processors(machine: Machine) -> Findings:
    """How many processors the process may use, and how often its cgroup was held back.

    One that may use a single processor although it has many threads crawls without an error.
    """
    status = machine.fields("/proc/{}/status".format(machine.subject))
    quotas = [_quota(machine, *one) for one in group_folders(machine, "cpu")]
    limited = [quota for quota in quotas if quota is not None]
    return {
        "cpu.count": sum(
            row.startswith("cpu") and row[3:4].isdigit()
            for row in machine.text("/proc/stat").splitlines()
        )
        or Unknown("absent"),
        "cpu.allowed": _listed_count(status.get("Cpus_allowed_list", "")),
        "cpu.cgroup.limit": min(limited) if limited else Unknown("no limit is set"),
        "cpu.cgroup.throttled": _throttled_share(machine),
    }


def _listed_count(text: str) -> Any:
    """Count what `0-3,8` lists."""
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            count += int(last or first) - int(first) + 1
    return count or Unknown("absent")


def _quota(machine: Machine, folder: str, version: int) -> Optional[float]:
    """Read how many processors a group may fill."""
    try:
        if version == 2:
            quota, period = machine.text(folder + "/cpu.max").split()
        else:
            quota = machine.text(folder + "/cpu.cfs_quota_us").strip()
            period = machine.text(folder + "/cpu.cfs_period_us").strip()
        return round(int(quota) / int(period), 2) if int(quota) > 0 else None
    except (OSError, ValueError):
        return None


def _throttled_share(machine: Machine) -> Any:
    """Tell in how many of its periods the innermost group that counts them was held back."""
    for folder, _ in group_folders(machine, "cpu"):
        try:
            counts = machine.fields(folder + "/cpu.stat")
            periods, throttled = int(counts["nr_periods"]), int(counts["nr_throttled"])
        except (OSError, KeyError, ValueError):
            continue
        if periods:
            return round(100.0 * throttled / periods, 1)
    return Unknown("absent")


def probe_freezer(machine: Machine) -> Findings:
    """Whether the cgroup is frozen, as by a paused container: its processes do nothing."""
    told = [_is_frozen(machine, *one) for one in group_folders(machine, "freezer")]
    known = [one for one in told if one is not None]
    return {"cgroup.frozen": any(known) if known else Unknown("absent")}


def _is_frozen(machine: Machine, folder: str, version: int) -> Optional[bool]:
    try:
        if version == 1:
            return machine.text(folder + "/freezer.state").strip() != "THAWED"
        return machine.fields(folder + "/cgroup.events").get("frozen") == "1"
    except OSError:
        return None
