"""The scan: paths or texts enter, `Observations` leave. Every file is read once, in blocks."""

import itertools
from typing import (
    Any,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

from checker.collective.dumps import is_flight_dump, read_dump
from checker.model import Input, Observations
from checker.scan.completing import FileFindings
from checker.scan.filescan import FileScan
from checker.scan.gathering import gathered
from checker.scan.interests import AskedLine, Interests, interests_of
from checker.scan.places import Place, place_of
from checker.scan.read import IN_ARCHIVE, Source, sources, was_refused, whole_lines
from checker.scan.rotation import reading_order
from checker.scan.samples import Room
from checker.scan.thrift import Thrift

Read = TypeVar("Read", Input, FileFindings)
INTERRUPTED_HERE = "interrupted here; nothing after it was read"


def observe(
    paths: Sequence[str],
    keys: FrozenSet[str],
    asked: Optional[AskedLine] = None,
    texts: Optional[Mapping[str, str]] = None,
) -> Observations:
    """Read the paths as given on the command line; what was read before Ctrl-C counts.

    *asked* is a line of which all is kept that was read; *texts* were got otherwise, by name.
    """
    given = itertools.chain(sources(paths), _sources_of(texts or {}))
    return _observed(given, interests_of(keys)._replace(asked=asked), {}, {})


def _members_in_order(records: Sequence[Read]) -> List[Read]:
    """Sort the members of each archive, which keeps them in any order."""
    order = reading_order([record.path for record in records if IN_ARCHIVE in record.path])
    groups = itertools.groupby(records, lambda record: record.path.partition(IN_ARCHIVE)[0])
    return [
        one for _, group in groups for one in sorted(group, key=lambda record: order(record.path))
    ]


def observe_texts(
    files: Mapping[str, str],
    keys: FrozenSet[str],
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Observations:
    """Read texts by file name, with facts and versions as if probed."""
    return _observed(_sources_of(files), interests_of(keys), facts, versions)


def _sources_of(files: Mapping[str, str]) -> Iterator[Source]:
    for path in sorted(files):
        data = files[path].encode("utf-8", "replace")
        blocks = (data[start : start + 98304] for start in range(0, len(data), 98304))
        yield Source(path, True, None, blocks, [])


def _observed(
    given: Iterable[Source],
    interests: Interests,
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Observations:
    thrift = Thrift()
    inputs: List[Input] = []
    for source in given:
        one, findings = _scanned(source, interests, thrift.room())
        inputs.append(one)
        if findings is not None:
            thrift.keep(findings)
        if INTERRUPTED_HERE in source.remarks:
            break
    found = _members_in_order(thrift.handed_over())
    return gathered(found, _members_in_order(inputs), facts, versions)


def _scanned(
    source: Source, interests: Interests, room: Room
) -> Tuple[Input, Optional[FileFindings]]:
    path, place = source.path, place_of(source.path)
    if source.reason is not None:
        status = "unreadable" if source.named else "skipped"
        refused = was_refused(source)
        return Input(path, status, source.reason, None, None, None, None, None, refused), None
    first = next(source.blocks, b"")
    blocks = itertools.chain((first,), source.blocks)
    if is_flight_dump(first):
        return _dumped(source, blocks, place, interests, room)
    scan = FileScan(path, place, interests, room)
    try:
        for block, goes_on in whole_lines(scan.counted(blocks)):
            scan.feed(block, goes_on)
    except OSError as error:
        source.remarks.append((error.strerror or "could not be read on").lower())
    except KeyboardInterrupt:
        source.remarks.append(INTERRUPTED_HERE)
    findings = scan.finish()
    reason = "; ".join(source.remarks) or None
    given = Input(
        path, "read", reason, scan.size, scan.lines, None, place.rank, place.attempt, False
    )
    return given, findings


def _dumped(
    source: Source, blocks: Iterator[bytes], place: Place, interests: Interests, room: Room
) -> Tuple[Input, Optional[FileFindings]]:
    """Read a dump of the flight recorder, which has no lines."""
    scan = FileScan(source.path, place, interests, room)
    dump = read_dump(scan.counted(blocks), source.path, place)
    if dump.refused is not None:
        status = "unreadable" if source.named else "skipped"
        path = source.path
        refused = source.named
        return Input(path, status, dump.refused, None, None, None, None, None, refused), None
    scan.reading.collectives = list(dump.notes)
    given = Input(
        source.path, "read", None, scan.size, None, None, place.rank, place.attempt, False
    )
    return given, FileFindings(source.path, place, scan.reading, ())
