"""Whether what happened also passed: a case and the scene enter, a verdict leaves."""

from typing import Iterable

from checker.confidence import Case
from checker.model import Line, Sighting
from checker.onset import BEFORE, compare_onsets
from checker.scene import Scene, exits_of, same_writer, samples_after

# So many further steps show that a writer goes on; or, where nothing counts, so many lines.
_STEPS = 2
_LINES = 200


def has_recovered(case: Case, scene: Scene) -> bool:
    """Tell whether what the entry's `recovers` names happened after the last sighting."""
    how = case.rule["recovers"]
    if how == "never" or any(s.kind == "exit" for s in case.evidence):
        return False
    if how != "progress":
        return _has_healed(case)
    lines = [s.line for s in case.evidence if s.line is not None and s.kind != "fact"]
    return bool(lines) and all(went_on(line, scene) for line in _last_of_each_writer(lines))


def _has_healed(case: Case) -> bool:
    """Tell whether the sign of recovery came after everything that was seen."""
    return bool(case.evidence) and all(
        any(
            compare_onsets(sighting, healing) == BEFORE
            for healing in case.healed
            if None in (sighting.rank, healing.rank) or sighting.rank == healing.rank
        )
        for sighting in case.evidence
        if sighting.line is not None
    )


def _last_of_each_writer(lines: Iterable[Line]) -> Iterable[Line]:
    last = {}
    for line in sorted(lines, key=lambda line: (line.path, line.number)):
        last[(line.path, line.writer)] = line
    return last.values()


def went_on(line: Line, scene: Scene) -> bool:
    """Tell whether the writer of a line made further steps or ended well after it."""
    ends = exits_of(scene, line)
    if ends:
        return all(ended.signal is None and ended.code == 0 for ended in ends)
    if line.writer.source not in ("rank", "unknown"):
        return False
    later = samples_after(scene, line, line.number)
    if len({sample.step for sample in later if sample.step is not None}) >= _STEPS:
        return True
    return _wrote_on(line, scene)


def _wrote_on(line: Line, scene: Scene) -> bool:
    """Tell whether a process that counts nothing wrote many ordinary lines more."""
    seen = scene.observations
    if seen.exits or any(same_writer(s.line, line) for s in scene.samples.get(line.path, ())):
        return False
    if any(
        error.path == line.path and error.number > line.number
        for error in (*seen.errors, *(block.line for block in seen.tracebacks))
    ):
        return False
    return any(
        given.path == line.path
        and (given.rank is not None or line.writer.rank is None)
        and (given.lines or 0) - line.number >= _LINES
        for given in seen.inputs
    )


def run_ended_well(scene: Scene) -> bool:
    """Tell whether all processes whose end is known ended with code 0."""
    ends = scene.observations.exits
    return bool(ends) and all(ended.signal is None and ended.code == 0 for ended in ends)


def moved_after(evidence: Iterable[Sighting], scene: Scene) -> bool:
    """Tell whether a writer of any of the sightings still counted steps afterwards."""
    return any(s.line is not None and went_on(s.line, scene) for s in evidence)
