"""Dumps of torch's flight recorder: the bytes of a file enter, `CollectiveNote`s leave.

A dump is a pickle of plain data, or the same as JSON. Nothing in it is executed: what is no
plain data is refused.
"""

import json
import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from checker.collective.plain_pickle import (
    MOST_BYTES,
    MOST_CONTAINERS,
    NotPlainError,
    read_plain_pickle,
)
from checker.collective.records import Call, CollectiveNote, Telling
from checker.lazy_patterns import lazy_pattern
from checker.model import Line, Moment, Writer
from checker.scan.places import Place

# What is compared between ranks: the latest calls of each group, and what still waits.
_KEPT_CALLS = 16
_MOST_GROUPS_OF_A_DUMP = 1024
# The numbers of a hundred thousand ranks.
_LONGEST_LIST = 1048576
_DUMP_HEAD = 4096
_DUMP_PICKLES = (b"\x80\x02}", b"\x80\x02]", b"\x80\x03}", b"\x80\x04\x95", b"\x80\x05\x95")
_DUMP_MARKS = (b"pg_config", b"pg_status", b"collective_seq_id")
_DUMP_JSON = lazy_pattern(
    rb'\s*\{\s*"(?:comm_lib_version|entries|nccl_comm_state|pg_config|pg_status|version)"\s*:'
)
_LONG_NUMBER = lazy_pattern(rb"\d{400}")
_LONGEST_RANKS, LONGEST_EXCERPT = 65536, 1 << 20
# They concern two ranks, or are told once more one by one.
_NOT_OF_THE_GROUP = ("send", "recv", "coalesced")


_TOLD_OF_CALLS = (
    *("process_group", "profiling_name", "collective_seq_id", "is_p2p", "state", "retired"),
    *("timeout_ms", "time_created_ns"),
    *("input_sizes", "output_sizes", "input_dtypes", "output_dtypes"),
)
_CALLS_IN_EXCERPT = 64


class DumpReading(NamedTuple):
    """What a dump says, or why it is not read."""

    notes: Tuple[CollectiveNote, ...]
    refused: Optional[str]
    content: Optional[Dict[str, Any]] = None


def is_flight_dump(head: bytes) -> bool:
    """Tell by its beginning."""
    head = head[:_DUMP_HEAD]
    if not head.startswith(_DUMP_PICKLES) and not _DUMP_JSON.match(head):
        return False
    return any(mark in head for mark in _DUMP_MARKS)


def read_dump(blocks: Iterable[bytes], path: str, place: Place) -> DumpReading:
    """Read a whole dump; one of more bytes than any is refused before it is held."""
    held: List[bytes] = []
    size = 0
    for block in blocks:
        size += len(block)
        if size > MOST_BYTES:
            return DumpReading((), "a flight recorder dump that is too large")
        held.append(block)
    try:
        content = _dump_content(b"".join(held))
    except (NotPlainError, ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, NotPlainError) else "damaged"
        return DumpReading((), "a flight recorder dump, refused: " + why)
    if place.rank is None:
        return DumpReading((), "a flight recorder dump, but its name tells no rank")
    return DumpReading(tuple(_dump_notes(content, path, place)), None, content)


def dump_excerpt(content: Dict[str, Any]) -> str:
    """Write the latest calls of each group, without stacks, and who is in it, as a dump in JSON."""
    config = content.get("pg_config")
    groups = list(config.items()) if isinstance(config, dict) else []
    left: Dict[Optional[Tuple[str, str]], int] = {}
    told = []
    for call in reversed(_entry_dicts(content.get("entries"))):
        group = _group_name(call)
        left[group] = left.get(group, _CALLS_IN_EXCERPT) - 1
        if left[group] >= 0:
            told.append({name: call[name] for name in _TOLD_OF_CALLS if name in call})
    record = {
        "version": _word_of(content.get("version")),
        "pg_config": {
            str(group): {"ranks": str(about.get("ranks"))[:_LONGEST_RANKS]}
            for group, about in groups[:_MOST_GROUPS_OF_A_DUMP]
            if isinstance(about, dict)
        },
        "entries": told[::-1],
    }
    try:
        text = json.dumps(record, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""
    return text if len(text) <= LONGEST_EXCERPT else ""


def _dump_content(data: bytes) -> Dict[str, Any]:
    pickled = data.startswith(b"\x80")
    content = read_plain_pickle(data, ("frames",)) if pickled else _plain_json(data)
    if not isinstance(content, dict):
        raise NotPlainError("no record of groups")
    return content


def _plain_json(data: bytes) -> Any:
    """Decode JSON that takes neither much room nor, on an old Python, much time."""
    if data.count(b"[") + data.count(b"{") > MOST_CONTAINERS or _LONG_NUMBER.search(data):
        raise NotPlainError("too large")
    return json.loads(data.decode("utf-8", "replace"))


def _dump_notes(content: Dict[str, Any], path: str, place: Place) -> List[CollectiveNote]:
    groups: Dict[Tuple[str, str], List[Dict[str, Any]]] = {}
    for entry in _entry_dicts(content.get("entries")):
        name = _group_name(entry)
        if name is not None and not _is_no_collective(entry):
            groups.setdefault(name, []).append(entry)
    config = content.get("pg_config")
    return [
        _group_note(group, groups[group], _group_members(config, group[0]), path, place)
        for group in sorted(groups)[:_MOST_GROUPS_OF_A_DUMP]
    ]


def _group_name(entry: Dict[str, Any]) -> Optional[Tuple[str, str]]:
    """Read how the program numbers its group, and how it calls it."""
    name = entry.get("process_group")
    if not isinstance(name, (list, tuple)) or len(name) != 2:
        return None
    scalar = all(isinstance(part, (str, int)) for part in name)
    return (_word_of(name[0]), _word_of(name[1])) if scalar else None


def _word_of(value: Any) -> str:
    """Write a scalar: a container can hold itself many times over, and its text has no end."""
    return str(value)[:200] if isinstance(value, (str, int)) else ""


def _entry_dicts(entries: Any) -> List[Dict[str, Any]]:
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []


def _is_no_collective(entry: Dict[str, Any]) -> bool:
    """Tell what is no collective: it has another counter, which differs between ranks."""
    return bool(entry.get("is_p2p")) or _operation(entry) in _NOT_OF_THE_GROUP


def _operation(entry: Dict[str, Any]) -> str:
    words = _word_of(entry.get("profiling_name")).rpartition(":")[2].split()
    return words[0] if words else ""


def _group_members(config: Any, group: str) -> Tuple[int, ...]:
    about = config.get(group) if isinstance(config, dict) else None
    listed = about.get("ranks") if isinstance(about, dict) else None
    if not isinstance(listed, str) or len(listed) > _LONGEST_LIST:
        return ()
    return tuple(sorted({int(rank) for rank in re.findall(r"\d{1,7}", listed)}))


def _group_note(
    group: Tuple[str, str],
    entries: List[Dict[str, Any]],
    members: Tuple[int, ...],
    path: str,
    place: Place,
) -> CollectiveNote:
    states: Dict[int, bool] = {}
    calls: Dict[int, List[Call]] = {}
    limits: Dict[int, float] = {}
    for entry in entries:
        seq = entry.get("collective_seq_id")
        if not isinstance(seq, int) or isinstance(seq, bool) or seq < 0:
            continue
        done = entry.get("state") == "completed" or entry.get("retired") is True
        states[seq] = states.get(seq, True) and done
        calls.setdefault(seq, []).append(_entry_call(seq, entry))
        limits[seq] = _finite_number(entry.get("timeout_ms")) / 1000.0
    # A number that several operations share is of a block of them, which has no one size.
    plain = {seq: found[0] for seq, found in calls.items() if len(found) == 1}
    waits = min((seq for seq, done in states.items() if not done), default=None)
    told = Telling(
        waits_in=None if waits is None else plain.get(waits, Call(waits, "")),
        timeout=limits.get(waits) if waits is not None else None,
        enqueued=max(states, default=None),
        completed=max((seq for seq, done in states.items() if done), default=None),
        recorded=True,
        calls=tuple(plain[seq] for seq in sorted(plain)[-_KEPT_CALLS:]),
    )
    line = _dump_line(group, told, path, place)
    return CollectiveNote(line, group[0], group[1], (told,), None, members)


def _entry_call(seq: int, entry: Dict[str, Any]) -> Call:
    created = _finite_number(entry.get("time_created_ns")) / 1e9
    kinds = _kinds_of(entry.get("input_dtypes")) + " " + _kinds_of(entry.get("output_dtypes"))
    into, out = _numel_of(entry.get("input_sizes")), _numel_of(entry.get("output_sizes"))
    return Call(seq, _operation(entry), into, out, kinds[:200], created or None)


def _kinds_of(types: Any) -> str:
    return ",".join(map(_word_of, types[:16])) if isinstance(types, (list, tuple)) else ""


def _numel_of(sizes: Any) -> Optional[int]:
    """Count the elements of all tensors of a call."""
    if not isinstance(sizes, (list, tuple)):
        return None
    total = 0
    for shape in list(sizes)[:1024]:
        if not isinstance(shape, (list, tuple)):
            return None
        product = 1
        for size in list(shape)[:16]:
            product *= int(_finite_number(size))
        total += product
    return total


def _finite_number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and -1e300 < value < 1e300 else 0.0


def _dump_line(group: Tuple[str, str], told: Telling, path: str, place: Place) -> Line:
    """Say in words what the dump holds: it has no line that could be quoted."""
    shown = "group {}{}: ".format(group[0], " ({})".format(group[1]) if group[1] else "")
    call = told.waits_in
    if call is not None:
        shown += "{} #{} not completed, ".format(call.op or "work", call.seq)
    shown += "last enqueued #{}".format(told.enqueued)
    writer = Writer("rank", place.rank, place.local_rank, place.host, place.attempt)
    created = call.created if call is not None else None
    moment = Moment(created, "utc", 1.0) if created else None
    text = "flight recorder, " + shown[:300]
    return Line(path, 1, text, text, writer, None, moment, None)
