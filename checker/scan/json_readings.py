"""JSON records around lines: containers' and the journal's. A record enters, its text leaves."""

import json
import re
from typing import Any, Dict, Optional

from checker.lazy_patterns import lazy_pattern
from checker.model import Moment
from checker.scan.machine_readings import NUMBER, source_of_program
from checker.scan.moments import TIME_PATTERN, ZONE_PATTERN, wall_moment
from checker.scan.prefix_readings import Peeled, keep_moment
from checker.scan.text import plain_bytes

_RECORD_TIME = lazy_pattern(TIME_PATTERN + ZONE_PATTERN)


def _bounded_number(digits: str) -> Optional[int]:
    """Leave out a number that takes long to read, or that newer Pythons refuse."""
    return int(digits) if len(digits) < 20 else None


_DECODER = json.JSONDecoder(parse_int=_bounded_number)


def read_json(peeled: Peeled, found: "re.Match[str]") -> Optional[bool]:
    """Open the JSON of a container or journal line; False where it is something else."""
    try:
        record, end = _DECODER.raw_decode(peeled.text)
    except (ValueError, RecursionError):
        return False
    if peeled.text[end:].strip():
        return False
    text = _container_text(peeled, record)
    if text is None:
        text = _journal_text(peeled, record)
    if text is None:
        return False
    # The codes of a terminal are escaped in JSON, so they come to light only here.
    peeled.text = plain_bytes(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    return True


def _container_text(peeled: Peeled, record: Dict[str, Any]) -> Optional[str]:
    text = record.get("log")
    if not isinstance(text, str) or ("time" not in record and "stream" not in record):
        return None
    time = _RECORD_TIME.match(str(record.get("time")))
    if time:
        keep_moment(peeled, wall_moment(*time.groups()))
    return text


def _journal_text(peeled: Peeled, record: Dict[str, Any]) -> Optional[str]:
    message = _message_of(record.get("MESSAGE"))
    if message is None:
        return None
    stamp = str(record.get("__REALTIME_TIMESTAMP", ""))
    if NUMBER.match(stamp):
        keep_moment(peeled, Moment(int(stamp) / 1e6, "utc", 1e-6))
    peeled.host = str(record.get("_HOSTNAME", ""))
    program = record.get("SYSLOG_IDENTIFIER", record.get("_TRANSPORT", ""))
    peeled.source = source_of_program(str(program))
    pid = str(record.get("_PID", ""))
    if NUMBER.match(pid):
        peeled.pid = int(pid)
    return message


def _message_of(message: Any) -> Optional[str]:
    """Read a message; the journal prints one that is no UTF-8 as a list of its bytes."""
    if isinstance(message, list):
        if any(isinstance(part, str) for part in message):
            return "\n".join(part for part in message if isinstance(part, str))
        codes = bytes(code for code in message if isinstance(code, int) and 0 <= code < 256)
        return codes.decode("utf-8", "replace")
    return message if isinstance(message, str) else None


def read_kernel_json(peeled: Peeled, found: "re.Match[str]") -> Optional[bool]:
    """A message of `dmesg --json`."""
    try:
        text, end = _DECODER.raw_decode(peeled.text, found.end() - 1)
    except (ValueError, RecursionError):
        return False
    if peeled.text[end:].strip() or not isinstance(text, str):
        return False
    peeled.text = text
    return True
