"""Who caused whom: the cases enter; each with its role, its cause and its place in order leaves.

An edge from A to B says that A could have caused B; there is none where A is known to have
happened after B.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case
from checker.diagnose.usercode import USER_CODE_ERROR
from checker.match.onset import (
    AFTER,
    BEFORE,
    NO_ONSET,
    OnsetKey,
    compare_groups,
    earliest,
    onset_key,
    surely_apart,
    tells_when,
)
from checker.match.values import span_of
from checker.model import Sighting

INITIATING, CONSEQUENCE, INDEPENDENT = "initiating", "consequence", "independent"


class Role(NamedTuple):
    """A case and the part it played."""

    case: Case
    role: str
    cause: Optional[str]
    """The id of the diagnosis that it is a consequence of."""


def assign_roles(cases: Sequence[Case]) -> List[Role]:
    """Give each case its role, in the order of the report."""
    causes = _without_circles(cases, [_cause_of(case, cases) for case in cases])
    roots = [
        index
        for index, case in enumerate(cases)
        if causes[index] is None and case.rule["kind"] in ("failure", "stop")
    ]
    first = _initiating(cases, roots)
    roles = []
    for index, case in enumerate(cases):
        cause = causes[index]
        if cause is not None:
            roles.append(Role(case, CONSEQUENCE, cases[cause].id))
        elif case.rule["kind"] == "symptom":
            roles.append(Role(case, CONSEQUENCE, None))
        elif index in first:
            roles.append(Role(case, INITIATING, None))
        else:
            roles.append(Role(case, INDEPENDENT, None))
    lifted = {
        cases[cause].id
        for case, cause in zip(cases, causes)
        if cause is not None and cases[cause].attempt != case.attempt
    }
    last = max((_attempt_number(case) for case in cases), default=-1)
    return sorted(roles, key=lambda role: _report_key(role, role.case.id in lifted, last))


def order_of(one: Case, other: Case) -> Optional[str]:
    """Tell which of two cases began first."""
    return compare_groups(_timed(one), _timed(other))


def _timed(case: Case) -> List[Sighting]:
    return [s for s in case.evidence if tells_when(s)]


def _cause_of(case: Case, cases: Sequence[Case]) -> Optional[int]:
    """Choose the most confident direct cause, then the earliest, then the first by name."""
    found = [
        index
        for index, other in enumerate(cases)
        if other is not case
        and (other.confidence >= LIKELY_LEVEL or other.confidence >= case.confidence)
        and could_cause(other, case)
    ]
    if not found:
        return None
    most = max(cases[index].confidence for index in found)
    best = [index for index in found if cases[index].confidence == most]
    return min(_earliest_of(cases, best), key=lambda index: (cases[index].id, index))


def _earliest_of(cases: Sequence[Case], chosen: Sequence[int]) -> List[int]:
    """Keep the cases before which no other of the chosen is known to have begun."""
    return [
        index
        for index in chosen
        if not any(order_of(cases[other], cases[index]) == BEFORE for other in chosen)
    ] or list(chosen)


def could_cause(one: Case, other: Case) -> bool:
    """Tell whether there is an edge from one case to another."""
    if one.rule["kind"] == "benign" or other.rule["kind"] == "benign":
        return False
    if not (_leads_to(one, other) or _ordinary_edge(one, other)) or _too_late(one, other):
        return False
    return one.attempt != other.attempt or order_of(one, other) != AFTER


def _leads_to(one: Case, other: Case) -> bool:
    return any(
        link["id"] == other.id and _where_holds(link["where"], one, other)
        for link in one.rule["leads_to"]
    )


def _too_late(one: Case, other: Case) -> bool:
    """Tell whether a relation says that its consequence comes sooner than this."""
    spans = [link["within"] for link in one.rule["leads_to"] if link["id"] == other.id]
    if None in spans or not spans or one.attempt != other.attempt:
        return False
    first, then = earliest(_timed(one)), earliest(_timed(other))
    if first is None or then is None:
        return False
    # Lines and steps of different processes cannot be compared.
    limits = [amount for amount, unit in map(span_of, spans) if unit == "s"]
    return len(limits) == len(spans) and surely_apart(first, then, max(limits))


def _where_holds(where: str, one: Case, other: Case) -> bool:
    if where == "next_attempt":
        return None not in (one.attempt, other.attempt) and (one.attempt or 0) < (
            other.attempt or 0
        )
    if one.attempt != other.attempt:
        return False
    ones, others = set(one.ranks), set(other.ranks)
    if where == "same_rank":
        return not ones or not others or not ones.isdisjoint(others)
    if where == "other_ranks":
        return not others or bool(others - {one.rank})
    if where in ("same_host", "same_gpu"):
        return None in (one.host, other.host) or one.host == other.host
    return True


def _ordinary_edge(one: Case, other: Case) -> bool:
    """Tell whether the chain that every failure starts leads from one case to another."""
    effects, kinds = set(one.rule["effect"]), (one.rule["kind"], other.rule["kind"])
    if one.attempt != other.attempt:
        return False
    if kinds == ("failure", "symptom"):
        return not effects.isdisjoint(("dies", "hangs"))
    if kinds == ("failure", "stop"):
        return not effects.isdisjoint(("hangs", "slows"))
    if other.id == USER_CODE_ERROR and one.id != USER_CODE_ERROR and kinds[0] == "failure":
        return one.confidence >= LIKELY_LEVEL and _is_of_its_parent(one, other)
    return False


def _is_of_its_parent(one: Case, other: Case) -> bool:
    """Tell whether a later exception is of the same rank, or can be of the process above it."""
    if one.rank is None or other.rank is None:
        return one.rank is not None and order_of(one, other) == BEFORE
    return one.rank == other.rank


def _without_circles(cases: Sequence[Case], causes: List[Optional[int]]) -> List[Optional[int]]:
    """Cut every circle of causes at its earliest, most confident member."""
    for start in range(len(cases)):
        path: List[int] = []
        at: Optional[int] = start
        while at is not None and at not in path:
            path.append(at)
            at = causes[at]
        if at is not None:
            circle = path[path.index(at) :]
            earliest_ones = _earliest_of(cases, circle)
            head = min(earliest_ones, key=lambda i: (-cases[i].confidence, cases[i].id, i))
            causes[head] = None
    return causes


def _initiating(cases: Sequence[Case], roots: List[int]) -> List[int]:
    """Choose what failed first in each attempt; a merely possible case only if nothing is surer."""
    chosen = []
    for attempt in {cases[index].attempt for index in roots}:
        here = [index for index in roots if cases[index].attempt == attempt]
        sure = [index for index in here if cases[index].confidence >= LIKELY_LEVEL] or here
        firsts = _earliest_of(cases, sure)
        chosen.append(min(firsts, key=lambda index: _surest_first(cases[index])))
    return chosen


def _surest_first(case: Case) -> Tuple[int, str]:
    return -case.confidence, case.id


def _attempt_number(case: Case) -> int:
    return -1 if case.attempt is None else case.attempt


def _report_key(role: Role, lifted: bool, last: int) -> Tuple[int, int, int, OnsetKey, str]:
    """Order the report; what damaged a later attempt stands before that attempt's own."""
    case = role.case
    ranks: Dict[str, int] = {INITIATING: 0, INDEPENDENT: 1}
    place = ranks.get(role.role, 2 if role.cause is None else 3)
    start = earliest(_timed(case))
    onset = onset_key(start) if start else NO_ONSET
    if lifted:
        return -last, -1, -case.confidence, onset, case.id
    return -_attempt_number(case), place, -case.confidence, onset, case.id
