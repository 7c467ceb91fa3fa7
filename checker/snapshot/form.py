"""The form of a snapshot: records enter, lines of JSON leave.

A snapshot is compressed lines of JSON. A section holds what one machine tells: first what it is
and when, then facts, inputs, and logs with the rows that were kept; its last line counts them.
Snapshots behind each other are a snapshot too. A field may be added; any other change needs a new
FORM_VERSION.
"""

import json
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from checker.facts import fact_kinds, gave_no_answer
from checker.model import Fact, Input, Moment
from checker.scan.samples import Gap
from checker.snapshot.excerpts import KeptLog

FORM_VERSION = 1
CLOCK_NAMES = ("utc", "monotonic", "since_boot")
SNAPSHOT_KEY, END_KEY = "trainwreck_snapshot", "end"
_ROWS_IN_LINE, _CHARACTERS_IN_LINE = 512, 65536
_MOST_GAP_NAMES = 64


def form_line(record: Dict[str, Any]) -> bytes:
    """Write a record as one line."""
    text = json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def head_record(
    host: Optional[str], boot: str, taken: str, clock: Dict[str, Any], more: Dict[str, Any]
) -> Dict[str, Any]:
    """Tell which machine it is of, and when that was."""
    head: Dict[str, Any] = {SNAPSHOT_KEY: FORM_VERSION, "redacted": False, **more, "host": host}
    return {**head, "boot": boot, "taken": taken, "clock": clock} if host else head


def fact_record(fact: Fact) -> Dict[str, Any]:
    """Tell a fact with its unit and how it was seen."""
    kind = fact_kinds().get(fact.name)
    record: Dict[str, Any] = {"fact": fact.name, "unit": kind.unit if kind is not None else ""}
    if fact.unknown is not None:
        seen = "no answer" if gave_no_answer(fact) else "not seen"
        return {**record, "seen": seen, "unknown": fact.unknown}
    record["value"] = fact.value
    if fact.line is None:
        return {**record, "seen": "asked"}
    line = fact.line
    told = {"path": line.path, "number": line.number, "text": line.text, "shown": line.shown}
    who = {"source": line.writer.source, "rank": line.writer.rank, "pid": line.pid}
    local = {"local_rank": line.writer.local_rank, "at": _seconds(line.moment)}
    return {**record, "seen": "looked at twice", "line": {**told, **who, **local}}


def _seconds(moment: Optional[Moment]) -> Optional[float]:
    return None if moment is None else round(moment.seconds, 3)


def input_record(given: Input) -> Dict[str, Any]:
    """Tell what was asked to be read, and what became of it."""
    return {
        "path": given.path,
        "status": given.status,
        "reason": given.reason,
        "size": given.size,
        "lines": given.lines,
        "refused": given.refused,
        "part_of": given.part_of,
        "further": given.further,
    }


def log_record(log: KeptLog, files: Sequence[Input], probed: bool) -> Dict[str, Any]:
    """Tell of a log what its rows do not."""
    return {
        "log": log.path,
        "files": [input_record(given) for given in files],
        "parts": [list(part) for part in log.parts],
        "kept": len(log.rows),
        "cut": log.cut,
        "probed": probed,
        "tired": log.tired,
        "numbers_left_out": [_gap_record(gap) for gap in log.gaps],
        "dump": log.dump or None,
    }


def _gap_record(gap: Gap) -> List[Any]:
    return [gap.first, gap.last, sorted(gap.names)[:_MOST_GAP_NAMES], gap.telling]


def with_ends(records: Iterable[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
    """Put behind each section what it holds, by which one that was cut is known."""
    held: Dict[str, int] = {}
    for record in records:
        if SNAPSHOT_KEY in record:
            if held:
                yield {END_KEY: held}
            held = {"facts": 0, "logs": 0, "rows": 0}
        held["facts"] += "fact" in record
        held["logs"] += "log" in record
        held["rows"] += len(record.get("rows", ()))
        yield record
    yield {END_KEY: held}


def row_records(rows: Sequence[Tuple[int, str]]) -> Iterator[Dict[str, Any]]:
    """Write rows that follow each other together."""
    begun, size = 0, 0
    texts: List[str] = []
    for number, text in rows:
        follows = number == begun + len(texts)
        if texts and not (
            follows and len(texts) < _ROWS_IN_LINE and size + len(text) < _CHARACTERS_IN_LINE
        ):
            yield {"at": begun, "rows": texts}
            texts, size = [], 0
        if not texts:
            begun = number
        texts.append(text)
        size += len(text) + 1
    if texts:
        yield {"at": begun, "rows": texts}
