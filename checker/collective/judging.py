"""The verdict on a group: its table and what is known of the processes enter, `GroupLag` leaves.

Counters prove less than they seem to. Those of different groups, and those of sends and
receives, compare with nothing. A rank is accused only where all that was told agrees; else the
verdict is undecided and says why.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.collective.lives import Lives
from checker.collective.records import (
    BARRIER,
    DEAD_PEER,
    DESYNC,
    DETAIL,
    FROZEN,
    NOBODY_LAGS,
    OP_MISMATCH,
    RAS,
    SIZE_MISMATCH,
    STRAGGLER,
    UNDECIDED,
    UNREACHABLE,
    UNTOLD,
    Call,
    GroupLag,
    RankLag,
)
from checker.collective.tables import GroupTable
from checker.packed import packed_records
from checker.report.phrases import ranks_phrase

# Their counters are those of the two ends alone, or of a block of calls.
_NOT_COMPARED = frozenset(("SEND", "RECV", "RECVANYSOURCE", "COALESCED", "UNKNOWN", "INVALID"))
# All ranks of a group have to give these the same sizes.
_EQUAL_SIZES = frozenset(
    (
        "ALLREDUCE",
        "ALLREDUCE_COALESCED",
        "BROADCAST",
        "REDUCE",
        "BARRIER",
        "_ALLGATHER_BASE",
        "_REDUCE_SCATTER_BASE",
        "all_reduce",
        "all_reduce_barrier",
        "allreduce_coalesced",
        "broadcast",
        "reduce",
        "_all_gather_base",
        "_reduce_scatter_base",
        "reduce_scatter_tensor_coalesced",
        "all_gather_into_tensor_coalesced",
    )
)
# Ranks call one collective within the time that they would wait for each other.
_USUAL_TIMEOUT = 1800.0
# Counts that NCCL's service tells unchanged after so long are those of a job that stands.
_STANDS_STILL = 60.0


class Ruling(NamedTuple):
    """What a table comes to."""

    verdict: str
    why: str
    accused: Tuple[int, ...] = ()
    call: Optional[Call] = None


def judge_table(table: GroupTable, lives: Lives) -> Ruling:
    """Judge one group for itself."""
    if table.group in (DETAIL, RAS):
        return _judge_check(table) if table.group == DETAIL else _judge_service(table, lives)
    waiting = [row for row in table.rows if row.told.waits_in is not None]
    compared = [row for row in waiting if _op_of(row) not in _NOT_COMPARED]
    if table.muddled:
        return Ruling(UNDECIDED, "lines of several process groups cannot be told apart")
    if table.group in (DESYNC, BARRIER) or not waiting:
        ruling = _judge_named(table, lives)
        if ruling is not None:
            return ruling
    if not waiting:
        return Ruling(UNDECIDED, "no rank is known to wait in a collective")
    if not compared:
        return Ruling(
            UNDECIDED, "counters of send, receive and coalesced work compare with nothing"
        )
    return _judge_waiting(table, compared, lives)


def _op_of(row: RankLag) -> str:
    return row.told.waits_in.op if row.told.waits_in is not None else ""


def _judge_named(table: GroupTable, lives: Lives) -> Optional[Ruling]:
    """Take the word of a barrier or of a report that names the ranks which did not come."""
    missing = [row.rank for row in table.rows if row.told.missing]
    stuck = [row.rank for row in table.rows if row.told.stuck and row.told.waits_in is None]
    if missing:
        dead = [rank for rank in missing if lives.ended(rank, table.rows)]
        if dead:
            return Ruling(DEAD_PEER, "{} had ended".format(ranks_phrase(dead)), tuple(dead))
        return Ruling(STRAGGLER, ranks_phrase(missing) + " did not come", tuple(missing))
    if stuck:
        why = "the watchdog of {} itself got stuck".format(ranks_phrase(stuck))
        # Where most got stuck, they show it, and none of them is known to have begun.
        few = 2 * len(stuck) < len(lives.seen | set(range(lives.world_size or 0)))
        return Ruling(FROZEN, why, tuple(stuck) if few else ())
    return None


def _judge_check(table: GroupTable) -> Ruling:
    """Judge what the debug check found: it compares the very same call of two ranks."""
    calls = {row.rank: row.told.waits_in for row in table.rows if row.told.waits_in is not None}
    alike = _alike({rank: call.op for rank, call in calls.items()})
    verdict, what = OP_MISMATCH, "call different collectives"
    if len(alike) < 2:
        alike = _alike({rank: (call.numel_in, call.kinds) for rank, call in calls.items()})
        verdict, what = SIZE_MISMATCH, "call one collective with different sizes or types"
    if len(alike) < 2:
        all_ranks = ranks_phrase([row.rank for row in table.rows])
        return Ruling(UNDECIDED, "{} differ in what the check does not show".format(all_ranks))
    odd = () if table.muddled else _minority(alike)
    some = next(iter(sorted(calls.values(), key=lambda c: (c.seq, c.op))), None)
    why = "{} {}".format(ranks_phrase(sorted(calls)), what)
    return Ruling(verdict, why, odd, some)


def _judge_service(table: GroupTable, lives: Lives) -> Ruling:
    """Judge what NCCL's service counts: one answer shows unequal counts without any fault."""
    lost = [row.rank for row in table.rows if row.told.unreachable]
    dead = [rank for rank in lost if lives.ended(rank, table.rows)]
    if dead:
        return Ruling(DEAD_PEER, "{} had ended".format(ranks_phrase(dead)), tuple(dead))
    if lost:
        why = "NCCL has not reached the process of {} for a minute".format(ranks_phrase(lost))
        return Ruling(UNREACHABLE, why, tuple(lost))
    behind = [(row.rank, row.told) for row in table.rows if row.told.most is not None]
    if not behind:
        return Ruling(UNDECIDED, "no rank is told to lag")
    held = [told.still for _, told in behind if told.still is not None]
    ranks, call = [rank for rank, _ in behind], behind[0][1].most
    words = "{} launched fewer operations than most".format(ranks_phrase(ranks))
    if len(held) < len(behind) or min(held) < _STANDS_STILL:
        why = "{}, which means nothing until two answers a minute apart tell the same"
        return Ruling(UNDECIDED, why.format(words), (), call)
    why = "{}, and no count moved in {:.0f} s".format(words, min(held))
    return Ruling(STRAGGLER, why, tuple(ranks), call)


def _alike(values: Dict[int, object]) -> List[List[int]]:
    """Put ranks with equal values together."""
    groups: Dict[object, List[int]] = {}
    for rank in sorted(values):
        groups.setdefault(values[rank], []).append(rank)
    return sorted(groups.values(), key=lambda ranks: (len(ranks), ranks))


def _minority(alike: Sequence[Sequence[int]]) -> Tuple[int, ...]:
    """Name those that differ from what more than half of all do."""
    total = sum(len(ranks) for ranks in alike)
    if len(alike) < 2 or 2 * len(alike[-1]) <= total:
        return ()
    return tuple(sorted(rank for ranks in alike[:-1] for rank in ranks))


def _judge_waiting(table: GroupTable, waiting: Sequence[RankLag], lives: Lives) -> Ruling:
    calls = [row.told.waits_in for row in waiting if row.told.waits_in is not None]
    first = min(calls, key=lambda call: (call.seq, call.op))
    if table.group == UNTOLD and len({(c.seq, c.op, c.numel_in) for c in calls}) > 1:
        why = "the lines name no process group, and counters of different groups say nothing"
        return Ruling(UNDECIDED, why, call=first)
    ruling = _mismatch(table, waiting)
    if ruling is None:
        ruling = _behind(table, waiting, first, lives)
    if ruling is None:
        ruling = _ahead(waiting, first)
    if ruling is None:
        ruling = _without_word(table, waiting, first, lives)
    return ruling if ruling.call is not None else ruling._replace(call=first)


def _mismatch(table: GroupTable, waiting: Sequence[RankLag]) -> Optional[Ruling]:
    """Compare operations and sizes under the same number, the first ones first."""
    recorded = [row for row in table.rows if row.told.recorded]
    called: Dict[int, Dict[int, Call]] = {}
    if len(recorded) > 1:
        for row in recorded:
            for call in row.told.calls:
                called.setdefault(call.seq, {})[row.rank] = call
    else:
        for row in waiting:
            if row.told.waits_in is not None and not row.told.recorded:
                called.setdefault(row.told.waits_in.seq, {})[row.rank] = row.told.waits_in
    for seq in sorted(called):
        ruling = _compared(called[seq])
        if ruling is not None:
            return ruling
    return None


def _compared(calls: Dict[int, Call]) -> Optional[Ruling]:
    known = {rank: call for rank, call in calls.items() if call.op}
    if len(known) < 2:
        return None
    some = known[min(known)]
    ops = _alike({rank: call.op for rank, call in known.items()})
    sizes = _alike({rank: (call.numel_in, call.numel_out) for rank, call in known.items()})
    if len(ops) < 2 and (len(sizes) < 2 or some.op not in _EQUAL_SIZES):
        return None
    if not _at_one_time(list(known.values())):
        return Ruling(UNDECIDED, "the dumps are not of one time", (), some)
    if len(ops) > 1:
        what = ", ".join(
            "{} in {}".format(ranks_phrase(ranks), known[ranks[0]].op) for ranks in reversed(ops)
        )
        why = "under the same number {} the ranks differ: {}".format(some.seq, what)
        return Ruling(OP_MISMATCH, why, _minority(ops), some)
    what = ", ".join(
        "{} with {}".format(ranks_phrase(ranks), _size_words(known[ranks[0]]))
        for ranks in reversed(sizes)
    )
    why = "the sizes of {} {} differ: {}".format(some.op, some.seq, what)
    return Ruling(SIZE_MISMATCH, why, _minority(sizes), some)


def _size_words(call: Call) -> str:
    return "unknown size" if call.numel_in is None else "{} elements".format(call.numel_in)


def _at_one_time(calls: Sequence[Call]) -> bool:
    times = [call.created for call in calls if call.created is not None]
    return not times or max(times) - min(times) <= _USUAL_TIMEOUT


def _behind(
    table: GroupTable, waiting: Sequence[RankLag], first: Call, lives: Lives
) -> Optional[Ruling]:
    """Look for ranks that are told to have enqueued less than what the others wait in."""
    there = {row.rank for row in waiting}
    behind = [
        row
        for row in table.rows
        if row.rank not in there
        and row.told.enqueued is not None
        and row.told.enqueued < first.seq
        and row.told.waits_in is None
    ]
    if not behind:
        return None
    ranks = [row.rank for row in behind]
    where = "{} {}".format(first.op or "collective", first.seq)
    if not all(_counts_fit(row, first, waiting) for row in behind):
        why = "the counters of {} do not fit to {}: they may be of sends and receives".format(
            ranks_phrase(ranks), where
        )
        return Ruling(UNDECIDED, why)
    if len(behind) > len(there):
        why = "only {} called {}: those may have called one too many".format(
            ranks_phrase(sorted(there)), where
        )
        return Ruling(UNDECIDED, why)
    proven = _lost(table, ranks, waiting, lives)
    if proven is not None and proven.verdict != STRAGGLER:
        return proven
    why = "{} had not enqueued {}, in which {} {}".format(
        ranks_phrase(ranks),
        where,
        ranks_phrase(sorted(there)),
        "waits" if len(there) == 1 else "wait",
    )
    return Ruling(STRAGGLER, why, tuple(ranks))


def _counts_fit(row: RankLag, first: Call, waiting: Sequence[RankLag]) -> bool:
    """Tell whether a counter can be of the same series as the number that the others wait in.

    Without this rank the others cannot get further than the next call. Sends and receives write
    into the same counter, and what two ranks exchanged fits only by chance.
    """
    told = row.told
    last = told.enqueued if told.enqueued is not None else -1
    if told.recorded:
        times = [call.created for call in told.calls[-1:]]
        times += [w.told.waits_in.created for w in waiting if w.told.waits_in is not None]
        known = [at for at in times if at is not None]
        return not known or max(known) - min(known) <= _USUAL_TIMEOUT
    completed = told.completed if told.completed is not None else last
    return last == first.seq - 1 and 0 <= last - completed <= 1 and last > 0


def _ahead(waiting: Sequence[RankLag], first: Call) -> Optional[Ruling]:
    """Admit that ranks which wait in different calls do not show who is wrong."""
    here = [r.rank for r in waiting if r.told.waits_in and r.told.waits_in.seq == first.seq]
    if len(here) == len(waiting):
        return None
    why = "{} in {} {}, which others have left: data did not come, or the calls differ".format(
        ranks_phrase(here) + (" waits" if len(here) == 1 else " wait"),
        first.op or "collective",
        first.seq,
    )
    return Ruling(UNDECIDED, why)


def _without_word(
    table: GroupTable, waiting: Sequence[RankLag], first: Call, lives: Lives
) -> Ruling:
    """Look at the ranks that said nothing, and at what else is known of them."""
    told = {row.rank for row in waiting}
    told.update(r.rank for r in table.rows if (r.told.enqueued or -1) >= first.seq)
    whole = table.whole or table.group == UNTOLD
    members: Set[int] = set(table.members)
    if whole and not members:
        members = set(range(lives.world_size)) if lives.world_size else set(lives.seen)
    silent = sorted(members - told)
    proven = _lost(table, silent, waiting, lives)
    if proven is not None:
        return proven
    if not members or (not table.members and not lives.world_size):
        return Ruling(UNDECIDED, "which ranks belong to the group is not told")
    if silent or table.unplaced:
        words = "no word of {}".format(ranks_phrase(silent)) if silent else "lines without a rank"
        return Ruling(UNDECIDED, words + " in this group")
    why = "all {} ranks of the group called {} {}, with equal sizes".format(
        len(members), first.op or "collective", first.seq
    )
    return Ruling(NOBODY_LAGS, why)


def _lost(
    table: GroupTable, ranks: Sequence[int], waiting: Sequence[RankLag], lives: Lives
) -> Optional[Ruling]:
    """Look for proof of what happened to ranks which did not come."""
    dead = [rank for rank in ranks if lives.ended(rank, waiting)]
    stuck = {row.rank for row in table.rows if row.told.stuck} | lives.stuck
    frozen = [rank for rank in ranks if rank in stuck]
    busy = [rank for rank in ranks if lives.went_on(rank, waiting)]
    if dead:
        why = "{} had ended while the others waited".format(ranks_phrase(dead))
        return Ruling(DEAD_PEER, why, tuple(dead))
    if frozen:
        why = "the watchdog of {} itself got stuck".format(ranks_phrase(frozen))
        return Ruling(FROZEN, why, tuple(frozen))
    if busy:
        why = "{} went on counting while the others waited".format(ranks_phrase(busy))
        return Ruling(STRAGGLER, why, tuple(busy))
    return None


def group_lag(table: GroupTable, ruling: Ruling) -> GroupLag:
    """Join a table and what it comes to."""
    limits = [row.told.timeout for row in table.rows if row.told.timeout is not None]
    return GroupLag(
        table.attempt,
        table.group,
        table.described,
        ruling.verdict,
        ruling.why,
        ruling.accused,
        ruling.call,
        min(limits, default=None),
        packed_records(table.rows),
        table.unplaced,
        table.lines,
    )
