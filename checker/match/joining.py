"""Which sightings belong together: sightings enter; those of one process or machine leave.

The signs of a process join on one rank; kernel, scheduler and service on the host of that rank;
what names no rank joins where only one process could be meant.
"""

from array import array
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.judgement import Truth
from checker.lazy_patterns import lazy_pattern
from checker.match.homes import known_host
from checker.match.scene import Scene, attempt_of
from checker.match.ties import tied, told_pids
from checker.model import HOST_SOURCES, Moment, Sighting
from checker.picked import Numbered, joined_records, picked_records
from checker.scan.moments import moment_gap

# What one place of one signature may cost; beyond it the first sightings decide.
_MOST_PER_SIGN = 40
# A kernel line may tell of what made a run fail so many seconds before its first line.
_BEFORE_START = 600.0
# What ended a run is logged at most so many seconds after its last line.
_AFTER_END = 600.0

# A launcher's line that is about one process names it, by whatever number.
_ONE_PROCESS = lazy_pattern(r"(?i)\b(?:rank|local_rank|pid|process|worker|task)\b\W{0,4}\d")


class ProcessPlace(NamedTuple):
    """Where the signs of one process are looked for."""

    rank: Optional[int]
    path: Optional[str]
    """Where the rank is not known, the file stands for the process."""
    host: Optional[str]
    local_rank: Optional[int] = None
    """Where the rank is not known, it tells processes of one file apart."""


def attempt_pool(
    truth: Truth, attempt: Optional[int], scene: Scene, pids: FrozenSet[int], hoped: bool
) -> Sequence[Sighting]:
    """Keep the sightings that can belong to an attempt.

    Where there are none and it is *hoped* for some, they may follow a silence of any length, or
    be of the machine without a tie to the run, whose logs tell of the *pids*.
    """
    if not truth.value:
        return ()
    own = picked_records(truth.sightings, lambda one: _can_be_in(one, attempt, scene))
    own = tied(own, pids, scene, hoped)
    if own or not hoped:
        return own
    late = [s._replace(late=True) for s in truth.sightings if _is_late(s, attempt, scene)]
    return tied(late, pids, scene, hoped)


def _can_be_in(sighting: Sighting, attempt: Optional[int], scene: Scene) -> bool:
    own = attempt_of(sighting)
    if own is None and sighting.kind in ("fact", "version"):
        return True
    if own is not None:
        return own == attempt
    if not is_of_host(sighting):
        return attempt == scene.attempts[-1]
    if _is_stranger(sighting, scene):
        return False
    if sighting.onset is None or not _joins_by_time(sighting, scene):
        return True
    return attempt in attempts_at(sighting.onset, scene)


def _is_stranger(sighting: Sighting, scene: Scene) -> bool:
    host = sighting.line and sighting.line.writer.host
    return (host, sighting.pid) in scene.observations.strangers


def _joins_by_time(sighting: Sighting, scene: Scene) -> bool:
    """A process id joins surer than clocks, which may be of two zones. A device is of all runs."""
    by_device = sighting.pid not in scene.homes and any(
        name == "bus" for name, _ in sighting.values
    )
    return sighting.rank is None or by_device


def _is_late(sighting: Sighting, attempt: Optional[int], scene: Scene) -> bool:
    """Tell whether an event came after an attempt of whose end there is no word."""
    if sighting.onset is None or attempt_of(sighting) is not None or not is_of_host(sighting):
        return False
    return (
        sighting.line is not None
        and attempt == scene.attempts[-1]
        and scene.lives.silence_of(attempt) is not None
        and not _is_stranger(sighting, scene)
        and _is_over(attempt, sighting.onset, scene)
    )


def attempts_at(moment: Moment, scene: Scene) -> Sequence[Optional[int]]:
    """List the attempts that can have been running: all where the clocks cannot be compared."""
    gaps = [(attempt, moment_gap(start, moment)) for attempt, start in scene.lives.starts]
    known = [(attempt, gap) for attempt, gap in gaps if gap is not None]
    if not known:
        return scene.attempts
    begun = [attempt for attempt, gap in known if gap >= 0]
    if begun:
        return [] if _is_over(begun[-1], moment, scene) else begun[-1:]
    return [known[0][0]] if max(gap for _, gap in known) >= -_BEFORE_START else []


def _is_over(attempt: Optional[int], moment: Moment, scene: Scene) -> bool:
    """Tell whether an attempt had shown nothing more of itself for some time.

    One whose end nobody told may have been silent for longer, where it seldom printed.
    """
    silence = scene.lives.silence_of(attempt) or 0.0
    gaps = [moment_gap(end, moment) for number, end in scene.lives.ends if number == attempt]
    known = [gap for gap in gaps if gap is not None]
    return bool(known) and min(known) > max(_AFTER_END, silence)


def belongs_to(sightings: Sequence[Sighting], attempt: Optional[int], scene: Scene) -> bool:
    """Tell whether anything ties sightings to an attempt; without any they are the last one's."""
    if attempt == scene.attempts[-1]:
        return True
    return any(
        attempt_of(s) == attempt
        or (s.onset is not None and is_of_host(s) and attempts_at(s.onset, scene) == [attempt])
        for s in sightings
    )


def is_of_host(sighting: Sighting) -> bool:
    """Tell whether a sighting is of a machine rather than of one process."""
    if sighting.line is None or sighting.kind in ("fact", "version"):
        return True
    return sighting.kind == "log" and sighting.line.writer.source in HOST_SOURCES


def is_of_run(sighting: Sighting) -> bool:
    """Tell whether a sighting that names no rank could be about any."""
    if is_of_host(sighting) or sighting.kind == "exit":
        return True
    return sighting.line is not None and sighting.line.writer.source == "launcher"


class Pools(NamedTuple):
    """The sightings of every sign in one attempt, by rank."""

    ranked: Dict[str, "Numbered[Sighting]"]
    loose: Dict[str, Sequence[Sighting]]
    """Sightings that name no rank."""
    hosts: Dict[str, Dict[Optional[str], List[int]]]
    """Where those of each host stand in it: of thousands, each would be compared with each."""

    def loose_near(self, name: str, host: Optional[str]) -> Sequence[Sighting]:
        """List those that name no rank and are not known to be of another host."""
        every, numbers = self.loose[name], self.hosts[name]
        if host is None:
            return every
        return [every[at] for at in sorted((*numbers.get(None, ()), *numbers.get(host, ())))]

    def all_of(self, name: str) -> Sequence[Sighting]:
        """List all sightings of a sign."""
        return joined_records(self.ranked[name].records(), self.loose[name])


def make_pools(truths: Dict[str, Truth], attempt: Optional[int], scene: Scene) -> Pools:
    """Sort the sightings of an attempt."""
    pools = Pools({}, {}, {})
    _sort_in(pools, truths, truths, (attempt, scene, False))
    return pools


def with_hoped(
    pools: Pools,
    truths: Dict[str, Truth],
    attempt: Optional[int],
    scene: Scene,
    hoped: Iterable[str],
) -> Pools:
    """Add of the *hoped* signs, where nothing else is there, what came after a silence."""
    names = [name for name in dict.fromkeys(hoped) if truths[name].value and not pools.all_of(name)]
    if not names:
        return pools
    more = Pools(dict(pools.ranked), dict(pools.loose), dict(pools.hosts))
    _sort_in(more, truths, names, (attempt, scene, True))
    return more


def _sort_in(
    pools: Pools,
    truths: Dict[str, Truth],
    names: Iterable[str],
    asked: Tuple[Optional[int], Scene, bool],
) -> None:
    attempt, scene, hoped = asked
    pids = told_pids(truths, scene)
    for name in names:
        own = attempt_pool(truths[name], attempt, scene, pids, hoped)
        ranked = picked_records(own, lambda one: one.rank is not None)
        # Each of them is asked of at each place.
        loose = [one for one in own if one.rank is None] if len(ranked) < len(own) else []
        pools.ranked[name] = Numbered(ranked, array("q", (one.rank or 0 for one in ranked)))
        pools.loose[name] = loose
        numbers: Dict[Optional[str], List[int]] = {}
        for at, one in enumerate(loose):
            numbers.setdefault(known_host(one.host), []).append(at)
        pools.hosts[name] = numbers


def process_places(pools: Sequence[Sequence[Sighting]], scene: Scene) -> List[ProcessPlace]:
    """List the processes, or else the hosts, that sightings of signs are about."""
    found = {
        ProcessPlace(s.rank, None, _place_host(scene, s))
        if s.rank is not None
        else ProcessPlace(None, s.line.path if s.line else None, known_host(s.host), s.local_rank)
        for pool in pools
        for s in pool
        if s.rank is not None or not is_of_run(s)
    }
    ranked = {place for place in found if place.rank is not None}
    if not found:
        found = {ProcessPlace(None, None, known_host(s.host)) for pool in pools for s in pool}
        if len(found) > 1:
            found.discard(ProcessPlace(None, None, None))
    elif len(ranked) == 1:
        # Only one process is known by its rank: what names none at all can be about it.
        found = {place for place in found if place in ranked or place.local_rank is not None}
    return sorted(found, key=_place_key)


def _place_key(place: ProcessPlace) -> Tuple[int, str, str, int]:
    rank = -1 if place.rank is None else place.rank
    local = -1 if place.local_rank is None else place.local_rank
    return rank, place.path or "", place.host or "", local


def _place_host(scene: Scene, sighting: Sighting) -> Optional[str]:
    host = scene.rank_hosts.get(sighting.rank) if sighting.rank is not None else None
    return host or known_host(sighting.host)


def local_pools(
    pools: Pools, place: ProcessPlace, lone: bool, scene: Scene, asked: Iterable[str] = ()
) -> Dict[str, Sequence[Sighting]]:
    """Keep the sightings that can be about one place; *lone* says that it is the only one.

    Of the signs that are *asked* for, what a launcher said of all of its processes is about each.
    """
    local: Dict[str, Sequence[Sighting]] = {}
    shared = frozenset(asked)
    for name in pools.ranked:
        own = _ranked_at(place, name, pools)
        loose_near = pools.loose_near(name, place.host)
        loose = [s for s in loose_near if _can_be_of(s, place, lone, scene)]
        if name in shared and not lone:
            loose += [s for s in pools.loose[name] if _is_of_all_there(s, place, scene)]
        near = picked_records(own, lambda s: not _hosts_differ(s, place))
        if place.rank is not None:
            near = list(near)
        local[name] = joined_records(near, loose)
    return local


def _ranked_at(place: ProcessPlace, name: str, pools: Pools) -> Sequence[Sighting]:
    """List the sightings of ranks at a place; who wrote a file that names none is not known."""
    if place.rank is not None:
        return pools.ranked[name].of(place.rank)
    return pools.ranked[name].records() if place.path is None else []


def may_concern(pools: Pools, name: str, place: ProcessPlace) -> bool:
    """Tell whether a sign was seen of a process that cannot be named, and could be this one."""
    return any(
        not _hosts_differ(s, place)
        and not _local_ranks_differ(s, place)
        and not (place.path and s.line and not is_of_run(s) and s.line.path != place.path)
        for s in pools.loose[name]
    )


def _hosts_differ(sighting: Sighting, place: ProcessPlace) -> bool:
    host = known_host(sighting.host)
    return None not in (host, place.host) and host != place.host


def _local_ranks_differ(sighting: Sighting, place: ProcessPlace) -> bool:
    locals_told = (sighting.local_rank, place.local_rank)
    return None not in locals_told and locals_told[0] != locals_told[1]


def _can_be_of(sighting: Sighting, place: ProcessPlace, lone: bool, scene: Scene) -> bool:
    """Tell whether a sighting that names no rank can be about a place."""
    if _hosts_differ(sighting, place) or _local_ranks_differ(sighting, place):
        return False
    if sighting.kind in ("fact", "version"):
        return True
    if is_of_host(sighting):
        return known_host(sighting.host) == place.host or len(scene.hosts) <= 1
    if place.path is not None and sighting.line is not None and not is_of_run(sighting):
        return sighting.line.path == place.path
    return lone


def _is_of_all_there(sighting: Sighting, place: ProcessPlace, scene: Scene) -> bool:
    """Tell whether a launcher said something of all its processes, rather than of one of them."""
    line = sighting.line
    if line is None or sighting.kind != "log" or line.writer.source != "launcher":
        return False
    if sighting.local_rank is not None or _ONE_PROCESS.search(line.text):
        return False
    return known_host(sighting.host) == place.host or len(scene.hosts) <= 1


def bindings_of(
    names: List[str], local: Dict[str, Sequence[Sighting]], mixed: FrozenSet[str]
) -> Iterable[Tuple[Tuple[str, Sighting], ...]]:
    """Choose one sighting for every name, in all ways in which two ids of one process agree.

    Two lines of a *mixed* file, in which two runs write in turn, join nowhere.
    """
    if not names:
        yield ()
        return
    for rest in bindings_of(names[:-1], local, mixed):
        for sighting in local[names[-1]][:_MOST_PER_SIGN]:
            if all(
                _sightings_agree(sighting, other) and not _mixed_up(sighting, other, mixed)
                for _, other in rest
            ):
                yield (*rest, (names[-1], sighting))


def _mixed_up(one: Sighting, other: Sighting, mixed: FrozenSet[str]) -> bool:
    if not mixed or one.line is None or other.line is None:
        return False
    return (
        one.line.path == other.line.path
        and one.line.path in mixed
        and one.line.number != other.line.number
    )


def _sightings_agree(one: Sighting, other: Sighting) -> bool:
    """Tell whether two sightings of different machines or attempts are kept apart."""
    hosts = known_host(one.host), known_host(other.host)
    if None not in hosts and hosts[0] != hosts[1] and is_of_host(one) != is_of_host(other):
        return False
    attempts = attempt_of(one), attempt_of(other)
    return None in attempts or attempts[0] == attempts[1]
