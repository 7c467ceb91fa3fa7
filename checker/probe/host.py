"""Probes of the host itself: system, uptime, memory, pressure, limits."""

import os
from typing import Any, Optional

from checker.probe.machine import Findings, Machine, Unknown, amount, taken

_CONTAINERS = (
    ("kubepods", "kubernetes"),
    ("docker", "docker"),
    ("libpod", "podman"),
    ("lxc", "lxc"),
    ("containerd", "containerd"),
)
_MARKS = (("/.dockerenv", "docker"), ("/run/.containerenv", "podman"))


def probe_system(machine: Machine) -> Findings:
    """Which kernel runs, and whether the machine is a WSL2 guest or a container."""
    release = machine.text("/proc/sys/kernel/osrelease").strip()
    return {
        "system.kernel": release,
        "system.wsl": "microsoft" in release.lower(),
        "system.container": _kind_of_container(machine),
    }


def _kind_of_container(machine: Machine) -> Any:
    groups = machine.text("/proc/self/cgroup")
    for mark, kind in _CONTAINERS:
        if mark in groups:
            return kind
    root = machine.root

    def _marked() -> Optional[str]:
        return next((kind for mark, kind in _MARKS if os.path.lexists(root + mark)), None)

    reply = machine.children.ask("path /", 3, _marked)
    if reply.unknown is not None:
        return Unknown(reply.unknown)
    return reply.value or "none"


def probe_uptime(machine: Machine) -> Findings:
    """When the machine booted: a run that began before has ended with it."""
    return {
        "system.boot_time": taken(machine, "/proc/stat", "btime"),
        "system.uptime": int(float(machine.text("/proc/uptime").split()[0])),
    }


def probe_memory(machine: Machine) -> Findings:
    """How much memory the machine has and could still give, and whom the kernel killed for it."""
    rows = machine.fields("/proc/meminfo")
    return {
        "memory.total": amount(rows.get("MemTotal")),
        "memory.available": amount(rows.get("MemAvailable")),
        "memory.shared": amount(rows.get("Shmem")),
        "memory.committed": amount(rows.get("Committed_AS")),
        "memory.dirty": amount(rows.get("Dirty")),
        "memory.writeback": amount(rows.get("Writeback")),
        "memory.swap.total": amount(rows.get("SwapTotal")),
        "memory.swap.free": amount(rows.get("SwapFree")),
        "memory.oom_kills": taken(machine, "/proc/vmstat", "oom_kill"),
    }


def probe_pressure(machine: Machine) -> Findings:
    """What work waited for in the last minute; kernels since 4.20 tell, if it is switched on."""
    return {
        "pressure.memory": _share_of_minute(machine, "memory", "full"),
        "pressure.io": _share_of_minute(machine, "io", "full"),
        "pressure.cpu": _share_of_minute(machine, "cpu", "some"),
    }


def _share_of_minute(machine: Machine, what: str, row: str) -> Any:
    try:
        words = machine.fields("/proc/pressure/" + what).get(row, "").split()
    except OSError:
        return Unknown("absent")
    shares = [float(word[6:]) for word in words if word.startswith("avg60=")]
    return shares[0] if shares else Unknown("absent")


def probe_limits(machine: Machine) -> Findings:
    """How many files and threads there are, and how many may be."""
    opened, _, most = machine.text("/proc/sys/fs/file-nr").split()
    threads = machine.text("/proc/loadavg").split()[3].split("/")[1]
    return {
        "files.open": amount(opened),
        "files.limit": amount(most),
        "threads.current": amount(threads),
        "threads.limit": machine.number("/proc/sys/kernel/threads-max"),
        "pids.limit": machine.number("/proc/sys/kernel/pid_max"),
        "limit.open_files": _soft_limit(machine, "Max open files"),
        "limit.processes": _soft_limit(machine, "Max processes"),
        "limit.locked_memory": _soft_limit(machine, "Max locked memory"),
    }


def _soft_limit(machine: Machine, name: str) -> Any:
    for row in machine.text("/proc/{}/limits".format(machine.subject)).splitlines():
        if row.startswith(name + " "):
            word = (row[len(name) :].split() or [""])[0]
            return Unknown("no limit is set") if word == "unlimited" else amount(word)
    return Unknown("absent")
