"""Several runs in one reading: `Observations` enter; which files belong together leaves.

Files are kept apart only where they are proven to be of different launches: other run ids of
torchelastic, or other processes for the same ranks of a whole job or on the same host at another
time. What proves nothing stays with its folder, unless that holds several runs.
"""

from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.match.homes import known_host
from checker.model import HOST_SOURCES, Line, Observations
from checker.scan.places import place_of
from checker.scan.readers import JOINED_SIZE, WORLD_SIZE

# The run id that torchrun takes where nobody chose one.
_NO_RUN_ID = "none"
# Launches on one host follow each other by more than this, seen from what was kept of their logs.
_APART = 60.0
# Logs of one launch that lie in different folders overlap, or nearly so.
_TOGETHER = 5.0
_MOST_COMPARED = 256
_ATTEMPT_FOLDER = lazy_pattern(r"[\\/]attempt_\d{1,6}[\\/]")
_Times = Dict[str, Tuple[float, float]]


class RunFiles(NamedTuple):
    """The files of one run."""

    label: str
    """The folder, or the file, that holds it."""
    paths: Tuple[str, ...]


class Runs(NamedTuple):
    """What belongs together."""

    runs: Tuple[RunFiles, ...]
    """Empty where nothing proves that there are several."""
    shared: Tuple[str, ...]
    """Logs of machines, that could be about any of them."""


class _Unit(NamedTuple):
    """Files that are taken for one run, and what tells it from others."""

    paths: Tuple[str, ...]
    run_ids: FrozenSet[str]
    agents: FrozenSet[int]
    """Process ids of launchers."""
    workers: FrozenSet[Tuple[int, int]]
    """Pairs of rank and process id."""
    hosts: FrozenSet[str]
    whole: bool
    """Whether all ranks of the job are in it."""
    speaks: bool
    """Whether a rank or a launcher wrote in it, and not only a machine."""
    times: Tuple[Tuple[str, float, float], ...]
    """First and last time on each clock."""


def runs_of(seen: Observations) -> Runs:
    """Tell the runs among the inputs apart."""
    if not _anything_tells(seen):
        return Runs((), ())
    units = _file_units(seen)
    if not _any_clash(units):
        return Runs((), ())
    grouped = _by_folders(units)
    runs = [unit for unit in grouped if unit.speaks]
    if len(runs) < 2:
        return Runs((), ())
    shared = tuple(sorted(path for u in grouped if not u.speaks for path in u.paths))
    return Runs(_labelled(runs), shared)


def _anything_tells(seen: Observations) -> bool:
    """Tell whether any launch is named: of thousands of rank files nothing is gathered in vain."""
    return any(ended.line.writer.source == "launcher" for ended in seen.exits) or any(
        _run_id(given.path) for given in seen.inputs
    )


def _file_units(seen: Observations) -> List[_Unit]:
    lines: Dict[str, List[Line]] = {}
    ranks: Dict[str, Set[int]] = {}
    for records in (seen.hits, seen.tracebacks, seen.exits, seen.samples, seen.stacks):
        for record in records:
            lines.setdefault(record.line.path, []).append(record.line)
    for line in seen.errors:
        lines.setdefault(line.path, []).append(line)
    for path, found in lines.items():
        ranks[path] = {line.writer.rank for line in found if line.writer.rank is not None}
    ends = _ends_by_path(seen)
    sizes: Dict[str, int] = {}
    for fact in seen.facts:
        if fact.name in (WORLD_SIZE, JOINED_SIZE) and fact.line is not None:
            sizes[fact.line.path] = max(fact.value, sizes.get(fact.line.path, 0))
    further: Dict[str, List[str]] = {}
    for given in seen.inputs:
        if given.part_of is not None:
            further.setdefault(given.part_of, []).append(given.path)
    return [
        _file_unit(
            (given.path, *further.get(given.path, ())),
            lines.get(given.path, []),
            ends.get(given.path, _NO_ENDS),
            ranks,
            sizes,
        )
        for given in seen.inputs
        if given.status == "read" and given.part_of is None
    ]


class _Ends(NamedTuple):
    agents: FrozenSet[int]
    workers: FrozenSet[Tuple[int, int]]
    hosts: FrozenSet[str]


_NO_ENDS = _Ends(frozenset(), frozenset(), frozenset())


def _ends_by_path(seen: Observations) -> Dict[str, _Ends]:
    """Collect what launchers say of themselves and of their processes."""
    found: Dict[str, _Ends] = {}
    for ended in seen.exits:
        line, host = ended.line, known_host(ended.host)
        if line.writer.source != "launcher":
            continue
        known = found.get(line.path, _NO_ENDS)
        agents = known.agents | ({line.pid} if line.pid is not None else set())
        hosts = known.hosts | ({host} if host else set())
        workers = known.workers
        if ended.rank is not None and ended.pid is not None:
            workers |= {(ended.rank, ended.pid)}
        found[line.path] = _Ends(agents, workers, hosts)
    return found


def _file_unit(
    paths: Tuple[str, ...],
    lines: Sequence[Line],
    ends: _Ends,
    ranks: Dict[str, Set[int]],
    sizes: Dict[str, int],
) -> _Unit:
    """Tell what is known of a log: of its first file, and of the further ones if it was rotated."""
    path = paths[0]
    known = ranks.get(path, set()) | {rank for rank, _ in ends.workers}
    run_id = _run_id(path)
    return _Unit(
        paths,
        frozenset((run_id,) if run_id else ()),
        ends.agents,
        ends.workers,
        ends.hosts,
        0 < sizes.get(path, 0) <= len(known),
        any(line.writer.source not in HOST_SOURCES for line in lines)
        or place_of(path).attempt is not None,
        _times_of(lines),
    )


def _run_id(path: str) -> Optional[str]:
    """Read the run id from the folder that torchrun makes: `RUN-ID_RANDOM/attempt_0/...`."""
    node = place_of(path).node
    if node is None or _ATTEMPT_FOLDER.match(path, len(node)) is None:
        return None
    name = node.rpartition("/")[2].rpartition("_")[0]
    return name if name and name != _NO_RUN_ID else None


def _times_of(lines: Iterable[Line]) -> Tuple[Tuple[str, float, float], ...]:
    found: _Times = {}
    for line in lines:
        if line.moment is not None:
            at = line.moment.seconds
            first, last = found.get(line.moment.clock, (at, at))
            found[line.moment.clock] = (min(first, at), max(last, at))
    return tuple((clock, *found[clock]) for clock in sorted(found))


def _united(units: Sequence[_Unit]) -> _Unit:
    if len(units) == 1:
        return units[0]
    times: _Times = {}
    for unit in units:
        for clock, first, last in unit.times:
            known = times.get(clock, (first, last))
            times[clock] = (min(known[0], first), max(known[1], last))
    return _Unit(
        tuple(sorted(path for unit in units for path in unit.paths)),
        frozenset(x for unit in units for x in unit.run_ids),
        frozenset(x for unit in units for x in unit.agents),
        frozenset(x for unit in units for x in unit.workers),
        frozenset(x for unit in units for x in unit.hosts),
        any(unit.whole for unit in units),
        any(unit.speaks for unit in units),
        tuple((clock, *times[clock]) for clock in sorted(times)),
    )


def _any_clash(units: Sequence[_Unit]) -> bool:
    telling = {(u.run_ids, u.agents, u.workers, u.whole): u for u in units if _tells(u)}
    if len(telling) > _MOST_COMPARED:
        return False
    distinct = list(telling.values())
    return any(_clash(one, other) for i, one in enumerate(distinct) for other in distinct[:i])


def _tells(unit: _Unit) -> bool:
    return bool(unit.run_ids or unit.agents or unit.workers)


def _clash(one: _Unit, other: _Unit) -> bool:
    """Tell whether two units are proven to be of different runs."""
    if one.run_ids and other.run_ids and one.run_ids.isdisjoint(other.run_ids):
        return True
    if one.agents & other.agents or one.workers & other.workers:
        return False
    same_ranks = {rank for rank, _ in one.workers} & {rank for rank, _ in other.workers}
    if not same_ranks and ((one.workers and other.workers) or not (one.agents and other.agents)):
        return False
    if one.whole and other.whole:
        return True
    return bool(one.hosts & other.hosts) and _meet(one, other, _APART) is False


def _meet(one: _Unit, other: _Unit, margin: float) -> Optional[bool]:
    """Tell whether two units were written at the same time; None where clocks do not tell."""
    theirs = {clock: (first, last) for clock, first, last in other.times}
    verdicts = [
        first <= theirs[clock][1] + margin and theirs[clock][0] <= last + margin
        for clock, first, last in one.times
        if clock in theirs
    ]
    return all(verdicts) if verdicts else None


def _by_folders(units: Sequence[_Unit]) -> List[_Unit]:
    """Unite files folder by folder, the deepest first, as long as nothing in one clashes."""
    waiting: Dict[str, List[_Unit]] = {}
    for unit in units:
        waiting.setdefault(_parent(unit.paths[0]), []).append(unit)
    while True:
        folder = max(waiting, key=lambda name: (name.count("/"), len(name), name))
        here = _united_here(waiting.pop(folder))
        if not folder:
            return here
        waiting.setdefault(_parent(folder), []).extend(here)


def _parent(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[0]


def _united_here(units: Sequence[_Unit]) -> List[_Unit]:
    """Unite what one folder holds; where it holds several runs only what is near in time."""
    if not _any_clash(units):
        return [_united(units)]
    left = sorted(units, key=_first_path)
    while True:
        pair = _lone_pair(left) if len(left) <= _MOST_COMPARED else None
        if pair is None:
            return left
        one, other = pair
        rest = [unit for index, unit in enumerate(left) if index not in pair]
        left = sorted([*rest, _united([left[one], left[other]])], key=_first_path)


def _first_path(unit: _Unit) -> str:
    return unit.paths[0]


def _lone_pair(units: Sequence[_Unit]) -> Optional[Tuple[int, int]]:
    """Find two units that were written at the same time, each the only one for the other."""
    near: Dict[int, List[int]] = {
        index: [
            number
            for number, other in enumerate(units)
            if number != index
            and unit.speaks
            and other.speaks
            and _meet(unit, other, _TOGETHER)
            and not _clash(unit, other)
        ]
        for index, unit in enumerate(units)
    }
    for index in sorted(near):
        if len(near[index]) == 1 and near[near[index][0]] == [index]:
            return index, near[index][0]
    return None


def _labelled(runs: Sequence[_Unit]) -> Tuple[RunFiles, ...]:
    labels = [_common_folder(unit.paths) for unit in runs]
    found = [
        RunFiles(label if labels.count(label) == 1 and label else unit.paths[0], unit.paths)
        for unit, label in zip(runs, labels)
    ]
    return tuple(sorted(found))


def _common_folder(paths: Sequence[str]) -> str:
    """Name the innermost folder that holds all files; a lone file names its folder too."""
    folders = [_parent(path).split("/") for path in paths]
    common: List[str] = []
    for parts in zip(*folders):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return "/".join(common)
