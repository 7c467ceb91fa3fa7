"""What proves that time passed in an attempt: a line and the scene enter, a verdict leaves.

A log that merely ends proves nothing: many are copied while the run goes on.
"""

from typing import Iterable, List, Optional

from checker.match.onset import AFTER, compare_moments
from checker.match.scene import Scene
from checker.model import Line, Moment
from checker.scan.moments import moment_gap

_INTERRUPTS = ("KeyboardInterrupt",)
_TIME_LIMIT = "DUE TO TIME LIMIT"


def moments_of_attempt(attempt: Optional[int], scene: Scene) -> Iterable[Moment]:
    """List the times that an attempt is known to have reached."""
    seen = scene.observations
    for number, moment in seen.last_times:
        if _meets(attempt, number):
            yield moment
    for records in (seen.hits, seen.samples):
        for record in records:
            if _meets(attempt, record.line.writer.attempt) and record.line.moment is not None:
                yield record.line.moment
    for ended in seen.exits:
        if _meets(attempt, ended.line.writer.attempt):
            for told in (ended.line.moment, ended.moment):
                if told is not None:
                    yield told


def _meets(one: Optional[int], other: Optional[int]) -> bool:
    return None in (one, other) or one == other


def seconds_after(line: Line, scene: Scene) -> float:
    """Return how long after a line the attempt is known to have lasted; 0 where nothing tells."""
    watched = scene.observations.silent if _meets(line.writer.attempt, scene.attempts[-1]) else 0.0
    if line.moment is None:
        return watched
    gaps = (moment_gap(line.moment, at) for at in moments_of_attempt(line.writer.attempt, scene))
    return max((gap for gap in gaps if gap is not None), default=0.0) + watched


def ended_from_outside(line: Line, scene: Scene) -> bool:
    """Tell whether a person or a time limit ended the attempt after a line.

    Whoever pressed Ctrl-C had waited, and the limit had passed.
    """
    ends: List[Line] = [
        ended.line
        for ended in scene.observations.exits
        if ended.by == "person" or ended.signal == 2 or _TIME_LIMIT in ended.line.text
    ]
    ends += [
        block.line
        for block in scene.observations.tracebacks
        if any(part.type in _INTERRUPTS for part in block.parts)
    ]
    return any(
        _meets(line.writer.attempt, end.writer.attempt) and not _is_before(end, line)
        for end in ends
    )


def _is_before(one: Line, other: Line) -> bool:
    if one.path == other.path:
        return one.number < other.number
    return compare_moments(other.moment, one.moment) == AFTER


def lines_left(scene: Scene, line: Line) -> Optional[int]:
    """Count the lines of its log that follow a line in the same attempt; None if not known."""
    length = scene.lengths.get(line.path)
    if length is None:
        return None
    later = (
        first
        for path, first, _ in scene.observations.attempts
        if path == line.path and first > line.number
    )
    return min(later, default=length + 1) - 1 - line.number
