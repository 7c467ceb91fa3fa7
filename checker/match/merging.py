"""Repeated sightings as one item: all sightings of a diagnosis enter, its evidence leaves."""

from typing import Dict, List, Sequence, Tuple

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
    return first._replace(
        times=sum(sighting.times for sighting in distinct),
        exact=all(sighting.exact for sighting in distinct),
    )
