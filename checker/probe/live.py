"""A look at the training that runs on this machine: nothing enters; a `MachineView` leaves.

The processes are found, looked at twice with all other probes in between, and what their logs
hold is read like logs that a person names.
"""

import time
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.model import Fact, Input
from checker.probe.gpu_use import GpuUse, gpu_uses
from checker.probe.gpus import GpuLoad, gpu_loads, gpu_users
from checker.probe.installed import installed_versions
from checker.probe.job import LiveJob
from checker.probe.kernel_log import SECONDS_OF_DOUBT
from checker.probe.launches import label_of, launched_together
from checker.probe.looking import BEFORE_START, JobView, MachineView, readable_paths
from checker.probe.machine import Machine
from checker.probe.open_files import Holdings, holdings_of
from checker.probe.proc_texts import told_world_size
from checker.probe.process_facts import checkpoint_facts, process_facts
from checker.probe.process_readings import Looked, ProcessReading, readings_of
from checker.probe.processes import TrainingProcess, find_processes
from checker.probe.registry import (
    job_probes,
    probe_job,
    probe_machine,
    probes,
    read_first,
    read_job_first,
)
from checker.probe.run_files import find_dumps
from checker.probe.run_logs import logs_of_run, mounts_of_processes
from checker.probe.sampling import Change, Look, changes_between, look_at
from checker.probe.storage import ask_mount
from checker.probe.terminals import Holder, holder_of, pane_texts
from checker.scan.chaining import INTERRUPTED_HERE

_MOST_JOBS = 8


class Wish(NamedTuple):
    """What a person wants of the look."""

    pid: Optional[int]
    interval: float


def look_at_training(machine: Machine, wish: Wish) -> MachineView:
    """Look at the training processes and their logs; Ctrl-C ends the look, not the report."""
    book = _Book()
    try:
        _look(machine, wish, book)
    except KeyboardInterrupt:
        book.refused.append(_told_input("this machine", INTERRUPTED_HERE, False))
    changes = book.changes()
    views = [_view_of_run(machine, run, book, changes) for run in book.runs]
    apart = len(views) > 1
    facts = list(book.facts)
    for view in views:
        facts += [fact for fact in view.facts if not apart or fact.line is not None]
    return MachineView(
        tuple(facts),
        machine.logs,
        tuple(path for view in views for path in view.paths),
        tuple(book.refused),
        tuple(known for view in views for known in view.processes),
        None if apart else next((view.world_size for view in views), None),
        tuple(views) if apart else (),
        began=min(machine.began.values(), default=SECONDS_OF_DOUBT) - SECONDS_OF_DOUBT,
    )


class _Run:
    """What was found of one run so far."""

    def __init__(self, job: LiveJob) -> None:
        self.job = job
        self.facts: List[Fact] = []


class _Book:
    """What was found so far."""

    def __init__(self) -> None:
        self.processes: Tuple[TrainingProcess, ...] = ()
        self.holdings: Dict[int, Holdings] = {}
        self.silent: Dict[str, str] = {}
        """Devices of mounts that did not answer, with the reason."""
        self.runs: List[_Run] = []
        self.first: Optional[Look] = None
        self.second: Optional[Look] = None
        self.loads: List[Dict[int, GpuLoad]] = []
        self.gpus: Dict[int, GpuUse] = {}
        self.facts: List[Fact] = []
        self.refused: List[Input] = []
        self.terminals: Dict[str, str] = {}
        """What terminals of the processes showed, where it could be read."""

    def changes(self) -> Optional[Dict[int, Change]]:
        """Compare both looks, if there were two."""
        if self.first is None or self.second is None:
            return None
        return changes_between(self.first, self.second)


def _look(machine: Machine, wish: Wish, book: _Book) -> None:
    machine.say("looking for training processes")
    found = find_processes(machine, wish.pid)
    book.processes = found.processes
    book.facts.append(_count_fact(found.processes, found.unknown))
    read_first(machine)
    pids = [one.pid for one in found.processes]
    if pids:
        machine.say("looking at {}, once".format(_named_ranks(found.processes)))
        # What threads do is told by Linux alone.
        book.first = look_at(machine, pids) if machine.system == "linux" else None
        book.loads.append(gpu_loads(machine))
        _look_at_files(machine, book)
    machine.say("looking at the machine: kernel log, mounts, GPUs, network, limits")
    _ask_probes(machine, book, again=False)
    if book.first is not None:
        left = book.first.at + wish.interval - time.monotonic()
        if left > 0:
            machine.say("waiting {:.0f} s to look again".format(left))
            time.sleep(left)
        machine.say("looking at them again")
        book.second = look_at(machine, pids)
        _look_at_gpus(machine, book)
    _ask_probes(machine, book, again=True)
    if book.first is not None:
        _read_terminals(machine, book)


def glance(
    machine: Machine, wish: Wish
) -> Tuple[List[Tuple[Looked, ProcessReading]], List[Change]]:
    """Look twice at a process and all that it started, and ask nothing else."""
    book = _Book()
    book.processes = find_processes(machine, wish.pid).processes
    pids = [one.pid for one in book.processes]
    book.first = look_at(machine, pids)
    _look_at_files(machine, book)
    time.sleep(max(0.0, book.first.at + wish.interval - time.monotonic()))
    book.second = look_at(machine, pids)
    changes = changes_between(book.first, book.second)
    looked = [one for run in book.runs for one in _looked_of(run.job, book, changes)]
    return readings_of(looked), list(changes.values())


def logs_of_process(machine: Machine, pid: int) -> Tuple[str, ...]:
    """List the logs that a process and all that it started have open."""
    book = _Book()
    book.processes = find_processes(machine, pid).processes
    _look_at_files(machine, book)
    return tuple(dict.fromkeys(path for run in book.runs for path in run.job.logs))


def _look_at_files(machine: Machine, book: _Book) -> None:
    machine.say("looking at their open files and mounts")
    book.holdings, _ = holdings_of(machine, [one.pid for one in book.processes])
    for pid, mount, prefix in mounts_of_processes(book.processes, book.holdings):
        if mount.device not in book.silent:
            reply = ask_mount(machine, mount, prefix)
            if reply.silent:
                book.silent[mount.device] = reply.unknown or ""
                machine.say("the mount {} of process {} {}".format(mount.point, pid, reply.unknown))
    for group in launched_together(book.processes)[:_MOST_JOBS]:
        book.runs.append(_run_of(machine, book, group))
    _read_terminals(machine, book)
    machine.paths = [path for run in book.runs for path in run.job.logs if path.startswith("/")]
    machine.readable = machine.paths
    if not machine.paths and not book.terminals:
        machine.say(_why_no_log(book))
    if len(book.runs) > 1:
        machine.say("{} runs: each is told alone".format(len(book.runs)))


def _run_of(machine: Machine, book: _Book, group: Sequence[TrainingProcess]) -> _Run:
    """Find the logs and dumps of one run, and begin what is looked at twice."""
    holdings = {one.pid: book.holdings[one.pid] for one in group if one.pid in book.holdings}
    job = LiveJob(tuple(group), holdings)
    named = logs_of_run(machine, job)
    readable, refused = readable_paths(machine, named)
    book.refused += refused
    for path in readable:
        machine.say("its log: " + path)
    job = job._replace(logs=readable)
    dumps = find_dumps(machine, job)
    for path in dumps:
        machine.say("a dump of its flight recorder: " + path)
    job = job._replace(logs=(*readable, *dumps))
    read_job_first(machine, job)
    run = _Run(job)
    run.facts += checkpoint_facts(job, book.silent)
    return run


def _look_at_gpus(machine: Machine, book: _Book) -> None:
    """Look a second time at the load of the GPUs, if the first look showed any."""
    if book.loads and book.loads[0]:
        book.loads.append(gpu_loads(machine))
        ranks = [one for one in book.processes if one.role == "rank"]
        book.gpus = gpu_uses(ranks, book.loads[0], book.loads[1], gpu_users(machine))


def _read_terminals(machine: Machine, book: _Book) -> None:
    """Read what terminals show to which processes print, where tmux or screen holds them."""
    holders = _terminals_of(book)
    for terminal, text in pane_texts(machine, holders).items():
        before, kind = book.terminals.get(terminal), holders[terminal].kind
        book.terminals[terminal] = text
        machine.logs["terminal {} ({})".format(terminal, kind)] = text
        if before is None:
            machine.say("its output: the terminal {}, by {}".format(terminal, kind))
        elif before == text:
            machine.say("the terminal {} shows nothing new".format(terminal))


def _terminals_of(book: _Book) -> Dict[str, Holder]:
    return {
        target: holder_of(one.environment, one.user)
        for one in book.processes
        if one.role != "helper" and one.pid in book.holdings
        for target in book.holdings[one.pid].streams.values()
        if target.startswith("/dev/pts/")
    }


def _ask_probes(machine: Machine, book: _Book, again: bool) -> None:
    """Ask the probes that look once, or those that look twice."""
    ranks = [one for one in book.processes if one.role == "rank"]
    if ranks and not again:
        machine.subject = str(ranks[0].pid)
        machine.began = _beginnings(machine, book.processes)
        machine.since = min(machine.began.values(), default=machine.now) - BEFORE_START
        machine.names = sorted({one.environment.get("MASTER_ADDR", "") for one in ranks})
    asked = [probe for probe in probes() if (probe.first is not None) == again]
    for probe in asked:
        book.facts += probe_machine(machine, [probe])
    for run in book.runs:
        for one in job_probes():
            if (one.first is not None) == again:
                run.facts += probe_job(machine, run.job, [one])
        if not again:
            run.facts += installed_versions(machine, run.job)


def _beginnings(machine: Machine, processes: Sequence[TrainingProcess]) -> Dict[int, float]:
    """Tell when each process began, from which on the kernel log is of interest."""
    try:
        linux = machine.system == "linux"
        booted = machine.now - float(machine.text("/proc/uptime").split()[0]) if linux else 0.0
    except (OSError, ValueError, IndexError):
        return {}
    return {one.pid: booted + one.started for one in processes}


def _why_no_log(book: _Book) -> str:
    if _terminals_of(book):
        return "no log: the output goes to a terminal, which neither tmux nor screen shows"
    return "no log is open; give one: python3 trainwreck.py LOG"


def _view_of_run(
    machine: Machine, run: _Run, book: _Book, changes: Optional[Dict[int, Change]]
) -> JobView:
    """Put together what is known of one run."""
    job = run.job
    facts = list(run.facts)
    if changes is not None:
        facts += process_facts(machine, _looked_of(job, book, changes), changes)
    sizes = [told_world_size(one.environment) for one in job.processes]
    return JobView(
        label_of(job.processes),
        job.logs,
        tuple(facts),
        tuple((None, one.pid, one.rank) for one in job.processes if one.rank is not None),
        next((size for size in sizes if size), None),
    )


def _looked_of(job: LiveJob, book: _Book, changes: Dict[int, Change]) -> List[Looked]:
    def _one(process: TrainingProcess, helpers: Tuple[Looked, ...]) -> Looked:
        held, gpu = job.holdings.get(process.pid), book.gpus.get(process.pid)
        return Looked(process, changes.get(process.pid), held, book.silent, helpers, gpu)

    found = []
    for one in job.processes:
        own = [helper for helper in job.processes if helper.owner == one.pid]
        found.append(_one(one, tuple(_one(helper, ()) for helper in own)))
    return found


def _count_fact(processes: Sequence[TrainingProcess], unknown: Optional[str]) -> Fact:
    ranks = sum(one.role == "rank" for one in processes)
    return Fact("process.count", None if unknown and not ranks else ranks, unknown, None)


def _named_ranks(processes: Sequence[TrainingProcess]) -> str:
    ranks = [one for one in processes if one.role == "rank"]
    shown = ", ".join("{} ({})".format(one.pid, one.title) for one in ranks[:4])
    more = " and {} more".format(len(ranks) - 4) if len(ranks) > 4 else ""
    return "process {}{}".format(shown, more)


def _told_input(path: str, reason: str, refused: bool) -> Input:
    return Input(path, "skipped", reason, None, None, None, None, None, refused)
