"""The metric records that are kept of one writer. Samples enter; first, telling and last leave."""

from collections import deque
from typing import Deque, FrozenSet, List, NamedTuple

from checker.model import Sample

_KEPT_FIRST = 1024
_KEPT_TELLING = 2048
_KEPT_LAST = 256


class Gap(NamedTuple):
    """Records in a row that were not kept."""

    first: int
    last: int
    names: FrozenSet[str]
    telling: bool


class SampleBook:
    """Keeps the first samples, those that a sign may be true of, and the last ones."""

    def __init__(self) -> None:
        """Begin empty."""
        self.gaps: List[Gap] = []
        self._first: List[Sample] = []
        self._telling: List[Sample] = []
        self._last: Deque[Sample] = deque()

    def is_full(self) -> bool:
        """Whether it matters from now on if a sample is telling."""
        return len(self._first) >= _KEPT_FIRST

    def add(self, sample: Sample, telling: bool) -> None:
        """Take the next sample."""
        if not self.is_full():
            self._first.append(sample)
            return
        if telling and len(self._telling) < _KEPT_TELLING:
            self._telling.append(sample)
            return
        self._last.append(sample)
        if len(self._last) > _KEPT_LAST:
            self._leave_out(self._last.popleft(), len(self._telling) >= _KEPT_TELLING)

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
        every = self._first + self._telling + list(self._last)
        every.sort(key=lambda sample: sample.line.number)
        return every
