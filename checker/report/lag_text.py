"""The lag table in a report: the groups' verdicts enter; rows of text, or a JSON object, leave."""

from typing import Any, Dict, List, Optional, Sequence

from checker.collective.lagging import RankPlace
from checker.collective.records import UNDECIDED, GroupLag, RankLag
from checker.collective.tables import REPORTS
from checker.judgement import Report
from checker.report.accounts import plain
from checker.report.phrases import counted, ranks_phrase
from checker.report.terminal import TextRow, wrap_text

_MOST_TABLES = 3
_MOST_STATES = 5


def lag_rows(report: Report) -> List[TextRow]:
    """Tell, group by group of the last attempt, where the ranks stood; alike ranks in one row."""
    lags: Sequence[GroupLag] = report.observations.lags
    last = max((lag.attempt for lag in lags if lag.attempt is not None), default=None)
    telling = [lag for lag in lags if lag.attempt == last and _is_worth_telling(lag)]
    telling.sort(key=lambda lag: lag.verdict == UNDECIDED)
    rows: List[TextRow] = []
    for lag in telling[:_MOST_TABLES]:
        rows += plain(wrap_text("{}: {}.".format(group_words(lag), lag.why), "  ", "    "))
        rows += _state_rows(lag)
    left = len(telling) - _MOST_TABLES
    if left > 0:
        rows += plain(["  and {}".format(counted(left, "more group"))])
    return rows


def _is_worth_telling(lag: GroupLag) -> bool:
    """One rank alone that waits says no more than its own line."""
    return lag.verdict != UNDECIDED or len(lag.rows) > 1


def group_words(lag: GroupLag) -> str:
    """Name a group, or what told of one."""
    if not lag.group:
        return "Group not named"
    if lag.group in REPORTS:
        return "A " + lag.group
    return "Group {}{}".format(lag.group, " ({})".format(lag.described) if lag.described else "")


def _state_rows(lag: GroupLag) -> List[TextRow]:
    states: Dict[str, List[int]] = {}
    for row in lag.rows:
        states.setdefault(_lag_words(row), []).append(row.rank)
    ordered = sorted(states.items(), key=lambda state: (len(state[1]), state[1]))
    rows: List[TextRow] = []
    if len(lag.rows) < 2:
        return rows
    for words, ranks in ordered[:_MOST_STATES]:
        text = "{}: {}".format(ranks_phrase(ranks), words)
        rows += plain(wrap_text(text, "    ", "      "))
    left = sum(len(ranks) for _, ranks in ordered[_MOST_STATES:])
    if left:
        rows += plain(["    and {} elsewhere".format(counted(left, "rank"))])
    return rows


def _lag_words(row: RankLag) -> str:
    told = row.told
    parts = []
    if told.waits_in is not None:
        call = told.waits_in
        size = "" if call.numel_in is None else " of " + counted(call.numel_in, "element")
        parts.append("waiting in {} {}{}".format(call.op or "collective", call.seq, size))
    if told.missing:
        parts.append("did not come")
    if told.unreachable:
        parts.append("not reached by NCCL's RAS")
    if told.stuck:
        parts.append("its watchdog is stuck")
    counters = (("enqueued", told.enqueued), ("completed", told.completed))
    parts += ["last {} {}".format(name, number) for name, number in counters if number is not None]
    if told.most is not None:
        parts.append("most ranks: {} {}".format(told.most.op or "operation", told.most.seq))
    return ", ".join(parts)


def json_lag(lag: Optional[RankPlace]) -> Optional[Dict[str, Any]]:
    """Tell where one rank stood, and what its group comes to."""
    if lag is None:
        return None
    group, row = lag
    call = row.told.waits_in
    return {
        "group": group.group or None,
        "description": group.described or None,
        "last_enqueued": row.told.enqueued,
        "last_started": row.told.started,
        "last_completed": row.told.completed,
        "waits_in": call.seq if call is not None else None,
        "op": (call.op or None) if call is not None else None,
        "numel_in": call.numel_in if call is not None else None,
        "numel_out": call.numel_out if call is not None else None,
        "timeout": row.told.timeout,
        "verdict": group.verdict,
        "why": group.why,
        "accused": row.rank in group.accused,
    }
