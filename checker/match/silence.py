"""Which attempts merely fell silent: a scene and its waits enter; the scene leaves with both known.

The end of an attempt is told by an exit, a cancel, an exception that nothing followed, a wait that
was given up, or a regular end. Without any, its log may have been copied while it went on.
"""

from typing import Iterable, Optional, Sequence, Set

from checker.match.lifetimes import lived_from
from checker.match.living import samples_after
from checker.match.pace import usual_gap
from checker.match.scene import Scene, attempt_of
from checker.match.signs_progress import counters_of, ended_regularly
from checker.model import HOST_SOURCES, Line, Sighting

# A writer may miss so many of its usual gaps before its silence tells anything.
_USUAL_GAPS = 3


def with_waits(scene: Scene, waits: Iterable[Sighting]) -> Scene:
    """Note when attempts began at the latest, which waits tell, and which of them fell silent."""
    given_up = [s for s in waits if s.line and s.line.writer.source not in HOST_SOURCES]
    times = [(_attempt_meant(attempt_of(s), scene), s.onset) for s in given_up]
    lives = lived_from(scene.lives, [(number, at) for number, at in times if at is not None])
    told = _ended_attempts([s.line for s in given_up if s.line], scene)
    silences = [
        (number, _USUAL_GAPS * _gap_of(number, scene))
        for number in scene.attempts
        if number not in told
    ]
    return scene._replace(lives=lives._replace(silences=tuple(silences)))


def _attempt_meant(attempt: Optional[int], scene: Scene) -> Optional[int]:
    return scene.attempts[-1] if attempt is None else attempt


def _ended_attempts(given_up: Sequence[Line], scene: Scene) -> Set[Optional[int]]:
    """List the attempts of which something told an end."""
    seen = scene.observations
    raised = [block for block in seen.tracebacks if not block.handled and not block.ignored]
    last_words = [(line, line.number) for line in given_up]
    last_words += [(block.line, block.end) for block in raised]
    ends = [line for line, number in last_words if not samples_after(scene, line, number)]
    ends += [e.line for e in seen.exits if e.line.writer.source not in ("kernel", "service")]
    counters = [(counter, counter.samples[-1].line) for counter in counters_of(scene, "step")]
    ends += [
        line
        for counter, line in counters
        if counter.values[-1] == counter.total or ended_regularly(line, scene)
    ]
    return {_attempt_meant(line.writer.attempt, scene) for line in ends}


def _gap_of(attempt: Optional[int], scene: Scene) -> float:
    samples = scene.observations.samples
    own = [s for s in samples if _attempt_meant(s.line.writer.attempt, scene) == attempt]
    return usual_gap(own) or 0.0
