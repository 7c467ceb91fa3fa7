"""Where a run writes: what its processes have open enters, mounts and logs leave."""

import os
from typing import Dict, Iterable, List, Sequence, Tuple

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
from checker.probe.processes import TrainingProcess
from checker.probe.storage import is_remote

_MOST_LOGS = 64
_MOST_MOUNTS_USED = 24
_MOST_PIPE_READERS = 256


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
    """List the logs that the readers of pipes write, such as `tee`."""
    names = [name for name in os.listdir(machine.root + "/proc") if name.isdigit()]
    others = [int(name) for name in names if int(name) not in job.holdings][-_MOST_PIPE_READERS:]
    holdings, _ = holdings_of(machine, others)
    return [
        held.prefix + file.path
        for pid in pipe_readers(pipes, holdings)
        for held in [holdings[pid]]
        for file in held.files
        if file.writes
    ]
