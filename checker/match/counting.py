"""How often a sign was seen: its sightings enter; true, false or unknown leaves.

On one place are counted what is known to be there, at the least, and all that may be there, at
the most. The condition is unknown where both do not come to the same.
"""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.match.comparisons import any_of
from checker.match.homes import known_host
from checker.match.joining import is_of_run
from checker.match.keys import key_value
from checker.match.merging import times_told
from checker.match.scene import Scene
from checker.match.values import span_of
from checker.model import Sighting

# Repetitions within so many seconds are one burst.
_BURST = 5.0

_CountedAt = Tuple[object, ...]


class _Count(NamedTuple):
    """How often it was at the least, and at the most."""

    least: int
    most: Optional[int]
    """None where more may have been."""


def judge_count(
    condition: Dict[str, Any], pool: Sequence[Sighting], scene: Scene
) -> Optional[bool]:
    """Tell whether a sign was seen so often, at any one place if the condition says of what."""
    placed: Dict[_CountedAt, List[Sighting]] = {}
    loose: List[Sighting] = []
    for sighting in pool:
        place = _counted_at(condition["per"], sighting, scene)
        if place is None:
            loose.append(sighting)
        else:
            placed.setdefault(place, []).append(sighting)
    groups = [placed[place] for place in sorted(placed, key=str)]
    # What names no place is of one at least, whether that is known otherwise or not.
    groups += [[sighting._replace(times=1, exact=True)] for sighting in loose[:1]]
    counts = [_count_between(condition, group, loose) for group in groups] or [_Count(0, 0)]
    return any_of([_count_fits(condition, count) for count in counts])


def _counted_at(per: Optional[str], sighting: Sighting, scene: Scene) -> Optional[_CountedAt]:
    """Name the place on which a sighting counts; None where it can be any."""
    if per is None:
        return ()
    if per == "rank":
        return _process_of(sighting, scene)
    host = known_host(sighting.host)
    if host is None and len(scene.hosts) <= 1:
        host = "".join(scene.hosts)
    # Devices of two hosts have the same bus ids.
    device = key_value("gpu", sighting) if per == "gpu" else ""
    return None if None in (host, device) else (device, host)


def _process_of(sighting: Sighting, scene: Scene) -> Optional[_CountedAt]:
    """Name the process: where several may write to one file, the file does not stand for it."""
    if sighting.rank is not None:
        return (sighting.rank,)
    if sighting.line is None or is_of_run(sighting):
        return None
    seen = scene.observations
    lone = not seen.ranks and (seen.world_size or 1) == 1
    if sighting.local_rank is None and not lone:
        return None
    return sighting.line.path, sighting.local_rank, known_host(sighting.host)


def _count_between(
    condition: Dict[str, Any], group: List[Sighting], loose: Sequence[Sighting]
) -> _Count:
    least, exact = _count_of(condition, group)
    if not loose or not exact:
        return _Count(least, least if exact else None)
    most, exact = _count_of(condition, [*group, *loose])
    return _Count(least, max(least, most) if exact else None)


def _count_of(condition: Dict[str, Any], pool: List[Sighting]) -> Tuple[int, bool]:
    if condition["distinct"]:
        values = {str(key_value(condition["distinct"], sighting)) for sighting in pool}
        return len(values - {"None"}), True
    timed = sorted(s.onset.seconds for s in pool if s.onset is not None and s.times == 1)
    others, exact = times_told(s for s in pool if s.onset is None or s.times > 1)
    exact = exact and all(sighting.exact for sighting in pool)
    if condition["within"] is None:
        return others + _bursts(timed), exact
    amount, _ = span_of(condition["within"])
    windows = [_bursts([t for t in timed if start <= t <= start + amount]) for start in timed]
    return max(windows, default=0), exact and not others


def _bursts(times: Sequence[float]) -> int:
    count, start = 0, None
    for moment in times:
        if start is None or moment - start > _BURST:
            count, start = count + 1, moment
    return count


def _count_fits(condition: Dict[str, Any], count: _Count) -> Optional[bool]:
    low, high = condition["min"], condition["max"]
    if low is not None and count.most is not None and count.most < low:
        return False
    if high is not None and count.least > high:
        return False
    enough = low is None or count.least >= low
    few = high is None or (count.most is not None and count.most <= high)
    return True if enough and few else None
