"""Lines that hold a wanted literal, counted by shape and writer; first ones and the last kept."""

from typing import Dict, FrozenSet, List, Optional, Tuple

from checker.model import Hit, Line

KEPT_OF_A_SHAPE = 64
WriterKey = Tuple[object, ...]
_ShapeKey = Tuple[bytes, WriterKey]


class _Pending:
    """A hit that waits for the lines below it."""

    __slots__ = ("above", "below", "keys", "line", "since")

    def __init__(self, line: Line, keys: FrozenSet[str], above: Tuple[str, ...]) -> None:
        self.line = line
        self.keys = keys
        self.above = above
        self.below: List[str] = []
        self.since = 0


class HitBook:
    """Collects the hits of one file."""

    __slots__ = ("_counts", "_found", "_kept", "_loose", "_waiting")

    def __init__(self) -> None:
        """Begin empty."""
        self._kept: Dict[_ShapeKey, List[_Pending]] = {}
        self._counts: Dict[_ShapeKey, int] = {}
        self._waiting: Dict[WriterKey, List[_Pending]] = {}
        self._loose: Dict[bytes, int] = {}
        self._found: List[Hit] = []

    @property
    def waits(self) -> bool:
        """Whether a hit still waits for lines below it."""
        return bool(self._waiting)

    def add(
        self,
        shape: bytes,
        writer: WriterKey,
        line: Line,
        keys: FrozenSet[str],
        above: Tuple[str, ...],
    ) -> None:
        """Take a hit that was read closely."""
        key = (shape, writer)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        pending = _Pending(line, keys, above)
        kept = self._kept.setdefault(key, [])
        if count <= KEPT_OF_A_SHAPE:
            kept.append(pending)
        else:
            kept[-1] = pending
        self._waiting.setdefault(writer, []).append(pending)

    def count_loosely(self, shape: bytes, times: int) -> None:
        """Take lines of a shape that were counted without telling their writers apart."""
        self._loose[shape] = self._loose.get(shape, 0) + times

    def below(self, writer: WriterKey, text: str) -> None:
        """Give a line to the writer's hits above it."""
        waiting = self._waiting.get(writer)
        if waiting:
            for pending in waiting:
                pending.below.append(text)
            left = [pending for pending in waiting if len(pending.below) < 2]
            if left:
                self._waiting[writer] = left
            else:
                del self._waiting[writer]

    def wrapped(self, writer: WriterKey, number: int, text: str) -> None:
        """Give the second half of a line to the hit whose first half stands at *number*."""
        for pending in self._waiting.get(writer, ()):
            if pending.line.number == number:
                pending.below.append(text)

    def passed(self) -> None:
        """Count one more line of any writer; nothing waits for long."""
        if not self._waiting:
            return
        for writer in list(self._waiting):
            left = []
            for pending in self._waiting[writer]:
                pending.since += 1
                if pending.since < 48:
                    left.append(pending)
            if left:
                self._waiting[writer] = left
            else:
                del self._waiting[writer]

    def gap(self) -> None:
        """Lines were left out; nothing waits across them."""
        self._waiting.clear()

    def hits(self) -> List[Hit]:
        """Hand over the hits in the order of their lines."""
        return self._found

    def close(self) -> None:
        """End the file."""
        found = self._found
        for key, kept in self._kept.items():
            exact = not self._loose.get(key[0], 0)
            left_out = self._counts[key] - len(kept)
            for one in kept:
                times = 1 + left_out if one is kept[-1] else 1
                below = tuple(one.below)
                found.append(Hit(one.line, one.keys, one.above, below, times, exact, key[0]))
        found.sort(key=lambda hit: hit.line.number)
        self._kept, self._counts, self._waiting, self._loose = {}, {}, {}, {}

    def loose_shapes(self) -> Optional[Dict[bytes, int]]:
        """The shapes of which lines were only counted."""
        return self._loose
