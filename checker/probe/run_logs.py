"""Where a run writes: what its processes have open enters, mounts and logs leave."""

import os
from typing import Dict, Iterable, List, Sequence, Set, Tuple

from checker.probe.job import LiveJob
from checker.probe.machine import Machine
from checker.probe.mount_table import Mount
from checker.probe.open_files import (
    Holdings,
    checkpoint_folder,
    holdings_of,
    log_files,
    pipe_readers,
)
from checker.probe.proc_texts import told_environment
from checker.probe.processes import TrainingProcess, each_of, text_or_nothing
from checker.probe.storage import is_remote

_MOST_LOGS = 64
_MOST_MOUNTS_USED = 24
_MOST_PIPE_READERS = 256
_DAEMON, _STARTER, _JOB_NUMBER = "slurmd", "srun", "SLURM_JOB_ID"


def mounts_of_processes(
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


def logs_of_run(machine: Machine, job: LiveJob) -> List[str]:
    """List the logs of the processes, also those that others write for them."""
    found: List[str] = []
    pipes: Dict[str, bool] = {}
    for one in job.processes:
        held = job.holdings.get(one.pid)
        if held is None or one.role == "helper":
            continue
        found += [held.prefix + path for path in log_files(held)]
        for target in held.streams.values():
            if target.startswith("pipe:"):
                pipes[target] = True
    if pipes and machine.system == "linux":
        found += _logs_behind(machine, pipes, job)
    return list(dict.fromkeys(found))[:_MOST_LOGS]


def _logs_behind(machine: Machine, pipes: Dict[str, bool], job: LiveJob) -> List[str]:
    """List the logs that the readers of pipes write, such as `tee`.

    Slurm's reader passes all on to the job's `srun`, which may write it, and has the log of its
    own daemon open.
    """
    names = [name for name in os.listdir(machine.root + "/proc") if name.isdigit()]
    others = [int(name) for name in names if int(name) not in job.holdings]
    parts, _ = each_of(machine, "names", others, lambda pid: _part_in_slurm(machine, pid, job))
    of_slurm = [pid for pid in others if parts.get(pid)]
    holdings, _ = holdings_of(machine, [*others[-_MOST_PIPE_READERS:], *of_slurm])
    found: List[str] = []
    foreign: Set[str] = set()
    for pid in of_slurm:
        held = holdings.get(pid)
        if held is not None and parts[pid] == _DAEMON:
            foreign.update(file.path for file in held.files)
        elif held is not None:
            found += [held.prefix + path for path in log_files(held)]
    return found + [
        held.prefix + file.path
        for pid in pipe_readers(pipes, holdings)
        for held in [holdings[pid]]
        for file in held.files
        if file.writes and file.path not in foreign and not file.path.endswith(" (deleted)")
    ]


def _part_in_slurm(machine: Machine, pid: int, job: LiveJob) -> str:
    """Tell Slurm's daemon and the `srun` of this job from all other programs."""
    folder = "/proc/{}/".format(pid)
    name = text_or_nothing(machine, folder + "comm").strip()
    if name != _STARTER:
        return name if name == _DAEMON else ""
    number = told_environment(text_or_nothing(machine, folder + "environ")).get(_JOB_NUMBER)
    of_job = number is not None and any(
        one.environment.get(_JOB_NUMBER) == number for one in job.ranks
    )
    return name if of_job else ""
