"""Who caused whom: the cases enter; each with its role, its cause and its place in order leaves.

An edge from A to B says that A could have caused B; there is none where A is known to have
happened after B.
"""

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

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
# Edges: an entry names the other; a failure shows as symptoms; a hang makes someone stop the run;
# an exception follows from a failure of its own or its parent's rank.
NAMED, SHOWS, STOPS, RAISES = "leads_to", "symptom", "stop", "exception"


class Role(NamedTuple):
    """A case and the part it played."""

    case: Case
    role: str
    cause: Optional[str]
    """The id of the diagnosis that it is a consequence of."""
    edge: Optional[str] = None
    """Why that one could cause it; one of the names of edges."""
    first: Optional[str] = None
    """The id of what failed first, beside which this one is independent."""
    order: Optional[str] = None
    """When the cause, or what failed first, began: `before` it, or not known."""
    preceded_by: Optional[str] = None
    """The id of a symptom without a cause that is known to have begun before what failed first."""


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
            other = cases[cause]
            edge = _edge_between(other, case)
            roles.append(Role(case, CONSEQUENCE, other.id, edge, order=order_of(other, case)))
        elif case.rule["kind"] == "symptom":
            roles.append(Role(case, CONSEQUENCE, None))
        elif index in first:
            earlier = _symptom_before(case, cases, causes)
            roles.append(Role(case, INITIATING, None, preceded_by=earlier))
        else:
            ahead = [cases[i] for i in first if cases[i].attempt == case.attempt]
            roles.append(_independent(case, ahead))
    lifted = {
        cases[cause].id
        for case, cause in zip(cases, causes)
        if cause is not None and cases[cause].attempt != case.attempt
    }
    last = max((_attempt_number(case) for case in cases), default=-1)
    return sorted(roles, key=lambda role: _report_key(role, role.case.id in lifted, last))


def _symptom_before(
    case: Case, cases: Sequence[Case], causes: Sequence[Optional[int]]
) -> Optional[str]:
    """Name the first symptom of the attempt that began before a case and that nothing explains."""
    before = [
        index
        for index, other in enumerate(cases)
        if causes[index] is None
        and other.rule["kind"] == "symptom"
        and other.attempt == case.attempt
        and other.confidence >= LIKELY_LEVEL
        and order_of(other, case) == BEFORE
    ]
    return min((cases[index].id for index in _earliest_of(cases, before)), default=None)


def _independent(case: Case, ahead: Sequence[Case]) -> Role:
    if not ahead:
        return Role(case, INDEPENDENT, None)
    order = order_of(ahead[0], case)
    return Role(case, INDEPENDENT, None, first=ahead[0].id, order=order)


def order_of(one: Case, other: Case) -> Optional[str]:
    """Tell which of two cases began first."""
    return compare_groups(_timed(one), _timed(other))


def _timed(case: Case) -> Iterable[Sighting]:
    return (s for s in case.evidence if tells_when(s))


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
    if _edge_between(one, other) is None or _too_late(one, other):
        return False
    return one.attempt != other.attempt or order_of(one, other) != AFTER


def _edge_between(one: Case, other: Case) -> Optional[str]:
    """Name the edge between two cases, whenever they happened."""
    if one.rule["kind"] == "benign" or other.rule["kind"] == "benign":
        return None
    return NAMED if _leads_to(one, other) else _ordinary_edge(one, other)


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


def _ordinary_edge(one: Case, other: Case) -> Optional[str]:
    """Name the edge of the chain that every failure starts, where there is one."""
    effects, kinds = set(one.rule["effect"]), (one.rule["kind"], other.rule["kind"])
    if one.attempt != other.attempt:
        return None
    if kinds == ("failure", "symptom"):
        return None if effects.isdisjoint(("dies", "hangs")) else SHOWS
    if kinds == ("failure", "stop"):
        return None if effects.isdisjoint(("hangs", "slows")) else STOPS
    if other.id == USER_CODE_ERROR and one.id != USER_CODE_ERROR and kinds[0] == "failure":
        return RAISES if one.confidence >= LIKELY_LEVEL and _is_of_its_parent(one, other) else None
    return None


def _is_of_its_parent(one: Case, other: Case) -> bool:
    """Tell whether a later exception is of the same rank, or can be of the process above it."""
    ones, others = _first_ranks(one), _first_ranks(other)
    if not ones or not others:
        return bool(ones) and order_of(one, other) == BEFORE
    return not ones.isdisjoint(others)


def _first_ranks(case: Case) -> Set[int]:
    """Return the rank where a case began, or all of which nothing tells the first."""
    return set(case.ranks) if case.rank is None else {case.rank}


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
        # Whoever stops a run, which nothing delays, has a reason that may stand above.
        firsts = [i for i in firsts if not any(_is_above_stop(cases[j], cases[i]) for j in firsts)]
        chosen.append(min(firsts, key=lambda index: _surest_first(cases[index])))
    return chosen


def _is_above_stop(one: Case, other: Case) -> bool:
    """Tell whether a failure stands above a stop in a file that has both."""
    if (one.rule["kind"], other.rule["kind"]) != ("failure", "stop"):
        return False
    ones, others = _first_lines(one), _first_lines(other)
    shared = ones.keys() & others.keys()
    return bool(shared) and all(ones[path] < others[path] for path in shared)


def _first_lines(case: Case) -> Dict[str, int]:
    first: Dict[str, int] = {}
    for sighting in _timed(case):
        if sighting.line is not None:
            path, number = sighting.line.path, sighting.line.number
            first[path] = min(number, first.get(path, number))
    return first


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
