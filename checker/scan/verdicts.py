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


class _OpenBlock:
    """A block that one launcher has begun, and the process of which it tells."""

    __slots__ = ("fields", "head", "mixed", "named", "root", "rows", "verdict")

    def __init__(self, root: bool) -> None:
        self.root = root
        """Whether the next process is the one that torchrun takes for the cause."""
        self.verdict = 0
        self.rows: List[Tuple[int, str]] = []
        self.head: Optional[Line] = None
        self.begin()

    def begin(self) -> None:
        """Begin with another process."""
        self.fields: Dict[str, str] = {}
        self.named = False
        self.mixed = False
        """Whether the lines of several launchers that nothing tells apart are mixed in it."""


class FailureBlockReader:
    """Reads the failure blocks of one file: those of several nodes may be mixed in it."""

    __slots__ = ("_open", "exits", "places", "tracebacks", "verdicts")

    def __init__(self) -> None:
        """Begin outside of any block."""
        self.exits: List[Exit] = []
        self.places: List[Placed] = []
        self.verdicts: List[LauncherVerdict] = []
        self.tracebacks: List[Traceback] = []
        self._open: Dict[Tuple[Optional[str], Optional[int]], _OpenBlock] = {}
        """Host and task of a launcher to what it has begun to print."""

    @property
    def is_open(self) -> bool:
        """Whether any block has begun and not ended."""
        return bool(self._open)

    def feed(self, line: Line) -> bool:
        """Read a line; tell whether it belongs to a failure block."""
        text, key = line.text, (line.writer.host, line.writer.task)
        if text.startswith((ROOT_CAUSE, "Failures:", "Other Failures:")):
            block = self._open.get(key)
            if block is not None:
                self._end_traceback(block)
            self._open[key] = _OpenBlock(text.startswith(ROOT_CAUSE))
            return True
        block = self._open.get(key)
        return block is not None and self._feed_inside(line, key, block)

    def _feed_inside(
        self, line: Line, key: Tuple[Optional[str], Optional[int]], block: _OpenBlock
    ) -> bool:
        text = line.text
        if block.head is not None:
            if text.startswith("  ") and not _FIELD.match(text):
                block.rows.append((line.number, text[2:]))
                return True
            self._end_traceback(block)
        if _VERDICT_HEAD.match(text):
            block.begin()
            return True
        field = _FIELD.match(text)
        if field:
            self._read_field(line, block, field.group(1), field.group(2).strip())
            return True
        if text.startswith(("-----", "  <NO_OTHER_FAILURES>")) or not text.strip():
            return True
        del self._open[key]
        return text.startswith("=====")

    def _read_field(self, line: Line, block: _OpenBlock, name: str, value: str) -> None:
        if name in block.fields and "exitcode" in block.fields:
            block.begin()
        block.mixed = block.mixed or name in block.fields
        block.fields[name] = value
        if block.mixed:
            return
        if name == "exitcode":
            self._finish(line._replace(writer=_by_launcher(line)), block)
        elif name == "error_file" and block.named:
            # The time is that of the exception only where the process recorded it.
            recorded = value not in ("", _NOT_RECORDED)
            self.verdicts[block.verdict] = self.verdicts[block.verdict]._replace(recorded=recorded)
        elif name == "traceback" and _TRACE in line.text:
            block.head, block.rows = line, [(line.number, _TRACE)]

    def close(self) -> None:
        """End the file."""
        for block in self._open.values():
            self._end_traceback(block)
        self._open = {}

    def _end_traceback(self, block: _OpenBlock) -> None:
        """A process that recorded its exception has it printed again, indented."""
        head, rows = block.head, block.rows
        block.head, block.rows = None, []
        if head is None:
            return
        rank = _RANK.match(block.fields.get("rank", ""))
        if rank is None:
            return
        parts = parse_block(rows)
        if parts and parts[-1].type:
            host, moment = block.fields.get("host"), _moment_of(block.fields.get("time", ""))
            attempt = head.writer.attempt
            writer = Writer("rank", int(rank.group(1)), int(rank.group(2)), host, attempt)
            line = head._replace(writer=writer, moment=moment)
            self.tracebacks.append(Traceback(line, rows[-1][0], parts, False, False, True))

    def _finish(self, line: Line, block: _OpenBlock) -> None:
        fields = block.fields
        rank, told = _RANK.match(fields.get("rank", "")), _EXIT.match(fields["exitcode"])
        if rank is None or told is None:
            return
        signal, code = signal_and_code(int(told.group(1)))
        host, time = fields.get("host") or None, fields.get("time", "")
        number, local_rank, pid = int(rank.group(1)), int(rank.group(2)), int(told.group(2))
        by = author_of(signal, code)
        self.exits.append(
            Exit(line, number, local_rank, pid, host, signal, code, by, _moment_of(time))
        )
        self.places.append(Placed(number, local_rank, pid, host or "", line.path))
        if block.root:
            block.root, block.named, block.verdict = False, True, len(self.verdicts)
            code_as_printed = int(told.group(1))
            self.verdicts.append(LauncherVerdict(number, code_as_printed, time, host, False, line))


def _by_launcher(line: Line) -> Writer:
    return line.writer._replace(source="launcher", rank=None, local_rank=None)


def _moment_of(time: str) -> Optional[Moment]:
    found = re.match(TIME_PATTERN, time)
    return wall_moment(*found.groups()) if found else None
