"""The training processes of this machine: `/proc` is read in children; processes leave.

Even these texts can block, since some need the memory lock of the process that they tell of.
"""

import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.identity import NAME
from checker.probe.children import why_refused
from checker.probe.machine import Machine
from checker.probe.macos import mac_processes
from checker.probe.proc_texts import (
    folders_named,
    parse_status,
    short_command,
    told_command,
    told_environment,
    told_local_rank,
    told_rank,
)
from checker.probe.windows import windows_processes

TICKS = 100.0
"""The kernel's unit of time in `stat`, on every system that trains."""

_SECONDS_FOR_ALL = 5.0
_SECONDS_FOR_ONE = 1.0
_MOST_PROCESSES = 1024
_PYTHONS = ("python", "pypy", "pt_", "ray::", "torchrun", "deepspeed", "accelerate")
_FRAMEWORK_LIBRARIES = (
    "libtorch",
    "libcuda.so",
    "libjax",
    "xla_extension",
    "libtensorflow",
    "libmindspore",
)
_LAUNCHERS = (
    *("torchrun", "torch.distributed.run", "torch.distributed.launch", "deepspeed", "accelerate"),
    *("accelerate-launch", "deepspeed.launcher.launch", "composer", "horovodrun"),
)
_TRAINING_NAMES = ("train", "finetune", "fine_tune", "sft", "dpo", "grpo", "ppo")
_PYTHONS_OWN = ("resource_tracker", "forkserver", "semaphore_tracker")


class TrainingProcess(NamedTuple):
    """One process of a training run, as it was found."""

    pid: int
    parent: int
    name: str
    state: str
    role: str
    """`rank`, `launcher`, or `helper` of a rank: a loader worker, a writer, a compiler."""
    command: Tuple[str, ...]
    """Without what could be a secret."""
    environment: Dict[str, str]
    """Only what tells of ranks."""
    rank: Optional[int]
    local_rank: Optional[int]
    started: float
    """Seconds between the boot and its start."""
    python: bool
    """Whether Python runs in it; it may have given itself another name."""
    user: int
    owner: Optional[int] = None
    """The rank's process that a helper works for."""
    session: int = 0
    """The process that leads its session."""

    @property
    def title(self) -> str:
        """Name it as people do."""
        return short_command(self.command) if self.command else self.name

    @property
    def folders(self) -> List[str]:
        """List the paths that its options name."""
        return folders_named(self.command)


class _ProcessRow(NamedTuple):
    pid: int
    parent: int
    name: str
    state: str
    user: int
    program: str
    started: float
    session: int


class FoundProcesses(NamedTuple):
    """What was looked for, and what was found."""

    processes: Tuple[TrainingProcess, ...]
    unknown: Optional[str]
    """Why not all could be looked at."""


def find_processes(machine: Machine, pid: Optional[int]) -> FoundProcesses:
    """Find the training processes of this user, or of all if it is root; or those below *pid*."""
    if machine.system != "linux":
        return _found_elsewhere(machine, pid)
    reply = machine.children.ask("processes", _SECONDS_FOR_ALL, lambda: _all_rows(machine))
    if reply.unknown is not None:
        return FoundProcesses((), reply.unknown)
    rows = [_ProcessRow(*row) for row in reply.value]
    asked = _candidates(rows, pid)
    details, unknown = _details_of(machine, [row.pid for row in asked])
    return FoundProcesses(tuple(_trained(asked, details, pid)), unknown)


def _found_elsewhere(machine: Machine, pid: Optional[int]) -> FoundProcesses:
    """Find them by what the system's own commands list, which tells no environment."""
    listed = _LISTED_BY.get(machine.system)
    if listed is None:
        return FoundProcesses((), "not this system")
    try:
        told = listed(machine)
    except (OSError, ValueError, KeyError, TypeError) as error:
        refused = isinstance(error, OSError)
        return FoundProcesses((), why_refused(error) if refused else "not understood")  # type: ignore[arg-type]
    rows, details = [], {}
    for one, parent, state, user, age, line in told:
        words = line.split()
        program = words[0].replace("\\", "/").rpartition("/")[2].lower()
        rows.append(_ProcessRow(one, parent, program, state, user, program, machine.now - age, 0))
        details[one] = {"command": told_command("\0".join(words)), "environment": {}}
    asked = _candidates(rows, pid)
    return FoundProcesses(tuple(_trained(asked, details, pid)), None)


_LISTED_BY: Dict[str, Callable[[Machine], List[Tuple[int, int, str, int, float, str]]]] = {
    "darwin": mac_processes,
    "win32": windows_processes,
}


def _all_rows(machine: Machine) -> List[Any]:
    rows = []
    for name in os.listdir(machine.root + "/proc"):
        if name.isdigit():
            row = _row_of(machine, name)
            if row is not None:
                rows.append(row)
    return rows


def _row_of(machine: Machine, pid: str) -> Optional[List[Any]]:
    try:
        status = parse_status(machine.text("/proc/" + pid + "/stat"))
        user = int(machine.fields("/proc/" + pid + "/status")["Uid"].split()[1])
    except (OSError, ValueError, IndexError, KeyError):
        return None
    try:
        program = os.readlink(machine.root + "/proc/" + pid + "/exe").rpartition("/")[2]
    except OSError:
        program = ""
    return [
        int(pid),
        status.parent,
        status.name,
        status.state,
        user,
        program,
        status.started / TICKS,
        status.session,
    ]


def _candidates(rows: Sequence[_ProcessRow], pid: Optional[int]) -> List[_ProcessRow]:
    """Choose whom to look at closer: Python programs of the user, and all that they started."""
    own = {os.getpid(), *_above(os.getpid(), rows)}
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    if pid is not None:
        below = _below({pid}, rows)
        return [row for row in rows if row.pid in below][:_MOST_PROCESSES]
    chosen = {
        row.pid
        for row in rows
        if user in (0, row.user) and row.pid not in own and _runs_python(row)
    }
    below = _below(chosen, rows) - own - _below({os.getpid()}, rows)
    return [row for row in rows if row.pid in below][:_MOST_PROCESSES]


def _runs_python(row: _ProcessRow) -> bool:
    return row.program.startswith(_PYTHONS) or row.name.startswith(_PYTHONS)


def _above(pid: int, rows: Sequence[_ProcessRow]) -> Set[int]:
    parents = {row.pid: row.parent for row in rows}
    found: Set[int] = set()
    while pid in parents and parents[pid] not in found:
        pid = parents[pid]
        found.add(pid)
    return found


def _below(pids: Set[int], rows: Sequence[_ProcessRow]) -> Set[int]:
    """List processes with all that they started, and what these did."""
    children: Dict[int, List[int]] = {}
    for row in rows:
        children.setdefault(row.parent, []).append(row.pid)
    found: Set[int] = set()
    rest = list(pids)
    while rest:
        pid = rest.pop()
        if pid not in found:
            found.add(pid)
            rest += children.get(pid, ())
    return found


def _details_of(
    machine: Machine, pids: Sequence[int]
) -> Tuple[Dict[int, Dict[str, Any]], Optional[str]]:
    return each_of(machine, "process", pids, lambda pid: _detail_of(machine, pid))


def each_of(
    machine: Machine, what: str, pids: Sequence[int], work: Callable[[int], Any]
) -> Tuple[Dict[int, Any], Optional[str]]:
    """Ask about all processes in one child; if it does not answer, about each in its own."""
    reply = machine.children.ask(
        what + " of all", _SECONDS_FOR_ALL, lambda: {str(pid): work(pid) for pid in pids}
    )
    if reply.unknown is None:
        return {int(pid): told for pid, told in reply.value.items()}, None
    unknown, found = reply.unknown, {}
    for pid in pids if reply.silent else ():
        one = machine.children.ask(
            "{} of {}".format(what, pid),
            _SECONDS_FOR_ONE,
            lambda pid=pid: work(pid),  # type: ignore[misc]
        )
        if one.unknown is None:
            found[pid] = one.value
        else:
            unknown = "process {}: {}".format(pid, one.unknown)
    return found, unknown


def living_folder(machine: Machine, pid: int) -> str:
    """Name where the kernel tells of a process: at a living thread if the first one has ended."""
    folder = "/proc/{}/".format(pid)
    try:
        if parse_status(machine.text(folder + "stat")).state != "Z":
            return folder
        others = [name for name in os.listdir(machine.root + folder + "task") if name != str(pid)]
    except (OSError, ValueError, IndexError):
        return folder
    return "{}task/{}/".format(folder, min(others)) if others else folder


def _detail_of(machine: Machine, pid: int) -> Dict[str, Any]:
    folder = living_folder(machine, pid)
    command = text_or_nothing(machine, folder + "cmdline")
    environment = told_environment(text_or_nothing(machine, folder + "environ"))
    told: Dict[str, Any] = {"command": told_command(command), "environment": environment}
    if told_rank(environment) is None:
        maps = text_or_nothing(machine, folder + "maps")
        told["framework"] = any(word in maps for word in _FRAMEWORK_LIBRARIES)
    return told


def text_or_nothing(machine: Machine, path: str) -> str:
    """Read a text that the kernel makes, if it can be read."""
    try:
        return machine.text(path)
    except OSError:
        return ""


def _trained(
    rows: Sequence[_ProcessRow], details: Dict[int, Dict[str, Any]], pid: Optional[int]
) -> List[TrainingProcess]:
    """Tell ranks from launchers and helpers, and leave out what trains nothing."""
    made = {row.pid: _made_process(row, details.get(row.pid, {})) for row in rows}
    ranks = {p for p in made if _is_rank(made[p], details.get(p, {}))}
    if pid is not None and not ranks and pid in made:
        ranks = {pid}
    launchers = {
        one.parent
        for p, one in made.items()
        if p in ranks and one.parent in made and one.parent not in ranks
    }
    launchers |= {p for p in ranks if _is_launcher(made[p])}
    ranks -= launchers
    found = []
    for p, one in sorted(made.items()):
        owner = _owner_of(p, made, ranks)
        if p in ranks and owner is None:
            found.append(one._replace(role="rank"))
        elif owner is not None:
            above = made[owner]
            found.append(
                one._replace(
                    role="helper", rank=above.rank, local_rank=above.local_rank, owner=owner
                )
            )
        elif p in launchers and one.python:
            found.append(one._replace(role="launcher", rank=None, local_rank=None))
    return found


def _made_process(row: _ProcessRow, detail: Dict[str, Any]) -> TrainingProcess:
    environment = detail.get("environment", {})
    return TrainingProcess(
        row.pid,
        row.parent,
        row.name,
        row.state,
        "",
        tuple(detail.get("command", ())),
        environment,
        told_rank(environment),
        told_local_rank(environment),
        row.started,
        _runs_python(row),
        row.user,
        None,
        row.session,
    )


def _is_rank(one: TrainingProcess, detail: Dict[str, Any]) -> bool:
    if not one.python:
        return False
    if "RANK" in one.environment or detail.get("framework"):
        return True
    named = one.title.lower()
    # Another checker, or a child of this one, has "train" in its name too.
    if NAME in named:
        return False
    return any(word in named for word in _TRAINING_NAMES)


def _is_launcher(one: TrainingProcess) -> bool:
    return "RANK" not in one.environment and any(
        word.rpartition("/")[2] in _LAUNCHERS for word in one.command[:4]
    )


def _owner_of(pid: int, made: Dict[int, TrainingProcess], ranks: Set[int]) -> Optional[int]:
    """Find the outermost rank's process that started a process, directly or not.

    What was started with another rank in its environment is a rank itself.
    """
    owner, above = None, made[pid].parent
    told = made[pid].environment.get("RANK")
    seen = {pid}
    while above in made and above not in seen:
        seen.add(above)
        if above in ranks and told in (None, made[above].environment.get("RANK")):
            owner = above
        above = made[above].parent
    return owner


def is_pythons_own(one: TrainingProcess) -> bool:
    """Tell the processes that Python starts to keep track of others."""
    return any(name in word for name in _PYTHONS_OWN for word in one.command)
