"""When each attempt lived: what was read enters; its first and last times, clock by clock, leave.

Only processes and their launchers show that an attempt lives. Logs of machines go on for days, but
what a scheduler prints of a process's end is of the run.
"""

from itertools import chain
from typing import Dict, Iterable, NamedTuple, Optional, Tuple

from checker.model import HOST_SOURCES, NOT_BEFORE, Line, Moment, Observations
from checker.scan.moments import timeline

AttemptTime = Tuple[Optional[int], Moment]
_Key = Tuple[int, str]


class Lifetimes(NamedTuple):
    """The times between which attempts are known to have lived, one on each clock."""

    starts: Tuple[AttemptTime, ...]
    """In the order of the attempts."""
    ends: Tuple[AttemptTime, ...]
    silences: Tuple[Tuple[Optional[int], float], ...] = ()
    """Attempts whose end nobody told, and the seconds of silence that say nothing of an end."""

    def silence_of(self, attempt: Optional[int]) -> Optional[float]:
        """Tell how long an attempt may have been silent; None where its end was told."""
        return dict(self.silences).get(attempt)


def recorded_lines(seen: Observations) -> Iterable[Line]:
    """List the lines of all records."""
    for records in (seen.hits, seen.tracebacks, seen.exits, seen.samples, seen.stacks):
        for record in records:
            yield record.line


def lifetimes_of(seen: Observations, last: Optional[int]) -> Lifetimes:
    """Tell when attempts began and ended; what names no attempt is of the *last* one."""

    def _meant(times: Iterable[AttemptTime]) -> Iterable[AttemptTime]:
        return ((last if number is None else number, at) for number, at in times)

    ends = chain(_times(seen), _told_ends(seen), seen.last_times)
    return Lifetimes(_first_times(_meant(_times(seen))), _last_times(_meant(ends)))


def lived_from(lives: Lifetimes, times: Iterable[AttemptTime]) -> Lifetimes:
    """Let attempts begin no later than these times."""
    return lives._replace(starts=_first_times(chain(lives.starts, times)))


def _times(seen: Observations) -> Iterable[AttemptTime]:
    return (
        (line.writer.attempt, line.moment)
        for line in recorded_lines(seen)
        if line.moment is not None
        and line.moment.precision < NOT_BEFORE
        and line.writer.source not in HOST_SOURCES
    )


def _told_ends(seen: Observations) -> Iterable[AttemptTime]:
    for ended in seen.exits:
        if ended.line.writer.source not in ("kernel", "service"):
            for moment in (ended.moment, ended.line.moment):
                if moment is not None:
                    yield ended.line.writer.attempt, moment


def _first_times(times: Iterable[AttemptTime]) -> Tuple[AttemptTime, ...]:
    firsts: Dict[_Key, AttemptTime] = {}
    for attempt, moment in times:
        key = _key_of(attempt, moment)
        known = firsts.get(key)
        if known is None or timeline(moment)[1] < timeline(known[1])[1]:
            firsts[key] = (attempt, moment)
    return tuple(firsts[key] for key in sorted(firsts))


def _last_times(times: Iterable[AttemptTime]) -> Tuple[AttemptTime, ...]:
    lasts: Dict[_Key, AttemptTime] = {}
    for attempt, moment in times:
        key = _key_of(attempt, moment)
        known = lasts.get(key)
        if known is None or timeline(moment)[1] > timeline(known[1])[1]:
            lasts[key] = (attempt, moment)
    return tuple(lasts[key] for key in sorted(lasts))


def _key_of(attempt: Optional[int], moment: Moment) -> _Key:
    return -1 if attempt is None else attempt, timeline(moment)[0]
