"""Entries that nearly fit: the sorted cases enter; those that a person could follow up leave.

An exit code or a fact is shared by nearly all failures and says nothing of any one of them.
"""

from typing import Any, Dict, List, Sequence, Tuple

from checker.diagnose.confidence import Case
from checker.diagnose.course import Sorted
from checker.diagnose.relations import refines
from checker.judgement import Nearest
from checker.model import Rule

_MOST_NEAREST = 10
_TELLING_KINDS = ("log", "traceback", "stack", "metric", "collective")


def nearest_entries(came: Sorted) -> List[Nearest]:
    """List entries of which something telling was seen, with what they lack; exact ones first."""
    told = {case.id for case in (*came.shown, *came.passed)}
    told.update(case.id for case in came.judged if case.number in came.hidden)
    lacking: Dict[str, Case] = {}
    for case in came.judged:
        known = lacking.get(case.id)
        if case.id in told or not case.missing or not _is_telling_case(case):
            continue
        if known is None or case.seen > known.seen:
            lacking[case.id] = case
    ordered = sorted(lacking.values(), key=lambda case: _nearness(case, came.shown))
    return [Nearest(case.id, case.missing) for case in ordered[:_MOST_NEAREST]]


def _is_telling_case(case: Case) -> bool:
    """Tell whether a sign was seen that says something of the mechanism."""
    return any(
        truth.value and _is_telling(name, case.rule) for name, truth in sorted(case.truths.items())
    )


def _is_telling(name: str, rule: Rule) -> bool:
    sign = rule["signs"][name]
    if sign["kind"] not in _TELLING_KINDS or _is_any_exception(sign):
        return False
    return any(
        name in signature["all"] + signature["any"]
        for signature in rule["signatures"]
        if signature["strength"] != "weak"
    )


def _is_any_exception(sign: Dict[str, Any]) -> bool:
    return sign["kind"] == "traceback" and sign["traceback"] == "*" and not sign["message"]


def _nearness(case: Case, shown: Sequence[Case]) -> Tuple[bool, int, str]:
    exact = any(refines(case, other) for other in shown)
    return not exact, -case.seen, case.id
