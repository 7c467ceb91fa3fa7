"""Whether what happened also passed: a case and the scene enter, a verdict leaves."""

from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case, lowered
from checker.diagnose.roles import could_cause
from checker.match.comparisons import all_of
from checker.match.elapsed import lines_left
from checker.match.joining import is_of_host
from checker.match.living import (
    counts_anything,
    exits_of,
    samples_after,
    samples_of_run_after,
)
from checker.match.onset import BEFORE, compare_moments, compare_onsets
from checker.match.scene import Scene
from checker.model import Line, Sample, Sighting, Writer

# So many further steps or epochs show that a writer goes on; where nothing counts, so many lines.
_STEPS = 2
_LINES = 200
_NO_COMMON_CLOCK = "clocks do not tell whether the ranks went on after it"


def has_recovered(case: Case, scene: Scene) -> bool:
    """Tell whether what the entry's `recovers` names happened after the last sighting."""
    how = case.rule["recovers"]
    if how == "never" or any(s.kind == "exit" for s in case.sightings):
        return False
    if how != "progress":
        return _has_healed(case)
    lines = [s.line for s in case.sightings if s.line is not None and s.kind != "fact"]
    return bool(lines) and all(went_on(line, scene) for line in _last_of_each_writer(lines))


def without_survived(cases: Sequence[Case], scene: Scene) -> Tuple[List[Case], List[Case]]:
    """Set apart what a machine's log tells of and the ranks survived; lower what they may have."""
    standing, survived = [], []
    for case in cases:
        verdict = _ranks_survived(case, cases, scene)
        if verdict:
            survived.append(case)
        elif verdict is None and case.confidence > 1:
            standing.append(lowered(case, "clock", case.confidence - 1, _NO_COMMON_CLOCK))
        else:
            standing.append(case)
    return standing, survived


def _ranks_survived(case: Case, cases: Sequence[Case], scene: Scene) -> Optional[bool]:
    """Tell whether all ranks went on after what only a machine's log says; None if times do not.

    A rank that failed later, or anything that could follow from it, speaks against it: some
    failures of a child, such as of one that writes checkpoints, show only when it is needed.
    """
    logged = [s for s in case.sightings if s.kind == "log"]
    by_process = any(s.rank is not None and s.pid in scene.homes for s in case.sightings)
    if by_process or not logged or not all(is_of_host(s) for s in case.sightings):
        return False
    if case.rule["kind"] != "failure" or case.rule["recovers"] != "progress":
        return False
    if _shows_a_failure(scene, case.attempt) or any(
        other.confidence >= LIKELY_LEVEL and could_cause(case, other)
        for other in cases
        if other is not case
    ):
        return False
    counters = list(_counters(case, scene).values())
    if run_ended_well(scene) and all(s.exit is not None for s in scene.observations.ranks):
        return True
    if not counters:
        return False
    verdicts = [_went_on_after(s, steps) for s in logged for steps in counters]
    return all_of(verdicts)


def _shows_a_failure(scene: Scene, attempt: Optional[int]) -> bool:
    """Tell whether a process of an attempt ended badly, or raised what nobody handled."""
    seen = scene.observations
    failed = [ended.line for ended in seen.exits if ended.signal is not None or ended.code]
    failed += [block.line for block in seen.tracebacks if not block.handled and not block.ignored]
    return any(line.writer.attempt in (None, attempt) for line in failed)


def _counters(case: Case, scene: Scene) -> Dict[Tuple[str, Writer], List[Sample]]:
    """List the steps that each writer counted in the attempt."""
    found: Dict[Tuple[str, Writer], List[Sample]] = {}
    for sample in scene.observations.samples:
        writer = sample.line.writer
        if sample.step is not None and writer.attempt in (None, case.attempt):
            found.setdefault((sample.line.path, writer), []).append(sample)
    return found


def _went_on_after(sighting: Sighting, steps: Sequence[Sample]) -> Optional[bool]:
    """Tell whether a writer counted further steps after a time; None where clocks do not tell."""
    orders = [
        (sample.step, compare_moments(sighting.onset, sample.line.moment)) for sample in steps
    ]
    if len({step for step, order in orders if order == BEFORE}) >= _STEPS:
        return True
    if any(order is not None for _, order in orders) or _is_below(sighting, steps):
        return False
    return None


def _is_below(sighting: Sighting, steps: Sequence[Sample]) -> bool:
    """Tell whether a line stands below all steps in one file, so that none is known to follow."""
    line = sighting.line
    return line is not None and all(
        s.line.path == line.path and s.line.number < line.number for s in steps
    )


def _has_healed(case: Case) -> bool:
    """Tell whether the sign of recovery came after everything that was seen."""
    healed = _own_healing(case)
    return bool(case.sightings) and all(
        any(
            compare_onsets(sighting, healing) == BEFORE
            for healing in healed
            if _can_heal(healing, sighting)
        )
        for sighting in case.sightings
        if sighting.line is not None
    )


def _own_healing(case: Case) -> Sequence[Sighting]:
    """Leave out series that are good again of which the diagnosis was not made."""
    if case.rule["recovers"] != "series":
        return case.healed
    seen = {sighting.sign for sighting in case.sightings}
    return [healing for healing in case.healed if healing.sign in seen]


def _can_heal(healing: Sighting, sighting: Sighting) -> bool:
    """Tell whether both can be about one process, and a good series about the bad one."""
    if healing.kind == sighting.kind == "metric":
        one, other = sighting.line, healing.line
        if sighting.sign != healing.sign or (one and other and one.path != other.path):
            return False
    return None in (sighting.rank, healing.rank) or sighting.rank == healing.rank


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
    if _made_steps(samples_after(scene, line, line.number)) or _wrote_on(line, scene):
        return True
    # A run gets no further without one of its ranks.
    run = samples_of_run_after(scene, line, line.number)
    return _made_steps(run) and not _shows_a_failure(scene, line.writer.attempt)


def _made_steps(later: Sequence[Sample]) -> bool:
    """Tell whether records tell of two further steps, or epochs: these count on without steps."""
    steps = {_step_of(sample) for sample in later}
    epochs = {value for one in later for name, value in one.values if name.lower() == "epoch"}
    return max(len(steps - {None}), len(epochs)) >= _STEPS


def _step_of(sample: Sample) -> Optional[Tuple[str, int]]:
    values = dict(sample.values)
    if "bar" in values and values["bar"] == values.get("bar_total"):
        # A bar that is full ends a round; the next round has the same numbers.
        return ("round", sample.line.number)
    return None if sample.step is None else ("step", sample.step)


def _wrote_on(line: Line, scene: Scene) -> bool:
    """Tell whether a process that counts nothing wrote many ordinary lines more."""
    seen = scene.observations
    if seen.exits or counts_anything(scene, line):
        return False
    if any(
        error.path == line.path and error.number > line.number
        for error in (*seen.errors, *(block.line for block in seen.tracebacks))
    ):
        return False
    return any(
        given.path == line.path
        and (given.rank is not None or line.writer.rank is None)
        and (lines_left(scene, line) or 0) >= _LINES
        for given in seen.inputs
    )


def run_ended_well(scene: Scene) -> bool:
    """Tell whether all processes of the last attempt whose end is known ended with code 0."""
    last = scene.attempts[-1]
    ends = [e for e in scene.observations.exits if e.line.writer.attempt in (None, last)]
    return bool(ends) and all(ended.signal is None and ended.code == 0 for ended in ends)


def moved_after(evidence: Iterable[Sighting], scene: Scene) -> bool:
    """Tell whether a writer of any of the sightings still counted steps afterwards."""
    return any(s.line is not None and went_on(s.line, scene) for s in evidence)
