"""When the lines of one file were written. Numbers and moments enter; both leave, unchanged.

Every line that was read closely has a time, and all of them are asked for only where a job began
again, so they are kept small: a run can have thousands of files.
"""

from array import array
from typing import Dict, Iterator, Tuple

from checker.model import Moment

_KEPT_TIMES = 4096
# What fits in one and in four bytes.
_CLOCKS_END, _NUMBERS_END = 1 << 8, 1 << 32


class TimeBook:
    """Keeps the first times of a file."""

    __slots__ = ("_clocks", "_kinds", "_numbers", "_seconds")

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers = array("I")
        self._seconds = array("d")
        self._kinds = array("B")
        """Of which clock each is."""
        self._clocks: Dict[Tuple[object, ...], Tuple[int, Moment]] = {}

    def add(self, number: int, moment: Moment) -> None:
        """Take the time of a line."""
        if len(self._numbers) >= _KEPT_TIMES or number >= _NUMBERS_END:
            return
        known = self._clocks.get(moment[1:])
        if known is None:
            if len(self._clocks) >= _CLOCKS_END:
                return
            known = self._clocks[moment[1:]] = (len(self._clocks), moment)
        self._numbers.append(number)
        self._seconds.append(moment.seconds)
        self._kinds.append(known[0])

    def times(self) -> Iterator[Tuple[int, Moment]]:
        """List the lines in the order in which they were read."""
        clocks = [moment for _, moment in self._clocks.values()]
        for number, seconds, kind in zip(self._numbers, self._seconds, self._kinds):
            yield number, Moment(seconds, *clocks[kind][1:])
