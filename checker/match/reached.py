"""How far attempts are known to have come: what was read enters; times and ends that stopped it.

Each counter asks for both, and there are thousands, so the records are walked through once.
"""

from array import array
from bisect import bisect_left
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from checker.model import NOT_BEFORE, Exit, Line, Moment, Observations, Traceback
from checker.picked import picked_records
from checker.scan.moments import HALF_YEAR, gap_within_year, seconds_within_year, timeline

_INTERRUPTS = ("KeyboardInterrupt",)
_TIME_LIMIT = "DUE TO TIME LIMIT"
_FOLDED_AXES = ("yearless", "local")


class ReachedTimes:
    """The last times that each attempt is known to have reached, and who ended it from outside."""

    __slots__ = ("_in_year", "_interrupted", "_lasts", "_seen", "_stopped")

    def __init__(self, seen: Observations) -> None:
        """Take the times of all that was read."""
        self._seen = seen
        self._lasts: Dict[Tuple[Optional[int], str], float] = {}
        """Attempt and clock to the last time."""
        self._in_year: Dict[Tuple[Optional[int], str], Sequence[float]] = {}
        """The times of attempts within their year, sorted; asked for only without years."""
        for attempt, moment in _reached(seen):
            axis, at = timeline(moment)
            key = (attempt, axis)
            if at > self._lasts.get(key, at - 1):
                self._lasts[key] = at
        self._stopped = [ended for ended in seen.exits if _is_from_outside(ended)]
        self._interrupted = picked_records(seen.tracebacks, _is_interrupt)

    def __eq__(self, other: object) -> bool:
        """Tell whether both know the same."""
        return (
            isinstance(other, ReachedTimes)
            and self._lasts == other._lasts
            and list(self.ends_from_outside()) == list(other.ends_from_outside())
        )

    __hash__ = None  # type: ignore[assignment]

    def seconds_after(self, moment: Moment, attempt: Optional[int]) -> Optional[float]:
        """Return how long after a moment an attempt is known to have lasted, if anything tells."""
        if moment.precision >= NOT_BEFORE:
            return None
        axis, at = timeline(moment)
        gaps: List[float] = []
        for number, other in self._lasts:
            if not may_be_same_attempt(attempt, number):
                continue
            if axis == other != "yearless":
                gaps.append(self._lasts[number, other] - at)
            elif axis in _FOLDED_AXES and other in _FOLDED_AXES:
                gaps.append(self._longest_in_year(moment, number, other))
        return max(gaps, default=None)

    def _longest_in_year(self, moment: Moment, attempt: Optional[int], axis: str) -> float:
        """Find the time that is furthest behind a moment, where at least one has no year."""
        key = (attempt, axis)
        times = self._in_year.get(key)
        if times is None:
            own = (
                seconds_within_year(at)
                for number, at in _reached(self._seen)
                if (number, timeline(at)[0]) == key
            )
            times = self._in_year[key] = array("d", sorted(set(own)))
        start = seconds_within_year(moment)
        # Behind the turn of the year it begins anew, half a year away from the moment.
        ends = [bisect_left(times, start + way) for way in (-HALF_YEAR, HALF_YEAR)]
        near = {place for end in (*ends, len(times)) for place in range(end - 2, end + 2)}
        return max(
            gap_within_year(start, times[place]) for place in near if 0 <= place < len(times)
        )

    def ends_from_outside(self) -> Iterable[Line]:
        """List the lines that tell that a person or a time limit ended an attempt."""
        for ended in self._stopped:
            yield ended.line
        for block in self._interrupted:
            yield block.line


def may_be_same_attempt(one: Optional[int], other: Optional[int]) -> bool:
    """Tell whether two attempts can be the same; None is any."""
    return None in (one, other) or one == other


def _reached(seen: Observations) -> Iterable[Tuple[Optional[int], Moment]]:
    """List the times that attempts are known to have reached."""
    told = ((number, moment) for number, moment in _told_times(seen) if moment is not None)
    return ((number, moment) for number, moment in told if moment.precision < NOT_BEFORE)


def _told_times(seen: Observations) -> Iterable[Tuple[Optional[int], Optional[Moment]]]:
    yield from seen.last_times
    for records in (seen.hits, seen.samples):
        for record in records:
            yield record.line.writer.attempt, record.line.moment
    for ended in seen.exits:
        yield ended.line.writer.attempt, ended.line.moment
        yield ended.line.writer.attempt, ended.moment


def _is_from_outside(ended: Exit) -> bool:
    return ended.by == "person" or ended.signal == 2 or _TIME_LIMIT in ended.line.text


def _is_interrupt(block: Traceback) -> bool:
    return any(part.type in _INTERRUPTS for part in block.parts)
