"""What was read, arranged for being asked: `Observations` enter, a `Scene` leaves.

A scene knows which rank a process id belongs to, which host a rank ran on, and which lines hold
a wanted literal. Names that say only "this machine" are no host names.
"""

from array import array
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    TypeVar,
    Union,
)

from checker.match.block_times import with_block_times
from checker.match.clocks import NameHost, file_keeper, with_common_clocks
from checker.match.homes import Home, homes_of_devices, homes_of_pids, known_host, pod_in
from checker.match.lifetimes import (
    Lifetimes,
    lifetimes_of,
    recorded_lines,
)
from checker.match.processes import CountersByFile, WriterProcess, process_of
from checker.match.reached import ReachedTimes
from checker.model import (
    HOST_SOURCES,
    Exit,
    Fact,
    Hit,
    Input,
    Line,
    Observations,
    Sample,
    Sighting,
    Stack,
    Traceback,
    Writer,
)
from checker.packed import sorted_records
from checker.picked import grouped_records
from checker.scan.exits import is_shell_word

Record = TypeVar("Record")
Key = TypeVar("Key")
# After so many counted steps a bare word was no end of the process that wrote it.
_STEPS_OF_THE_LIVING = 2


class Scene(NamedTuple):
    """Observations with the indexes that judging signs needs."""

    observations: Observations
    hits: Dict[str, Sequence[Hit]]
    """Catalogue key to the hits that have it, in the order of path and line."""
    folded: FrozenSet[str]
    """The keys of lines that stand for others, which were not kept."""
    homes: Dict[int, FrozenSet[Home]]
    """Process id to the processes known to have had it."""
    devices: Dict[str, FrozenSet[Home]]
    """Bus id to the ranks, and their hosts, that use the device."""
    rank_hosts: Dict[int, str]
    hosts: Tuple[str, ...]
    attempts: Tuple[Optional[int], ...]
    """The attempts seen, the last one last; one None where the input does not tell."""
    lives: Lifetimes
    """When the attempts lived."""
    counters: CountersByFile
    """Those that count in each file, with their metric records."""
    exits: Dict[Optional[int], List[Exit]]
    """Rank to the ends that were reported of it; None has those that name no rank."""
    quiet: Dict[str, List[Traceback]]
    """Path to its exception blocks that were handled or ignored."""
    loud: Dict[WriterProcess, int]
    """A process of such a file to the last line where a block begins that was not."""
    files: Dict[str, int]
    """All files, numbered."""
    lengths: Sequence[int]
    """How many lines each log has, in all its files; 0 where that is not known."""
    packages: FrozenSet[str]
    """Names of the packages that the catalogue speaks of."""
    facts: Dict[str, Sequence[Fact]]
    """What is known of the machines and the job, by the names of facts."""
    reached: ReachedTimes


def build_scene(observations: Observations, packages: Iterable[str]) -> Scene:
    """Arrange the observations."""
    ordered = _without_printed_words(_in_order(observations))
    rank_hosts = _rank_hosts(ordered)
    ordered = with_common_clocks(ordered, _clock_namer(ordered, rank_hosts), known_host)
    ordered = ordered._replace(hits=with_block_times(ordered.hits, ordered.tracebacks))
    attempts = _attempts(ordered)
    quiet = _quiet_blocks(ordered.tracebacks)
    files = {given.path: number for number, given in enumerate(ordered.inputs)}
    return Scene(
        ordered,
        grouped_records(ordered.hits, lambda hit: hit.keys),
        frozenset(key for hit in ordered.hits if hit.times > 1 for key in hit.keys),
        homes_of_pids(ordered, rank_hosts),
        homes_of_devices(ordered),
        rank_hosts,
        tuple(sorted(_hosts(ordered, rank_hosts))),
        attempts,
        lifetimes_of(ordered, attempts[-1]),
        CountersByFile(ordered.samples, files),
        _grouped_by_key(ordered.exits, lambda ended: ended.rank),
        quiet,
        _last_loud_lines(ordered.tracebacks, quiet),
        files,
        _lengths(ordered.inputs, files),
        frozenset(packages),
        grouped_records(ordered.facts, lambda fact: (fact.name,)),
        ReachedTimes(ordered),
    )


def _lengths(inputs: Sequence[Input], files: Dict[str, int]) -> Sequence[int]:
    lengths = array("Q", bytes(8 * len(inputs)))
    for given in inputs:
        log = files.get(given.part_of or given.path)
        if given.lines and log is not None:
            lengths[log] = max(lengths[log], given.lines + given.further)
    return lengths


def length_of_log(scene: Scene, path: str) -> Optional[int]:
    """Count the lines of a log in all its files; None if that is not known."""
    number = scene.files.get(path)
    return None if number is None else scene.lengths[number] or None


def _without_printed_words(seen: Observations) -> Observations:
    """Leave out bare words like `Killed` that a process printed itself: it counted on."""
    words = [e for e in seen.exits if e.pid is None and is_shell_word(e.line.text)]
    if not words:
        return seen
    counted = _grouped_by_key(
        [sample for sample in seen.samples if sample.step is not None],
        lambda sample: _life_of(sample.line),
    )
    printed = {e for e in words if _counted_on(e.line, counted.get(_life_of(e.line), ()))}
    return seen._replace(exits=tuple(e for e in seen.exits if e not in printed))


def _counted_on(line: Line, counted: Iterable[Sample]) -> bool:
    steps = {sample.step for sample in counted if sample.line.number > line.number}
    return len(steps) >= _STEPS_OF_THE_LIVING


def line_place(line: Line) -> Tuple[str, int, str]:
    """Return what orders lines independent of the order of the inputs."""
    return line.path, line.number, line.text


def _in_order(seen: Observations) -> Observations:
    return seen._replace(
        hits=sorted_records(seen.hits, _record_place),
        tracebacks=sorted_records(seen.tracebacks, _record_place),
        exits=tuple(sorted(seen.exits, key=_exit_place)),
        samples=sorted_records(seen.samples, _record_place),
        stacks=sorted_records(seen.stacks, _record_place),
        errors=sorted_records(seen.errors, line_place),
        left_out=sorted_records(seen.left_out, lambda gap: (gap.path, gap.first)),
    )


def _record_place(record: Union[Hit, Traceback, Sample, Stack]) -> Tuple[str, int, str]:
    return line_place(record.line)


def _exit_place(ended: Exit) -> Tuple[str, int, str, int, int]:
    rank = -1 if ended.rank is None else ended.rank
    return (*line_place(ended.line), rank, ended.pid or 0)


def _quiet_blocks(blocks: Iterable[Traceback]) -> Dict[str, List[Traceback]]:
    quiet = [block for block in blocks if block.handled or block.ignored]
    return _grouped_by_key(quiet, lambda block: block.line.path)


def _last_loud_lines(
    blocks: Iterable[Traceback], quiet: Dict[str, List[Traceback]]
) -> Dict[WriterProcess, int]:
    last: Dict[WriterProcess, int] = {}
    for block in blocks:
        if block.line.path in quiet and not block.handled and not block.ignored:
            key = process_of(block.line)
            last[key] = max(last.get(key, 0), block.line.number)
    return last


def _grouped_by_key(
    records: Iterable[Record], key: Callable[[Record], Key]
) -> Dict[Key, List[Record]]:
    found: Dict[Key, List[Record]] = {}
    for record in records:
        found.setdefault(key(record), []).append(record)
    return found


def _rank_hosts(seen: Observations) -> Dict[int, str]:
    told: Dict[int, Set[str]] = {}
    for rank, host in _rank_host_pairs(seen):
        name = known_host(host)
        if rank is not None and name:
            told.setdefault(rank, set()).add(name)
    # A rank that moved between hosts, in a new attempt, has no one host.
    return {rank: min(names) for rank, names in told.items() if len(names) == 1}


def _clock_namer(seen: Observations, rank_hosts: Dict[int, str]) -> NameHost:
    """Name the host whose clock a line shows, or the file of a rank of which no host is known."""
    hosts = _hosts(seen, rank_hosts)
    lone = next(iter(hosts)) if len(hosts) == 1 else None

    def _clock_of(line: Line, told: Optional[str]) -> Optional[str]:
        writer = line.writer
        host = known_host(told) or known_host(writer.host)
        if host is None and writer.rank is not None:
            host = rank_hosts.get(writer.rank)
        if host is None and writer.source == "rank":
            named = (writer.rank, writer.local_rank) != (None, None)
            return file_keeper(line.path) if named else None
        return lone if host is None and writer.source in HOST_SOURCES else host

    return _clock_of


def _hosts(seen: Observations, rank_hosts: Dict[int, str]) -> Set[str]:
    named = (known_host(line.writer.host) for line in recorded_lines(seen))
    return set(rank_hosts.values()).union(host for host in named if host)


def _rank_host_pairs(seen: Observations) -> Iterable[Tuple[Optional[int], Optional[str]]]:
    for state in seen.ranks:
        yield state.rank, state.host
    for ended in seen.exits:
        yield ended.rank, ended.host
    for host, _, rank in seen.devices:
        yield rank, host
    for line in recorded_lines(seen):
        yield line.writer.rank, line.writer.host


def _attempts(seen: Observations) -> Tuple[Optional[int], ...]:
    known = {line.writer.attempt for line in recorded_lines(seen)}
    known.update(state.attempt for state in seen.ranks)
    known.update(number for _, _, number in seen.attempts)
    numbers = sorted(number for number in known if number is not None)
    return tuple(numbers) if numbers else (None,)


def rank_of_device(scene: Scene, bus: object, host: Optional[str]) -> Optional[int]:
    """Find the rank that uses a device; None where several could be meant."""
    name = known_host(host)
    homes = scene.devices.get(bus, frozenset()) if isinstance(bus, str) else frozenset()
    ranks = {rank for rank, its_host in homes if name is None or its_host in (None, name)}
    return ranks.pop() if len(ranks) == 1 else None


def home_of_pid(scene: Scene, pid: Optional[int], host: Optional[str]) -> Home:
    """Find the process that had this id on this host; no rank where several could be meant."""
    name = known_host(host)
    homes = scene.homes.get(pid, frozenset()) if pid is not None else frozenset()
    candidates = {home for home in homes if name is None or home[1] in (None, name)}
    if len(candidates) != 1:
        return None, name
    rank, its_host = next(iter(candidates))
    if name is not None and its_host is None and len(scene.hosts) > 1:
        return None, name
    return rank, name or its_host


def host_of(scene: Scene, writer: Writer) -> Optional[str]:
    """Return the host of a line's writer, as told by the line or by its rank."""
    named = known_host(writer.host)
    if named is None and writer.rank is not None:
        return scene.rank_hosts.get(writer.rank)
    return named


def pod_of(scene: Scene, line: Line) -> Home:
    """Find the pod that a service's line is about, and its rank where it is alone in it."""
    name = pod_in(line.text) if line.writer.source in ("service", "unknown") else None
    if name not in scene.hosts:
        return None, None
    ranks = [rank for rank, host in scene.rank_hosts.items() if host == name]
    complete = len(scene.rank_hosts) == scene.observations.world_size
    return ranks[0] if complete and len(ranks) == 1 else None, name


def attempt_of(sighting: Sighting) -> Optional[int]:
    """Return the attempt a sighting belongs to, where its line tells."""
    return sighting.line.writer.attempt if sighting.line else None


def _life_of(line: Line) -> Tuple[Any, ...]:
    return (*process_of(line), line.writer.attempt)
