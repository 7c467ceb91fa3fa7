"""Repeated sightings as one item: all sightings of a diagnosis enter, its evidence leaves."""

from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from checker.match.onset import OnsetKey, onset_key
from checker.model import Sighting
from checker.packed import Packer, reordered
from checker.picked import Numbered


def merged_sightings(sightings: Sequence[Sighting]) -> Sequence[Sighting]:
    """Make one item of what one sign saw of one process: the first place, and how often."""
    by_rank = Numbered(sightings, [-1 if s.rank is None else s.rank for s in sightings])
    merged: Packer[Sighting] = Packer()
    places: List[Tuple[OnsetKey, str, int]] = []
    for rank in by_rank.numbers():
        for number, item in _items_of(zip(by_rank.places(rank), by_rank.of(rank))):
            merged.add(item)
            places.append((onset_key(item), item.sign, number))
    order = sorted(range(len(places)), key=places.__getitem__)
    return reordered(merged.packed(), order)


def _items_of(own: Iterable[Tuple[int, Sighting]]) -> Iterable[Tuple[int, Sighting]]:
    """Merge what names one rank, or none; each item with the number of its first sighting."""
    groups: Dict[Tuple[str, str, str], Tuple[int, List[Sighting]]] = {}
    for number, sighting in own:
        path = sighting.line.path if sighting.line and sighting.rank is None else ""
        key = (sighting.sign, sighting.host or "", path)
        groups.setdefault(key, (number, []))[1].append(sighting)
    for number, group in groups.values():
        yield number, _one_item(group)


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
