"""The metric records that are kept of one writer. Samples enter; first, telling and last leave."""

from typing import FrozenSet, List, NamedTuple

from checker.model import Sample


class Room(NamedTuple):
    """How many records of one writer are kept."""

    first: int
    telling: int
    last: int


WHOLE = Room(1024, 2048, 256)
# For the files of a run that come after so many: two last ones show whether it went on.
SPARSE = Room(1, 2, 2)


class Gap(NamedTuple):
    """Records in a row that were not kept."""

    first: int
    last: int
    names: FrozenSet[str]
    telling: bool


class SampleBook:
    """Keeps the first samples, those that a sign may be true of, and the last ones."""

    __slots__ = ("_first", "_last", "_room", "_telling", "gaps")

    def __init__(self, room: Room) -> None:
        """Begin empty."""
        self._room = room
        self.gaps: List[Gap] = []
        self._first: List[Sample] = []
        self._telling: List[Sample] = []
        self._last: List[Sample] = []

    def __len__(self) -> int:
        """Count what is kept."""
        return len(self._first) + len(self._telling) + len(self._last)

    def is_sparse(self) -> bool:
        """Whether only records count that tell by themselves."""
        return self._room is SPARSE

    def is_full(self) -> bool:
        """Whether it matters from now on if a sample is telling."""
        return len(self._first) >= self._room.first

    def add(self, sample: Sample, telling: bool) -> None:
        """Take the next sample."""
        if not self.is_full():
            self._first.append(sample)
            return
        if telling and len(self._telling) < self._room.telling:
            self._telling.append(sample)
            return
        self._last.append(sample)
        if len(self._last) > self._room.last:
            self._leave_out(self._last.pop(0), len(self._telling) >= self._room.telling)

    def _leave_out(self, sample: Sample, telling: bool) -> None:
        number, names = sample.line.number, frozenset([name for name, _ in sample.values])
        gap = self.gaps[-1] if self.gaps else None
        kept_since = self._telling[-1].line.number if self._telling else 0
        if gap is not None and gap.telling == telling and kept_since <= gap.last <= number:
            names = gap.names if names <= gap.names else gap.names | names
            self.gaps[-1] = Gap(gap.first, number, names, telling)
        else:
            self.gaps.append(Gap(number, number, names, telling))

    def kept(self) -> List[Sample]:
        """List what was kept, in the order of the lines."""
        every = self._first + self._telling + self._last
        every.sort(key=lambda sample: sample.line.number)
        return every
