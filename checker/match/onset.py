"""Before, after, or cannot tell: two moments or two sightings enter, their order leaves.

Times count only on equal clocks; a clock without year is compared with a local one by leaving
the year out. Where times do not tell, the lines of one writer in one file do.
"""

from typing import Any, Dict, Iterable, List, Optional, Tuple

from checker.match.processes import same_writer
from checker.model import NOT_BEFORE, Line, Moment, Sighting
from checker.scan.moments import doubt_between, earliest_gap, moment_gap, timeline

BEFORE, AFTER = "before", "after"
OnsetKey = Tuple[int, float, str, int, bool]
_CLOCKS = ("utc", "local", "yearless", "boot")
NO_ONSET: OnsetKey = (len(_CLOCKS), 0.0, "", 0, True)
# Groups are compared pair by pair.
_MOST_STARTS = 64


def compare_moments(one: Optional[Moment], other: Optional[Moment]) -> Optional[str]:
    """Return BEFORE, AFTER, or None where the two cannot be told apart."""
    if one is None or other is None:
        return None
    gap = earliest_gap(one, other)
    if gap is None:
        return None
    doubt = doubt_between(one, other)
    if gap > 0 and gap >= one.precision + doubt:
        return BEFORE
    if gap < 0 and -gap >= other.precision + doubt:
        return AFTER
    return None


def compare_onsets(one: Sighting, other: Sighting) -> Optional[str]:
    """Tell which of two sightings happened first, where all that each leaves open agrees.

    What was told late happened at the latest when it was told. A wait lasted from its beginning
    until it was told: what happened meanwhile is neither before nor after it.
    """
    if compare_moments(_ended_by(one), _begun_at(other)) == BEFORE:
        return BEFORE
    if compare_moments(_begun_at(one), _ended_by(other)) == AFTER:
        return AFTER
    # Waits that overlap are told apart by no line order.
    return _by_line(one, other)


def surely_apart(one: Sighting, other: Sighting, seconds: float) -> bool:
    """Tell whether more than so many seconds lie between the end of one and the other's begin."""
    end, begin = _ended_by(one), _begun_at(other)
    gap = moment_gap(end, begin) if end is not None and begin is not None else None
    return gap is not None and gap > seconds


def _begun_at(sighting: Sighting) -> Optional[Moment]:
    """Return before when it has not happened; None where it can have happened at any time."""
    return None if sighting.onset_rule == "earlier" else sighting.onset


def _ended_by(sighting: Sighting) -> Optional[Moment]:
    """Return after when it has not happened."""
    if sighting.onset_rule.startswith("minus ") and sighting.line is not None:
        return sighting.line.moment
    return sighting.onset


def _by_line(one: Sighting, other: Sighting) -> Optional[str]:
    if one.line is None or other.line is None or one.line.path != other.line.path:
        return None
    own = same_writer(one.line, other.line)
    if one.line.number < other.line.number and (own or _acts_then(other.line)):
        return BEFORE if _is_told_at_once(other) else None
    if one.line.number > other.line.number and (own or _acts_then(one.line)):
        return AFTER if _is_told_at_once(one) else None
    return None


def _acts_then(line: Line) -> bool:
    """Tell whether a line was written before what it tells of: a scheduler first says what it does.

    What stands above it in the file, whoever wrote it, was there before.
    """
    return line.writer.source == "scheduler"


def _is_told_at_once(sighting: Sighting) -> bool:
    """Tell whether a sighting happened where it was printed, and not some time before."""
    return sighting.onset_rule in ("printed", "context")


def compare_groups(ones: Iterable[Sighting], others: Iterable[Sighting]) -> Optional[str]:
    """Tell which of two groups of sightings began first, where all that compare agree."""
    verdicts = set()
    other_starts = starts_of(others)
    for one in starts_of(ones):
        for other in other_starts:
            verdict = compare_onsets(one, other)
            if verdict:
                verdicts.add(verdict)
    return verdicts.pop() if len(verdicts) == 1 else None


def starts_of(sightings: Iterable[Sighting]) -> List[Sighting]:
    """Keep the sightings before which no other of the group is known to have happened."""
    found = _first_of_each_clock(sightings)
    return [
        one for one in found if not any(compare_onsets(other, one) == BEFORE for other in found)
    ]


def _first_of_each_clock(sightings: Iterable[Sighting]) -> List[Sighting]:
    """Keep one sighting of each clock, or of each writer without times: thousands become few."""
    firsts: Dict[Any, Tuple[OnsetKey, int, Sighting]] = {}
    for number, sighting in enumerate(sightings):
        line, moment = sighting.line, sighting.onset
        known = moment is not None and moment.precision < NOT_BEFORE
        clock: Any = (timeline(moment)[0], moment.keeper) if moment and known else None
        if clock is None and line is not None:
            clock = (line.path, line.writer)
        of, key = (sighting.onset_rule, clock), onset_key(sighting)
        if of not in firsts or key < firsts[of][0]:
            firsts[of] = (key, number, sighting)
            if len(firsts) > 2 * _MOST_STARTS:
                # Of those that were later than so many, none can be among the first any more.
                firsts = dict(sorted(firsts.items(), key=_told_first)[:_MOST_STARTS])
    return [sighting for _, (_, _, sighting) in sorted(firsts.items(), key=_told_first)][
        :_MOST_STARTS
    ]


def _told_first(item: Tuple[Any, Tuple[OnsetKey, int, Sighting]]) -> Tuple[OnsetKey, int]:
    key, number, _ = item[1]
    return key, number


def earliest(sightings: Iterable[Sighting]) -> Optional[Sighting]:
    """Choose the sighting that happened first; one with a time before one without."""
    starts = sorted(starts_of(sightings), key=onset_key)
    return starts[0] if starts else None


def tells_when(sighting: Sighting) -> bool:
    """Tell whether a sighting says when a failure happened: facts and context do not."""
    return sighting.kind not in ("fact", "version") and sighting.onset_rule != "context"


def onset_key(sighting: Sighting) -> OnsetKey:
    """Return what orders sightings for display; it claims nothing of different clocks.

    The clock that says most to a person comes first.
    """
    line = sighting.line
    moment = sighting.onset
    # Of two signs on one line, an exception's may know that it was not before some time.
    untold = moment is None
    if moment and moment.precision >= NOT_BEFORE:
        moment = None
    clock, seconds = timeline(moment) if moment else ("", 0.0)
    return (
        _CLOCKS.index(clock) if clock in _CLOCKS else len(_CLOCKS),
        seconds,
        line.path if line else "",
        line.number if line else 0,
        untold,
    )
