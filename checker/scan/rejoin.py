"""Lines that were cut on their way, joined again. Rows of a file enter and leave in blocks.

Containers' runtimes cut long lines into records, terminals cut them at their last column. Where
a row was joined to an earlier one stands `JOINED_ROW`, so that lines keep their numbers.
"""

from typing import Callable, Dict, List, NamedTuple, Optional

from checker.lazy_patterns import lazy_pattern
from checker.scan.gate import template_of

JOINED_ROW = b"\x1f"
_WIDTHS = (80, 100, 120, 132)
"""Of terminals whose wraps are looked for."""
_FEWEST_WRAPS = 3
_LONGEST = 65536
_MOST_HELD = 262144
_CRI = lazy_pattern(rb"\d{4}-\S{10,40} (stdout|stderr) ([FP])(?::\w{1,40}){0,8} ")
_DOCKER, _DOCKER_TAIL = b'{"log":"', b'","stream":"'
_BEGINS_ANEW = lazy_pattern(
    rb"[ \t]{2}|Traceback \(|[|+*#>]|[-=]{4}"
    rb"|[\w.]{1,200}(?:Error|Exception|Warning|Interrupt|Exit)\b"
)
_GOES_ON = lazy_pattern(rb"""[\w./,:=('"\[ -]\Z""")
_RULED = lazy_pattern(rb"(.)\1{7}\Z")


class _Part(NamedTuple):
    """A record that a runtime made of a line, or of a piece of one."""

    stream: bytes
    ended: bool
    begin: int
    end: int
    """Where what was printed stands in the row."""


_PartReader = Callable[[bytes], Optional[_Part]]


def _cri_part(row: bytes) -> Optional[_Part]:
    found = _CRI.match(row)
    if found is None:
        return None
    return _Part(found.group(1), found.group(2) == b"F", found.end(), len(row))


def _docker_part(row: bytes) -> Optional[_Part]:
    end = row.rfind(_DOCKER_TAIL)
    if end < len(_DOCKER) or not row.startswith(_DOCKER):
        return None
    stream = row[end + len(_DOCKER_TAIL) :].partition(b'"')[0]
    return _Part(stream, row.endswith(b"\\n", len(_DOCKER), end), len(_DOCKER), end)


class LineJoiner:
    """Joins the rows of one file, whose form is known from a sample."""

    def __init__(self, sample: List[bytes], has_prefix: Callable[[bytes], bool]) -> None:
        """Find out what cut the lines, if anything did."""
        self._held: List[bytes] = []
        self._has_prefix = has_prefix
        self._part_of = _part_reader(sample)
        self._width = 0
        if self._part_of is None:
            self._width = self._wrapped_at(sample)

    def joined(self, block: bytes, goes_on: bool) -> Optional[bytes]:
        """Join the rows of a block; rows at its end may be held back for the next one."""
        if self._part_of is None and not self._width:
            return block
        rows = [*self._held, *block.split(b"\n")]
        self._held = []
        if self._part_of is not None:
            begin = self._join_parts(rows, self._part_of)
        else:
            begin = self._join_wrapped(rows)
        if not goes_on and sum(len(row) for row in rows[begin:]) < _MOST_HELD:
            self._held = rows[begin:]
            rows = rows[:begin]
        return b"\n".join(rows) if rows else None

    def rows_held(self) -> int:
        """Count the rows that are held back."""
        return len(self._held)

    def rest(self) -> Optional[bytes]:
        """Hand over what was held back to the end of the file."""
        return b"\n".join(self._held) if self._held else None

    def _join_parts(self, rows: List[bytes], part_of: _PartReader) -> int:
        """Join the records of a line; tell at which row the first line begins that goes on."""
        unended: Dict[bytes, int] = {}
        for index, row in enumerate(rows):
            part = part_of(row)
            if part is None:
                continue
            begun = unended.pop(part.stream, None)
            if begun is None:
                begun = index
            else:
                before = part_of(rows[begun])
                end = before.end if before is not None else len(rows[begun])
                text = row[part.begin : part.end]
                rows[begun] = rows[begun][:end] + text + rows[begun][end:]
                rows[index] = JOINED_ROW
            if not part.ended and len(rows[begun]) < _LONGEST:
                unended[part.stream] = begun
        return min(unended.values(), default=len(rows))

    def _join_wrapped(self, rows: List[bytes]) -> int:
        """Join what a terminal wrapped; tell at which row a line begins that may go on."""
        begun, filled = 0, -1
        for index, row in enumerate(rows):
            columns = _columns(row)
            if columns > self._width:
                # No terminal of that width showed this.
                self._width = 0
                return len(rows)
            if filled >= 0 and self._goes_on(rows[begun], row):
                # A blank in the last column is not shown.
                rows[begun] += b" " * filled + row
                rows[index] = JOINED_ROW
            else:
                begun = index
            filled = self._width - columns if len(rows[begun]) < _LONGEST else -1
            filled = filled if filled in (0, 1) else -1
        return begun if filled >= 0 else len(rows)

    def _goes_on(self, before: bytes, row: bytes) -> bool:
        """Tell whether a row is the rest of the one that fills the line before it."""
        if not row.strip() or _BEGINS_ANEW.match(row):
            return False
        if not _GOES_ON.search(before) or _RULED.search(before):
            return False
        return not self._has_prefix(row) and template_of(row) != template_of(before)

    def _wrapped_at(self, sample: List[bytes]) -> int:
        """Find the width at which a terminal cut the lines; 0 where none did."""
        columns = [_columns(row) for row in sample]
        width = max(columns, default=0)
        if width not in _WIDTHS or columns.count(width) < _FEWEST_WRAPS:
            return 0
        filled = [index for index, count in enumerate(columns[:-1]) if count == width]
        wrapped = [index for index in filled if self._goes_on(sample[index], sample[index + 1])]
        # Records that happen to fill a line look alike, and are followed by their like.
        texts = {template_of(sample[index]) for index in wrapped}
        enough = len(texts) >= _FEWEST_WRAPS and 2 * len(wrapped) >= len(filled)
        return width if enough else 0


def _part_reader(sample: List[bytes]) -> Optional[_PartReader]:
    """Find the runtime whose records most lines are."""
    for reader in (_cri_part, _docker_part):
        known = sum(reader(row) is not None for row in sample)
        if known and 2 * known >= sum(bool(row) for row in sample):
            return reader
    return None


def _columns(row: bytes) -> int:
    """Count the columns of a terminal that a row fills."""
    row = row.rstrip(b"\r")
    return len(row) if row.isascii() else len(row.decode("utf-8", "replace"))
