"""The findings of a file, completed by what all files together say: who wrote, in which attempt."""

from typing import Dict, List, Optional, Sequence, Set, Tuple

from checker.collective.records import CollectiveNote
from checker.model import (
    Exit,
    Fact,
    Hit,
    LeftOut,
    Line,
    Observations,
    Sample,
    SharedEvent,
    Stack,
    Traceback,
    Writer,
)
from checker.packed import Packer
from checker.scan.attempts import attempt_at
from checker.scan.findings import FileFindings
from checker.scan.lives import Beginnings, seen_in_attempts
from checker.scan.naming import Naming
from checker.scan.notes import WriterNotes
from checker.scan.places import Place
from checker.scan.ranks import Seen
from checker.scan.stacks import stacks_at_interrupt


class Namer:
    """Completes the writers of records with what all files together say."""

    def __init__(
        self, naming: Naming, places: Dict[str, Place], begun: Dict[str, Beginnings]
    ) -> None:
        self._naming = naming
        self._places = places
        self._begun = begun
        self._path = ""
        """What is known already is of this path: thousands of files come one after the other."""
        self._known: Dict[Tuple[Writer, Optional[int]], Writer] = {}
        self._in_attempts: Dict[Tuple[Writer, Optional[int]], Writer] = {}
        self._lines: Dict[Line, Line] = {}
        """Several records of a file can stand on one line."""

    def _enter(self, path: str) -> None:
        if path != self._path:
            self._path = path
            self._known, self._in_attempts, self._lines = {}, {}, {}

    def writer(self, writer: Writer, path: str, pid: Optional[int] = None) -> Writer:
        """Name a writer of a file."""
        self._enter(path)
        key = (writer, pid)
        known = self._known.get(key)
        if known is None:
            place = self._places.get(path, Place())
            known = self._known[key] = self._naming.named(of_place(writer, place), path, pid)
        return known

    def seen(self, notes: WriterNotes, path: str) -> List[Seen]:
        """Tell until when a writer wrote, in each attempt."""
        writer = self.writer(notes.writer, path)
        if path not in self._begun:
            return [Seen(writer, notes.last_step, notes.last_moment)]
        return [
            Seen(writer._replace(attempt=attempt), step, moment)
            for attempt, step, moment in seen_in_attempts(notes, self._begun[path])
        ]

    def dated(self, end: Exit) -> Exit:
        """Tell the attempt of an end before the tellings of one end are joined."""
        if end.line.path not in self._begun:
            return end
        return end._replace(line=end.line._replace(writer=self._in_attempt(end.line)))

    def _in_attempt(self, line: Line) -> Writer:
        begun = self._begun.get(line.path)
        if begun is None or line.writer.source in ("kernel", "service"):
            return line.writer
        attempt = attempt_at(begun, line.number)
        self._enter(line.path)
        key = (line.writer, attempt)
        known = self._in_attempts.get(key)
        if known is None:
            known = self._in_attempts[key] = line.writer._replace(attempt=attempt)
        return known

    def line(self, line: Line) -> Line:
        """Name the writer of a line."""
        self._enter(line.path)
        named = self._lines.get(line)
        if named is None:
            writer = self.writer(self._in_attempt(line), line.path, line.pid)
            # Spelled out, since there may be thousands and `_replace` is slow.
            named = line if writer is line.writer else Line(*line[:4], writer, *line[5:])
            self._lines[line] = named
        return named

    def lasting(self, line: Line) -> Line:
        """Name a line that tells of no one attempt."""
        return line._replace(writer=self.writer(line.writer, line.path, line.pid))

    def hit(self, hit: Hit) -> Hit:
        """Name the writer of a hit."""
        return hit._replace(line=self.line(hit.line))

    def exit(self, end: Exit) -> Exit:
        """Name the writer that tells an end."""
        return end._replace(line=self.line(end.line))

    def block(self, block: Traceback) -> Traceback:
        """Name the writer of an exception block."""
        line = self.line(block.line)
        if block.parts and block.parts[-1].type.endswith("ChildFailedError"):
            writer = line.writer._replace(source="launcher", rank=None, local_rank=None)
            line = line._replace(writer=writer)
        return block._replace(line=line)

    def owner(self, one: FileFindings) -> Tuple[Optional[int], Optional[str]]:
        """Tell the rank and the host of a file, where there is one."""
        writers = [self.writer(notes.writer, one.path) for notes in one.reading.writers.values()]
        ranks = {writer.rank for writer in writers if writer.source == "rank"}
        hosts = {writer.host for writer in writers if writer.host}
        named = self._places.get(one.path, Place()).rank
        return (
            named if named is not None else ranks.pop() if len(ranks) == 1 else None,
            hosts.pop() if len(hosts) == 1 else None,
        )


class Records:
    """The records of all files, complete; the findings of one file after the other enter."""

    def __init__(self, namer: Namer, exits: Sequence[Exit], ranks: Dict[int, Set[int]]) -> None:
        """Begin with none; *ranks* tells which ranks a process id is known to be."""
        self.facts: Packer[Fact] = Packer()
        self.collectives: Packer[CollectiveNote] = Packer()
        self._namer = namer
        self._ranks = ranks
        self._died = any(end.code and end.by == "itself" for end in exits)
        self._hits: Packer[Hit] = Packer()
        self._tracebacks: Packer[Traceback] = Packer()
        self._samples: Packer[Sample] = Packer()
        self._stacks: Packer[Stack] = Packer()
        self._errors: Packer[Line] = Packer()
        self._asked: List[Line] = []
        self._shared: List[SharedEvent] = []
        self._left_out: Packer[LeftOut] = Packer()

    def take(self, one: FileFindings) -> None:
        """Complete the records of a file."""
        reading, line = one.reading, self._namer.line
        self._hits.extend(map(self._namer.hit, reading.hits.hits()))
        blocks = _judged_by_ends(one) if self._died else one.tracebacks
        self._tracebacks.extend(map(self._namer.block, blocks))
        self._samples.extend(
            Sample(line(sample.line), sample.step, sample.values) for sample in _samples_in(one)
        )
        for stack in _stacks_in(one):
            self._stacks.add(_of_rank(stack._replace(line=line(stack.line)), self._ranks))
        for fact in reading.facts:
            told = self._namer.lasting(fact.line) if fact.line is not None else None
            self.facts.add(fact._replace(line=told))
        self._errors.extend(map(line, reading.errors))
        self._asked += map(line, reading.asked)
        self._shared += [
            event._replace(line=line(event.line)) for event in reading.identities.shared
        ]
        self.collectives.extend(note._replace(line=line(note.line)) for note in reading.collectives)
        self._left_out.extend(_records_left_out(one, self._namer))

    def added_to(self, seen: Observations) -> Observations:
        """Hand over all records."""
        return seen._replace(
            hits=self._hits.packed(),
            tracebacks=self._tracebacks.packed(),
            samples=self._samples.packed(),
            stacks=self._stacks.packed(),
            facts=self.facts.packed(),
            errors=self._errors.packed(),
            asked=tuple(self._asked),
            shared=tuple(self._shared),
            left_out=self._left_out.packed(),
        )


def _samples_in(one: FileFindings) -> List[Sample]:
    rows = [
        sample._replace(step=None) if notes.bar.stands_inside(sample.values) else sample
        for notes in one.reading.writers.values()
        for sample in notes.samples.kept()
    ]
    rows.sort(key=lambda sample: sample.line.number)
    return rows


def _stacks_in(one: FileFindings) -> List[Stack]:
    rows = [stack for notes in one.reading.writers.values() for stack in notes.stacks.stacks]
    rows += [stack for block in one.tracebacks for stack in stacks_at_interrupt(block)]
    rows.sort(key=lambda stack: stack.line.number)
    return rows


def _records_left_out(one: FileFindings, namer: Namer) -> List[LeftOut]:
    """List the metric records that were not kept: of one writer, or of a block of rows."""
    gaps = [LeftOut(one.path, None, *gap) for gap in one.reading.watch.gaps()]
    for notes in one.reading.writers.values():
        if notes.samples.gaps:
            writer = namer.writer(notes.writer, one.path)
            gaps.extend(LeftOut(one.path, writer, *gap) for gap in notes.samples.gaps)
    return gaps


def of_place(writer: Writer, place: Place) -> Writer:
    """Let the file name the task where the line does not, and a rank be what all names show."""
    if writer.local_rank is None and writer.rank is not None and writer.rank == place.local_rank:
        return writer._replace(rank=None, local_rank=place.local_rank)
    if place.task is None or writer.task is not None:
        return writer
    source = "rank" if writer.source == "unknown" else writer.source
    return writer._replace(source=source, task=place.task)


def _judged_by_ends(one: FileFindings) -> List[Traceback]:
    """Let no handled block hide what may have ended a process, where lines tell no writer."""
    bare = [block for block in one.tracebacks if not block.handled and not block.ignored]
    last = max((block.end for block in bare), default=0)
    steps = max(
        (
            sample.line.number
            for notes in one.reading.writers.values()
            for sample in notes.samples.kept()[-1:]
        ),
        default=0,
    )
    return [
        block._replace(handled=False)
        if block.handled and _is_nameless(block.line.writer) and block.end > max(last, steps)
        else block
        for block in one.tracebacks
    ]


def _is_nameless(writer: Writer) -> bool:
    return writer.source == "unknown" and writer.rank is None


def _of_rank(stack: Stack, ranks: Dict[int, Set[int]]) -> Stack:
    """Join a dump that names a process only to the one rank that had this id."""
    known = ranks.get(stack.pid or 0, ())
    writer = stack.line.writer
    if len(known) != 1 or writer.rank is not None or writer.source not in ("unknown", "rank"):
        return stack
    owner = writer._replace(source="rank", rank=min(known))
    return stack._replace(line=stack.line._replace(writer=owner))
