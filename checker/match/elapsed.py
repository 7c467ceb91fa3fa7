"""What proves that time passed in an attempt: a line and the scene enter, a verdict leaves.

A log that merely ends proves nothing: many are copied while the run goes on.
"""

from typing import Optional

from checker.match.onset import AFTER, compare_moments
from checker.match.reached import may_be_same_attempt
from checker.match.scene import Scene, length_of_log
from checker.model import Line


def seconds_after(line: Line, scene: Scene) -> float:
    """Return how long after a line the attempt is known to have lasted; 0 where nothing tells."""
    attempt = line.writer.attempt
    watched = scene.observations.silent if may_be_same_attempt(attempt, scene.attempts[-1]) else 0.0
    if line.moment is None:
        return watched
    return (scene.reached.seconds_after(line.moment, attempt) or 0.0) + watched


def ended_from_outside(line: Line, scene: Scene) -> bool:
    """Tell whether a person or a time limit ended the attempt after a line.

    Whoever pressed Ctrl-C had waited, and the limit had passed.
    """
    return any(
        may_be_same_attempt(line.writer.attempt, end.writer.attempt) and not _is_before(end, line)
        for end in scene.reached.ends_from_outside()
    )


def _is_before(one: Line, other: Line) -> bool:
    if one.path == other.path:
        return one.number < other.number
    return compare_moments(other.moment, one.moment) == AFTER


def lines_left(scene: Scene, line: Line) -> Optional[int]:
    """Count the lines of its log that follow a line in the same attempt; None if not known."""
    length = length_of_log(scene, line.path)
    if length is None:
        return None
    later = (
        first
        for path, first, _ in scene.observations.attempts
        if path == line.path and first > line.number
    )
    return min(later, default=length + 1) - 1 - line.number
