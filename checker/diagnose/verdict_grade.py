"""What the launcher called the root cause, weighed: verdicts and roles enter, a grade leaves.

torchrun names the process with the smallest whole second on its own node. Unless a process
recorded its exception, that is the second in which the agent noticed the end, so a rank that only
waited may well be named. What the logs show of that rank decides.
"""

from typing import Optional, Sequence, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case
from checker.diagnose.roles import INITIATING, Role
from checker.judgement import GradedVerdict
from checker.match.homes import known_host
from checker.model import LauncherVerdict

# What torchrun sends to the processes that are left, and what the watchdog ends its process with.
_TEARDOWN_EXIT = -15
_ABORT_EXIT = -6


def graded_verdict(
    verdicts: Sequence[LauncherVerdict], roles: Sequence[Role], last: Optional[int]
) -> Optional[GradedVerdict]:
    """Weigh the earliest verdict against what is diagnosed of the last attempt."""
    if not verdicts:
        return None
    verdict = verdicts[0]
    here = [role for role in roles if role.case.attempt in (None, last)]
    agrees, why, role = _judged_verdict(verdict, here)
    return GradedVerdict(
        verdict,
        agrees,
        why,
        role.case.id if role else None,
        _first_ranks_of(role),
        len(verdicts) - 1,
    )


def _judged_verdict(
    verdict: LauncherVerdict, roles: Sequence[Role]
) -> Tuple[Optional[bool], str, Optional[Role]]:
    lead = next(
        (r for r in roles if r.role == INITIATING and r.case.confidence >= LIKELY_LEVEL), None
    )
    if lead is None:
        return _without_cause(verdict, roles)
    if lead.case.rule["kind"] == "stop":
        return False, "stopped", lead
    firsts = _first_ranks_of(lead)
    if verdict.rank in firsts:
        return True, "same", lead
    if not firsts:
        return None, "machine" if _is_of_its_host(verdict, lead.case) else "unknown", lead
    return _overruled(verdict, roles, lead)


def _overruled(
    verdict: LauncherVerdict, roles: Sequence[Role], lead: Role
) -> Tuple[Optional[bool], str, Optional[Role]]:
    """Say why a named rank was not the first, if anything shows it."""
    if verdict.exit == _TEARDOWN_EXIT:
        return False, "teardown", lead
    shown = [role for role in roles if verdict.rank in role.case.ranks]
    if verdict.exit == _ABORT_EXIT and _is_symptom_there(shown):
        return False, "abort", lead
    if any(role.cause is not None for role in shown):
        return False, "followed", lead
    return None, "unknown", lead


def _without_cause(
    verdict: LauncherVerdict, roles: Sequence[Role]
) -> Tuple[Optional[bool], str, Optional[Role]]:
    if verdict.exit == _TEARDOWN_EXIT:
        return False, "teardown", None
    shown = [role for role in roles if verdict.rank in role.case.ranks]
    sure = [role for role in shown if role.case.confidence >= LIKELY_LEVEL]
    if _is_symptom_there(sure):
        symptom = next(role for role in sure if role.case.rule["kind"] == "symptom")
        return False, "waited", symptom
    return None, "unknown", None


def _is_symptom_there(shown: Sequence[Role]) -> bool:
    return any(role.case.rule["kind"] == "symptom" for role in shown)


def _first_ranks_of(role: Optional[Role]) -> Tuple[int, ...]:
    if role is None:
        return ()
    return role.case.ranks if role.case.rank is None else (role.case.rank,)


def _is_of_its_host(verdict: LauncherVerdict, case: Case) -> bool:
    host = known_host(verdict.host)
    return host is not None and host == known_host(case.host)
