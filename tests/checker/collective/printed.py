"""Lines as torch 2.6 to 2.9 print them; their texts were read in the source, not produced."""

import random
from collections.abc import Mapping, Sequence

from checker.collective.records import GroupLag
from checker.scan.observe import observe_texts

LIMIT = 600000


def watchdog(  # noqa: PLR0917 - the fields of the line, in their order
    rank: int,
    seq: int,
    op: str = "ALLREDUCE",
    numel: int = 1024,
    group_rank: int | None = None,
    at: str = "03:12:02",
) -> str:
    """The line of a rank that waited too long."""
    inner = rank if group_rank is None else group_rank
    return (
        f"[rank{rank}]:[E814 {at}.456123456 ProcessGroupNCCL.cpp:683] [Rank {inner}] Watchdog "
        f"caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, "
        f"NumelIn={numel}, NumelOut={numel}, Timeout(ms)={LIMIT}) ran for {LIMIT + 12} "
        "milliseconds before timing out."
    )


def status(  # noqa: PLR0917 - the fields of the line, in their order
    rank: int,
    seq: int,
    enqueued: int,
    completed: int,
    group: str = "0(default_pg)",
    group_rank: int | None = None,
) -> str:
    """The line that names the group and its counters."""
    inner = rank if group_rank is None else group_rank
    return (
        f"[rank{rank}]:[E814 03:12:02.456310117 ProcessGroupNCCL.cpp:2241] [PG ID 0 PG GUID "
        f"{group} Rank {inner}]  failure detected by watchdog at work sequence id: {seq} PG "
        f"status: last enqueued work: {enqueued}, last completed work: {completed}"
    )


def notified(rank: int, enqueued: int, completed: int, by: int = 0) -> str:
    """The line of a rank that was told of the timeout of another one."""
    return (
        f"[rank{rank}]:[E814 03:12:02.871344901 ProcessGroupNCCL.cpp:1858] [PG ID 0 PG GUID "
        f"0(default_pg) Rank {rank}] Received a dump signal due to a collective timeout from  "
        f"rank {by} and we will try our best to dump the debug info. Last enqueued NCCL work: "
        f"{enqueued}, last completed NCCL work: {completed}.This is most likely caused by "
        "incorrect usages of collectives, e.g., wrong sizes used across ranks"
    )


def stuck(rank: int) -> str:
    """The line of a rank whose watchdog does not move."""
    return (
        f"[rank{rank}]:[E814 03:11:02.871344901 ProcessGroupNCCL.cpp:1684] [PG ID 0 PG GUID "
        f"0(default_pg) Rank {rank}] ProcessGroupNCCL's watchdog got stuck for 480 seconds "
        "without making progress in monitoring enqueued collectives. "
    )


def waits(  # noqa: PLR0917 - the fields of the lines, in their order
    rank: int,
    seq: int,
    op: str = "ALLREDUCE",
    numel: int = 1024,
    group: str = "0(default_pg)",
    group_rank: int | None = None,
) -> list[str]:
    """Both lines of a rank that waits in a group."""
    return [
        watchdog(rank, seq, op, numel, group_rank),
        status(rank, seq, seq, seq - 1, group, group_rank),
    ]


def world(size: int) -> str:
    """A line that tells how many ranks there are."""
    return f"[rank0]: world_size: {size}"


def lags_of(files: Mapping[str, str]) -> tuple[GroupLag, ...]:
    """The lag table of some logs."""
    lags: tuple[GroupLag, ...] = observe_texts(files, frozenset(), {}, {}).lags
    return lags


def ruled(*lines: str | Sequence[str]) -> list[tuple[str, str, tuple[int, ...], str]]:
    """Group, verdict, accused ranks and reason, of lines in one console.

    The same has to follow when the ranks' lines are mixed otherwise, and from one file a rank.
    """
    flat = [line for part in lines for line in ([part] if isinstance(part, str) else part)]
    told = _ruled({"console.log": "\n".join(flat) + "\n"})
    for seed in range(3):
        assert _ruled({"console.log": "\n".join(_mixed(flat, seed)) + "\n"}) == told
    return told


def _ruled(files: Mapping[str, str]) -> list[tuple[str, str, tuple[int, ...], str]]:
    return [(lag.group, lag.verdict, lag.accused, lag.why) for lag in lags_of(files)]


def _mixed(lines: Sequence[str], seed: int) -> list[str]:
    """Mix the lines of different ranks; each rank's own keep their order."""
    queues: dict[str, list[str]] = {}
    for line in lines:
        queues.setdefault(line.split(":")[0], []).append(line)
    source = random.Random(seed)
    mixed = []
    while queues:
        name = source.choice(sorted(queues))
        mixed.append(queues[name].pop(0))
        if not queues[name]:
            del queues[name]
    return mixed
