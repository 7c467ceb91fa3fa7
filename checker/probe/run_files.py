"""Probes of the files of a run: its logs, its checkpoints, its dumps, the locks that it waits for.

Each is asked in the child of its mount, and none on a mount that did not answer.
"""

import os
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.probe.job import LiveJob, ask_on_mount
from checker.probe.machine import Findings, Machine, Unknown
from checker.probe.open_files import Holdings, checkpoint_folder
from checker.probe.processes import TrainingProcess

_MOST_CHECKPOINTS = 20000
_MOST_PIDS = 4096
_MOST_LOCKS = 16
_LEAST_LOCK_AGE = 60.0
_OVERDUE = 3.0
"""So many usual intervals without a new checkpoint are worth a word."""
_CHECKPOINT_NAME = lazy_pattern(
    r"(?:checkpoint|ckpt|global_?step|step|iter|epoch)[-_=]?\d{1,12}|"
    r"[\w.=-]{1,120}\.(?:ckpt|pt|pth|safetensors|distcp)$"
)
_DUMP_PREFIXES = ("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
_OLD_DUMP_PREFIX = "/tmp/nccl_trace_rank_"


class _Checkpoints(NamedTuple):
    newest: float
    usual: Optional[float]


def read_logs_before(machine: Machine, job: LiveJob) -> None:
    """Keep how long the logs were."""
    machine.remember("logs", {path: size for path, size, _ in _logs_now(machine, job)})


def probe_logs(machine: Machine, job: LiveJob) -> Findings:
    """How long ago the logs of the run were last written, and whether they grow between two looks.

    An old log of a run that works is one whose output waits in a buffer.
    """
    told = _logs_now(machine, job)
    names = ("log.age", "log.grows")
    if not told:
        return dict.fromkeys(names, Unknown("no log can be read"))
    before = machine.earlier("logs")
    grows: Any = Unknown("looked at once only")
    if before is not None:
        grows = any(size > before[1].get(path, size) for path, size, _ in told)
    age = machine.now_again() - max(written for _, _, written in told)
    return {"log.age": round(max(0.0, age)), "log.grows": grows}


def _logs_now(machine: Machine, job: LiveJob) -> List[Tuple[str, int, float]]:
    def _look(places: List[str]) -> List[Any]:
        found = []
        for place in places:
            try:
                state = os.stat(machine.root + place)
            except OSError:
                continue
            found.append([place, state.st_size, state.st_mtime])
        return found

    reply = machine.children.ask("logs", 3, lambda: _look(list(job.logs)))
    return [] if reply.unknown is not None else [(row[0], row[1], row[2]) for row in reply.value]


def probe_checkpoints(machine: Machine, job: LiveJob) -> Findings:
    """How old the newest checkpoint is, beside the usual time between two."""
    names = ("checkpoint.age", "checkpoint.interval", "checkpoint.overdue")
    for one in job.processes:
        held = job.holdings.get(one.pid)
        folder = None if held is None else checkpoint_folder(one, held)
        if held is None or not folder:
            continue
        reply = ask_on_mount(machine, held, folder, _checkpoint_times)
        if reply.unknown is not None:
            return dict.fromkeys(names, Unknown(reply.unknown))
        if reply.value:
            return _told_checkpoints(machine, _read_times(reply.value))
    return dict.fromkeys(names, Unknown("no checkpoint was found"))


def _checkpoint_times(folder: str) -> List[float]:
    """List when what looks like a checkpoint was last written in a folder.

    A folder that is one itself stands among the others in the one above.
    """
    folder = folder.rstrip("/")
    if _CHECKPOINT_NAME.match(os.path.basename(folder)):
        folder = os.path.dirname(folder)
    names = os.listdir(folder)[:_MOST_CHECKPOINTS]
    found = [_written_at(os.path.join(folder, n)) for n in names if _CHECKPOINT_NAME.match(n)]
    return sorted(written for written in found if written is not None)


def _read_times(times: List[float]) -> _Checkpoints:
    """Join what was written together, and take the middle one of the pauses between."""
    apart = [times[0]]
    for time in times[1:]:
        if time - apart[-1] < 1.0:
            apart[-1] = time
        else:
            apart.append(time)
    gaps = sorted(after - before for before, after in zip(apart, apart[1:]))
    return _Checkpoints(times[-1], gaps[len(gaps) // 2] if len(gaps) > 1 else None)


def _told_checkpoints(machine: Machine, found: _Checkpoints) -> Findings:
    age = max(0.0, machine.now_again() - found.newest)
    if found.usual is None:
        why = Unknown("fewer than three checkpoints")
        return {
            "checkpoint.age": round(age),
            "checkpoint.interval": why,
            "checkpoint.overdue": why,
        }
    return {
        "checkpoint.age": round(age),
        "checkpoint.interval": round(found.usual),
        "checkpoint.overdue": age > _OVERDUE * max(found.usual, 60.0),
    }


def find_dumps(machine: Machine, job: LiveJob) -> List[str]:
    """List the dumps of torch's flight recorder that the ranks of this run have written."""
    found: List[str] = []
    for one in job.ranks:
        held = job.holdings.get(one.pid)
        for prefix in _dump_prefixes(one):
            path = "{}{}".format(prefix, one.rank)
            reply = ask_on_mount(machine, held, path, _written_at)
            if held is not None and reply.value and reply.value > _began_at(machine, one):
                found.append(held.prefix + path)
    return list(dict.fromkeys(found))


def _dump_prefixes(one: TrainingProcess) -> Iterable[str]:
    if one.rank is None:
        return
    named = [one.environment[name] for name in _DUMP_PREFIXES if name in one.environment]
    yield from named[:1] or (cache_folder(one) + "/torch/comm_lib_trace_rank_", _OLD_DUMP_PREFIX)


def cache_folder(one: TrainingProcess) -> str:
    """Name the folder in which programs of a process keep what can be made again."""
    told = one.environment.get("XDG_CACHE_HOME")
    return told or one.environment.get("HOME", "/nonexistent") + "/.cache"


def _written_at(place: str) -> Optional[float]:
    try:
        return os.stat(place).st_mtime
    except FileNotFoundError:
        return None


def _began_at(machine: Machine, one: TrainingProcess) -> float:
    uptime = float(machine.text("/proc/uptime").split()[0])
    return machine.now - uptime + one.started


def probe_extension_locks(machine: Machine, job: LiveJob) -> Findings:
    """Locks of builds of torch's extensions that no process has open, older than a minute.

    Torch before 2.14 waits for such a file as long as it exists; a build that was killed leaves it.
    """
    locks: List[str] = []
    unknown: Optional[str] = None
    asked: Dict[str, None] = {}
    for one in job.ranks:
        folder = one.environment.get("TORCH_EXTENSIONS_DIR") or (
            cache_folder(one) + "/torch_extensions"
        )
        held = job.holdings.get(one.pid)
        if folder in asked or held is None:
            continue
        asked[folder] = None
        reply = ask_on_mount(machine, held, folder, _locks_below)
        unknown = reply.unknown if reply.silent else unknown
        locks += _left_locks(machine, held, reply.value or [])
    if unknown is not None:
        return {"extension.locks_left": Unknown(unknown)}
    if not asked:
        return {"extension.locks_left": Unknown("no rank was looked at")}
    return {"extension.locks_left": locks[:_MOST_LOCKS]}


def _locks_below(folder: str) -> List[Any]:
    """List the files `lock` two folders below, where torch puts them, with their times."""
    found = []
    for first in sorted(os.listdir(folder))[:64]:
        for name in ("lock", *sorted(_names_in(os.path.join(folder, first)))[:256]):
            place = os.path.join(folder, first, name)
            place = place if name == "lock" else os.path.join(place, "lock")
            written = _written_at(place) if os.path.lexists(place) else None
            if written is not None:
                found.append([place, written])
    return found


def _names_in(folder: str) -> List[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _left_locks(machine: Machine, held: Holdings, locks: List[Any]) -> List[str]:
    """Keep the locks that are old and that nobody has open."""
    start = len(machine.root + held.prefix)
    old = {
        place[start:]: machine.now_again() - written
        for place, written in locks
        if machine.now_again() - written > _LEAST_LOCK_AGE
    }
    if not old:
        return []
    reply = machine.children.ask("open locks", 3, lambda: _open_ones(machine, list(old)))
    if reply.unknown is not None:
        return []
    return [
        "{}, {:.0f} s old".format(path, age) for path, age in old.items() if path not in reply.value
    ]


def _open_ones(machine: Machine, paths: List[str]) -> List[str]:
    """Find out which of these files a process has open, of those that may be seen."""
    wanted, found = set(paths), []
    names = [name for name in os.listdir(machine.root + "/proc") if name.isdigit()]
    for pid in names[:_MOST_PIDS]:
        folder = "{}/proc/{}/fd/".format(machine.root, pid)
        for number in _names_in(folder):
            try:
                target = os.readlink(folder + number)
            except OSError:
                continue
            if target in wanted:
                found.append(target)
    return found
