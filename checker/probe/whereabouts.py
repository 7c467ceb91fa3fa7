"""Probes of what surrounds a run: who started it, whether the clock is right, whether it is up."""

import os
from typing import Any, List, Optional

from checker.lazy_patterns import lazy_pattern
from checker.probe.children import Ended
from checker.probe.job import LiveJob
from checker.probe.machine import Findings, Machine, Unknown, taken

_SECONDS_OF_CLOCK = 3.0
_MOST_PATHS = 256
_MOST_SIZE_DIGITS = 4
_MOST_MISSING = 64
_CHRONY_CELLS = 13
"""Newer versions tell a name more, in front of the rest."""
_JOB_NAMES = (
    ("SLURM_JOB_ID", "slurm"),
    ("PBS_JOBID", "pbs"),
    ("LSB_JOBID", "lsf"),
    ("JOB_ID", "grid engine"),
)
_SLURM_GROUP = lazy_pattern(r"/job_(\d{1,12})(?:/|$)")
_POD_GROUP = lazy_pattern(r"/(?:kubepods[\w.-]{0,40}-)?pod([0-9a-f_-]{32,40})")


def probe_scheduler(machine: Machine, job: LiveJob) -> Findings:
    """Who has started the run, and as which job: by its environment, else by its cgroup."""
    names = ("job.scheduler", "job.id")
    for one in job.processes:
        for name, scheduler in _JOB_NAMES:
            if one.environment.get(name):
                return dict(zip(names, (scheduler, one.environment[name])))
    try:
        groups = machine.text("/proc/{}/cgroup".format(machine.subject))
    except OSError:
        return dict.fromkeys(names, Unknown("absent"))
    for pattern, scheduler in ((_SLURM_GROUP, "slurm"), (_POD_GROUP, "kubernetes")):
        found = pattern.search(groups)
        if found is not None:
            return dict(zip(names, (scheduler, found.group(1).replace("_", "-"))))
    return {"job.scheduler": "none", "job.id": Unknown("absent")}


def probe_missing_ranks(machine: Machine, job: LiveJob) -> Findings:
    """Which ranks of this host its launcher should have, and do not run.

    One that was killed is gone before the launcher says so: it first ends the others, and waits
    for them.
    """
    sizes = [one.environment.get("LOCAL_WORLD_SIZE", "") for one in job.ranks]
    known = {int(size) for size in sizes if size.isdigit() and len(size) < _MOST_SIZE_DIGITS}
    found = {one.local_rank for one in job.ranks}
    if len(known) != 1 or not any(one.role == "launcher" for one in job.processes):
        return {"ranks.missing": Unknown("the number of ranks on this host is not known")}
    size = known.pop()
    missing = [rank for rank in range(size) if rank not in found]
    return {
        "ranks.missing": [
            "local rank {} of {} does not run".format(rank, size)
            for rank in missing[:_MOST_MISSING]
        ]
    }


def probe_clock(machine: Machine) -> Findings:
    """Whether the clock follows a time server, and how far off it says that it is.

    Times of several hosts can be compared only where it does.
    """
    reply = machine.children.run_program(
        "program timedatectl",
        _SECONDS_OF_CLOCK,
        ["timedatectl", "show", "-p", "NTPSynchronized", "--value"],
        machine.folders,
    )
    told = _output(reply.value)
    synchronized: Any = Unknown(reply.unknown or "absent")
    if told in ("yes", "no"):
        synchronized = told == "yes"
    tracking = machine.children.run_program(
        "program chronyc", _SECONDS_OF_CLOCK, ["chronyc", "-c", "tracking"], machine.folders
    )
    cells = _output(tracking.value).split(",")
    offset: Any = Unknown(tracking.unknown or "absent")
    if len(cells) >= _CHRONY_CELLS:
        try:
            offset = abs(float(cells[-10]))
        except ValueError:
            offset = Unknown("not understood")
        synchronized = cells[-1] != "Not synchronised"
    return {"clock.synchronized": synchronized, "clock.offset": offset}


def _output(ended: Any) -> str:
    return ended.output.strip() if isinstance(ended, Ended) and ended.status == 0 else ""


def probe_reboot(machine: Machine) -> Findings:
    """Whether the machine has booted since the named logs were last written.

    Then it was the node that ended, whatever the logs say last.
    """
    places = [machine.root + path for path in machine.readable[:_MOST_PATHS]]
    if not places:
        return {"system.rebooted": Unknown("no log was named")}
    booted = taken(machine, "/proc/stat", "btime")
    if isinstance(booted, Unknown):
        return {"system.rebooted": booted}
    reply = machine.children.ask("named paths", _SECONDS_OF_CLOCK, lambda: _last_written(places))
    if reply.value is None:
        return {"system.rebooted": Unknown(reply.unknown or "absent")}
    return {"system.rebooted": reply.value < booted}


def _last_written(places: List[str]) -> Optional[float]:
    return max((os.stat(place).st_mtime for place in places), default=None)
