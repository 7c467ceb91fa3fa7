"""Repeated sightings as one item: all sightings of a diagnosis enter, its evidence leaves."""

from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from checker.match.onset import onset_key
from checker.model import Sighting


def merged_sightings(sightings: Sequence[Sighting]) -> List[Sighting]:
    """Make one item of what one sign saw of one process: the first place, and how often."""
    groups: Dict[Tuple[str, int, str, str], List[Sighting]] = {}
    for sighting in sightings:
        rank = -1 if sighting.rank is None else sighting.rank
        path = sighting.line.path if sighting.line and sighting.rank is None else ""
        groups.setdefault((sighting.sign, rank, sighting.host or "", path), []).append(sighting)
    merged = [_one_item(group) for group in groups.values()]
    return sorted(merged, key=lambda sighting: (onset_key(sighting), sighting.sign))


def _one_item(group: Sequence[Sighting]) -> Sighting:
    distinct = sorted(
        {
            (sighting.line.path, sighting.line.number) if sighting.line else ("", 0): sighting
            for sighting in group
        }.values(),
        key=onset_key,
    )
    first = distinct[0]
    if first.kind == "exit":
        return first
    times, exact = times_told(distinct)
    return first._replace(times=times, exact=exact)


def times_told(sightings: Iterable[Sighting]) -> Tuple[int, bool]:
    """Add up how often a sign was seen, and whether that is exact or at least so often.

    Several files may tell the same of one rank, as its own log, the launcher's console and its
    error file do: of these the one counts that tells most.
    """
    told: Dict[Tuple[Optional[int], str], int] = {}
    most: Dict[object, int] = {}
    exact = True
    for sighting in sightings:
        path = sighting.line.path if sighting.line else ""
        told[(sighting.rank, path)] = told.get((sighting.rank, path), 0) + sighting.times
        exact = exact and sighting.exact
    for (rank, path), times in told.items():
        process = path if rank is None else rank
        exact = exact and process not in most
        most[process] = max(most.get(process, 0), times)
    return sum(most.values()), exact
