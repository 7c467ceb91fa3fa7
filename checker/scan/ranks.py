"""Ranks and their ends: what files tell of each enters; one record of each leaves."""

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.model import Exit, Moment, RankState, Writer
from checker.scan.naming import Naming, host_label

Homes = Dict[int, List[Tuple[Writer, str]]]
"""Process id to the writers known to have had it, each with its file."""


def joined_exits(
    told: Iterable[Exit],
    naming: Naming,
    teardown: Set[int],
    kernel_kills: Set[Tuple[Optional[str], int]],
    homes: Homes,
) -> List[Exit]:
    """Make one record of all tellings of one end; the first telling's line stays."""
    joined: List[Exit] = []
    places: Dict[Tuple[object, ...], List[int]] = {}
    for one in told:
        end = _completed(one, naming, teardown, kernel_kills, homes)
        keys = _end_keys(end)
        near = [index for key in keys for index in places.get(key, ())[:8]]
        known = next((index for index in near if _same_end(joined[index], end)), None)
        if known is None:
            known = len(joined)
            joined.append(end)
        else:
            joined[known] = _merged(joined[known], end)
        for key in _end_keys(joined[known]):
            there = places.setdefault(key, [])
            if known not in there[:8]:
                there.append(known)
    return joined


def _end_keys(end: Exit) -> List[Tuple[object, ...]]:
    """Name what another telling of the same end would have in common with it."""
    common = (end.signal, end.code, end.line.writer.attempt)
    named = (("pid", end.pid), ("rank", end.rank), ("local", end.local_rank))
    keys: List[Tuple[object, ...]] = [(*common, *pair) for pair in named if pair[1] is not None]
    return [*keys, (*common, "path", end.line.path)]


def _completed(
    end: Exit,
    naming: Naming,
    teardown: Set[int],
    kernel_kills: Set[Tuple[Optional[str], int]],
    homes: Homes,
) -> Exit:
    if end.pid is not None and end.rank is None:
        placed = naming.placed(end.pid, end.host, end.line.path)
        if placed is not None:
            host = end.host or placed.host or None
            end = end._replace(rank=placed.rank, local_rank=placed.local_rank, host=host)
        else:
            end = _at_home(end, homes.get(end.pid or 0, ()))
    if end.rank is None and end.local_rank is not None:
        host = end.host or end.line.writer.host
        ended = Writer("rank", None, end.local_rank, host, None, end.line.writer.task)
        end = end._replace(rank=naming.rank_of(ended, end.line.path))
    if end.rank is None and end.local_rank is None:
        end = end._replace(rank=naming.rank_of_task(end.task))
    if end.signal is not None and end.pid in teardown and end.signal in (9, 15):
        end = end._replace(by="launcher")
    elif end.signal == 9 and _killed_by_kernel(end, kernel_kills):
        end = end._replace(by="kernel")
    return end


def _at_home(end: Exit, homes: Sequence[Tuple[Writer, str]]) -> Exit:
    """Find the writer with the process id of an end; containers on several hosts have equal ids."""
    near = [(w, path) for w, path in homes if not (end.host and w.host) or _same_host(end, w.host)]
    here = [w for w, path in near if path == end.line.path] or [w for w, _ in near]
    if len({(w.rank, w.local_rank, w.task) for w in here}) != 1:
        return end
    local = end.local_rank if end.local_rank is not None else here[0].local_rank
    return end._replace(rank=here[0].rank, local_rank=local)


def _killed_by_kernel(end: Exit, kills: Set[Tuple[Optional[str], int]]) -> bool:
    """Tell whether a kernel killed that process: other machines have equal ids."""
    hosts = [host for host, pid in kills if pid == end.pid]
    return any(not (end.host and host) or _same_host(end, host) for host in hosts)


def _same_host(end: Exit, host: Optional[str]) -> bool:
    return host_label(end.host or "") == host_label(host or "")


def _same_end(one: Exit, other: Exit) -> bool:
    """Compare by the strongest name that both tellings give; equal keys were looked up before."""
    if one.host and other.host and one.host.split(".")[0] != other.host.split(".")[0]:
        return False
    for mine, theirs in (
        (one.pid, other.pid),
        (one.rank, other.rank),
        (one.local_rank, other.local_rank),
    ):
        if mine is not None and theirs is not None:
            return mine == theirs
    # A shell's bare word after the launcher told the process is the same end told again.
    anonymous = other.pid is None and other.rank is None and other.local_rank is None
    return anonymous and one.line.path == other.line.path


def _merged(known: Exit, other: Exit) -> Exit:
    return known._replace(
        rank=known.rank if known.rank is not None else other.rank,
        local_rank=known.local_rank if known.local_rank is not None else other.local_rank,
        pid=known.pid if known.pid is not None else other.pid,
        host=known.host or other.host,
        by=known.by or other.by,
        moment=known.moment or other.moment,
    )


class Seen(NamedTuple):
    """One writer's last step and time, in one file."""

    writer: Writer
    last_step: Optional[int]
    last_moment: Optional[Moment]


def rank_states(seen: Iterable[Seen], exits: Iterable[Exit]) -> List[RankState]:
    """Join what the files say of each rank of each attempt."""
    states: Dict[Tuple[int, int], RankState] = {}
    for one in seen:
        rank = one.writer.rank
        if rank is None or one.writer.source != "rank":
            continue
        key = (one.writer.attempt or 0, rank)
        known = states.get(key)
        if known is None:
            known = RankState(rank, one.writer.host, one.writer.attempt, None, None, None)
        local_rank = one.writer.local_rank if known.local_rank is None else known.local_rank
        states[key] = known._replace(
            host=known.host or one.writer.host,
            local_rank=local_rank,
            last_step=_later_step(known.last_step, one.last_step),
            last_moment=_later_moment(known.last_moment, one.last_moment),
        )
    for end in exits:
        if end.rank is None:
            continue
        attempt = end.line.writer.attempt
        key = (attempt or 0, end.rank)
        known = states.get(key) or RankState(end.rank, end.host, attempt, None, None, None)
        if known.exit is None:
            local_rank = end.local_rank if known.local_rank is None else known.local_rank
            known = known._replace(exit=end, host=known.host or end.host, local_rank=local_rank)
        states[key] = known
    return [states[key] for key in sorted(states)]


def last_times(seen: Iterable[Seen]) -> List[Tuple[Optional[int], Moment]]:
    """Tell until when each attempt is known to have lived, on each clock of each host."""
    lasts: Dict[Tuple[int, str, str], Tuple[Optional[int], Moment]] = {}
    for one in seen:
        writer, moment = one.writer, one.last_moment
        if moment is None or writer.source in ("kernel", "scheduler", "service"):
            continue
        key = (writer.attempt or 0, writer.host or "", moment.clock)
        known = lasts.get(key)
        if known is None or known[1].seconds < moment.seconds:
            lasts[key] = (writer.attempt, moment._replace(keeper=writer.host))
    return [lasts[key] for key in sorted(lasts)]


def _later_step(one: Optional[int], other: Optional[int]) -> Optional[int]:
    if one is None or other is None:
        return one if other is None else other
    return max(one, other)


def _later_moment(one: Optional[Moment], other: Optional[Moment]) -> Optional[Moment]:
    if one is None or other is None:
        return one or other
    if one.clock == other.clock:
        return one if one.seconds >= other.seconds else other
    return one if one.clock in ("utc", "local") else other
