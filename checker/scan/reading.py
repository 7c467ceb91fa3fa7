"""The close reading of the lines that the gate let through.

Rows of one file enter, in their order but with gaps; what they say is collected by writer.
"""

import re
from typing import Dict, FrozenSet, List, Optional, Set, Tuple

from checker.collective.lines import COLLECTIVE_LITERALS, read_collective
from checker.collective.records import CollectiveNote
from checker.model import HOST_SOURCES, Fact, Line, PartBegin, Sample, Traceback, Writer
from checker.scan.advice import reports_end, reports_error
from checker.scan.attempts import AttemptBook
from checker.scan.blocks import TracebackBook
from checker.scan.exits import ExitBook
from checker.scan.gate import literal_key
from checker.scan.hits import HitBook, WriterKey
from checker.scan.identities import IdentityBook
from checker.scan.interests import Interests
from checker.scan.metric_asks import tells_alone
from checker.scan.metric_shapes import ShapeBook
from checker.scan.metric_watch import MetricWatch
from checker.scan.metrics import Reading, read_metrics
from checker.scan.notes import WriterNotes
from checker.scan.peel import Peeler
from checker.scan.places import Place
from checker.scan.prefix_readings import Peeled
from checker.scan.quoting import is_mentioned
from checker.scan.readers import read_facts
from checker.scan.rejoin import JOINED_ROW
from checker.scan.samples import Room
from checker.scan.stacks import PROCESS_HEADS
from checker.scan.tables import column_names, with_columns
from checker.scan.text import holds_any, holds_literal, line_pieces
from checker.scan.timebook import TimeBook
from checker.scan.verdicts import FailureBlockReader
from checker.scan.writers import launcher_instead, writer_key, writer_of

_KEPT_ERRORS = 8
_KEPT_ENDS = 4
_KEPT_NOTES = 65536
_PATIENCE = 1000
_NARROWEST_TERMINAL = 79
# What a process that ends may still print.
_TEARDOWN_NOISE = (
    "destroy_process_group",
    "leaked ",
    "resource_tracker",
    "wandb: ",
    "TCPStore",
    "ProcessGroupNCCL",
)
_ELASTIC_ERRORS = "torch.distributed.elastic.multiprocessing.errors."


class FileReading:
    """Reads rows of one file closely."""

    __slots__ = (
        "_after_gap",
        "_again",
        "_before",
        "_before_key",
        "_interests",
        "_lines_read",
        "_open",
        "_room",
        "_shapes",
        "_told",
        "_tracebacks",
        "asked",
        "attempts",
        "block",
        "collectives",
        "errors",
        "exits",
        "facts",
        "hits",
        "identities",
        "kernel_kills",
        "measured",
        "parts",
        "path",
        "peeler",
        "place",
        "sources",
        "teardown",
        "times",
        "watch",
        "writers",
    )

    def __init__(self, path: str, place: Place, interests: Interests, room: Room) -> None:
        """Begin before the first row."""
        self.path = path
        self.parts: Tuple[PartBegin, ...] = ()
        self._room = room
        self.place = place
        self.peeler = Peeler(())
        self.hits = HitBook()
        self.exits = ExitBook()
        self.attempts = AttemptBook()
        self.block = FailureBlockReader()
        self.facts: List[Fact] = []
        self.collectives: List[CollectiveNote] = []
        self.times = TimeBook()
        """First times that were read, of all but machines' logs."""
        self.errors: List[Line] = []
        self.writers: Dict[WriterKey, WriterNotes] = {}
        self.sources: Set[str] = set()
        self.teardown: Set[int] = set()
        self.kernel_kills: Set[Tuple[Optional[str], int]] = set()
        """Host and process id."""
        self.identities = IdentityBook(path)
        self._interests = interests
        self._tracebacks = TracebackBook()
        self._open: Dict[WriterKey, WriterNotes] = {}
        self._lines_read = 0
        self._after_gap = False
        self.watch = MetricWatch(interests.asks)
        self.measured: Set[int] = set()
        self._again = False
        self._shapes = ShapeBook(interests.metrics)
        self._before: Optional[Line] = None
        self._before_key: WriterKey = ()
        self._told: Set[Tuple[str, object]] = set()
        self.asked: List[Line] = []

    def wants_more(self) -> bool:
        """Tell whether the next row belongs to something that has begun."""
        return (
            bool(self._open) or self.hits.waits or self.block.is_open or self.attempts.watching > 0
        )

    def gap(self) -> None:
        """Rows were left out."""
        if self._after_gap:
            return
        self._after_gap = True
        self.hits.gap()
        for notes in self.writers.values():
            notes.recent.clear()
            notes.tracebacks.forget()

    def read(self, number: int, row: bytes, names: FrozenSet[str], shape: bytes) -> None:
        """Read a row; *names* are the literals that it may hold."""
        if row == JOINED_ROW:
            return
        self._after_gap = False
        self._again = number in self.measured
        self.measured.add(number)
        for piece in line_pieces(row, names):
            for peeled in self.peeler.lines(piece):
                self._read_line(number, peeled, names, shape)
        self.hits.passed()
        self.attempts.passed()

    def read_metrics_only(self, number: int, row: bytes, shape: bytes) -> None:
        """Read a row that matters for its numbers alone, once."""
        if number in self.measured:
            return
        self.measured.add(number)
        piece = line_pieces(row)[-1]
        known = self._shapes.read(shape, piece)
        if known is not None:
            self._keep_measured(number, piece, *known)
            return
        peeled = self.peeler.peel(piece)
        key = writer_key(peeled)
        notes = self.writers.get(key) or self._meet(key, peeled, None)
        if notes.own.holds(number, peeled.text, True):
            return
        reading = read_metrics(peeled.text, self._interests.metrics)
        if reading is not None and notes.writer.source in ("rank", "unknown"):
            self._keep_measured(number, piece, notes, peeled, reading)
            self._shapes.learn(shape, piece, peeled, notes)

    def _keep_measured(
        self, number: int, piece: str, notes: WriterNotes, peeled: Peeled, reading: Reading
    ) -> None:
        if number >= notes.last_number:
            notes.last_number = number
            notes.last_moment = peeled.moment or notes.last_moment
        self._keep_sample(notes, self._line(number, piece, peeled, notes.writer), reading)

    def _line(self, number: int, piece: str, peeled: Peeled, writer: Writer) -> Line:
        return Line(
            self.path,
            number,
            peeled.text,
            piece,
            writer,
            peeled.pid,
            peeled.moment,
            peeled.level,
            self.parts,
        )

    def _read_line(self, number: int, peeled: Peeled, names: FrozenSet[str], shape: bytes) -> None:
        key = writer_key(peeled)
        notes = self.writers.get(key)
        if notes is None or (notes.writer.rank is None and peeled.rank is not None):
            notes = self._meet(key, peeled, notes)
        if notes.own.holds(number, peeled.text, bool(names)):
            return
        line = self._line(number, peeled.shown, peeled, notes.writer)
        in_block = self.block.feed(line)
        by_form = in_block or peeled.text.startswith(_ELASTIC_ERRORS)
        if by_form and peeled.can_be_launcher:
            line = line._replace(writer=launcher_instead(line.writer))
        self.sources.add(line.writer.source)
        by_agent = line.writer.source == "launcher" and bool(in_block or peeled.names)
        self.identities.meet(line, notes.writer, by_agent)
        if peeled.moment is not None:
            notes.last_moment = peeled.moment
            if peeled.other_moment is not None:
                self.identities.tie(line.writer.host, peeled.moment, peeled.other_moment)
            if line.writer.source not in HOST_SOURCES:
                self.times.add(number, peeled.moment)
        notes.last_number = number
        self.hits.below(key, peeled.text)
        if self.peeler.prefixed and self.hits.waits and not peeled.names and not in_block:
            self._go_on_wrapped(key, line)
        if not COLLECTIVE_LITERALS.isdisjoint(names) and len(self.collectives) < _KEPT_NOTES:
            self.collectives += read_collective(line, names)
        if names:
            keys = frozenset(
                literal_key(name)
                for name in names
                if name in self._interests.catalogue
                and holds_literal(peeled.text, name)
                and not is_mentioned(line, name)
            )
            if keys:
                self.hits.add(shape, key, line, keys, tuple(notes.recent))
        notes.recent.append(peeled.text)
        self._understand(key, notes, line, bool(names), in_block)
        self._before, self._before_key = line, key

    def _go_on_wrapped(self, key: WriterKey, line: Line) -> None:
        """Join what a terminal wrapped: the second half has no prefix."""
        before = self._before
        if before is None or before.number != line.number - 1 or self._before_key == key:
            return
        if line.writer.source in ("unknown", "rank") and _ends_abruptly(before.shown):
            self.hits.wrapped(self._before_key, before.number, line.text)

    def _meet(self, key: WriterKey, peeled: Peeled, known: Optional[WriterNotes]) -> WriterNotes:
        writer = writer_of(peeled, self.place)
        if known is None:
            known = self.writers[key] = WriterNotes(writer, self._room)
        else:
            known.writer = writer
        return known

    def _understand(
        self, key: WriterKey, notes: WriterNotes, line: Line, marked: bool, in_block: bool
    ) -> None:
        before = self._before if self._before and self._before.number == line.number - 1 else None
        if notes.tracebacks.is_open and self.attempts.knows(notes, line.text):
            notes.tracebacks.close()
        inside = not in_block and notes.tracebacks.feed(line, before, notes.last_moment)
        if in_block:
            notes.tracebacks.close()
            self.attempts.end(notes, line.number, True)
        if not inside and (marked or notes.stacks.is_open or line.text.startswith(PROCESS_HEADS)):
            inside = notes.stacks.feed(line)
        self._collect(key, notes)
        if inside:
            if marked and self.exits.read(line):
                self._note_error(notes, line, True)
            return
        if line.text.strip() and not holds_any(line.shown, _TEARDOWN_NOISE):
            notes.last_ordinary = line.number
        told = not in_block and self.exits.read(line)
        if told:
            self.attempts.failed(line)
            self.attempts.end(notes, line.number, True)
            self.attempts.job(line)
        if marked:
            self._read_marks(line)
        if not in_block and not self._measure(notes, line) and not told:
            self.attempts.line(notes, line, key[0] != "unknown")
        if marked and not in_block:
            self._note_error(notes, line, told)

    def _note_error(self, notes: WriterNotes, line: Line, told: bool) -> None:
        """Keep a line that reports an error, and the end of a process even after many others."""
        if notes.errors >= _KEPT_ERRORS + _KEPT_ENDS:
            return
        if reports_end(line) or (not told and notes.errors < _KEPT_ERRORS and reports_error(line)):
            notes.errors += 1
            self.errors.append(line)

    def _collect(self, key: WriterKey, notes: WriterNotes) -> None:
        for found in notes.tracebacks.take():
            self._tracebacks.add(key, found)
            if not found.handled and not found.ignored:
                self.attempts.end(notes, found.end, False)
        self._lines_read += 1
        self._open.pop(key, None)
        if notes.tracebacks.is_open or notes.stacks.is_open:
            notes.seen_at = self._lines_read
            self._open[key] = notes
        # The one that has been silent longest stands first.
        first = next(iter(self._open), None)
        if first is not None and self._lines_read - self._open[first].seen_at >= _PATIENCE:
            del self._open[first]

    def _read_marks(self, line: Line) -> None:
        text = line.text
        if "num_local_procs=" in text:
            self.exits.alone = re.search(r"num_local_procs=1\b", text) is not None
        if "closing signal SIG" in text or "forcefully exiting via" in text:
            self.teardown.update(_pids_in(text))
        if "Killed process" in text and line.writer.source in ("kernel", "service", "unknown"):
            killed = _pids_in(text.partition("Killed process")[2])[:1]
            self.kernel_kills.update((line.writer.host, pid) for pid in killed)
        self.identities.read(line)
        for fact in read_facts(line):
            if (fact.name, fact.value) not in self._told and len(self._told) < 4096:
                self._told.add((fact.name, fact.value))
                self.facts.append(fact)

    def _measure(self, notes: WriterNotes, line: Line) -> bool:
        if line.writer.source not in ("rank", "unknown"):
            return False
        reading = read_metrics(line.text, self._interests.metrics)
        notes.table = column_names(line.text) or notes.table
        if notes.table:
            reading = with_columns(reading, notes.table, line.text)
        if reading is not None and not self._again:
            self._keep_sample(notes, line, reading)
        return reading is not None

    def _keep_sample(self, notes: WriterNotes, line: Line, reading: Reading) -> None:
        reading = notes.bar.seen(reading)
        samples, late = notes.samples, line.number < notes.last_measured
        telling = samples.is_full() and (
            (self.watch.loud and not samples.is_sparse())
            or tells_alone(self._interests.asks, reading.values)
        )
        samples.add(Sample(line, reading.step, reading.values), telling)
        if reading.step is not None and not late:
            notes.last_step = reading.step
            self.attempts.step(notes, line.number, reading.step)
        notes.last_measured = max(notes.last_measured, line.number)

    def end_blocks(self) -> None:
        """End what is open: the lines that follow are left out."""
        self._close(list(self._open))
        self.attempts.watching = 0

    def _close(self, keys: List[WriterKey]) -> None:
        for key in keys:
            notes = self.writers[key]
            notes.tracebacks.close()
            notes.stacks.close()
            self._collect(key, notes)

    def finish(self, exact: bool) -> List[Traceback]:
        """End the file and hand over its blocks; *exact* tells whether every one was read."""
        self.block.close()
        self._close(list(self.writers))
        found = self._tracebacks.blocks(exact)
        latest = {key: block.line.number for key, block in found}
        blocks = [self._settled(key, block, latest[key]) for key, block in found]
        blocks.extend(self.block.tracebacks)
        blocks.sort(key=lambda block: (block.line.number, block.end))
        self._release()
        return blocks

    def _release(self) -> None:
        """Give back what only reading needs: a run can have thousands of files."""
        for notes in self.writers.values():
            del notes.recent, notes.tracebacks
        del self.measured, self._shapes, self._told, self._tracebacks, self._open, self.peeler
        del self._interests, self._room
        self._before = None
        self.watch.release()
        self.hits.close()
        self.attempts.close()

    def _settled(self, key: WriterKey, block: Traceback, latest: int) -> Traceback:
        """A writer that wrote nothing after its exception did not go on."""
        notes = self.writers[key]
        doubtful = block.handled and block.line.number in notes.tracebacks.doubtful
        if doubtful and max(notes.last_ordinary, latest) <= block.end:
            return block._replace(handled=False)
        return block


def _ends_abruptly(shown: str) -> bool:
    """Tell whether a line ends as no message does, or after a word where a terminal may end."""
    last = shown[-1:]
    return last in " :,([=-" or (last.isalnum() and len(shown) >= _NARROWEST_TERMINAL)


def _pids_in(text: str) -> List[int]:
    words = text.replace(",", " ").replace("(", " ").split()
    return [int(word) for word in words if word.isdigit() and len(word) < 10]
