"""A snapshot is written: what was found on a machine and in logs enters, a file leaves.

What is written was masked before. A file appears whole or not at all, and replaces no other one.
"""

import os
import sys
import time
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from checker.arguments import UsageError
from checker.catalogue import Catalogue
from checker.identity import NAME, VERSION
from checker.model import Input, Moment
from checker.probe.looking import MachineView
from checker.report.clock_text import moment_text
from checker.snapshot.excerpts import ExcerptShelf, KeptLog
from checker.snapshot.form import (
    CLOCK_NAMES,
    END_KEY,
    fact_record,
    form_line,
    head_record,
    input_record,
    log_record,
    row_records,
    with_ends,
)
from checker.snapshot.masked import RecordMasker, texts_in
from checker.snapshot.masking import masker_for

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
    logs = taken.shelf.logs()

    def _records() -> Iterator[Dict[str, Any]]:
        return _section(taken, logs, catalogue)

    return write_records(target, _records, _hosts_told(taken), catalogue, wish)


def write_records(
    target: str,
    records: Callable[[], Iterator[Dict[str, Any]]],
    hosts: Sequence[str],
    catalogue: Catalogue,
    wish: SnapshotWish,
) -> Written:
    """Mask records and write them; they are walked through twice where names are masked."""
    texts = texts_in(records()) if wish.redact else ()
    masker = masker_for(texts, hosts, catalogue, wish.redact, wish.salt)
    maker = RecordMasker(masker)
    held: List[Dict[str, int]] = []

    def _lines() -> Iterator[bytes]:
        for record in with_ends(records()):
            held.extend([record[END_KEY]] if END_KEY in record else ())
            yield form_line(maker.masked(record))

    size = put_bytes(target, compressed(_lines()))
    facts, logs, rows = (sum(one[name] for one in held) for name in ("facts", "logs", "rows"))
    return Written(size, facts, logs, rows, masker.counts())


def _section(
    taken: Taken, logs: Sequence[KeptLog], catalogue: Catalogue
) -> Iterator[Dict[str, Any]]:
    """Tell what one machine tells, record by record."""
    yield _head(taken, catalogue)
    for fact in taken.view.facts:
        yield fact_record(fact)
    for _, pid, rank in taken.view.processes:
        yield {"process": pid, "rank": rank}
    files, others = _files_of_logs(taken.inputs, [log.path for log in logs])
    for given in others:
        yield {"input": input_record(given)}
    for log in logs:
        yield log_record(log, files.get(log.path, ()), log.path in taken.view.logs)
        yield from row_records(log.rows)


def _head(taken: Taken, catalogue: Catalogue) -> Dict[str, Any]:
    station = taken.station or Station("", "", 0.0, 0.0, None)
    tool = {"name": NAME, "version": VERSION, "catalogue": catalogue.sha256}
    return head_record(
        station.host or None,
        station.boot,
        moment_text(Moment(station.utc, "utc", 1.0)) or "",
        {name: getattr(station, name) for name in CLOCK_NAMES},
        {"tool": tool, "world_size": taken.view.world_size},
    )


def _hosts_told(taken: Taken) -> List[str]:
    hosts = [given.host for given in taken.inputs if given.host]
    return hosts + ([taken.station.host] if taken.station is not None else [])


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
