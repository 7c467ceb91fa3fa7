"""What becomes of each case: the judged cases and the scene enter, a `Sorted` leaves.

What passed is set apart, what an exact entry tells better is hidden, and what is merely possible
is left out where something surer is known.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case
from checker.diagnose.recovery import has_recovered, moved_after, run_ended_well
from checker.diagnose.relations import refines, with_rivals, without_general
from checker.diagnose.roles import Role, assign_roles
from checker.diagnose.stops import outlived, without_late_stops
from checker.diagnose.survival import Leads, without_survived
from checker.judgement import Course, Trace
from checker.match.scene import Scene
from checker.model import OUTLIVED, Rule

_MOST_POSSIBLE = 3


class Sorted(NamedTuple):
    """All cases of one diagnosis, by what became of them."""

    judged: Tuple[Case, ...]
    passed: Tuple[Case, ...]
    hidden: Dict[int, str]
    """The number of a general case to the exact entry that tells it better."""
    left_out: Dict[int, str]
    """The number of a case that is not shown to the reason."""
    shown: Tuple[Case, ...]
    roles: Tuple[Role, ...]
    """Of those shown, in the order of the report."""
    active: Tuple[Case, ...]
    """Those shown and those left out."""


def sort_cases(judged: Sequence[Case], scene: Scene) -> Sorted:
    """Tell of every case what becomes of it."""
    standing = [case for case in judged if case.confidence > 0]
    leads = Leads(scene)
    passed = [case for case in standing if _has_passed(case, scene, leads)]
    left = [case for case in standing if case not in passed]
    lasting, survived = without_survived(without_late_stops(left, scene), scene, leads)
    active, hidden = without_general(with_rivals(lasting))
    left_out = _left_out(active, scene)
    shown = [case for case in active if case.number not in left_out]
    return Sorted(
        tuple(judged),
        (*passed, *survived),
        hidden,
        left_out,
        tuple(shown),
        tuple(assign_roles(shown)),
        tuple(active),
    )


def _has_passed(case: Case, scene: Scene, leads: Leads) -> bool:
    if case.rule["recovers"] == OUTLIVED:
        return outlived(case, scene, leads)
    return has_recovered(case, scene)


def _left_out(cases: Sequence[Case], scene: Scene) -> Dict[int, str]:
    """Leave out what is merely possible where something surer is known, or where all went well."""
    sure = [case for case in cases if case.confidence >= LIKELY_LEVEL and not _is_benign(case)]
    reasons: Dict[int, str] = {}
    possible: List[Case] = []
    for case in cases:
        if case in sure or _is_benign(case):
            continue
        reason = _why_left_out(case, sure, scene)
        if reason:
            reasons[case.number] = reason
        else:
            possible.append(case)
    possible.sort(key=lambda case: (-case.seen, case.id))
    for case in possible[_MOST_POSSIBLE:]:
        reasons[case.number] = "of {} possible entries only {} are shown".format(
            len(possible), _MOST_POSSIBLE
        )
    benign = [case for case in cases if _is_benign(case)]
    others = "what only looks bad is shown only where nothing else is"
    for case in benign if sure or possible else benign[1:]:
        reasons[case.number] = others
    return reasons


def _why_left_out(case: Case, sure: Sequence[Case], scene: Scene) -> str:
    better = [other.id for other in sure if _explains(other, case)]
    if better:
        return "it is merely possible, and {} explains the same ranks".format(better[0])
    if case.rule["recovers"] == "never" or case.attempt != scene.attempts[-1]:
        return ""
    if run_ended_well(scene):
        return "it is merely possible, and the run ended well"
    # Wrong numbers stop no run, so that further steps say nothing of them.
    if case.rule["recovers"] != "series" and moved_after(case.evidence, scene):
        return "it is merely possible, and the run went on after it"
    return ""


def _is_benign(case: Case) -> bool:
    return bool(case.rule["kind"] == "benign")


def _explains(sure: Case, possible: Case) -> bool:
    # A symptom needs an explanation itself, and an exact entry says more than a general one.
    if sure.attempt != possible.attempt or sure.rule["kind"] == "symptom":
        return False
    if refines(possible, sure):
        return False
    return not possible.ranks or not sure.ranks or not set(sure.ranks).isdisjoint(possible.ranks)


def trace_of(rule: Rule, cases: Sequence[Case], came: Sorted) -> Trace:
    """Tell how one entry was judged; *cases* are all of it, as judged."""
    truths = dict(cases[0].truths) if cases else {}
    return Trace(rule, truths, tuple(course_of(case, came) for case in cases))


def course_of(judged: Case, came: Sorted) -> Course:
    """Tell what became of a case, which may be as it was judged first."""
    role = next((role for role in came.roles if role.case.number == judged.number), None)
    case = _last_form(judged, came)
    fate, by, reason = _fate_of(case, came)
    return Course(
        case.attempt,
        case.rank,
        case.ranks,
        case.host,
        case.signatures,
        case.contrary,
        case.steps,
        case.confidence,
        fate,
        by,
        reason,
        role.role if role else None,
        role.cause if role else None,
        role.edge if role else None,
        role.first if role else None,
        role.order if role else None,
    )


def _last_form(judged: Case, came: Sorted) -> Case:
    """Return a case as the last stage that it reached left it."""
    forms = [case for case in (*came.active, *came.passed) if case.number == judged.number]
    return forms[0] if forms else judged


def _fate_of(case: Case, came: Sorted) -> Tuple[str, Optional[str], str]:
    if case.number in {passed.number for passed in came.passed}:
        return "recovered", None, ""
    if case.number in came.hidden:
        return "hidden", came.hidden[case.number], ""
    if case.number in came.left_out:
        return "not_shown", None, came.left_out[case.number]
    if case.number < 0:
        return "nothing_seen", None, case.missing
    if case.confidence > 0:
        return "diagnosed", None, ""
    return ("refuted" if case.refuted else "not_met"), None, case.missing
