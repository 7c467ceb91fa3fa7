"""Whether a run outlived a stop, or had reached its end before: a case and the scene enter.

Who ends a run gives it time to save, so that some more steps follow the notice. Only what lasts
longer than that shows that the notice was of something else.
"""

from typing import Dict, Iterable, List, Optional, Sequence

from checker.diagnose.confidence import Case, lowered
from checker.diagnose.recovery import (
    FEWEST_STEPS,
    MANY_STEPS,
    completions,
    last_of_each_writer,
    steps_made,
)
from checker.diagnose.survival import Lead, Leads, others_went_on
from checker.match.living import samples_after
from checker.match.onset import BEFORE, compare_moments
from checker.match.reached import may_be_same_attempt
from checker.match.scene import Scene
from checker.model import Line, Sample, Writer
from checker.scan.moments import moment_gap

# A notice leaves at most so much time, or so many steps where nothing tells the time.
_LONGEST_GRACE = 600.0
_STEPS_OF_GRACE = 200
_WAS_DONE = "the run had said before it that it was done"


def outlived(case: Case, scene: Scene, every_lead: Leads) -> bool:
    """Tell whether the run went on after all that a stop rests on, longer than a stop allows."""
    seen = [s for s in case.sightings if s.line is not None]
    if not seen or any(s.kind == "exit" for s in seen):
        return False
    raised = {s.line for s in seen if s.kind == "traceback"}
    leads = every_lead.of(case.attempt) if raised else []
    return all(
        (line in raised and _was_handled(line, leads, scene)) or _run_lasted(line, scene)
        for line in last_of_each_writer(s.line for s in seen if s.line is not None)
    )


def _was_handled(line: Line, leads: Sequence[Lead], scene: Scene) -> bool:
    """Tell whether the process that printed an exception counted on, or others with it."""
    own = steps_made(samples_after(scene, line, line.number))
    return own >= MANY_STEPS or others_went_on(line, leads)


def without_late_stops(cases: Sequence[Case], scene: Scene) -> List[Case]:
    """Lower the stops that came when the run had said that it was done."""
    return [
        lowered(case, "cap", 1, _WAS_DONE)
        if case.rule["kind"] == "stop" and _was_done(case, scene)
        else case
        for case in cases
    ]


def _was_done(case: Case, scene: Scene) -> bool:
    lines = [s.line for s in case.sightings if s.line is not None]
    done = [one for one in completions(scene) if _is_of(one, case.attempt)]
    ends = [one for one in done if not _counted_after(one, scene)]
    return bool(lines) and all(any(_followed_soon(end, line) for end in ends) for line in lines)


def _counted_after(end: Line, scene: Scene) -> bool:
    """Tell whether any step follows an end in its file, as where a run has several stages."""
    return any(
        sample.line.path == end.path and sample.line.number > end.number
        for sample in scene.observations.samples
        if sample.step is not None
    )


def _followed_soon(end: Line, line: Line) -> bool:
    """Tell whether a line came after an end, and not so long after it that the run hung there."""
    gap = None
    if end.moment is not None and line.moment is not None:
        gap = moment_gap(end.moment, line.moment)
    if gap is not None:
        return 0 <= gap <= _LONGEST_GRACE
    return end.path == line.path and end.number < line.number


def _run_lasted(line: Line, scene: Scene) -> bool:
    """Tell whether anyone of the run counted on for longer than a stop allows, or to the end."""
    later = [one for one in _steps_of(line, scene) if _is_later(line, one.line)]
    if any(_is_far_after(line, one.line) for one in later):
        return True
    counted: Dict[Writer, List[Sample]] = {}
    for one in later:
        if one.line.path == line.path:
            counted.setdefault(one.line.writer, []).append(one)
    ended = any(done.path == line.path and done.number > line.number for done in completions(scene))
    needed = FEWEST_STEPS if ended else _STEPS_OF_GRACE
    return any(steps_made(records) >= needed for records in counted.values())


def _steps_of(line: Line, scene: Scene) -> Iterable[Sample]:
    for sample in scene.observations.samples:
        if _is_of(sample.line, line.writer.attempt):
            yield sample


def _is_of(line: Line, attempt: Optional[int]) -> bool:
    return may_be_same_attempt(attempt, line.writer.attempt)


def _is_later(line: Line, other: Line) -> bool:
    order = compare_moments(line.moment, other.moment)
    if order is None:
        return line.path == other.path and line.number < other.number
    return order == BEFORE


def _is_far_after(line: Line, other: Line) -> bool:
    if line.moment is None or other.moment is None:
        return False
    gap = moment_gap(line.moment, other.moment)
    return gap is not None and gap > _LONGEST_GRACE
