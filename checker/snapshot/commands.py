"""The commands that write and join snapshots: a `Request` enters, an `Outcome` leaves."""

from typing import Any, Dict, Iterator, List, Sequence

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.check import (
    FORMATS,
    chosen_format,
    compared_report,
    report_status,
    shown_report,
    trouble_lines,
    view_of_machine,
)
from checker.model import Observations
from checker.outcome import INTERRUPTED, NOTHING_RECOGNIZED, Outcome
from checker.packed import RoomForRecords
from checker.pipeline import diagnose_paths
from checker.probe.looking import NO_VIEW, MachineView
from checker.report.phrases import counted
from checker.report.redact import counts_sentence
from checker.scan.chaining import INTERRUPTED_HERE
from checker.snapshot.excerpts import ExcerptShelf
from checker.snapshot.joining import hosts_of, joined_blocks, records_of_snapshots, snapshot_files
from checker.snapshot.writing import (
    STDOUT,
    SnapshotWish,
    Taken,
    Written,
    put_bytes,
    refuse_existing,
    this_station,
    write_records,
    write_snapshot,
)

# Of thousands of nodes this takes 200 MB more, and half the time.
_RECORDS_OF_MANY_NODES = 1 << 16


def run_snapshot(request: Request, catalogue: Catalogue) -> Outcome:
    """Look at the machine, read the logs, and write what they tell into one file."""
    target = request.options.get("--output")
    if target is None:
        raise UsageError("a snapshot needs a file", "write snapshot -o FILE, or -o - for a pipe")
    refuse_existing(target)
    wish = snapshot_wish(request)
    view = view_of_machine(request)
    paths = view.paths if view is not NO_VIEW else request.words
    shelf = ExcerptShelf()
    report = diagnose_paths(
        catalogue, paths, None, view=view, progress=request.progress, shelf=shelf
    )
    taken = taken_of(shelf, report.observations, view)
    written = write_snapshot(target, taken, catalogue, wish)
    trouble = trouble_lines(report, request.words, NOTHING_RECOGNIZED)
    trouble += written_lines(target, written)
    inputs = report.observations.inputs
    cut = any(INTERRUPTED_HERE in (given.reason or "") for given in inputs)
    return Outcome(INTERRUPTED if cut else NOTHING_RECOGNIZED, "", tuple(trouble))


def run_merge(request: Request, catalogue: Catalogue) -> Outcome:
    """Diagnose the snapshots of many machines as one run, and join them if that is wanted."""
    render = chosen_format(request.options.get("--format", "text"), FORMATS)
    target = request.options.get("--output")
    if target is not None:
        refuse_existing(target)
    wish = snapshot_wish(request)
    paths, refused = snapshot_files(request.words)
    view = NO_VIEW._replace(refused=refused)
    with RoomForRecords(_RECORDS_OF_MANY_NODES):
        report = diagnose_paths(catalogue, paths, None, view=view, progress=request.progress)
    status = report_status(report)
    trouble = trouble_lines(report, tuple(paths), status)
    if target is not None:
        trouble.append(_join(target, paths, wish, catalogue))
    report = compared_report(report, request)
    text = render(shown_report(report, catalogue, request), catalogue, request)
    return Outcome(status, text, tuple(trouble), written=target is not None)


def _join(target: str, paths: Sequence[str], wish: SnapshotWish, catalogue: Catalogue) -> str:
    """Write the joined snapshot; say what was written."""
    joined = counted(len(paths), "snapshot")
    if not wish.redact:
        size = put_bytes(target, joined_blocks(paths))
        return "{}: {:,} bytes, {}, with names and addresses".format(target, size, joined)

    def _records() -> Iterator[Dict[str, Any]]:
        return records_of_snapshots(paths)

    written = write_records(target, _records, hosts_of(paths), catalogue, wish)
    return "{}; {}".format(written_lines(target, written)[0].rstrip("."), joined)


def taken_of(shelf: ExcerptShelf, seen: Observations, view: MachineView) -> Taken:
    """Put together what a snapshot is made of."""
    station = this_station() if view.facts else None
    return Taken(shelf, seen.inputs, view, station)


def snapshot_wish(request: Request) -> SnapshotWish:
    """Read what the person wants masked."""
    salt = request.options.get("--salt", "")
    if salt and "--redact" not in request.options:
        raise UsageError("--salt is for the pseudonyms of --redact", "write --redact too")
    return SnapshotWish("--redact" in request.options, salt)


def written_lines(target: str, written: Written) -> List[str]:
    """Say what was written, and what was masked in it."""
    name = "standard output" if target == STDOUT else target
    held = "{}, {} of {}".format(
        counted(written.facts, "fact"),
        counted(written.rows, "line"),
        counted(written.logs, "log"),
    )
    masked = counts_sentence(written.masked.items())
    return ["{}: {:,} bytes, {}. {}".format(name, written.size, held, masked)]
