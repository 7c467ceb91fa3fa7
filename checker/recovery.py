"""Whether what happened also passed: a case and the scene enter, a verdict leaves."""

from typing import Iterable

from checker.confidence import Case
from checker.model import Line, Sighting
from checker.scene import Scene, exits_of, samples_after

# So many further steps show that a writer goes on.
_STEPS = 2


def has_recovered(case: Case, scene: Scene) -> bool:
    """Tell whether what the entry's `recovers` names happened after the last sighting."""
    how = case.rule["recovers"]
    if how in ("never", "series") or any(s.kind == "exit" for s in case.evidence):
        return False
    lines = [s.line for s in case.evidence if s.line is not None and s.kind != "fact"]
    if how != "progress":
        return False
    return bool(lines) and all(went_on(line, scene) for line in _last_of_each_writer(lines))


def _last_of_each_writer(lines: Iterable[Line]) -> Iterable[Line]:
    last = {}
    for line in sorted(lines, key=lambda line: (line.path, line.number)):
        last[(line.path, line.writer)] = line
    return last.values()


def went_on(line: Line, scene: Scene) -> bool:
    """Tell whether the writer of a line made further steps or ended well after it."""
    ends = exits_of(scene, line)
    if any(ended.signal is not None or ended.code for ended in ends):
        return False
    if ends and line.writer.source in ("rank", "unknown"):
        return True
    later = samples_after(scene, line, line.number)
    return len({sample.step for sample in later if sample.step is not None}) >= _STEPS


def run_ended_well(scene: Scene) -> bool:
    """Tell whether all processes whose end is known ended with code 0."""
    ends = scene.observations.exits
    return bool(ends) and all(ended.signal is None and ended.code == 0 for ended in ends)


def moved_after(evidence: Iterable[Sighting], scene: Scene) -> bool:
    """Tell whether a writer of any of the sightings still counted steps afterwards."""
    return any(s.line is not None and went_on(s.line, scene) for s in evidence)
