"""What ties a machine's own log to a run: sightings enter; those of the run, and doubts, leave.

A log that a person gives is of the run until something speaks against it. What a look at the
machine finds may be of any program there: an id, a device or a clock has to join it.
"""

from typing import Collection, Dict, FrozenSet, Optional, Sequence

from checker.judgement import Truth
from checker.match.scene import Scene
from checker.model import Moment, Sighting
from checker.scan.moments import moment_gap

# Process ids of a container differ from the kernel's; deaths so close to each other are one.
SAME_DEATH = 5.0


def told_pids(truths: Dict[str, Truth], scene: Scene) -> FrozenSet[int]:
    """List the process ids that the run's own logs tell in these signs."""
    if not scene.observations.probed:
        # Only lines of a machine that was looked at need a tie.
        return frozenset()
    return frozenset(
        sighting.pid
        for truth in truths.values()
        for sighting in truth.sightings
        if sighting.pid is not None and not _was_probed(sighting, scene)
    )


def tied(
    sightings: Sequence[Sighting], pids: Collection[int], scene: Scene, hoped: bool
) -> Sequence[Sighting]:
    """Keep what is of the run; if nothing is and it is *hoped* for, what may be."""
    if not scene.observations.probed:
        return sightings
    own = [s for s in sightings if not _was_probed(s, scene) or _is_tied(s, pids, scene)]
    if own or not hoped:
        return own
    return [
        s._replace(untied=True, onset=None) for s in sightings if not _is_refuted(s, pids, scene)
    ]


def _was_probed(sighting: Sighting, scene: Scene) -> bool:
    return sighting.line is not None and sighting.line.path in scene.observations.probed


def _is_tied(sighting: Sighting, pids: Collection[int], scene: Scene) -> bool:
    """Tell whether an id, a device or the time joins a line to the run."""
    if sighting.rank is not None or sighting.pid in pids or sighting.pid in scene.homes:
        return True
    if not _is_comparable(sighting.onset, scene):
        return False
    return not _is_of_another(sighting, scene) or _was_a_death(sighting, scene)


def _is_refuted(sighting: Sighting, pids: Collection[int], scene: Scene) -> bool:
    """Tell whether it is about another process, and not even the time speaks for it."""
    return _is_of_another(sighting, scene) and not _is_comparable(sighting.onset, scene)


def _is_of_another(sighting: Sighting, scene: Scene) -> bool:
    """Tell whether it names a process, and the run's logs tell other ids of its own."""
    return sighting.pid is not None and bool(scene.homes) and sighting.pid not in scene.homes


def _is_comparable(moment: Optional[Moment], scene: Scene) -> bool:
    return moment is not None and any(
        moment_gap(known, moment) is not None
        for _, known in (*scene.lives.starts, *scene.lives.ends)
    )


def _was_a_death(sighting: Sighting, scene: Scene) -> bool:
    """Tell whether a process of the run ended at that moment."""
    return any(
        _same_moment(ended.moment or ended.line.moment, sighting.onset)
        for ended in scene.observations.exits
        if ended.line.path not in scene.observations.probed
    )


def _same_moment(one: Optional[Moment], other: Optional[Moment]) -> bool:
    gap = moment_gap(one, other) if one is not None and other is not None else None
    return gap is not None and abs(gap) <= SAME_DEATH
