"""The scan of one file: blocks of rows enter; what was found in them leaves."""

import itertools
from typing import (
    Dict,
    FrozenSet,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from checker.model import Line, Moment, PartBegin, Traceback, Writer
from checker.scan.asked import asked_pieces
from checker.scan.attention import Attention, Care, LeftBlock, block_at, goes_on_below
from checker.scan.choosing import ChosenRow, RowChooser
from checker.scan.errorfile import is_error_file, read_error_file
from checker.scan.findings import FileFindings
from checker.scan.gate import Gate, Sifted
from checker.scan.interests import Interests
from checker.scan.metric_watch import Rows
from checker.scan.moments import moment_gap
from checker.scan.peel import Peeler
from checker.scan.places import Place
from checker.scan.reading import FileReading
from checker.scan.rejoin import LineJoiner
from checker.scan.samples import Room
from checker.scan.text import line_pieces, opened_records, plain_bytes
from checker.scan.writers import writer_of
from checker.snapshot.recorded import RecordedReading

_HEAD_ROWS = 64
_SAMPLE_ROWS, _SAMPLE_BYTES = 400, 65536
# Writers of one log do not keep the order of their times to the second.
_OVERLAP = 5.0
_NOTHING: FrozenSet[str] = frozenset()


class FileScan:
    """Scans one file: the gate chooses rows, the reading understands them."""

    def __init__(
        self, path: str, place: Place, interests: Interests, gate: Gate, *, room: Room, care: Care
    ) -> None:
        """Begin before the first block; the *gate* knows the templates of other files too."""
        made = FileReading if interests.shelf is None else RecordedReading
        self.reading = made(path, place, interests, room)
        self.size = 0
        self.place = place
        self.path = path
        """Of the log: of its first file."""
        self._interests = interests
        self._gate = gate
        self._next = 1
        self._until = _HEAD_ROWS
        self._last_read = 0
        self._tail: List[Tuple[int, bytes]] = []
        self._joiner: Optional[LineJoiner] = None
        self._waiting: List[Tuple[bytes, bool]] = []
        """Blocks until there are enough rows to learn from."""
        self._attention = Attention(interests.catalogue, care)
        # Rows of the present block that begin an exception and are left out; the last one before.
        self._headers: Set[int] = set()
        self._left: Optional[LeftBlock] = None
        self._chooser = RowChooser(interests, self._attention, self.reading.hits)
        self._error_file: Optional[Traceback] = None
        self._aside = 0
        """Rows that wait, and those of an error file."""
        self._goes_on = False
        self._asked: Optional[int] = None
        """The line of this file, in the log, that a person asks about."""

    def begin_file(self, path: str, first: int) -> None:
        """Begin the first file, or a further one, whose line *first* goes on with the log."""
        begin = self.lines + 1
        if begin > 1:
            self.reading.parts = (*self.reading.parts, PartBegin(begin, path, first))
        asked = self._interests.asked
        if self._asked is not None and self._asked >= begin:
            # The file that was named has no such line.
            self._asked = None
        if asked and asked[0] == path and asked[1] >= first:
            self._asked = begin + asked[1] - first

    def is_before(self, block: bytes) -> Optional[bool]:
        """Tell whether a block was written after all that was read; None if no times tell."""
        read = [*(tail for _, tail in self._tail), *(waiting for waiting, _ in self._waiting)]
        earlier = [row for block in read[-2:] for row in block.split(b"\n")][-_SAMPLE_ROWS:]
        later = _sample_of([block])
        peeler = Peeler([line_pieces(row)[-1] for row in earlier + later])
        last, first = _first_time(peeler, earlier[::-1]), _first_time(peeler, later)
        gap = None if last is None or first is None else moment_gap(last, first)
        return None if gap is None else gap >= -_OVERLAP

    @property
    def lines(self) -> int:
        """How many lines were fed, the last one with its beginning."""
        held = self._joiner.rows_held() if self._joiner is not None else 0
        return self._next - 1 + self._aside + held + self._goes_on

    def counted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Count bytes on their way."""
        for block in blocks:
            self.size += len(block)
            yield block

    def feed(self, block: bytes, goes_on: bool) -> None:
        """Scan a block of whole rows."""
        self._goes_on = goes_on
        if self._joiner is not None and self._error_file is None:
            self._join(self._joiner, block, goes_on)
            return
        self._aside += block.count(b"\n") + 1 - goes_on
        if self._joiner is None:
            self._waiting.append((block, goes_on))
            if sum(len(waiting) for waiting, _ in self._waiting) >= _SAMPLE_BYTES:
                self._begin()

    def _learn_from(self, sample: Sequence[str]) -> None:
        """Learn how lines look, and whether the file is of one process."""
        peeler = self.reading.peeler = Peeler(sample)
        rank = self.place.rank
        # A rank in the name of a file into which several local ranks write is that of their node.
        if rank is not None and len({peeler.peel(row).local_rank for row in sample} - {None}) > 1:
            self.place = self.reading.place = self.place._replace(rank=None, number=rank)

    def _begin(self) -> LineJoiner:
        """Learn from a sample how lines look, and scan what waited for that."""
        waiting, self._waiting = self._waiting, []
        sample = _sample_of([block for block, _ in waiting])
        self._learn_from([line_pieces(row)[-1] for row in sample])
        peeler = self.reading.peeler
        joiner = LineJoiner(sample, lambda row: bool(peeler.peel(line_pieces(row)[-1]).names))
        self._joiner = joiner
        if waiting and is_error_file(waiting[0][0]):
            self._error_file = read_error_file(waiting[0][0], self.path, self.place)
            if isinstance(self.reading, RecordedReading):
                self.reading.note_block(waiting[0][0])
            return joiner
        self._aside = 0
        for block, goes_on in waiting:
            self._join(joiner, block, goes_on)
        return joiner

    def _join(self, joiner: LineJoiner, block: bytes, goes_on: bool) -> None:
        joined = joiner.joined(plain_bytes(block), goes_on)
        if joined is not None:
            self._scan(joined, goes_on)

    def _scan(self, block: bytes, goes_on: bool) -> None:
        meant = opened_records(block) if self.reading.peeler.encloses else block
        sifted = self._gate.sift(meant)
        shapes = sifted.shapes
        if sifted.hot or self._until > 0 or self.reading.wants_more():
            self._read_block(block, meant, sifted)
        if self._asked is not None and 0 <= self._asked - self._next < len(shapes):
            row = block.split(b"\n")[self._asked - self._next]
            self._ask(self._asked, row)
        self._until = max(0, self._until - len(shapes))
        self._tail = [*self._tail[-1:], (self._next, block)]
        self._next += len(shapes) - (1 if goes_on else 0)

    def _ask(self, number: int, row: bytes) -> None:
        reading = self.reading
        nobody = Writer("unknown", None, None, None, None)
        place = Line(self.path, number, "", "", nobody, None, None, None, reading.parts)
        reading.asked += asked_pieces(
            place, row, reading.peeler, lambda peeled: writer_of(peeled, self.place)
        )

    def _read_block(self, block: bytes, meant: bytes, sifted: Sifted) -> None:
        """Read what matters of a block; *meant* is what its records hold."""
        shapes, hot = sifted
        watch = self.reading.watch
        self._learn_records(meant, sifted)
        present = frozenset([shape for shape in hot if watch.knows(shape)])
        # Rows of metric records are left to the watch, unless they may hold more.
        asked = {
            shape: names
            for shape, names in hot.items()
            if shape not in present or not names.isdisjoint(watch.others(shape))
        }
        records = self._records(meant, shapes, present, block) if present else []
        if not asked and not records and self._until <= 0 and not self.reading.wants_more():
            return
        rows = meant.split(b"\n")
        printed = rows if meant is block else block.split(b"\n")
        worth, self._headers = self._chooser.worth_reading(
            self._next, rows, printed, (shapes, asked)
        )
        for index, shape in records:
            worth.setdefault(index, ChosenRow(self._interests.metrics, shape, 0, True))
        self._read_windows(printed, worth)

    def _learn_records(self, block: bytes, sifted: Sifted) -> None:
        """Tell the watch of new shapes whose rows hold a metric."""
        metrics, watch = self._interests.metrics, self.reading.watch
        shapes, hot = sifted
        fresh = [shape for shape, names in hot.items() if not names.isdisjoint(metrics)]
        stands_in = self._interests.wanted.stands_in
        rows: List[bytes] = []
        for shape in sorted(shape for shape in fresh if not watch.knows(shape)):
            rows = rows or block.split(b"\n")
            if any(
                known == shape and any(stands_in(row, name) for name in hot[shape] & metrics)
                for row, known in zip(rows, shapes)
            ):
                watch.learn(shape, self._gate.literals(shape))

    def _records(
        self, meant: bytes, shapes: List[bytes], present: FrozenSet[bytes], block: bytes
    ) -> Rows:
        """Choose the metric records to be read."""
        watch = self.reading.watch
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

    def _read_windows(self, rows: List[bytes], worth: Dict[int, ChosenRow]) -> None:
        reading, base = self.reading, self._next
        width = max(2, min(32, len(reading.writers)))
        starts = sorted(worth)
        upcoming, index = 0, 0
        while index < len(rows):
            if index in self._headers and not (reading.wants_more() and goes_on_below(rows, index)):
                reading.end_blocks()
                self._until = min(self._until, index)
                index += 1
                continue
            if index >= self._until and not reading.wants_more():
                while upcoming < len(starts) and starts[upcoming] < index:
                    upcoming += 1
                if upcoming == len(starts):
                    break
                next_start = starts[upcoming]
                chosen = worth[next_start]
                if chosen.numbers_only:
                    self._skip_to(max(index, next_start), base, 0)
                    self._read_numbers(base + next_start, rows[next_start], chosen)
                    index = next_start + 1
                    continue
                above = chosen.context * width
                begin = self._last_left_block(max(index, next_start - above))
                if begin is not None:
                    index = self._skip_to(max(begin - 1, self._last_read + 1 - base), base, 0)
                    self._until = begin + 1
                    continue
                self._read_left()
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
        last = self._last_left_block(len(rows))
        if last is not None:
            self._left = block_at(rows, last, base)

    def _last_left_block(self, before: int) -> Optional[int]:
        """Find the last header above a row and below what was read whose block was left out."""
        left = [header for header in self._headers if header < before]
        self._headers.difference_update(left)
        return max(left) if left and self._next + max(left) > self._last_read else None

    def _read_left(self) -> None:
        """Read the last block that was left out of the rows before, unless later ones were read."""
        left, self._left = self._left, None
        if left is None or left.number <= self._last_read:
            return
        self.reading.gap()
        for offset, row in enumerate(left.rows):
            if offset > 1 and not self.reading.wants_more():
                break
            self.reading.read(left.number + offset, row, _NOTHING, b"")
            self._last_read = left.number + offset

    def _read_numbers(self, number: int, row: bytes, chosen: ChosenRow) -> None:
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
        for shape, names in self._gate.sift(message).hot.items():
            self.reading.read(1, message, names, shape)

    def finish(self) -> FileFindings:
        """Read the last rows, and hand over what was found."""
        rest = (self._joiner or self._begin()).rest()
        if rest is not None:
            self._scan(rest, False)
        self._read_left()
        for shape, (number, row, names) in sorted(
            self._chooser.latest.items(), key=lambda item: item[1][0]
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
        tracebacks = self.reading.finish(not self._attention.tired)
        if self.reading.parts:
            # A block may end in a later file than it begins.
            parts = self.reading.parts
            tracebacks = [b._replace(line=b.line._replace(parts=parts)) for b in tracebacks]
        if self._error_file is not None:
            tracebacks = [self._error_file]
            self.reading.errors = []
        return FileFindings(self.path, self.place, self.reading, tuple(tracebacks))


def _sample_of(blocks: List[bytes]) -> List[bytes]:
    """Take the first rows."""
    rows = (row for block in blocks for row in plain_bytes(block[:_SAMPLE_BYTES]).split(b"\n"))
    return list(itertools.islice(rows, _SAMPLE_ROWS))


def _first_time(peeler: Peeler, rows: List[bytes]) -> Optional[Moment]:
    pieces = (piece for row in rows for piece in line_pieces(row)[-1:])
    moments = (peeled.moment for piece in pieces for peeled in peeler.lines(piece))
    return next((moment for moment in moments if moment is not None), None)
