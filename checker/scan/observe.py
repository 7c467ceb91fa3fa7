"""The scan: paths or texts enter, `Observations` leave. Every file is read once, in blocks."""

import itertools
from typing import (
    Any,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

from checker.collective.dumps import is_flight_dump, read_dump
from checker.model import Input, Observations, Traceback
from checker.scan.errorfile import is_error_file, read_error_file
from checker.scan.gate import Candidates, Gate, templates_of
from checker.scan.gathering import FileFindings, gathered
from checker.scan.interests import Interests, interests_of
from checker.scan.metric_watch import Rows
from checker.scan.peel import Peeler
from checker.scan.places import Place, place_of
from checker.scan.read import IN_ARCHIVE, Source, sources, was_refused, whole_lines
from checker.scan.reading import FileReading
from checker.scan.rejoin import LineJoiner
from checker.scan.rotation import reading_order
from checker.scan.samples import Room
from checker.scan.text import line_pieces, opened_records, plain_bytes
from checker.scan.thrift import Thrift

Read = TypeVar("Read", Input, FileFindings)
INTERRUPTED_HERE = "interrupted here; nothing after it was read"
_HEAD_ROWS = 64
_LOOKED_AT_OF_A_SHAPE = 64
_NOTHING: FrozenSet[str] = frozenset()


def observe(paths: Sequence[str], keys: FrozenSet[str]) -> Observations:
    """Read the paths as given on the command line; what was read before Ctrl-C counts."""
    return _observed(sources(paths), interests_of(keys), {}, {})


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
    found = _members_in_order(thrift.found)
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


class _Chosen(NamedTuple):
    """Why a row is read, and how much around it."""

    names: FrozenSet[str]
    shape: bytes
    context: int
    """Lines of its writer above it that matter."""
    numbers_only: bool


class FileScan:
    """Scans one file: the gate chooses rows, the reading understands them."""

    def __init__(self, path: str, place: Place, interests: Interests, room: Room) -> None:
        """Begin before the first block."""
        self.reading = FileReading(path, place, interests, room)
        self.size = 0
        self.lines = 0
        self._place = place
        self._path = path
        self._interests = interests
        self._gate = Gate(interests.wanted)
        self._next = 1
        self._until = _HEAD_ROWS
        self._last_read = 0
        self._tail: List[Tuple[int, bytes]] = []
        self._joiner: Optional[LineJoiner] = None
        self._looked: Dict[bytes, int] = {}
        self._latest: Dict[bytes, Tuple[int, bytes, FrozenSet[str]]] = {}
        self._error_file: Optional[Traceback] = None
        self._ended_open = False

    def counted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Count bytes and lines on their way."""
        last = b""
        for block in blocks:
            self.size += len(block)
            self.lines += block.count(b"\n")
            last = block[-1:] or last
            yield block
        if last not in (b"", b"\n"):
            self.lines += 1

    def feed(self, block: bytes, goes_on: bool) -> None:
        """Scan a block of whole rows."""
        if self._joiner is None:
            self._joiner = self._begin(block)
        if self._error_file is not None:
            return
        joined = self._joiner.joined(plain_bytes(block), goes_on)
        if joined is not None:
            self._scan(joined, goes_on)

    def _scan(self, block: bytes, goes_on: bool) -> None:
        meant = opened_records(block) if self.reading.peeler.encloses else block
        shapes = templates_of(meant)
        chosen = self._gate.candidates(meant, shapes)
        rows = meant.split(b"\n") if chosen else []
        chosen = self._without_records(meant, rows, chosen)
        records = self._records(block, meant, shapes, chosen)
        if chosen or records or self._until > 0 or self.reading.wants_more():
            rows = rows or meant.split(b"\n")
            printed = rows if meant is block else block.split(b"\n")
            worth = self._worth_reading(meant, rows, printed, chosen)
            for index, shape in records:
                worth.setdefault(index, _Chosen(self._interests.metrics, shape, 0, True))
            self._read_windows(printed, worth)
        self._until = max(0, self._until - len(shapes))
        self._tail = [*self._tail[-1:], (self._next, block)]
        self._next += len(shapes) - (1 if goes_on else 0)

    def _without_records(self, block: bytes, rows: List[bytes], chosen: Candidates) -> Candidates:
        """Leave the rows of metric records to the watch, those of shapes that are new too."""
        metrics, watch = self._interests.metrics, self.reading.watch
        alive: Dict[str, bool] = {}
        found = False
        for index, suspected, shape in chosen:
            names = suspected & metrics
            if (
                names
                and not watch.knows(shape)
                and self._standing(names, block, rows[index], alive)
            ):
                found = watch.learn(shape, suspected) or found
                if watch.knows(shape):
                    self._gate.set_aside(shape)
        return [one for one in chosen if not watch.knows(one[2])] if found else chosen

    def _records(self, block: bytes, meant: bytes, shapes: List[bytes], chosen: Candidates) -> Rows:
        """Choose the metric records to be read; rows that may hold more join the others."""
        watch = self.reading.watch
        present = watch.present(shapes)
        if not present:
            return []
        alive = self._alive(watch.others(present), meant)
        if alive:
            chosen += watch.suspects(shapes, present, alive)
            chosen.sort(key=lambda one: one[0])
        records = watch.choose(self._next, meant, shapes, present, block)
        if watch.loud:
            self._recall()
        first = watch.first_waiting(self._next)
        self.reading.measured = {row for row in self.reading.measured if row >= first}
        return records

    def _recall(self, before: Optional[int] = None, most: Optional[int] = None) -> None:
        """Read the last records that were left out, as far as they stand before a row."""
        for number, row, shape in self.reading.watch.recall(most):
            if before is None or number < before:
                self.reading.read_metrics_only(number, row, shape)

    def _alive(self, names: Iterable[str], block: bytes) -> FrozenSet[str]:
        wanted = self._interests.wanted
        return frozenset(name for name in names if wanted.stands_in(block, name))

    def _begin(self, block: bytes) -> LineJoiner:
        sample = plain_bytes(block[:65536]).split(b"\n")[:400]
        shown = [line_pieces(row)[-1] for row in sample]
        peeler = self.reading.peeler = Peeler(shown)
        if is_error_file(block):
            self._error_file = read_error_file(block, self._path, self._place)
        return LineJoiner(sample, lambda row: bool(peeler.peel(line_pieces(row)[-1]).names))

    def _worth_reading(
        self, block: bytes, rows: List[bytes], printed: List[bytes], chosen: Candidates
    ) -> Dict[int, _Chosen]:
        """Leave out rows of shapes that were looked at often enough; they are counted."""
        most = _LOOKED_AT_OF_A_SHAPE * max(8, len(self.reading.writers))
        metrics, catalogue = self._interests.metrics, self._interests.catalogue
        worth: Dict[int, _Chosen] = {}
        alive: Dict[str, bool] = {}
        for index, suspected, shape in chosen:
            row = rows[index]
            names = frozenset(self._standing(suspected, block, row, alive))
            if not names:
                continue
            looked = self._looked[shape] = self._looked.get(shape, 0) + 1
            numbers_only = names <= metrics
            if looked <= most or numbers_only:
                context = 0 if numbers_only else 3 if names.isdisjoint(catalogue) else 8
                worth[index] = _Chosen(names, shape, context, numbers_only)
            elif not names.isdisjoint(catalogue):
                self.reading.hits.count_loosely(shape, 1)
                self._latest[shape] = (self._next + index, printed[index], names)
        return worth

    def _standing(
        self, names: Iterable[str], block: bytes, row: bytes, alive: Dict[str, bool]
    ) -> List[str]:
        """List the literals that do stand in a row; *alive* are those of its block."""
        wanted = self._interests.wanted
        standing = []
        for name in names:
            if name not in alive:
                alive[name] = wanted.stands_in(block, name)
            if alive[name] and wanted.stands_in(row, name):
                standing.append(name)
        return standing

    def _read_windows(self, rows: List[bytes], worth: Dict[int, _Chosen]) -> None:
        reading, base = self.reading, self._next
        width = max(2, min(32, len(reading.writers)))
        starts = sorted(worth)
        upcoming, index = 0, 0
        while index < len(rows):
            if index >= self._until and not reading.wants_more():
                while upcoming < len(starts) and starts[upcoming] < index:
                    upcoming += 1
                if upcoming == len(starts):
                    return
                next_start = starts[upcoming]
                if worth[next_start].numbers_only:
                    self._skip_to(max(index, next_start), base, 0)
                    self._read_numbers(base + next_start, rows[next_start], worth[next_start])
                    index = next_start + 1
                    continue
                above = worth[next_start].context * width
                index = self._skip_to(max(index, next_start - above), base, above - next_start)
                self._until = max(self._until, next_start + (3 if above else 1))
            row_chosen = worth.get(index)
            if row_chosen is None:
                reading.read(base + index, rows[index], _NOTHING, b"")
            elif row_chosen.numbers_only and not reading.wants_more():
                self._read_numbers(base + index, rows[index], row_chosen)
            else:
                self._until = max(self._until, index + 3)
                reading.read(base + index, rows[index], row_chosen.names, row_chosen.shape)
            self._last_read = base + index
            index += 1

    def _read_numbers(self, number: int, row: bytes, chosen: _Chosen) -> None:
        self.reading.read_metrics_only(number, row, chosen.shape)
        self._last_read = number

    def _skip_to(self, index: int, base: int, missing: int) -> int:
        """Note a gap; bring lines of the block before where the window begins this block."""
        if base + index - 1 > self._last_read:
            self.reading.gap()
            if missing > 0 and self._tail:
                number, block = self._tail[-1]
                rows = block.split(b"\n")
                begin = max(0, len(rows) - missing, self._last_read - number + 1)
                for offset in range(begin, len(rows)):
                    self.reading.read(number + offset, rows[offset], _NOTHING, b"")
        return index

    def _read_message(self, block: Traceback) -> None:
        """Look for the catalogue's literals in the message of an error file."""
        message = block.line.text.encode("utf-8", "replace").replace(b"\n", b" ")
        for _, names, shape in self._gate.candidates(message, templates_of(message)):
            self.reading.read(1, message, names, shape)

    def finish(self) -> FileFindings:
        """Read the last rows, and hand over what was found."""
        rest = self._joiner.rest() if self._joiner is not None else None
        if rest is not None:
            self._scan(rest, False)
        for shape, (number, row, names) in sorted(
            self._latest.items(), key=lambda item: item[1][0]
        ):
            if number > self._last_read:
                self.reading.gap()
                self.reading.read(number, row, names, shape)
        self.reading.gap()
        most = max(128, 6 * len(self.reading.writers))
        rows = [
            (number + offset, row)
            for number, block in self._tail
            for offset, row in enumerate(block.split(b"\n"))
        ]
        left = [(number, row) for number, row in rows[-most:] if number > self._last_read]
        self._recall(left[0][0] if left else None, most)
        for number, row in left:
            self.reading.read(number, row, _NOTHING, b"")
        if self._error_file is not None:
            self._read_message(self._error_file)
        tracebacks = self.reading.finish()
        if self._error_file is not None:
            tracebacks = [self._error_file]
            self.reading.errors = []
        return FileFindings(self._path, self._place, self.reading, tuple(tracebacks))
