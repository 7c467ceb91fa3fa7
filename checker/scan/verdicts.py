"""The failure block that torchrun prints at its end. Lines enter; ends and a verdict leave."""

import re
from typing import Dict, List, NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Exit, LauncherVerdict, Line, Moment, Traceback, Writer
from checker.scan.exits import author_of, signal_and_code
from checker.scan.frames import parse_block
from checker.scan.moments import TIME_PATTERN, wall_moment

_FIELD = lazy_pattern(r"\s{1,8}(time|host|rank|exitcode|error_file|traceback) *: ?(.*)$")
_VERDICT_HEAD = lazy_pattern(r"\[\d{1,6}\]:\s*$")
_RANK = lazy_pattern(r"(\d{1,7}) \(local_rank: (\d{1,6})\)")
_EXIT = lazy_pattern(r"(-?\d{1,4}) \(pid: (\d{1,9})\)")
_TRACE = "Traceback (most recent call last):"
_NOT_RECORDED = "<N/A>"
ROOT_CAUSE = "Root Cause (first observed failure)"


class Placed(NamedTuple):
    """Where the block says that a process ran."""

    rank: int
    local_rank: int
    pid: int
    host: str
    path: str
    """The file in which the block stands."""


class FailureBlockReader:
    """Reads the failure blocks of one file."""

    def __init__(self) -> None:
        """Begin outside of any block."""
        self.exits: List[Exit] = []
        self.places: List[Placed] = []
        self.verdicts: List[LauncherVerdict] = []
        self._named = False
        self.is_open = False
        self.tracebacks: List[Traceback] = []
        self._root = False
        self._fields: Dict[str, str] = {}
        self._rows: List[Tuple[int, str]] = []
        self._head: Optional[Line] = None

    def feed(self, line: Line) -> bool:
        """Read a line; tell whether it belongs to a failure block."""
        text = line.text
        if text.startswith(ROOT_CAUSE):
            self._root, self.is_open = True, True
            return True
        if text.startswith(("Failures:", "Other Failures:")):
            self._root, self.is_open = False, True
            return True
        return self.is_open and self._feed_inside(line, text)

    def _feed_inside(self, line: Line, text: str) -> bool:
        if self._head is not None:
            if text.startswith("  ") and not _FIELD.match(text):
                self._rows.append((line.number, text[2:]))
                return True
            self._end_traceback()
        if _VERDICT_HEAD.match(text):
            self._fields, self._named = {}, False
            return True
        field = _FIELD.match(text)
        if field:
            self._fields[field.group(1)] = field.group(2).strip()
            if field.group(1) == "exitcode":
                self._finish(line._replace(writer=_by_launcher(line)))
            elif field.group(1) == "error_file" and self._named:
                self._note_record(field.group(2).strip())
            elif field.group(1) == "traceback" and _TRACE in text:
                self._head, self._rows = line, [(line.number, _TRACE)]
            return True
        if text.startswith(("-----", "  <NO_OTHER_FAILURES>")) or not text.strip():
            return True
        self.is_open = False
        return text.startswith("=====")

    def _note_record(self, error_file: str) -> None:
        """The time is that of the exception only where the process recorded it."""
        recorded = error_file not in ("", _NOT_RECORDED)
        self.verdicts[-1] = self.verdicts[-1]._replace(recorded=recorded)

    def close(self) -> None:
        """End the file."""
        self._end_traceback()

    def _end_traceback(self) -> None:
        """A process that recorded its exception has it printed again, indented."""
        head, rows = self._head, self._rows
        self._head, self._rows = None, []
        if head is None:
            return
        rank = _RANK.match(self._fields.get("rank", ""))
        if rank is None:
            return
        parts = parse_block(rows)
        if parts and parts[-1].type:
            host, moment = self._fields.get("host"), _moment_of(self._fields.get("time", ""))
            attempt = head.writer.attempt
            writer = Writer("rank", int(rank.group(1)), int(rank.group(2)), host, attempt)
            line = head._replace(writer=writer, moment=moment)
            self.tracebacks.append(Traceback(line, rows[-1][0], parts, False, False, True))

    def _finish(self, line: Line) -> None:
        rank, told = (
            _RANK.match(self._fields.get("rank", "")),
            _EXIT.match(self._fields["exitcode"]),
        )
        if rank is None or told is None:
            return
        signal, code = signal_and_code(int(told.group(1)))
        host, time = self._fields.get("host") or None, self._fields.get("time", "")
        number, local_rank, pid = int(rank.group(1)), int(rank.group(2)), int(told.group(2))
        by = author_of(signal, code)
        self.exits.append(
            Exit(line, number, local_rank, pid, host, signal, code, by, _moment_of(time))
        )
        self.places.append(Placed(number, local_rank, pid, host or "", line.path))
        if self._root:
            self._root, self._named = False, True
            code_as_printed = int(told.group(1))
            self.verdicts.append(LauncherVerdict(number, code_as_printed, time, host, False, line))


def _by_launcher(line: Line) -> Writer:
    return line.writer._replace(source="launcher", rank=None, local_rank=None)


def _moment_of(time: str) -> Optional[Moment]:
    found = re.match(TIME_PATTERN, time)
    return wall_moment(*found.groups()) if found else None
