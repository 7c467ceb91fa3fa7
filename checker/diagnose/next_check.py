"""The one command that would decide: a role and what was read enter, a check leaves."""

from typing import Dict, List, Optional

from checker.diagnose.confidence import LIKELY_LEVEL
from checker.diagnose.roles import Role
from checker.model import Observations

# In the commands of entries it stands for the logs of the run.
WORD_FOR_LOGS = "LOGS"


def next_check(role: Role, seen: Observations) -> Optional[Dict[str, str]]:
    """Choose the command that separates a case from its rivals, or else that confirms it."""
    case = role.case
    runs = [check for check in case.rule["confirm"] if check["run"]]
    explained = role.cause is not None or case.rule["kind"] != "symptom"
    if not runs or (case.confidence > LIKELY_LEVEL and explained):
        return None
    check = _beyond_the_logs(runs, seen)[0]
    tells = [c["tell"] for c in case.rule["confused_with"] if c["id"] in case.rivals]
    decides = tells[0] if tells else _both_answers(check)
    return {"command": check["run"], "decides": decides}


def _beyond_the_logs(checks: List[Dict[str, str]], seen: Observations) -> List[Dict[str, str]]:
    """Leave out what only searches the logs where those of all ranks were read already."""
    printed = {
        state.rank
        for state in seen.ranks
        if state.last_step is not None or state.last_moment is not None
    }
    if not seen.world_size or len(printed) < seen.world_size:
        return checks
    return [check for check in checks if WORD_FOR_LOGS not in check["run"].split()] or checks


def _both_answers(check: Dict[str, str]) -> str:
    texts = (check["check"], "If so: " + check["yes"], "If not: " + check["no"])
    return " ".join(map(_full_sentence, texts))


def _full_sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."
