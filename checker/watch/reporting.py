"""The report of the moment: what happened and where the run is enter; files and a status leave.

It runs in a child of the watch, so that reading, looking and writing hold up nothing.
"""

import os
import time
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.check import report_status
from checker.judgement import Report
from checker.outcome import DIAGNOSED
from checker.pipeline import diagnose_paths
from checker.probe.children import Children
from checker.probe.live import Wish, glance, look_at_training
from checker.probe.looking import NO_VIEW, MachineView, look_around, readable_paths
from checker.probe.machine import Machine
from checker.report.redact import redacted
from checker.report.render_runs import render_runs
from checker.report.render_text import render_text
from checker.report.terminal import visible, wrap_text
from checker.snapshot.commands import taken_of
from checker.snapshot.excerpts import ExcerptShelf
from checker.snapshot.writing import SnapshotWish, write_snapshot
from checker.watch.judging import BUSY, IDLE, STUCK

FAILURE = "failure"
_BUDGET, _INTERVAL = 30.0, 5.0
# A checkpoint is being written if so many bytes a second leave the processes.
_BYTES_OF_WRITER = 1 << 20


class RunEvent(NamedTuple):
    """What happened to the run."""

    kind: str
    """`stall`, `failure` or `nonfinite`."""
    text: str
    """How that was decided."""
    silence: float
    """How long the run told nothing by then."""
    only_if_known: bool = False
    """Nothing is reported unless an entry recognizes it."""


class Whereabouts(NamedTuple):
    """Where the run is."""

    paths: Tuple[str, ...]
    texts: Mapping[str, str]
    """What the watch itself read of it, by what it is called."""
    pid: Optional[int]
    """The process that runs, and what it started."""
    here: bool
    """It ran on this machine."""
    since: float = 0.0
    """When it began, in seconds since 1970; 0 where that is not known."""


class Orders(NamedTuple):
    """What a person wants done."""

    request: Request
    catalogue: Catalogue
    target: Optional[str]
    """The report's file; standard output or error where there is none."""
    stream: int
    then: Optional[str]
    """A command for the shell."""


def look_for_stuck(pid: int) -> Tuple[str, str]:
    """Look twice at the processes: whether one is stuck, one writes much, or neither."""
    machine = Machine(Children(_BUDGET))
    readings, changes = glance(machine, Wish(pid, _INTERVAL))
    for one, reading in readings:
        if reading.stuck and one.process.role == "rank" and reading.kind != "gone":
            title = "process {} ({})".format(one.process.pid, one.process.title)
            rank = one.process.rank
            who = title if rank is None else "rank {}, {}".format(rank, title)
            return STUCK, "{} {}".format(who, reading.text)
    for change in changes:
        wrote = max(change.io.get("wchar", 0), change.io.get("rchar", 0))
        if wrote > _BYTES_OF_WRITER * max(1.0, change.span):
            return BUSY, ""
    kinds = [reading.kind for _, reading in readings]
    return (BUSY if "compiling" in kinds or "starting" in kinds else IDLE), ""


def report_event(event: RunEvent, scene: Whereabouts, orders: Orders, number: int) -> int:
    """Diagnose what there is, and write it; return the status that the report stands for."""
    view, paths = _view_of(event, scene)
    shelf = ExcerptShelf()
    report = diagnose_paths(orders.catalogue, paths, None, view=view, shelf=shelf)
    status = report_status(report)
    if event.only_if_known and status != DIAGNOSED:
        return status
    target = None if orders.target is None else numbered(orders.target, number)
    kept = snapshot_name(target)
    notes = [] if kept is None else _keep_snapshot(kept, shelf, report, view, orders)
    _write_report(_event_text(event, report, orders, notes), target, orders.stream)
    if orders.then is not None:
        _run_then(orders.then, _told_environment(event, scene, target, kept))
    return status


def snapshot_name(target: Optional[str]) -> Optional[str]:
    """Name the snapshot beside a report: `crash.snapshot.gz` beside `crash.txt`.

    There is none where the report goes to a stream or to a device.
    """
    if target is None or (os.path.exists(target) and not os.path.isfile(target)):
        return None
    return os.path.splitext(target)[0] + ".snapshot.gz"


def _keep_snapshot(
    target: str, shelf: ExcerptShelf, report: Report, view: MachineView, orders: Orders
) -> List[str]:
    """Write what the diagnosis rests on into one file; say where, or why not."""
    taken = taken_of(shelf, report.observations, view)
    wish = SnapshotWish("--redact" in orders.request.options)
    try:
        write_snapshot(target, taken, orders.catalogue, wish)
    except (UsageError, OSError) as error:
        return ["no snapshot: {}".format(error)]
    return ["snapshot: " + target]


def numbered(target: str, number: int) -> str:
    """Name the file of a further report: `crash.2.txt` beside `crash.txt`."""
    if number == 1:
        return target
    stem, ending = os.path.splitext(target)
    return "{}.{}{}".format(stem, number, ending)


def _view_of(event: RunEvent, scene: Whereabouts) -> Tuple[MachineView, Tuple[str, ...]]:
    machine = Machine(Children(_BUDGET), paths=scene.paths, since=scene.since)
    if not scene.here:
        # A mount may have died since the log was last read.
        paths, refused = readable_paths(machine, scene.paths)
        view = NO_VIEW._replace(refused=refused)
    elif scene.pid is not None:
        view = look_at_training(machine, Wish(scene.pid, _INTERVAL))
        readable, refused = readable_paths(machine, scene.paths)
        paths = tuple(dict.fromkeys((*readable, *view.paths)))
        # What one command started is one run, however many launches it has.
        view = view._replace(refused=(*view.refused, *refused), jobs=())
    else:
        view = look_around(machine, scene.paths)
        paths = view.paths
    view = view._replace(texts=scene.texts, paths=paths, silent=event.silence)
    return view, paths


def _event_text(event: RunEvent, report: Report, orders: Orders, notes: List[str]) -> str:
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    head = wrap_text(visible("{} at {} UTC: {}".format(event.kind, stamp, event.text)), "", "  ")
    for note in notes:
        head += wrap_text(visible(note), "", "  ")
    if "--redact" in orders.request.options:
        report = redacted(report, orders.catalogue)
    render = render_runs if report.runs else render_text
    return "\n".join(head) + "\n\n" + render(report, orders.catalogue, False)


def _write_report(text: str, target: Optional[str], stream: int) -> None:
    """Write to a file, or where there is none or it cannot be written, to a stream."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        handle = stream if target is None else os.open(target, _NEW, 0o666)
    except OSError as error:
        note = "cannot write '{}': {}\n".format(target, (error.strerror or "").lower())
        data, handle = note.encode("utf-8", "backslashreplace") + data, stream
    try:
        while data:
            data = data[os.write(handle, data) :]
    except OSError:
        return


_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def _told_environment(
    event: RunEvent, scene: Whereabouts, target: Optional[str], kept: Optional[str]
) -> Dict[str, str]:
    return {
        "TRAINWRECK_EVENT": event.kind,
        "TRAINWRECK_TEXT": event.text,
        "TRAINWRECK_REPORT": "" if target is None else os.path.abspath(target),
        "TRAINWRECK_SNAPSHOT": "" if kept is None else os.path.abspath(kept),
        "TRAINWRECK_PID": "" if scene.pid is None else str(scene.pid),
    }


def _run_then(command: str, told: Dict[str, str]) -> None:
    """Run what the person asked for, with its output on standard error."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    try:
        os.dup2(2, 1)
        words: List[str] = ["/bin/sh", "-c", command]
        os.execve(words[0], words, {**os.environ, **told})
    finally:
        os._exit(127)
