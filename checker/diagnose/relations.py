"""Entries beside each other: rivals that rest on one sighting, and general ones under exact ones.

Cases enter; cases leave with their rivals named and capped, and without the general ones that an
exact one hides.
"""

from itertools import combinations
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case, lowered
from checker.diagnose.roles import could_cause
from checker.model import CONFIDENCE

Spot = Tuple[str, int]


def with_rivals(cases: Sequence[Case]) -> List[Case]:
    """Cap the cases that rest on the same sighting as an unrelated one at likely."""
    rivals: Dict[int, Set[str]] = {}
    for (index, one), (number, other) in combinations(enumerate(cases), 2):
        if _are_rivals(one, other) and _share_a_spot(one, other):
            rivals.setdefault(index, set()).add(other.id)
            rivals.setdefault(number, set()).add(one.id)
    return [
        _beside_rivals(case, tuple(sorted(rivals[index]))) if rivals.get(index) else case
        for index, case in enumerate(cases)
    ]


def _beside_rivals(case: Case, names: Tuple[str, ...]) -> Case:
    reason = "it rests on the same line as {}, and nothing relates them".format(", ".join(names))
    return lowered(case._replace(rivals=names), "rival", LIKELY_LEVEL, reason)


def spots_of(case: Case) -> Iterable[Spot]:
    """List the places in the logs that a case rests on."""
    return ((s.line.path, s.line.number) for s in case.evidence if s.line is not None)


def _share_a_spot(one: Case, other: Case) -> bool:
    """Tell whether two cases rest on one place; the places of thousands of ranks are walked."""
    few, many = sorted((one, other), key=lambda case: len(case.evidence))
    places = set(spots_of(few))
    return any(spot in places for spot in spots_of(many))


def _are_rivals(one: Case, other: Case) -> bool:
    if one.id == other.id or min(one.confidence, other.confidence) < LIKELY_LEVEL:
        return False
    if "benign" in (one.rule["kind"], other.rule["kind"]) or one.attempt != other.attempt:
        return False
    if refines(one, other) or refines(other, one):
        return False
    return not could_cause(one, other) and not could_cause(other, one)


def refines(exact: Case, general: Case) -> bool:
    """Tell whether one entry says more exactly what another one says."""
    return general.id in exact.rule["refines"] or exact.id in general.rule["refined_by"]


def without_general(cases: Sequence[Case]) -> Tuple[List[Case], Dict[int, str]]:
    """Hide every general case under an exact one that is likely and of the same process.

    The numbers of the hidden cases leave too, each with the id of the exact one. An exact one
    that is merely possible names its general one, which stays.
    """
    hidden: Dict[int, str] = {}
    general_of: Dict[int, int] = {}
    for index, general in enumerate(cases):
        for number, exact in enumerate(cases):
            if refines(exact, general) and _share(exact, general):
                general_of.setdefault(number, index)
                if exact.confidence >= LIKELY_LEVEL:
                    hidden.setdefault(index, exact.id)
    left = [
        case._replace(general=_named_general(cases, general_of.get(index)))
        for index, case in enumerate(cases)
        if index not in hidden
    ]
    return left, {cases[index].number: name for index, name in hidden.items()}


def _named_general(cases: Sequence[Case], index: Optional[int]) -> Optional[Dict[str, str]]:
    if index is None:
        return None
    return {"id": cases[index].id, "confidence": CONFIDENCE[cases[index].confidence]}


def _share(one: Case, other: Case) -> bool:
    """Tell whether two cases are of one attempt and one rank, device or host."""
    if one.attempt != other.attempt:
        return False
    if one.ranks and other.ranks:
        return not set(one.ranks).isdisjoint(other.ranks)
    if one.host is not None and other.host is not None:
        return one.host == other.host
    return True
