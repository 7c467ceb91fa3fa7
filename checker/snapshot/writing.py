"""A snapshot is written: what was found on a machine and in logs enters, a file leaves.

What is written was masked before. A file appears whole or not at all, and replaces no other one.
"""

import os
import sys
import time
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from checker.arguments import UsageError
from checker.catalogue import Catalogue
from checker.identity import NAME, VERSION
from checker.model import Fact, Input, Moment
from checker.probe.looking import MachineView
from checker.report.clock_text import moment_text
from checker.snapshot.excerpts import ExcerptShelf, KeptLog
from checker.snapshot.form import (
    FORM_VERSION,
    SNAPSHOT_KEY,
    fact_record,
    form_line,
    input_record,
    log_record,
    row_records,
)
from checker.snapshot.masking import Masker, masker_for, unlike

STDOUT = "-"


class Station(NamedTuple):
    """Which machine it was, in which of its lives, and when."""

    host: str
    boot: str
    utc: float
    monotonic: float
    since_boot: Optional[float]


class Taken(NamedTuple):
    """What a snapshot is made of."""

    shelf: ExcerptShelf
    inputs: Sequence[Input]
    view: MachineView
    station: Optional[Station]
    """None for logs of which it is not known where they were written."""


class SnapshotWish(NamedTuple):
    """What a person wants of it."""

    redact: bool = False
    """Mask names of users and hosts, and addresses, too."""
    salt: str = ""
    """Makes pseudonyms that are the same in snapshots of many machines."""


NO_WISH = SnapshotWish()


class Written(NamedTuple):
    """What was written."""

    size: int
    facts: int
    logs: int
    rows: int
    masked: Dict[str, int]


def this_station() -> Station:
    """Tell where and when the checker runs."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read(64).strip()
    except (OSError, UnicodeDecodeError):
        boot = ""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    since = round(time.clock_gettime(clock), 3) if clock is not None else None
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return Station(host, boot, round(time.time(), 3), round(time.monotonic(), 3), since)


def write_snapshot(
    target: str, taken: Taken, catalogue: Catalogue, wish: SnapshotWish = NO_WISH
) -> Written:
    """Write a snapshot to a file, or to standard output; raise UsageError where that fails."""
    counted: Dict[str, Any] = {}
    lines = _section(taken, catalogue, wish, counted)
    size = put_bytes(target, compressed(lines))
    return Written(size, counted["facts"], counted["logs"], counted["rows"], counted["masked"])


def _section(
    taken: Taken, catalogue: Catalogue, wish: SnapshotWish, counted: Dict[str, Any]
) -> Iterator[bytes]:
    """Write what one machine tells; *counted* is filled."""
    logs = taken.shelf.logs()
    masker = masker_for(
        _texts_told(taken, logs), _hosts_told(taken), catalogue, wish.redact, wish.salt
    )
    yield form_line(_head(taken, catalogue, wish, masker))
    facts = [_masked_fact(fact, masker) for fact in taken.view.facts]
    for fact in facts:
        yield form_line(fact_record(fact))
    for _, pid, rank in taken.view.processes:
        yield form_line({"process": pid, "rank": rank})
    paths = [given.path for given in taken.inputs] + [log.path for log in logs]
    names = unlike((path, masker.text(path)) for path in dict.fromkeys(paths))
    files, others = _files_of_logs(taken.inputs, {log.path for log in logs})
    for given in others:
        yield form_line({"input": input_record(_masked_input(given, names, masker))})
    kept = 0
    for log in logs:
        shown = [_masked_input(given, names, masker) for given in files.get(log.path, ())]
        masked = _masked_log(log, names, masker)
        yield form_line(log_record(masked, shown, log.path in taken.view.logs))
        kept += len(masked.rows)
        for record in row_records(masked.rows):
            yield form_line(record)
    counted.update(facts=len(facts), logs=len(logs), rows=kept, masked=masker.counts())
    yield form_line({"end": dict(counted)})


def _head(taken: Taken, catalogue: Catalogue, wish: SnapshotWish, masker: Masker) -> Dict[str, Any]:
    station = taken.station
    head: Dict[str, Any] = {
        SNAPSHOT_KEY: FORM_VERSION,
        "tool": {"name": NAME, "version": VERSION, "catalogue": catalogue.sha256},
        "redacted": wish.redact,
        "world_size": taken.view.world_size,
        "host": None,
    }
    if station is None:
        return head
    return {
        **head,
        "host": masker.name(station.host) if station.host else None,
        "boot": None if wish.redact else station.boot,
        "taken": moment_text(Moment(station.utc, "utc", 1.0)),
        "clock": {
            "utc": station.utc,
            "monotonic": station.monotonic,
            "since_boot": station.since_boot,
        },
    }


def _texts_told(taken: Taken, logs: Iterable[KeptLog]) -> Iterator[str]:
    """List all texts, from which names of users and hosts are learned."""
    for fact in taken.view.facts:
        values = fact.value if isinstance(fact.value, (list, tuple)) else [fact.value]
        yield from (value for value in values if isinstance(value, str))
        if fact.line is not None:
            yield fact.line.shown
    for given in taken.inputs:
        yield given.path
    for log in logs:
        yield from (text for _, text in log.rows)


def _hosts_told(taken: Taken) -> List[str]:
    hosts = [given.host for given in taken.inputs if given.host]
    return hosts + ([taken.station.host] if taken.station is not None else [])


def _masked_fact(fact: Fact, masker: Masker) -> Fact:
    line = fact.line
    if line is not None:
        line = line._replace(text=masker.text(line.text), shown=masker.text(line.shown))
    unknown = None if fact.unknown is None else masker.text(fact.unknown)
    return fact._replace(value=masker.value(fact.value), unknown=unknown, line=line)


def _masked_input(given: Input, names: Dict[str, str], masker: Masker) -> Input:
    reason = None if given.reason is None else masker.text(given.reason)
    part_of = names.get(given.part_of or "", given.part_of)
    return given._replace(path=names[given.path], reason=reason, part_of=part_of)


def _masked_log(log: KeptLog, names: Dict[str, str], masker: Masker) -> KeptLog:
    texts = masker.rows(text for _, text in log.rows)
    rows = tuple((number, text) for (number, _), text in zip(log.rows, texts))
    parts = tuple(part._replace(path=names.get(part.path, part.path)) for part in log.parts)
    return log._replace(path=names[log.path], parts=parts, rows=rows, dump=masker.text(log.dump))


def _files_of_logs(
    inputs: Sequence[Input], logs: Iterable[str]
) -> Tuple[Dict[str, List[Input]], List[Input]]:
    """Tell the files of each log from what is none of any."""
    files: Dict[str, List[Input]] = {path: [] for path in logs}
    others = []
    for given in inputs:
        of_log = files.get(given.part_of or given.path)
        if of_log is None:
            others.append(given)
        else:
            of_log.append(given)
    return files, others


def compressed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Compress lines; a Python without zlib writes them as they are."""
    try:
        import zlib  # noqa: PLC0415 - may be missing, and costs start-up
    except ImportError:
        yield from lines
        return
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    for line in lines:
        yield packer.compress(line)
    yield packer.flush()


def put_bytes(target: str, blocks: Iterable[bytes]) -> int:
    """Write blocks to a file that appears whole or not at all, or to standard output."""
    if target == STDOUT:
        return _to_stdout(blocks)
    refuse_existing(target)
    beside = "{}.{}.part".format(target, os.getpid())
    try:
        size = _to_file(beside, blocks)
        _move(beside, target)
    except OSError as error:
        raise UsageError(
            "cannot write '{}': {}".format(target, (error.strerror or str(error)).lower()),
            "name a file elsewhere with -o",
        ) from error
    finally:
        _remove(beside)
    return size


def refuse_existing(target: str) -> None:
    """Refuse to write over what is there; raise UsageError."""
    if target != STDOUT and os.path.lexists(target):
        raise UsageError(
            "'{}' is there already, and a snapshot replaces nothing".format(target),
            "name another file with -o, or remove that one",
        )


def _to_file(path: str, blocks: Iterable[bytes]) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    size = 0
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        for block in blocks:
            size += file.write(block)
        file.flush()
    return size


def _move(beside: str, target: str) -> None:
    """Give the file its name, unless there is one of that name by now."""
    try:
        os.link(beside, target)
    except FileExistsError:
        raise
    except (OSError, AttributeError):  # Some file systems have no links.
        refuse_existing(target)
        os.rename(beside, target)


def _remove(path: str) -> None:
    try:  # noqa: SIM105 - what it would need costs every start
        os.unlink(path)
    except OSError:
        pass


def _to_stdout(blocks: Iterable[bytes]) -> int:
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or sys.stdout.isatty():
        raise UsageError(
            "a snapshot is no text for a terminal", "name a file with -o, or lead it into a pipe"
        )
    size = 0
    try:
        for block in blocks:
            stream.write(block)
            size += len(block)
        stream.flush()
    except OSError as error:
        # Python would try again, and complain, when it flushes stdout at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UsageError(
            "cannot write to standard output: {}".format((error.strerror or "").lower()),
            "name a file with -o",
        ) from error
    return size
