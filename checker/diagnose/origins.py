"""Where a failure began: the places at which a signature is met enter; rank and host leave.

Among several ranks only times tell which was first. Their lines in a console stand in the order
in which something read them, and a launcher tells of ranks in the order in which it looked.
"""

from array import array
from typing import Optional, Sequence, Set, Tuple

from checker.match.evidence import Met
from checker.match.onset import BEFORE, compare_onsets, earliest, onset_key, starts_of, tells_when
from checker.match.scene import Scene
from checker.model import Sighting
from checker.packed import Packer
from checker.picked import Numbered

Origin = Tuple[Optional[int], Optional[str]]
# The only writer whose lines about several ranks stand in the order of what happened.
_IN_ORDER = "kernel"


def origin_of(mets: Sequence[Met], first: Met, scene: Scene) -> Origin:
    """Return the rank and the host where a failure began, each None where that cannot be told."""
    if first.place.rank is None and first.place.host is not None:
        # A machine's failure began on the machine.
        return _origin_at(first, scene)
    begun = _sightings_by_rank(mets)
    ranks = set(begun.numbers()) or {met.place.rank for met in mets if met.place.rank is not None}
    rank = _first_rank(begun) if len(begun) or len(ranks) != 1 else min(ranks)
    if rank is None and len(ranks) > 1:
        hosts = {_origin_at(met, scene)[1] for met in mets}
        return None, hosts.pop() if len(hosts) == 1 else None
    if first.place.rank not in (None, rank):
        first = next(met for met in mets if met.place.rank in (None, rank))
    return _origin_at(first, scene, rank)


def _sightings_by_rank(mets: Sequence[Met]) -> "Numbered[Sighting]":
    ranks = array("q")
    found: Packer[Sighting] = Packer()
    for met in mets:
        for sighting in met.sightings:
            rank = sighting.rank if met.place.rank is None else met.place.rank
            if rank is not None and tells_when(sighting):
                ranks.append(rank)
                found.add(sighting)
    return Numbered(found.packed(), ranks)


def _first_rank(begun: "Numbered[Sighting]") -> Optional[int]:
    """Find the rank that is known to have begun before all others."""
    if not len(begun):
        return None
    first = min(begun.numbers(), key=lambda rank: min(map(onset_key, starts_of(begun.of(rank)))))
    starts = starts_of(begun.of(first))
    sure = all(
        _began_before(starts, starts_of(begun.of(other)))
        for other in begun.numbers()
        if other != first
    )
    return first if sure else None


def _began_before(ones: Sequence[Sighting], others: Sequence[Sighting]) -> bool:
    """Tell whether all that can be compared of one rank was before that of another."""
    verdicts: Set[str] = set()
    for one in ones:
        for other in others:
            verdict = compare_onsets(one, other) if _are_comparable(one, other) else None
            if verdict:
                verdicts.add(verdict)
    return verdicts == {BEFORE}


def _are_comparable(one: Sighting, other: Sighting) -> bool:
    if None not in (one.onset, other.onset):
        return True
    lines = (one.line, other.line)
    return all(line is not None and line.writer.source == _IN_ORDER for line in lines)


def _origin_at(met: Met, scene: Scene, rank: Optional[int] = None) -> Origin:
    start = earliest([s for s in met.sightings if tells_when(s)])
    rank = met.place.rank if rank is None else rank
    host = met.place.host
    if start is not None:
        rank = start.rank if rank is None else rank
        host = host or start.host
    if host is None and rank is not None:
        host = scene.rank_hosts.get(rank)
    return rank, host
