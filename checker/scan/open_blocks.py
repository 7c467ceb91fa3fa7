"""The writers of one file whose exception or dump has begun and not ended.

Lines enter as they are read; whether further ones must be read for the sake of a block leaves.
"""

from typing import Dict, List

from checker.scan.hits import WriterKey
from checker.scan.notes import WriterNotes

# So many lines are read for the sake of a block whose writer is silent; where its exception has
# been told, so many, and so many more for each other block that is open.
_PATIENCE = 1000
_PATIENCE_TOLD, _PATIENCE_OF_ONE = 64, 16


class OpenBlocks:
    """Knows what is open, as long as its writer is not silent for long."""

    __slots__ = ("_lines", "_open")

    def __init__(self) -> None:
        """Begin with nothing open."""
        self._open: Dict[WriterKey, WriterNotes] = {}
        self._lines = 0

    def __bool__(self) -> bool:
        """Tell whether anything is open."""
        return bool(self._open)

    def keys(self) -> List[WriterKey]:
        """List the writers of what is open."""
        return list(self._open)

    def heard(self, key: WriterKey, notes: WriterNotes) -> None:
        """Take one more line that was read, after its writer's block was fed."""
        self._lines += 1
        self._open.pop(key, None)
        if notes.tracebacks.is_open or notes.stacks.is_open:
            notes.seen_at = self._lines
            self._open[key] = notes
        # The one that has been silent longest stands first.
        first = next(iter(self._open), None)
        if first is not None and self._is_long_silent(self._open[first]):
            del self._open[first]

    def _is_long_silent(self, notes: WriterNotes) -> bool:
        patience = _PATIENCE
        if notes.tracebacks.is_told:
            patience = min(patience, _PATIENCE_TOLD + _PATIENCE_OF_ONE * len(self._open))
        return self._lines - notes.seen_at >= patience
