"""The lag table as a whole: notes and what else was read enter; one `GroupLag` a group leaves."""

from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from checker.collective.judging import Ruling, group_lag, judge_table
from checker.collective.lives import lives_of
from checker.collective.records import UNDECIDED, CollectiveNote, GroupLag, RankLag
from checker.collective.tables import REPORTS, GroupTable, group_tables
from checker.model import Observations, RankState
from checker.report.phrases import ranks_phrase

_Row = Tuple[GroupLag, RankLag]


def with_lags(seen: Observations, notes: Sequence[CollectiveNote]) -> Observations:
    """Add to what was read where the ranks stood in their collectives."""
    if not notes:
        return seen
    lags = group_lags(seen, notes)
    known = {(state.rank, state.attempt) for state in seen.ranks}
    dumped = {
        (row.rank, lag.attempt)
        for lag in lags
        for row in lag.rows
        if row.told.recorded and (row.rank, lag.attempt) not in known
    }
    states = list(seen.ranks)
    states += [RankState(rank, None, attempt, None, None, None) for rank, attempt in dumped]
    states.sort(key=lambda state: (_attempt_order(state.attempt), state.rank))
    rows = _rows_by_rank(lags)
    return seen._replace(
        lags=lags,
        ranks=tuple(s._replace(lag=_lag_of(s, rows)) for s in states),
    )


def group_lags(seen: Observations, notes: Sequence[CollectiveNote]) -> Tuple[GroupLag, ...]:
    """Judge all groups of all attempts."""
    tables = group_tables(notes)
    lags: List[GroupLag] = []
    for attempt in sorted({table.attempt for table in tables}, key=_attempt_order):
        own = [table for table in tables if table.attempt == attempt]
        lives = lives_of(
            [end for end in seen.exits if end.line.writer.attempt in (None, attempt)],
            [sample for sample in seen.samples if sample.line.writer.attempt in (None, attempt)],
            [state.rank for state in seen.ranks if state.attempt in (None, attempt)],
            seen.world_size,
            [row.rank for table in own for row in table.rows if row.told.stuck],
        )
        waits = _groups_waited_in(own)
        for table in own:
            ruling = _without_chains(table.group, judge_table(table, lives), waits)
            lags.append(group_lag(table, ruling))
    return tuple(lags)


def _attempt_order(attempt: Optional[int]) -> int:
    return -1 if attempt is None else attempt


def _groups_waited_in(tables: Iterable[GroupTable]) -> Dict[int, Set[str]]:
    waits: Dict[int, Set[str]] = {}
    for table in tables:
        for row in table.rows:
            if table.group not in REPORTS and row.told.waits_in is not None:
                waits.setdefault(row.rank, set()).add(table.group)
    return waits


def _without_chains(group: str, ruling: Ruling, waits: Dict[int, Set[str]]) -> Ruling:
    """Accuse no rank that waits for others itself, in another group."""
    held = [rank for rank in ruling.accused if waits.get(rank, set()) - {group}]
    if not held:
        return ruling
    others = set(ruling.accused).difference(held)
    left = tuple(rank for rank in ruling.accused if rank in others)
    if left:
        return ruling._replace(accused=left)
    why = "{} in another group for others".format(
        ranks_phrase(held) + (" waits" if len(held) == 1 else " wait")
    )
    return Ruling(UNDECIDED, why, (), ruling.call)


def _rows_by_rank(lags: Iterable[GroupLag]) -> Dict[int, List[_Row]]:
    rows: Dict[int, List[_Row]] = {}
    for lag in lags:
        for row in lag.rows:
            rows.setdefault(row.rank, []).append((lag, row))
    return rows


def _lag_of(state: RankState, rows: Dict[int, List[_Row]]) -> Optional[_Row]:
    """Choose what says most of a rank: a group in which it waits before one of counters."""
    own = [
        (lag, row)
        for lag, row in rows.get(state.rank, ())
        if None in (lag.attempt, state.attempt) or lag.attempt == state.attempt
    ]
    return min(own, key=lambda pair: pair[1].told.waits_in is None, default=None)
