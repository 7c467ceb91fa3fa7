"""Which part of a report is told where: a `Report` enters, its diagnoses leave, sorted for telling.

All forms of the report follow it, so that they tell the same story.
"""

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from checker.judgement import Nearest, Report
from checker.model import Diagnosis
from checker.report.surroundings import failed_ranks


class Story(NamedTuple):
    """The diagnoses of a report by the part that they play."""

    current: Tuple[Diagnosis, ...]
    """What the last attempt came to, the leading one first."""
    rivals: Tuple[Diagnosis, ...]
    """What rests on the same lines as the leading one."""
    others: Tuple[Diagnosis, ...]
    symptoms: Tuple[Diagnosis, ...]
    """Those whose cause was not seen, besides the leading one."""
    earlier: Tuple[Diagnosis, ...]
    """What earlier attempts came to."""
    nearest: Tuple[Nearest, ...]
    """Entries that are worth naming, since the leading one is in doubt."""


def run_story(report: Report) -> Story:
    """Sort the diagnoses."""
    current = current_of(report)
    leading = leading_of(current)
    others = [item for item in leading[1:] if item.rule["kind"] != "symptom"]
    rivals = [item for item in others if leading[0].rule["id"] in item.rivals]
    explained = bool(leading) and leading[0].confidence == 3 and leading[0].role == "initiating"
    return Story(
        tuple(current),
        tuple(rivals),
        tuple(item for item in others if item not in rivals),
        tuple(item for item in leading[1:] if item.rule["kind"] == "symptom"),
        tuple(item for item in report.diagnoses if item not in current),
        () if explained else report.nearest,
    )


def recognized(diagnoses: Sequence[Diagnosis]) -> bool:
    """Tell whether a failure, a symptom or a stop is certain or likely."""
    return any(item.confidence > 1 and item.rule["kind"] != "benign" for item in diagnoses)


def leading_of(current: Sequence[Diagnosis]) -> List[Diagnosis]:
    """Leave out what followed from another diagnosis."""
    return [item for item in current if item.consequence_of is None]


def followed_from(origin: Diagnosis, current: Sequence[Diagnosis]) -> List[Diagnosis]:
    """List what followed from *origin*, directly or not."""
    causes = {item.rule["id"]: item.consequence_of for item in current}
    return [
        item
        for item in current
        if item is not origin and origin.rule["id"] in _causes_of(item, causes)
    ]


def _causes_of(item: Diagnosis, causes: Dict[str, Any]) -> List[str]:
    """List the ids that *item* follows from, the direct one first."""
    chain: List[str] = []
    cause = item.consequence_of
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = causes.get(cause)
    return chain


def shows_trouble(report: Report) -> bool:
    """Tell whether anything hints at a failure, known or not."""
    seen = report.observations
    return bool(report.diagnoses or report.unexplained or seen.errors or failed_ranks(report))


def without_lone_attempt(report: Report) -> Report:
    """Leave the attempt away where there was only one, the first."""
    if latest_attempt(report) != 0:
        return report
    return report._replace(
        diagnoses=tuple(item._replace(attempt=None) for item in report.diagnoses),
        recovered=tuple(item._replace(attempt=None) for item in report.recovered),
    )


def current_of(report: Report) -> List[Diagnosis]:
    """Choose what is told of the last attempt, and of what it ran into; the rest is history."""
    latest = latest_attempt(report)
    own = [item for item in report.diagnoses if item.attempt in (latest, None)]
    lifted = {item.consequence_of for item in own} - {item.rule["id"] for item in own}
    return [item for item in report.diagnoses if item in own or item.rule["id"] in lifted]


def latest_attempt(report: Report) -> Any:
    """Return the number of the last attempt that was seen."""
    seen = [state.attempt for state in report.observations.ranks]
    seen += [item.attempt for item in report.diagnoses]
    seen += [number for _, _, number in report.observations.attempts]
    return max((attempt for attempt in seen if attempt is not None), default=None)
