"""What the files say, put together. Findings of files enter; `Observations` leave.

Thousands of files wait packed. They are walked through a few times, each time one after the other.
"""

from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from checker.collective.lagging import with_lags
from checker.model import (
    Exit,
    Fact,
    Input,
    LauncherVerdict,
    Observations,
    Tie,
    Writer,
)
from checker.packed import Packer, let_go, packed_records
from checker.scan.cgroups import Victim, names_in, ranks_of_victims, strangers_of
from checker.scan.completing import Namer, Records, of_place
from checker.scan.findings import FileFindings
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
from checker.scan.places import Place, place_of, places_of
from checker.scan.ranks import Homes, Seen, joined_exits, last_times, rank_states
from checker.scan.readers import VERSION_OF, WORLD_SIZE


def gathered(
    found: Sequence[FileFindings],
    inputs: Sequence[Input],
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Observations:
    """Put everything together."""
    observations, records = _outline(found, inputs)
    records.facts.extend(_given_facts(facts, versions))
    for one in let_go(found):
        records.take(one)
    return with_lags(records.added_to(observations), records.collectives.packed())


def _outline(
    found: Sequence[FileFindings], inputs: Sequence[Input]
) -> Tuple[Observations, Records]:
    """Tell what files say of the job; their records follow, named by what is known then."""
    places = _places(found)
    begun = beginnings_of(found)
    clues = _clues(found, places)
    naming = naming_of(clues)
    namer = Namer(naming, places, begun)
    job = _Job(namer, naming, places)
    for one in found:
        job.take(one)
    exits = job.ends()
    seen = job.seen.packed()
    observations = Observations(
        inputs=packed_records(map(job.completed, inputs)),
        hits=(),
        tracebacks=(),
        exits=tuple(exits),
        samples=(),
        stacks=(),
        facts=(),
        errors=(),
        ranks=packed_records(rank_states(seen, exits)),
        world_size=world_size_of(clues),
        sources=frozenset(job.sources),
        verdicts=job.last_verdicts(begun),
        attempts=tuple(
            (path, first, number) for path in sorted(begun) for first, number in begun[path]
        ),
        last_times=tuple(last_times(seen)),
        devices=tuple(_devices(clues, namer)),
        hosts=tuple(sorted(job.hosts)),
        victims=tuple(ranks_of_victims(job.victims, job.ranks_by_path)),
        strangers=strangers_of(job.victims, job.jobs),
        ties=tuple(job.ties),
        mixed=frozenset(job.mixed),
    )
    return observations, Records(namer, exits, job.ranks_by_pid(exits))


def _places(found: Sequence[FileFindings]) -> Dict[str, Place]:
    numbers: Dict[str, int] = {}
    sizes: Set[int] = set()
    shared: Dict[str, Place] = {}
    for number, one in enumerate(found):
        numbers[one.path] = number
        if one.place.rank is None and place_of(one.path).rank is not None:
            shared[one.path] = one.place
        sizes.update(f.value for f in one.reading.facts if f.name == WORLD_SIZE)

    def _apart(one: str, other: str) -> Optional[bool]:
        return written_apart(found[numbers[one]].reading, found[numbers[other]].reading)

    return places_of(list(numbers), max(sizes, default=None), _apart, shared)


class _Job:
    """What files say of the job, once it is known who wrote in them."""

    def __init__(self, namer: Namer, naming: Naming, places: Dict[str, Place]) -> None:
        self.seen: Packer[Seen] = Packer()
        self.sources: Set[str] = set()
        self.hosts: Set[str] = set()
        self.jobs: Set[str] = set()
        self.victims: List[Victim] = []
        self.ties: List[Tie] = []
        self.mixed: Set[str] = set()
        self.ranks_by_path: Dict[str, Set[int]] = {}
        """Of the files of containers alone, which their cgroups name."""
        self._namer = namer
        self._naming = naming
        self._places = places
        self._told: List[Exit] = []
        self._teardown: Set[int] = set()
        self._kills: Set[Tuple[Optional[str], int]] = set()
        self._homes: Homes = {}
        self._ranks: Dict[int, Set[int]] = {}
        self._verdicts: List[LauncherVerdict] = []
        self._owners: Dict[str, Tuple[Optional[int], Optional[str]]] = {}

    def take(self, one: FileFindings) -> None:
        """Take the findings of a file."""
        reading, path = one.reading, one.path
        self._owners[path] = self._namer.owner(one)
        self.sources |= _sources(one)
        self.jobs |= reading.attempts.jobs
        self.victims += reading.identities.victims
        self.ties += reading.identities.ties()
        if counts_in_turn(reading):
            self.mixed.add(path)
        for notes in reading.writers.values():
            self.hosts.update(filter(None, [notes.writer.host]))
            self.seen.extend(self._namer.seen(notes, path))
            rank = self._namer.writer(notes.writer, path).rank
            if rank is not None and names_in(path):
                self.ranks_by_path.setdefault(path, set()).add(rank)
        self._told.extend(map(self._namer.dated, reading.exits.all()))
        self._told.extend(map(self._namer.dated, reading.block.exits))
        self._teardown |= reading.teardown
        self._kills |= reading.kernel_kills
        self._verdicts += reading.block.verdicts
        self._note_pids(one)

    def completed(self, given: Input) -> Input:
        """Tell whose log an input is."""
        owner = self._owners.get(given.part_of or given.path)
        if owner is None:
            return given
        return given._replace(rank=owner[0], host=owner[1])

    def _note_pids(self, one: FileFindings) -> None:
        for pid, writer in one.reading.identities.pids.items():
            own = of_place(writer, self._places.get(one.path, Place()))
            named = self._naming.named(own, one.path, pid)
            if (named.rank, named.local_rank) != (None, None):
                self._homes.setdefault(pid, []).append((named, one.path))
            known = self._naming.named(writer, one.path, pid).rank
            if known is not None:
                self._ranks.setdefault(pid, set()).add(known)

    def ends(self) -> List[Exit]:
        """Join the tellings of one end."""
        joined = joined_exits(self._told, self._naming, self._teardown, self._kills, self._homes)
        return [self._namer.exit(end) for end in joined]

    def ranks_by_pid(self, exits: Sequence[Exit]) -> Dict[int, Set[int]]:
        """List which ranks a process id is known to be; on several hosts it can be several."""
        ranks = self._ranks
        for end in exits:
            if end.pid is not None and end.rank is not None:
                ranks.setdefault(end.pid, set()).add(end.rank)
        for (_, pid), rank in self._naming.by_process.items():
            ranks.setdefault(pid, set()).add(rank)
        return ranks

    def last_verdicts(self, begun: Dict[str, Beginnings]) -> Tuple[LauncherVerdict, ...]:
        """List what launchers named in the last attempt of each file, the earliest first."""
        told = {
            (verdict.rank, verdict.exit, verdict.time): verdict
            for verdict in sorted(self._verdicts, key=lambda one: one.line.path, reverse=True)
            if verdict.line.number >= begun.get(verdict.line.path, [(1, 0)])[-1][0]
        }
        return tuple(sorted(told.values(), key=lambda verdict: (verdict.time, verdict.rank)))


def _devices(clues: Clues, namer: Namer) -> List[Tuple[Optional[str], str, int]]:
    found = {
        (writer.host, joined.bus, writer.rank)
        for (_, pid), joined in clues.nccl.items()
        for writer in (namer.writer(joined.writer, joined.path, pid),)
        if joined.bus is not None and writer.rank is not None
    }
    return sorted(found, key=lambda device: (device[0] or "", *device[1:]))


def _clues(found: Sequence[FileFindings], places: Dict[str, Place]) -> Clues:
    clues = no_clues()
    agents = False
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
        agents = agents or one.reading.identities.has_agent
    return clues._replace(agents=agents)


def _note_writer(clues: Clues, path: str, writer: Writer) -> None:
    clues.writers.add((path, writer))
    if writer.rank is not None:
        clues.known.append(Known(PRINTED, path, writer, writer.rank))
    if writer.task is not None:
        clues.tasks.add(writer.task)


def _given_facts(facts: Mapping[str, Any], versions: Mapping[str, str]) -> List[Fact]:
    given = [Fact(name, facts[name], None, None) for name in sorted(facts)]
    return given + [
        Fact(VERSION_OF + name, versions[name], None, None) for name in sorted(versions)
    ]


def _sources(one: FileFindings) -> Set[str]:
    return one.reading.sources | {notes.writer.source for notes in one.reading.writers.values()}
