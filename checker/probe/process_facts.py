"""What is known of the processes of a run, as facts that can be quoted."""

from typing import Any, Dict, List, Sequence

from checker.model import Fact, Line, Moment, Writer
from checker.probe.job import LiveJob
from checker.probe.machine import Machine
from checker.probe.open_files import checkpoint_folder
from checker.probe.process_readings import Looked, readings_of
from checker.probe.processes import TrainingProcess
from checker.probe.sampling import Change

PROCESSES = "processes of this machine"


def checkpoint_facts(job: LiveJob, silent: Dict[str, str]) -> List[Fact]:
    """Tell on what the checkpoints lie, and whether it answers."""
    for one in job.processes:
        held = job.holdings.get(one.pid)
        folder = checkpoint_folder(one, held) if held is not None else None
        mount = held.mount_of(folder) if held is not None and folder else None
        if mount is not None:
            return [
                Fact("checkpoint.folder", folder, None, None),
                Fact("checkpoint.mount.type", mount.type, None, None),
                Fact("checkpoint.mount.source", mount.source, None, None),
                Fact("checkpoint.mount.answers", mount.device not in silent, None, None),
            ]
    return []


def process_facts(machine: Machine, looked: Sequence[Looked], changes: Dict[int, Change]) -> Any:
    """Tell of each rank what two looks show, each with a line that can be quoted."""
    book = _LineBook(machine)
    for one, reading in readings_of(looked):
        book.add("process.reading", reading.kind, one.process, one.process.pid, reading.text)
    for one in looked:
        if one.process.role == "rank":
            _add_files_left(book, one)
            _add_dead_children(book, one)
    return [*_thread_facts(looked, changes), *book.facts]


class _LineBook:
    """The facts about single processes, each on a line of its own."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.facts: List[Fact] = []

    def add(self, name: str, value: Any, process: TrainingProcess, pid: int, words: str) -> None:
        """Tell a fact that is about the rank of *process*."""
        role = "launcher" if process.role == "launcher" else "rank"
        writer = Writer(role, process.rank, process.local_rank, None, None)
        text = "process {} ({}) {}".format(process.pid, process.title, words)
        shown = text if process.rank is None else "rank {}, {}".format(process.rank, text)
        moment = Moment(self.machine.now, "utc", 1.0)
        number = len(self.facts) + 1
        line = Line(PROCESSES, number, text, shown, writer, pid, moment, None)
        self.facts.append(Fact(name, value, None, line))


def _add_files_left(book: _LineBook, one: Looked) -> None:
    held = one.holdings
    if held is not None and held.most is not None and held.opened:
        words = "has {:,} of {:,} files open".format(held.opened, held.most)
        left = max(0, held.most - held.opened)
        book.add("process.files_left", left, one.process, one.process.pid, words)


def _add_dead_children(book: _LineBook, one: Looked) -> None:
    for helper in one.helpers:
        threads = helper.change.threads if helper.change is not None else ()
        if threads and all("Z" in thread.states for thread in threads):
            pid = helper.process.pid
            words = "has a dead child, {} ({}), and has not asked how it ended"
            book.add("child.dead", pid, one.process, pid, words.format(pid, helper.process.name))


def _thread_facts(looked: Sequence[Looked], changes: Dict[int, Change]) -> List[Fact]:
    ranks = [one.process.pid for one in looked if one.process.role == "rank"]
    mains = [changes[pid].main for pid in ranks if pid in changes]
    states = sorted({main.states for main in mains if main is not None})
    waits = sorted(
        {
            thread.wait
            for pid in ranks
            if pid in changes
            for thread in changes[pid].threads
            if thread.stood and thread.wait
        }
    )
    return [
        Fact("process.state", states, None, None),
        Fact("process.wait_point", waits, None, None),
    ]
