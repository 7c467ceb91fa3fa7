"""Whether what happened also passed: a case and the scene enter, a verdict leaves."""

from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from checker.diagnose.confidence import Case
from checker.match.elapsed import lines_left
from checker.match.living import (
    counts_anything,
    exits_of,
    samples_after,
    samples_of_run_after,
)
from checker.match.onset import BEFORE, compare_onsets
from checker.match.processes import WriterProcess, process_of, same_writer
from checker.match.scene import Scene
from checker.model import Exit, Line, Sample, Sighting
from checker.packed import packed_records
from checker.scan.naming import host_label
from checker.scan.readers import COMPLETED

# So many further steps or epochs show that a writer goes on; where nothing counts, so many lines.
FEWEST_STEPS = 2
_LINES = 200
# A few steps may still come out before a hang that somebody ends, or of a rank that is ahead.
MANY_STEPS = 10
# What counts on without steps.
_GROWING = ("epoch", "progress")
# Who ends a process without a fault of its own.
_FROM_OUTSIDE = ("scheduler", "person", "launcher")


def has_recovered(case: Case, scene: Scene) -> bool:
    """Tell whether what the entry's `recovers` names happened after the last sighting."""
    how = case.rule["recovers"]
    if how == "never" or any(s.kind == "exit" for s in case.sightings):
        return False
    if how != "progress":
        return _has_healed(case)
    return all_passed(lines_seen(case), lambda line: went_on(line, scene))


def lines_seen(case: Case) -> Sequence[Line]:
    """List the lines that a case rests on, facts left out."""
    return packed_records(s.line for s in case.sightings if s.line and s.kind != "fact")


def all_passed(lines: Sequence[Line], passed: Callable[[Line], bool]) -> bool:
    """Tell whether the last line of each process has passed; without lines none has."""
    if not lines:
        return False
    # Of thousands of processes, one that did not go on is enough.
    first = process_of(lines[0])
    one = (line for line in lines if process_of(line) == first)
    return all(passed(line) for some in (one, lines) for line in last_of_each_writer(some))


def _has_healed(case: Case) -> bool:
    """Tell whether the sign of recovery came after everything that was seen.

    What a look at the machine shows has no line before it: it is of now.
    """
    healed = _own_healing(case)
    lines = [sighting for sighting in case.sightings if sighting.line is not None]
    return bool(lines) and all(
        any(
            compare_onsets(sighting, healing) == BEFORE
            for healing in healed
            if _can_heal(healing, sighting)
        )
        for sighting in lines
    )


def _own_healing(case: Case) -> Sequence[Sighting]:
    """Leave out series that are good again of which the diagnosis was not made."""
    if case.rule["recovers"] != "series":
        return case.healed
    seen = {sighting.sign for sighting in case.sightings}
    return [healing for healing in case.healed if healing.sign in seen]


def _can_heal(healing: Sighting, sighting: Sighting) -> bool:
    """Tell whether both can be about one process and one thing, such as a server or a series."""
    if healing.kind == sighting.kind == "metric":
        one, other = sighting.line, healing.line
        if sighting.sign != healing.sign or (one and other and one.path != other.path):
            return False
    if sighting.host and healing.host and host_label(sighting.host) != host_label(healing.host):
        return False
    seen = dict(sighting.values)
    # Names are of what is told about; numbers of how much or how long.
    if any(isinstance(v, str) and seen.get(name, v) != v for name, v in healing.values):
        return False
    return None in (sighting.rank, healing.rank) or sighting.rank == healing.rank


def last_of_each_writer(lines: Iterable[Line]) -> List[Line]:
    """Keep the last line of each process in each file."""
    last: Dict[WriterProcess, Line] = {}
    for line in sorted(lines, key=lambda line: (line.path, line.number)):
        last[process_of(line)] = line
    return list(last.values())


def went_on(line: Line, scene: Scene) -> bool:
    """Tell whether the writer of a line made further steps or ended well after it."""
    ends = exits_of(scene, line)
    own = [ended for ended in ends if ended.by not in _FROM_OUTSIDE]
    if own:
        return all(map(_is_good, own))
    if line.writer.source not in ("rank", "unknown"):
        return False
    if any(same_writer(line, done) and done.number > line.number for done in completions(scene)):
        return True
    needed = MANY_STEPS if ends else FEWEST_STEPS
    if steps_made(samples_after(scene, line, line.number)) >= needed or _wrote_on(line, scene):
        return True
    # A run gets no further without one of its ranks.
    run = samples_of_run_after(scene, line, line.number)
    return steps_made(run) >= needed and not _shows_a_failure(scene, line.writer.attempt)


def completions(scene: Scene) -> List[Line]:
    """List the lines by which programs say that they have trained to the end."""
    return [fact.line for fact in scene.facts.get(COMPLETED, ()) if fact.line is not None]


def _is_good(ended: Exit) -> bool:
    return ended.signal is None and ended.code == 0


def _is_bad(ended: Exit) -> bool:
    return ended.signal is not None or bool(ended.code)


def _shows_a_failure(scene: Scene, attempt: Optional[int]) -> bool:
    """Tell whether a process of an attempt ended badly by itself, or raised unhandled."""
    blocks = scene.observations.tracebacks
    raised = (block.line for block in blocks if not block.handled and not block.ignored)
    return ended_badly(scene, attempt) or any(
        line.writer.attempt in (None, attempt) for line in raised
    )


def ended_badly(scene: Scene, attempt: Optional[int]) -> bool:
    """Tell whether a process of an attempt ended badly by itself."""
    ends = (e for e in scene.observations.exits if _is_bad(e) and e.by not in _FROM_OUTSIDE)
    return any(ended.line.writer.attempt in (None, attempt) for ended in ends)


def steps_made(later: Sequence[Sample]) -> int:
    """Count the steps that records tell of, or the epochs, which count on without steps."""
    marks = {_mark_of(sample) for sample in later} - {None}
    epochs = {value for one in later for name, value in one.values if name.lower() in _GROWING}
    steps = [sample.step for sample in later if sample.step is not None]
    passed = sum(max(0, step - before) for before, step in zip(steps, steps[1:]))
    return max(len(marks), len(epochs), passed + 1 if passed else 0)


def _mark_of(sample: Sample) -> Optional[Tuple[str, int]]:
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
    return bool(ends) and all(map(_is_good, ends))


def moved_after(evidence: Iterable[Sighting], scene: Scene) -> bool:
    """Tell whether a writer of any of the sightings still counted steps afterwards."""
    return any(s.line is not None and went_on(s.line, scene) for s in evidence)
