"""Which attempts merely fell silent: a scene and its waits enter; the scene leaves with both known.

The end of an attempt is told by an exit, a cancel, an exception that nothing followed, a wait that
was given up, or a regular end. Without any, its log may have been copied while it went on.
"""

from itertools import chain
from typing import Iterable, Optional, Set, Tuple

from checker.match.lifetimes import lived_from
from checker.match.living import samples_after
from checker.match.pace import usual_gap
from checker.match.scene import Scene, attempt_of
from checker.match.signs_progress import counters_of, ended_regularly
from checker.model import HOST_SOURCES, Line, Sighting
from checker.packed import packed_records
from checker.picked import picked_records

# A writer may miss so many of its usual gaps before its silence tells anything.
_USUAL_GAPS = 3


def with_waits(scene: Scene, waits: Iterable[Sighting]) -> Scene:
    """Note when attempts began at the latest, which waits tell, and which of them fell silent."""
    given_up = packed_records(
        s for s in waits if s.line and s.line.writer.source not in HOST_SOURCES
    )
    times = ((_attempt_meant(attempt_of(s), scene), s.onset) for s in given_up)
    lives = lived_from(scene.lives, ((number, at) for number, at in times if at is not None))
    told = _ended_attempts(((s.line, s.line.number) for s in given_up if s.line), scene)
    silences = [
        (number, _USUAL_GAPS * _gap_of(number, scene))
        for number in scene.attempts
        if number not in told
    ]
    return scene._replace(lives=lives._replace(silences=tuple(silences)))


def _attempt_meant(attempt: Optional[int], scene: Scene) -> Optional[int]:
    return scene.attempts[-1] if attempt is None else attempt


def _ended_attempts(given_up: Iterable[Tuple[Line, int]], scene: Scene) -> Set[Optional[int]]:
    """List the attempts of which something told an end."""
    seen = scene.observations
    raised = (block for block in seen.tracebacks if not block.handled and not block.ignored)
    told = (end.line.writer for end in seen.exits)
    ends = {one.attempt for one in told if one.source not in ("kernel", "service")}
    for line, number in chain(given_up, ((block.line, block.end) for block in raised)):
        attempt = line.writer.attempt
        if attempt not in ends and not samples_after(scene, line, number):
            ends.add(attempt)
    for counter in counters_of(scene, "step"):
        line = counter.samples[-1].line
        if line.writer.attempt not in ends and (
            counter.values[-1] == counter.total or ended_regularly(line, scene)
        ):
            ends.add(line.writer.attempt)
    return {_attempt_meant(attempt, scene) for attempt in ends}


def _gap_of(attempt: Optional[int], scene: Scene) -> float:
    own = picked_records(
        scene.observations.samples,
        lambda sample: _attempt_meant(sample.line.writer.attempt, scene) == attempt,
    )
    return usual_gap(own) or 0.0
