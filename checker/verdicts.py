"""The failure block that torchrun prints at its end. Lines enter; ends and a verdict leave."""

import re
from typing import Any, Dict, List, NamedTuple, Optional

from checker.exits import signal_and_code
from checker.model import Exit, Line, Moment
from checker.moments import TIME_PATTERN, wall_moment

_FIELD = re.compile(r"\s{1,8}(time|host|rank|exitcode|error_file|traceback) *: ?(.*)$")
_HEAD = re.compile(r"\[\d{1,6}\]:\s*$")
_RANK = re.compile(r"(\d{1,7}) \(local_rank: (\d{1,6})\)")
_EXIT = re.compile(r"(-?\d{1,4}) \(pid: (\d{1,9})\)")
ROOT_CAUSE = "Root Cause (first observed failure)"


class Placed(NamedTuple):
    """Where the block says that a process ran."""

    rank: int
    local_rank: int
    pid: int
    host: str


class FailureBlockReader:
    """Reads the failure blocks of one file."""

    def __init__(self) -> None:
        """Begin outside of any block."""
        self.exits: List[Exit] = []
        self.places: List[Placed] = []
        self.verdict: Optional[Dict[str, Any]] = None
        self.is_open = False
        self._root = False
        self._fields: Dict[str, str] = {}

    def feed(self, line: Line) -> bool:
        """Read a line; tell whether it belongs to a failure block."""
        text = line.text
        if text.startswith(ROOT_CAUSE):
            self._root, self.is_open = True, True
            return True
        if text.startswith(("Failures:", "Other Failures:")):
            self._root, self.is_open = False, True
            return True
        if not self.is_open:
            return False
        if _HEAD.match(text):
            self._fields = {}
            return True
        field = _FIELD.match(text)
        if field:
            self._fields[field.group(1)] = field.group(2).strip()
            if field.group(1) == "exitcode":
                self._finish(line)
            return True
        if text.startswith(("-----", "  <NO_OTHER_FAILURES>")) or not text.strip():
            return True
        self.is_open = False
        return text.startswith("=====")

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
        by = "itself" if code is not None else None
        self.exits.append(
            Exit(line, number, local_rank, pid, host, signal, code, by, _moment_of(time))
        )
        self.places.append(Placed(number, local_rank, pid, host or ""))
        if self._root:
            self._root = False
            self.verdict = {
                "rank": number,
                "time": time,
                "exit": int(told.group(1)),
                "path": line.path,
                "line": line.number,
            }


def _moment_of(time: str) -> Optional[Moment]:
    found = re.match(TIME_PATTERN, time)
    return wall_moment(*found.groups()) if found else None
