"""The lag table as a whole: notes and what else was read enter; one `GroupLag` a group leaves."""

from typing import Iterable, List, Optional, Sequence, Set, Tuple

from checker.collective.judging import Ruling, group_lag, judge_table
from checker.collective.lives import lives_of
from checker.collective.records import UNDECIDED, CollectiveNote, GroupLag, RankLag
from checker.collective.tables import REPORTS, GroupTable, group_tables
from checker.model import Exit, RankState, Sample
from checker.report.phrases import ranks_phrase


def group_lags(
    notes: Sequence[CollectiveNote],
    exits: Sequence[Exit],
    samples: Sequence[Sample],
    ranks: Sequence[RankState],
    world_size: Optional[int],
) -> Tuple[GroupLag, ...]:
    """Judge all groups of all attempts."""
    if not notes:
        return ()
    tables = group_tables(notes)
    lags: List[GroupLag] = []
    for attempt in sorted({table.attempt for table in tables}, key=_attempt_order):
        own = [table for table in tables if table.attempt == attempt]
        lives = lives_of(
            [end for end in exits if end.line.writer.attempt in (None, attempt)],
            [sample for sample in samples if sample.line.writer.attempt in (None, attempt)],
            [state.rank for state in ranks if state.attempt in (None, attempt)],
            world_size,
            [row.rank for table in own for row in table.rows if row.told.stuck],
        )
        ruled = [(table, judge_table(table, lives)) for table in own]
        lags += [group_lag(table, _without_chains(table, ruling, own)) for table, ruling in ruled]
    return tuple(lags)


def _attempt_order(attempt: Optional[int]) -> int:
    return -1 if attempt is None else attempt


def _without_chains(table: GroupTable, ruling: Ruling, all_tables: Iterable[GroupTable]) -> Ruling:
    """Accuse no rank that waits for others itself, in another group."""
    elsewhere: Set[int] = {
        row.rank
        for other in all_tables
        if other is not table and other.group not in REPORTS
        for row in other.rows
        if row.told.waits_in is not None
    }
    held = [rank for rank in ruling.accused if rank in elsewhere]
    if not held:
        return ruling
    left = tuple(rank for rank in ruling.accused if rank not in elsewhere)
    if left:
        return ruling._replace(accused=left)
    why = "{} in another group for others".format(
        ranks_phrase(held) + (" waits" if len(held) == 1 else " wait")
    )
    return Ruling(UNDECIDED, why, (), ruling.call)


def lag_of_rank(lags: Iterable[GroupLag], rank: int, attempt: Optional[int]) -> Optional[RankLag]:
    """Choose the row that says most of a rank: one in which it waits before one of counters."""
    own = [
        row
        for lag in lags
        if lag.attempt == attempt or attempt is None or lag.attempt is None
        for row in lag.rows
        if row.rank == rank
    ]
    return min(own, key=lambda row: row.told.waits_in is None, default=None)
