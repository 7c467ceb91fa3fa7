"""From writers to ranks: who is who in the run. Readings of files enter; ranks and ends leave."""

from typing import Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from checker.model import Exit, Moment, RankState, Writer
from checker.scan.verdicts import Placed


class Naming(NamedTuple):
    """How local ranks become ranks of the run."""

    single_node: bool
    by_local: Dict[Tuple[str, int], int]
    """Path and local rank to rank, where a file itself says so."""
    by_pid: Dict[int, Tuple[int, int, Optional[str]]]
    """Process id to rank, local rank and host, from failure blocks."""

    by_process: Dict[Tuple[Optional[str], int], int]
    """Host and process id to rank, from NCCL's own lines."""

    def named(self, writer: Writer, path: str, pid: Optional[int] = None) -> Writer:
        """Complete what is known of a writer."""
        if writer.source != "rank" or writer.rank is not None:
            return writer
        if pid is not None and pid in self.by_pid:
            rank, local_rank, host = self.by_pid[pid]
            return writer._replace(rank=rank, local_rank=local_rank, host=writer.host or host)
        if pid is not None and (writer.host, pid) in self.by_process:
            return writer._replace(rank=self.by_process[(writer.host, pid)])
        if writer.local_rank is None:
            return writer
        rank_here = self.by_local.get((path, writer.local_rank))
        if rank_here is None and self.single_node:
            rank_here = writer.local_rank
        return writer if rank_here is None else writer._replace(rank=rank_here)


def naming_of(  # noqa: PLR0917 - each is a different witness
    pairs: Dict[str, Set[Tuple[int, int]]],
    placed: Iterable[Placed],
    hosts: Set[str],
    nodes: Set[str],
    locals_seen: Set[int],
    world_size: Optional[int],
    nccl: Dict[Tuple[Optional[str], int], Tuple[int, int]],
) -> Naming:
    """Work out from all that was read whether local ranks are ranks."""
    by_local: Dict[Tuple[str, int], int] = {}
    for path, found in pairs.items():
        for local_rank, rank in sorted(found):
            by_local.setdefault((path, local_rank), rank)
    places = list(placed)
    by_pid = {place.pid: (place.rank, place.local_rank, place.host or None) for place in places}
    differ = any(place.rank != place.local_rank for place in places) or any(
        local_rank != rank for found in pairs.values() for local_rank, rank in found
    )
    hosts = {host.split(".")[0] for host in hosts} | {place.host.split(".")[0] for place in places}
    hosts.discard("")
    single = len(hosts) < 2 and len(nodes) < 2 and not differ
    if world_size is not None and locals_seen and world_size > max(locals_seen) + 1:
        single = False
    by_process = {
        place: rank for place, (size, rank) in nccl.items() if size == (world_size or size)
    }
    return Naming(single, by_local, by_pid, by_process)


def joined_exits(
    told: Iterable[Exit],
    naming: Naming,
    teardown: Set[int],
    kernel_kills: Set[int],
    pids: Dict[int, Tuple[Optional[int], Optional[int]]],
) -> List[Exit]:
    """Make one record of all tellings of one end; the first telling's line stays."""
    joined: List[Exit] = []
    places: Dict[Tuple[object, ...], List[int]] = {}
    for one in told:
        end = _completed(one, naming, teardown, kernel_kills, pids)
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
    kernel_kills: Set[int],
    pids: Dict[int, Tuple[Optional[int], Optional[int]]],
) -> Exit:
    if end.pid is not None and end.rank is None and end.pid in naming.by_pid:
        rank, local_rank, host = naming.by_pid[end.pid]
        end = end._replace(rank=rank, local_rank=local_rank, host=end.host or host)
    if end.pid is not None and end.rank is None and end.pid in pids:
        rank_known, local_known = pids[end.pid]
        end = end._replace(rank=rank_known, local_rank=end.local_rank or local_known)
    if end.rank is None and end.local_rank is not None:
        rank_here = naming.by_local.get((end.line.path, end.local_rank))
        if rank_here is None and naming.single_node:
            rank_here = end.local_rank
        end = end._replace(rank=rank_here)
    if end.signal is not None and end.pid in teardown and end.signal in (9, 15):
        end = end._replace(by="launcher")
    elif end.signal == 9 and end.pid is not None and end.pid in kernel_kills:
        end = end._replace(by="kernel")
    return end


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
        states[key] = known._replace(
            host=known.host or one.writer.host,
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
            known = known._replace(exit=end, host=known.host or end.host)
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
            lasts[key] = (writer.attempt, moment)
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
