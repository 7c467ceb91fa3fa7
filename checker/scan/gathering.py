"""What the files say, put together. Findings of files enter; `Observations` leave."""

from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from checker.collective.lagging import with_lags
from checker.model import (
    Exit,
    Fact,
    Input,
    LauncherVerdict,
    Observations,
    Writer,
)
from checker.scan.cgroups import ranks_of_victims, strangers_of
from checker.scan.completing import FileFindings, Namer, Records, of_place
from checker.scan.lives import Beginnings, beginnings_of, counts_in_turn, written_apart
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
from checker.scan.ranks import Homes, joined_exits, last_times, rank_states
from checker.scan.readers import VERSION_OF, WORLD_SIZE


def gathered(
    found: List[FileFindings],
    inputs: Sequence[Input],
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Observations:
    """Put everything together; *found* is empty afterwards."""
    places = _places(found)
    clues = _clues(found, places)
    naming = naming_of(clues)
    begun = beginnings_of([(one.path, one.place, one.reading) for one in found])
    jobs = {job for one in found for job in one.reading.attempts.jobs}
    namer = Namer(naming, places, begun)
    told: List[Exit] = []
    victims = [victim for one in found for victim in one.reading.identities.victims]
    for one in found:
        told.extend(map(namer.dated, one.reading.exits.all()))
        told.extend(map(namer.dated, one.reading.block.exits))
    exits = [namer.exit(end) for end in _ends(found, told, naming, places)]
    seen = [
        one_seen
        for one in found
        for notes in one.reading.writers.values()
        for one_seen in namer.seen(notes, one.path)
    ]
    observations = Observations(
        inputs=_inputs(found, inputs, namer),
        hits=(),
        tracebacks=(),
        exits=tuple(exits),
        samples=(),
        stacks=(),
        facts=(),
        errors=(),
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
        ties=tuple(tie for one in found for tie in one.reading.identities.ties()),
        mixed=frozenset(one.path for one in found if counts_in_turn(one.reading)),
    )
    records = Records(namer, exits, _ranks_by_pid(found, exits, naming))
    records.facts += _given_facts(facts, versions)
    # Thousands of files are not held twice: each is let go as soon as its records are complete.
    found.reverse()
    while found:
        records.take(found.pop())
    return with_lags(records.added_to(observations), records.collectives)


def _places(found: Sequence[FileFindings]) -> Dict[str, Place]:
    readings = {one.path: one.reading for one in found}
    sizes = [f.value for one in found for f in one.reading.facts if f.name == WORLD_SIZE]

    def _apart(one: str, other: str) -> Optional[bool]:
        return written_apart(readings[one], readings[other])

    return places_of(list(readings), max(sizes, default=None), _apart)


def _devices(clues: Clues, namer: Namer) -> List[Tuple[Optional[str], str, int]]:
    found = {
        (writer.host, joined.bus, writer.rank)
        for (_, pid), joined in clues.nccl.items()
        for writer in (namer.writer(joined.writer, joined.path, pid),)
        if joined.bus is not None and writer.rank is not None
    }
    return sorted(found, key=lambda device: (device[0] or "", *device[1:]))


def _ranks_by_path(found: Sequence[FileFindings], namer: Namer) -> Dict[str, Set[int]]:
    ranks: Dict[str, Set[int]] = {}
    for one in found:
        for notes in one.reading.writers.values():
            rank = namer.writer(notes.writer, one.path).rank
            if rank is not None:
                ranks.setdefault(one.path, set()).add(rank)
    return ranks


def _clues(found: Sequence[FileFindings], places: Dict[str, Place]) -> Clues:
    clues = no_clues()
    for one in found:
        place = places.get(one.path, Place())
        if place.node is not None:
            clues.folders[one.path] = place.node
        if place.number is not None:
            clues.numbers[one.path] = place.number
        for notes in one.reading.writers.values():
            _note_writer(clues, one.path, of_place(notes.writer, place))
        clues.placed.extend(one.reading.block.places)
        for writer, stated in one.reading.identities.stated:
            note_stated(clues, one.path, of_place(writer, place), stated)
        for process, joined in one.reading.identities.nccl.items():
            clues.nccl[process] = joined._replace(writer=of_place(joined.writer, place))
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
            own = of_place(writer, places.get(one.path, Place()))
            named = naming.named(own, one.path, pid)
            if (named.rank, named.local_rank) != (None, None):
                homes.setdefault(pid, []).append((named, one.path))
    return joined_exits(told, naming, teardown, kills, homes)


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


def _given_facts(facts: Mapping[str, Any], versions: Mapping[str, str]) -> List[Fact]:
    given = [Fact(name, facts[name], None, None) for name in sorted(facts)]
    return given + [
        Fact(VERSION_OF + name, versions[name], None, None) for name in sorted(versions)
    ]


def _inputs(
    found: Sequence[FileFindings], inputs: Sequence[Input], namer: Namer
) -> Tuple[Input, ...]:
    by_path = {one.path: one for one in found}
    return tuple(namer.input(given, by_path.get(given.part_of or given.path)) for given in inputs)


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
