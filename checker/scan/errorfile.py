"""The error file of torchelastic: one JSON object with the exception of one process."""

import json
import re
from typing import Optional

from checker.model import Line, Moment, Raised, Traceback, Writer
from checker.scan.frames import parse_block
from checker.scan.places import Place


def is_error_file(block: bytes) -> bool:
    """Tell by its beginning."""
    return re.match(rb'\s*\{"message": ?["{]', block[:200]) is not None


def read_error_file(block: bytes, path: str, place: Place) -> Optional[Traceback]:
    """Read the exception, its stack and its time; None where it is something else."""
    try:
        message = json.loads(block.decode("utf-8", "replace"))["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    more = message.get("extraInfo") if isinstance(message, dict) else None
    text = message.get("message") if isinstance(message, dict) else message
    if not isinstance(text, str) or not text:
        return None
    stack = str(more.get("py_callstack", "")) if isinstance(more, dict) else ""
    stamp = str(more.get("timestamp", "")) if isinstance(more, dict) else ""
    moment = Moment(float(stamp), "utc", 1.0) if stamp.isdecimal() and len(stamp) < 12 else None
    parts = parse_block([(1, row) for row in stack.split("\n")]) if stack.strip() else ()
    if not parts or not parts[-1].type:
        name, _, said = text.partition(": ")
        parts = (Raised(name, said, (), 1),) if re.match(r"[\w.]+$", name) else ()
    if not parts:
        return None
    writer = Writer("rank", place.rank, place.local_rank, place.host, place.attempt)
    line = Line(path, 1, text, text.split("\n")[0], writer, None, moment, "ERROR")
    return Traceback(line, 1, parts, False, False, True)
