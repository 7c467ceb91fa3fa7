"""What the files say, put together. Findings of files enter; `Observations` leave."""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from checker.collective.lagging import with_lags
from checker.model import (
    Exit,
    Fact,
    Hit,
    Input,
    LauncherVerdict,
    LeftOut,
    Line,
    Observations,
    Sample,
    Stack,
    Traceback,
    Writer,
)
from checker.scan.attempts import attempt_at
from checker.scan.cgroups import ranks_of_victims, strangers_of
from checker.scan.lives import Beginnings, beginnings_of, counts_in_turn, seen_in_attempts
from checker.scan.naming import (
    PRINTED,
    Clues,
    Known,
    Naming,
    naming_of,
    no_clues,
    note_stated,
    world_size_of,
)
from checker.scan.places import Place, places_of
from checker.scan.ranks import Homes, Seen, joined_exits, last_times, rank_states
from checker.scan.readers import VERSION_OF, WORLD_SIZE
from checker.scan.reading import FileReading, WriterNotes
from checker.scan.stacks import stacks_at_interrupt


class FileFindings(NamedTuple):
    """What one file says."""

    path: str
    place: Place
    reading: FileReading
    tracebacks: Tuple[Traceback, ...]


def gathered(
    found: Sequence[FileFindings],
    inputs: Sequence[Input],
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Observations:
    """Put everything together."""
    places = places_of([one.path for one in found])
    clues = _clues(found, places)
    naming = naming_of(clues)
    begun = beginnings_of([(one.path, one.place, one.reading) for one in found])
    jobs = {job for one in found for job in one.reading.attempts.jobs}
    by_path = {one.path: one for one in found}
    namer = _Namer(naming, places, begun)
    told: List[Exit] = []
    victims = [victim for one in found for victim in one.reading.identities.victims]
    for one in found:
        told.extend(map(namer.dated, one.reading.exits.all()))
        told.extend(map(namer.dated, one.reading.block.exits))
    exits = [namer.exit(end) for end in _ends(found, told, naming, places)]
    died = any(end.code and end.by == "itself" for end in exits)
    seen = [
        one_seen
        for one in found
        for notes in one.reading.writers.values()
        for one_seen in namer.seen(notes, one.path)
    ]
    notes = [
        note._replace(line=namer.line(note.line))
        for one in found
        for note in one.reading.collectives
    ]
    observations = Observations(
        inputs=tuple(namer.input(given, by_path.get(given.path)) for given in inputs),
        hits=tuple(namer.hit(hit) for one in found for hit in one.reading.hits.hits()),
        tracebacks=tuple(
            namer.block(block) for one in found for block in _judged_by_ends(one, died)
        ),
        exits=tuple(exits),
        samples=tuple(_samples(found, namer)),
        stacks=tuple(_stacks(found, namer, _ranks_by_pid(found, exits, naming))),
        facts=tuple(_facts(found, namer, facts, versions)),
        errors=tuple(namer.line(line) for one in found for line in one.reading.errors),
        asked=tuple(namer.line(line) for one in found for line in one.reading.asked),
        ranks=tuple(rank_states(seen, exits)),
        world_size=world_size_of(clues),
        sources=frozenset(name for one in found for name in _sources(one)),
        verdicts=_verdicts(found, begun),
        attempts=tuple(
            (path, first, number) for path in sorted(begun) for first, number in begun[path]
        ),
        last_times=tuple(last_times(seen)),
        devices=tuple(_devices(clues, namer)),
        victims=tuple(ranks_of_victims(victims, _ranks_by_path(found, namer))),
        strangers=strangers_of(victims, jobs),
        shared=tuple(
            event._replace(line=namer.line(event.line))
            for one in found
            for event in one.reading.identities.shared
        ),
        ties=tuple(tie for one in found for tie in one.reading.identities.ties()),
        mixed=frozenset(one.path for one in found if counts_in_turn(one.reading)),
        left_out=tuple(_records_left_out(found, namer)),
    )
    return with_lags(observations, notes)


def _devices(clues: Clues, namer: "_Namer") -> List[Tuple[Optional[str], str, int]]:
    found = {
        (writer.host, joined.bus, writer.rank)
        for (_, pid), joined in clues.nccl.items()
        for writer in (namer.writer(joined.writer, joined.path, pid),)
        if joined.bus is not None and writer.rank is not None
    }
    return sorted(found, key=lambda device: (device[0] or "", *device[1:]))


def _ranks_by_path(found: Sequence[FileFindings], namer: "_Namer") -> Dict[str, Set[int]]:
    ranks: Dict[str, Set[int]] = {}
    for one in found:
        for notes in one.reading.writers.values():
            rank = namer.writer(notes.writer, one.path).rank
            if rank is not None:
                ranks.setdefault(one.path, set()).add(rank)
    return ranks


class _Namer:
    """Completes the writers of records with what all files together say."""

    def __init__(
        self, naming: Naming, places: Dict[str, Place], begun: Dict[str, Beginnings]
    ) -> None:
        self._naming = naming
        self._places = places
        self._begun = begun
        self._known: Dict[Tuple[Writer, str, Optional[int]], Writer] = {}

    def writer(self, writer: Writer, path: str, pid: Optional[int] = None) -> Writer:
        key = (writer, path, pid)
        known = self._known.get(key)
        if known is None:
            place = self._places.get(path, Place())
            known = self._known[key] = self._naming.named(_of_place(writer, place), path, pid)
        return known

    def seen(self, notes: WriterNotes, path: str) -> List[Seen]:
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
        key = (line.writer, "", attempt)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = line.writer._replace(attempt=attempt)
        return known

    def line(self, line: Line) -> Line:
        writer = self.writer(self._in_attempt(line), line.path, line.pid)
        # Spelled out, since there may be thousands and `_replace` is slow.
        return line if writer is line.writer else Line(*line[:4], writer, *line[5:])

    def lasting(self, line: Line) -> Line:
        """Name a line that tells of no one attempt."""
        return line._replace(writer=self.writer(line.writer, line.path, line.pid))

    def hit(self, hit: Hit) -> Hit:
        return hit._replace(line=self.line(hit.line))

    def exit(self, end: Exit) -> Exit:
        return end._replace(line=self.line(end.line))

    def block(self, block: Traceback) -> Traceback:
        line = self.line(block.line)
        if block.parts and block.parts[-1].type.endswith("ChildFailedError"):
            writer = line.writer._replace(source="launcher", rank=None, local_rank=None)
            line = line._replace(writer=writer)
        return block._replace(line=line)

    def input(self, given: Input, one: Optional[FileFindings]) -> Input:
        if one is None:
            return given
        writers = [self.writer(notes.writer, one.path) for notes in one.reading.writers.values()]
        ranks = {writer.rank for writer in writers if writer.source == "rank"}
        hosts = {writer.host for writer in writers if writer.host}
        return given._replace(
            rank=given.rank if given.rank is not None else ranks.pop() if len(ranks) == 1 else None,
            host=hosts.pop() if len(hosts) == 1 else None,
        )


def _clues(found: Sequence[FileFindings], places: Dict[str, Place]) -> Clues:
    clues = no_clues()
    for one in found:
        place = places.get(one.path, Place())
        if place.node is not None:
            clues.folders[one.path] = place.node
        if place.number is not None:
            clues.numbers[one.path] = place.number
        for notes in one.reading.writers.values():
            _note_writer(clues, one.path, _of_place(notes.writer, place))
        clues.placed.extend(one.reading.block.places)
        for writer, stated in one.reading.identities.stated:
            note_stated(clues, one.path, _of_place(writer, place), stated)
        clues.nccl.update(one.reading.identities.nccl)
        clues.sizes.extend(f.value for f in one.reading.facts if f.name == WORLD_SIZE)
        ends = (end.task for end in one.reading.exits.all())
        clues.tasks.update(task for task in ends if task is not None)
    agents = any(one.reading.identities.has_agent for one in found)
    return clues._replace(agents=agents)


def _note_writer(clues: Clues, path: str, writer: Writer) -> None:
    clues.writers.add((path, writer))
    if writer.rank is not None:
        clues.known.append(Known(PRINTED, path, writer, writer.rank))
    if writer.task is not None:
        clues.tasks.add(writer.task)


def _of_place(writer: Writer, place: Place) -> Writer:
    """Let the file name the task where the line does not, and a rank be what all names show."""
    if writer.local_rank is None and writer.rank is not None and writer.rank == place.local_rank:
        return writer._replace(rank=None, local_rank=place.local_rank)
    if place.task is None or writer.task is not None:
        return writer
    source = "rank" if writer.source == "unknown" else writer.source
    return writer._replace(source=source, task=place.task)


def _ends(
    found: Sequence[FileFindings], told: List[Exit], naming: Naming, places: Dict[str, Place]
) -> List[Exit]:
    teardown: Set[int] = set()
    kills: Set[Tuple[Optional[str], int]] = set()
    homes: Homes = {}
    for one in found:
        teardown |= one.reading.teardown
        kills |= one.reading.kernel_kills
        for pid, writer in one.reading.identities.pids.items():
            own = _of_place(writer, places.get(one.path, Place()))
            named = naming.named(own, one.path, pid)
            if (named.rank, named.local_rank) != (None, None):
                homes.setdefault(pid, []).append((named, one.path))
    return joined_exits(told, naming, teardown, kills, homes)


def _judged_by_ends(one: FileFindings, died: bool) -> List[Traceback]:
    """Let no handled block hide what may have ended a process, where lines tell no writer."""
    if not died:
        return list(one.tracebacks)
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


def _samples(found: Sequence[FileFindings], namer: _Namer) -> List[Sample]:
    samples: List[Sample] = []
    for one in found:
        rows = [
            sample._replace(step=None) if notes.bar.stands_inside(sample.values) else sample
            for notes in one.reading.writers.values()
            for sample in notes.samples.kept()
        ]
        rows.sort(key=lambda sample: sample.line.number)
        samples.extend(
            [Sample(namer.line(sample.line), sample.step, sample.values) for sample in rows]
        )
    return samples


def _records_left_out(found: Sequence[FileFindings], namer: _Namer) -> List[LeftOut]:
    """List the metric records that were not kept: of one writer, or of a block of rows."""
    gaps: List[LeftOut] = []
    for one in found:
        gaps.extend(LeftOut(one.path, None, *gap) for gap in one.reading.watch.gaps())
        for notes in one.reading.writers.values():
            if notes.samples.gaps:
                writer = namer.writer(notes.writer, one.path)
                gaps.extend(LeftOut(one.path, writer, *gap) for gap in notes.samples.gaps)
    return gaps


def _stacks(
    found: Sequence[FileFindings], namer: _Namer, ranks: Dict[int, Set[int]]
) -> List[Stack]:
    stacks: List[Stack] = []
    for one in found:
        rows = [stack for notes in one.reading.writers.values() for stack in notes.stacks.stacks]
        rows += [stack for block in one.tracebacks for stack in stacks_at_interrupt(block)]
        rows.sort(key=lambda stack: stack.line.number)
        stacks.extend(stack._replace(line=namer.line(stack.line)) for stack in rows)
    return [_of_rank(stack, ranks) for stack in stacks]


def _ranks_by_pid(
    found: Sequence[FileFindings], exits: Sequence[Exit], naming: Naming
) -> Dict[int, Set[int]]:
    """List which ranks a process id is known to be; on several hosts it can be several."""
    ranks: Dict[int, Set[int]] = {}
    for end in exits:
        if end.pid is not None and end.rank is not None:
            ranks.setdefault(end.pid, set()).add(end.rank)
    for one in found:
        for pid, writer in one.reading.identities.pids.items():
            known = naming.named(writer, one.path, pid).rank
            if known is not None:
                ranks.setdefault(pid, set()).add(known)
    for (_, pid), rank in naming.by_process.items():
        ranks.setdefault(pid, set()).add(rank)
    return ranks


def _of_rank(stack: Stack, ranks: Dict[int, Set[int]]) -> Stack:
    """Join a dump that names a process only to the one rank that had this id."""
    known = ranks.get(stack.pid or 0, ())
    writer = stack.line.writer
    if len(known) != 1 or writer.rank is not None or writer.source not in ("unknown", "rank"):
        return stack
    owner = writer._replace(source="rank", rank=min(known))
    return stack._replace(line=stack.line._replace(writer=owner))


def _facts(
    found: Sequence[FileFindings],
    namer: _Namer,
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> List[Fact]:
    given = [Fact(name, facts[name], None, None) for name in sorted(facts)]
    given += [Fact(VERSION_OF + name, versions[name], None, None) for name in sorted(versions)]
    for one in found:
        for fact in one.reading.facts:
            line = namer.lasting(fact.line) if fact.line is not None else None
            given.append(fact._replace(line=line))
    return given


def _sources(one: FileFindings) -> Set[str]:
    return one.reading.sources | {notes.writer.source for notes in one.reading.writers.values()}


def _verdicts(
    found: Sequence[FileFindings], begun: Dict[str, Beginnings]
) -> Tuple[LauncherVerdict, ...]:
    """List what the launchers named in the last attempt of each file, the earliest first."""
    told = {
        (verdict.rank, verdict.exit, verdict.time): verdict
        for one in sorted(found, key=lambda one: one.path, reverse=True)
        for verdict in one.reading.block.verdicts
        if verdict.line.number >= begun.get(one.path, [(1, 0)])[-1][0]
    }
    return tuple(sorted(told.values(), key=lambda verdict: (verdict.time, verdict.rank)))
