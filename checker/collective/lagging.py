"""The lag table as a whole: notes and what else was read enter; one `GroupLag` a group leaves."""

from typing import Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from checker.collective.judging import Ruling, group_lag, judge_table
from checker.collective.lives import Lives, lives_of
from checker.collective.records import UNDECIDED, CollectiveNote, GroupLag, RankLag
from checker.collective.tables import REPORTS, GroupTable, group_tables
from checker.model import Observations, RankState
from checker.packed import packed_records, sorted_records
from checker.picked import Numbered, joined_records, picked_records
from checker.report.phrases import ranks_phrase

RankPlace = Tuple[GroupLag, RankLag]


def with_lags(seen: Observations, notes: Sequence[CollectiveNote]) -> Observations:
    """Add to what was read where the ranks stood in their collectives."""
    if not notes:
        return seen
    lags = group_lags(seen, notes)
    dumped = {(row.rank, lag.attempt) for lag in lags for row in lag.rows if row.told.recorded}
    if dumped:
        dumped.difference_update((state.rank, state.attempt) for state in seen.ranks)
    states = [RankState(rank, None, attempt, None, None, None) for rank, attempt in dumped]
    return seen._replace(
        lags=lags,
        ranks=sorted_records(
            packed_records(joined_records(seen.ranks, states)),
            lambda state: (_attempt_order(state.attempt), state.rank),
        ),
    )


def group_lags(seen: Observations, notes: Sequence[CollectiveNote]) -> Tuple[GroupLag, ...]:
    """Judge all groups of all attempts."""
    tables = group_tables(notes)
    lags: List[GroupLag] = []
    for attempt in sorted({table.attempt for table in tables}, key=_attempt_order):
        own = [table for table in tables if table.attempt == attempt]
        lives = _lives_in(attempt, seen, own)
        rulings = [judge_table(table, lives) for table in own]
        accused = frozenset(rank for ruling in rulings for rank in ruling.accused)
        waits = _groups_waited_in(own, accused)
        for table, ruling in zip(own, rulings):
            lags.append(group_lag(table, _without_chains(table.group, ruling, waits)))
    return tuple(lags)


def _lives_in(attempt: Optional[int], seen: Observations, own: Sequence[GroupTable]) -> Lives:
    here = (None, attempt)
    return lives_of(
        [end for end in seen.exits if end.line.writer.attempt in here],
        picked_records(seen.samples, lambda sample: sample.line.writer.attempt in here),
        [state.rank for state in seen.ranks if state.attempt in here],
        seen.world_size,
        [row.rank for table in own for row in table.rows if row.told.stuck],
    )


def _attempt_order(attempt: Optional[int]) -> int:
    return -1 if attempt is None else attempt


def _groups_waited_in(tables: Iterable[GroupTable], accused: FrozenSet[int]) -> Dict[int, Set[str]]:
    waits: Dict[int, Set[str]] = {}
    for table in tables:
        for row in table.rows if table.group not in REPORTS else ():
            if row.rank in accused and row.told.waits_in is not None:
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


def places_of_ranks(seen: Observations) -> Iterator[Optional[RankPlace]]:
    """Tell of each rank, in the order of `ranks`, where it stood in a collective."""
    rows = [(lag, Numbered(lag.rows, [row.rank for row in lag.rows])) for lag in seen.lags]
    for state in seen.ranks:
        yield _place_in_lags(state, rows)


def _place_in_lags(
    state: RankState, rows: Sequence[Tuple[GroupLag, "Numbered[RankLag]"]]
) -> Optional[RankPlace]:
    """Choose what says most of a rank: a group in which it waits before one of counters."""
    own = [
        (lag, row)
        for lag, by_rank in rows
        if state.run == lag.run
        and (None in (lag.attempt, state.attempt) or lag.attempt == state.attempt)
        for row in by_rank.of(state.rank)
    ]
    return min(own, key=lambda pair: pair[1].told.waits_in is None, default=None)
