"""What torch prints of collectives that did not end: a line enters, a `CollectiveNote` leaves.

The wordings are those of torch 1.8 to 2.13. A number counts only with what follows it, so that
a line that a terminal cut tells no wrong one.
"""

import re
from typing import Callable, Iterable, List, NamedTuple, Optional, Tuple

from checker.collective.records import (
    BARRIER,
    DEFAULT_GROUP,
    DESYNC,
    DETAIL,
    UNTOLD,
    Call,
    CollectiveNote,
    Telling,
)
from checker.lazy_patterns import lazy_pattern
from checker.model import Line

# What -1 is without a sign: the size of coalesced work is not known.
_NO_SIZE = 2**63
_GROUP = lazy_pattern(
    r"\[PG (ID \d{1,9} PG GUID )?([^\s()\[\]]{1,64}) ?(?:\(([^()\[\]]{1,80})\) ?)?"
    r"Rank (\d{1,7})\]"
)
_GROUP_RANK = lazy_pattern(r"\[Rank (\d{1,7})\]:? ")
_WORK = lazy_pattern(
    r"WorkNCCL\((?:SeqNum=(\d{1,20}), )?OpType=(\w{1,40}), "
    r"(?:TensorShape=\[[\d, ]{0,200}\], )?"
    r"(?:NumelIn=(\d{1,20}), NumelOut=(\d{1,20}), )?Timeout\(ms\)=(\d{1,15})\)"
)
_FAILED_AT = lazy_pattern(r"(?:at work|work sequence id|at NCCL work): (\d{1,20})[, ]")
# Only the last one may end the line.
_COUNTERS = lazy_pattern(
    r"[lL]ast (?:(enqueued|started) (?:NCCL )?work: (-?\d{1,20})(?=[, ])"
    r"|(completed) (?:NCCL )?work: (-?\d{1,20})(?!\d))"
)
_REPORTER = lazy_pattern(r"\[(\d{1,7})\] Timeout at collective: (\w{1,40}), #(\d{1,20})(?!\d)")
_LISTED = r"\[(\d{1,7}(?:, \d{1,7}){0,8191})\] "
_NEVER = lazy_pattern(r"ranks " + _LISTED + "are the lagging ranks")
_JOINED = lazy_pattern(_LISTED + r"joined but didn't finish collective #(\d{1,20}) ")
_FINISHED = lazy_pattern(
    _LISTED + r"finished collective #(\d{1,20}), but didn't join collective #(\d{1,20}) "
)
_RUNNING = lazy_pattern(
    r"Rank (\d{1,7}) is running collective: CollectiveFingerPrint\("
    r"(?:SequenceNumber=(\d{1,20}))?(?:, )?OpType=([A-Za-z_]{1,40})"
    r"(?:, TensorShape=\[([\d, ]{0,200})\], TensorDtypes=([\w ,\[\]]{0,200}?), TensorDevice|\))"
)
_NOT_PASSED = lazy_pattern(
    r"Ranks? (\d{1,7}(?:, \d{1,7}){0,8191}) failed to pass monitoredBarrier in (\d{1,15}) ms"
)


class CollectiveReader(NamedTuple):
    """One text that tells of collectives, and how it is read."""

    literal: str
    read: Callable[[Line], Optional[CollectiveNote]]


def _read_timed_out(line: Line) -> Optional[CollectiveNote]:
    """Read the watchdog's line, and what a blocking wait raises."""
    work = _WORK.search(line.text)
    if work is None:
        return None
    # The exception repeats the line behind the name of the group.
    inner = list(_GROUP_RANK.finditer(line.text, 0, work.start()))
    seq, op, into, out, limit = work.groups()
    if seq is None:
        return None
    call = Call(int(seq), op, _size(into), _size(out))
    rank = int(inner[-1].group(1)) if inner else None
    told = Telling(rank, waits_in=call, timeout=int(limit) / 1000.0)
    return _of_group(line, told)


def _read_counters(line: Line) -> Optional[CollectiveNote]:
    """Read the state of a group, of a rank that failed or was told that another one did."""
    counts = {one or two: int(n or m) for one, n, two, m in _COUNTERS.findall(line.text)}
    if not counts:
        return None
    failed = _FAILED_AT.search(line.text)
    told = Telling(
        enqueued=counts.get("enqueued"),
        started=counts.get("started"),
        completed=counts.get("completed"),
    )
    note = _of_group(line, told)
    if note.group == UNTOLD:
        return None
    return note._replace(at_seq=int(failed.group(1)) if failed else None)


def _read_stuck(line: Line) -> Optional[CollectiveNote]:
    return _of_group(line, Telling(stuck=True))


def _of_group(line: Line, told: Telling) -> CollectiveNote:
    found = _GROUP.search(line.text)
    if found is None:
        return CollectiveNote(line, UNTOLD, "", (told,))
    unique, group, described, rank = found.groups()
    if unique is None and group != DEFAULT_GROUP:
        # Up to torch 2.4 groups were counted on each rank, so that only the first has one number.
        group, described = UNTOLD, None
    return CollectiveNote(line, group, described or "", (told._replace(rank=int(rank)),))


def _read_reporter(line: Line) -> Optional[CollectiveNote]:
    found = _REPORTER.search(line.text)
    if found is None:
        return None
    rank, op, seq = found.groups()
    told = Telling(int(rank), other=True, waits_in=Call(int(seq), op))
    return CollectiveNote(line, DESYNC, "", (told,))


def _read_never_joined(line: Line) -> Optional[CollectiveNote]:
    found = _NEVER.search(line.text)
    return found and _about(line, DESYNC, found.group(1), Telling(other=True, missing=True))


def _read_joined(line: Line) -> Optional[CollectiveNote]:
    found = _JOINED.search(line.text)
    return found and _about(
        line,
        DESYNC,
        found.group(1),
        Telling(other=True, waits_in=Call(int(found.group(2)), "")),
    )


def _read_finished(line: Line) -> Optional[CollectiveNote]:
    found = _FINISHED.search(line.text)
    if found is None:
        return None
    last = int(found.group(2))
    told = Telling(other=True, enqueued=last, completed=last)
    return _about(line, DESYNC, found.group(1), told)


def _read_not_passed(line: Line) -> Optional[CollectiveNote]:
    found = _NOT_PASSED.search(line.text)
    limit = int(found.group(2)) / 1000.0 if found else None
    told = Telling(other=True, missing=True, timeout=limit)
    return found and _about(line, BARRIER, found.group(1), told)


def _about(line: Line, group: str, ranks: str, told: Telling) -> CollectiveNote:
    numbers = [int(rank) for rank in ranks.split(", ")]
    return CollectiveNote(line, group, "", tuple(told._replace(rank=rank) for rank in numbers))


def _read_differing(line: Line) -> Optional[CollectiveNote]:
    """Read the check that TORCH_DISTRIBUTED_DEBUG=DETAIL does before every collective.

    Where the ranks' tensors differ in number or dimensions, what stands there as the other rank's
    operation is the length of its description: neither operation nor number is one.
    """
    found = _RUNNING.findall(line.text)[:2]
    told: List[Telling] = []
    for rank, seq, op, shape, kinds in found:
        call = Call(int(seq or 0), op, _numel(shape), None, shape + " " + kinds)
        known = bool(kinds) or not found[0][4]
        told.append(Telling(int(rank), other=True, waits_in=call if known else None))
    return CollectiveNote(line, DETAIL, "", tuple(told)) if len(told) == 2 else None


def _size(text: Optional[str]) -> Optional[int]:
    return int(text) if text and int(text) < _NO_SIZE else None


def _numel(shape: str) -> Optional[int]:
    sizes = [int(size) for size in re.findall(r"\d{1,19}", shape)[:16]]
    product = 1
    for size in sizes:
        product *= size
    return product if sizes else None


COLLECTIVE_READERS: Tuple[CollectiveReader, ...] = (
    CollectiveReader("aught collective operation timeout", _read_timed_out),
    CollectiveReader("timed out in blocking wait", _read_timed_out),
    CollectiveReader("ast enqueued NCCL work", _read_counters),
    CollectiveReader("last enqueued work", _read_counters),
    CollectiveReader("watchdog got stuck for", _read_stuck),
    CollectiveReader("Timeout at collective: ", _read_reporter),
    CollectiveReader("are the lagging ranks that caused this timeout", _read_never_joined),
    CollectiveReader("joined but didn't finish collective #", _read_joined),
    CollectiveReader(", but didn't join collective #", _read_finished),
    CollectiveReader("Detected mismatch between collectives on ranks", _read_differing),
    CollectiveReader("failed to pass monitoredBarrier in", _read_not_passed),
)
COLLECTIVE_LITERALS = frozenset(reader.literal for reader in COLLECTIVE_READERS)


def read_collective(line: Line, names: Iterable[str]) -> List[CollectiveNote]:
    """Read what a line tells; *names* are the literals that it may hold."""
    wanted = COLLECTIVE_LITERALS.intersection(names)
    found = [
        reader.read(line)
        for reader in COLLECTIVE_READERS
        if reader.literal in wanted and reader.literal in line.text
    ]
    return [note for note in found if note is not None]
