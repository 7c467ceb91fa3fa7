"""Excerpts of logs: rows that were read closely enter; what is kept of each log leaves.

A diagnosis rests on the rows that the scan read closely and on their numbers. So a log of
gigabytes is kept as those rows, and the reader reads them again as it read the log.
"""

from typing import Dict, FrozenSet, List, NamedTuple, Sequence, Set, Tuple

from checker.model import PartBegin
from checker.packed import Packer
from checker.scan.samples import Gap
from checker.scan.text import KEPT_TEXT, line_pieces

# Of one log, before compression.
_MOST_KEPT_OF_LOG = 3 << 20
_KEPT_AT_EACH_END = 1 << 20
_FEW_LOGS, _LOGS_IN_BLOCK = 16, 8


class KeptLog(NamedTuple):
    """What is kept of one log."""

    path: str
    """Of its first file."""
    parts: Tuple[PartBegin, ...]
    """Its further files."""
    rows: Tuple[Tuple[int, str], ...]
    """Numbers and texts; of a line that was cut, pieces with one number."""
    cut: int
    """How many rows were evidence, and too many to be kept."""
    tired: bool
    """Whether exception blocks were only counted."""
    gaps: Tuple[Gap, ...]
    """Metric records that were not read."""
    dump: str = ""
    """What a dump of the flight recorder tells, as JSON."""


class ExcerptBook:
    """Collects the rows of one log."""

    __slots__ = ("_marked", "_rows", "_size", "cut")

    def __init__(self) -> None:
        """Begin with none."""
        self.cut = 0
        self._rows: Dict[int, Tuple[str, ...]] = {}
        self._marked: Set[int] = set()
        """Rows that hold what is looked for, and not only stand around such rows."""
        self._size = 0

    def note(self, number: int, row: bytes, names: FrozenSet[str]) -> None:
        """Take a row that is read; it may be read again."""
        text = _kept_text(row, names)
        known = self._rows.get(number, ())
        if names:
            self._marked.add(number)
        if text in known:
            return
        self._rows[number] = (*known, text)
        self._size += len(text) + 1
        if self._size > _MOST_KEPT_OF_LOG:
            self._shrink()

    def rows(self) -> Tuple[Tuple[int, str], ...]:
        """List what was kept, in the order of the lines."""
        return tuple((number, text) for number in sorted(self._rows) for text in self._rows[number])

    def _shrink(self) -> None:
        """Let rows of the middle go, first those that only stand around others."""
        middle = self._middle(sorted(self._rows))
        bare = [number for number in middle if number not in self._marked]
        for number in bare or middle:
            texts = self._rows.pop(number)
            self._size -= sum(len(text) + 1 for text in texts)
            self.cut += 1

    def _middle(self, numbers: List[int]) -> List[int]:
        first, last, held = 0, len(numbers), 0
        while first < last and held < _KEPT_AT_EACH_END:
            held += sum(map(len, self._rows[numbers[first]])) + 1
            first += 1
        held = 0
        while first < last and held < _KEPT_AT_EACH_END:
            last -= 1
            held += sum(map(len, self._rows[numbers[last]])) + 1
        return numbers[first:last]


def _kept_text(row: bytes, names: FrozenSet[str]) -> str:
    """Keep of a row what the reader looks at; of what was overwritten often little matters."""
    if b"\r" in row or len(row) > KEPT_TEXT:
        return "\r".join(line_pieces(row, names))
    return row.decode("utf-8", "replace")


class ExcerptShelf:
    """Collects the excerpts of all logs, packed."""

    def __init__(self) -> None:
        """Begin with none."""
        self._logs: Packer[KeptLog] = Packer(_FEW_LOGS, _LOGS_IN_BLOCK)
        self._count = 0
        self._last: Dict[str, int] = {}

    def keep(self, log: KeptLog) -> None:
        """Take one; of a log that is read once more the later one counts."""
        self._logs.add(log)
        self._last[log.path] = self._count
        self._count += 1

    def logs(self) -> Sequence[KeptLog]:
        """Hand over all, to be walked through one by one, and keep none."""
        every, last = self._logs.packed(), frozenset(self._last.values())
        self._last, self._count = {}, 0
        if len(last) == len(every):
            return every
        return [log for number, log in enumerate(every) if number in last]
