"""What was made of one line: it, the sorted cases and the scene enter; a `LineStory` leaves."""

from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from checker.diagnose.confidence import Case
from checker.diagnose.course import Sorted, course_of
from checker.judgement import LineStory, LineUse
from checker.match.processes import same_writer
from checker.match.scene import Scene
from checker.model import Line, Sighting, Traceback
from checker.scan.advice import is_fixed_text

_FATES = ("diagnosed", "recovered", "hidden", "not_shown", "refuted", "not_met", "nothing_seen")
# By these words a launcher tells that it ends processes itself.
_TEARDOWN = ("closing signal SIG", "forcefully exiting via", "Killing subprocess")


def line_story(scene: Scene, came: Sorted, unexplained: Sequence[Line]) -> Optional[LineStory]:
    """Tell what was made of the line that was asked about; None if there is no such line."""
    seen = scene.observations
    if not seen.asked:
        return None
    line = seen.asked[-1]
    block = _block_around(seen.tracebacks, seen.asked)
    numbers = {line.number} if block is None else set(range(block.line.number, block.end + 1))
    uses = _uses_of(line, numbers, came)
    ends = tuple(end for end in seen.exits if _stands_at(end.line, line))
    values = tuple(v for s in seen.samples if _stands_at(s.line, line) for v in s.values)
    known = next((end.line for end in ends), line)
    left = any(_stands_at(other, line) for other in unexplained)
    summary = any(_stands_at(verdict.line, line) for verdict in seen.verdicts)
    story = LineStory(line._replace(writer=known.writer), "", uses, block, ends, values)
    return story._replace(verdict=_verdict_of(story, left, summary))


def _stands_at(one: Line, other: Line) -> bool:
    return (one.path, one.number) == (other.path, other.number)


def _block_around(blocks: Iterable[Traceback], asked: Sequence[Line]) -> Optional[Traceback]:
    """Find the exception block in which a line stands; lines of others may stand between."""
    around = [b for b in blocks if b.line.path == asked[-1].path]
    around = [b for b in around if b.line.number <= asked[-1].number <= b.end]
    own = [b for b in around if any(_may_stand_in(line, b) for line in asked)]
    return max(own, key=lambda b: b.line.number) if own else None


def _may_stand_in(line: Line, block: Traceback) -> bool:
    nameless = line.writer.rank is None and block.line.writer.source == "launcher"
    return nameless or same_writer(line, block.line)


def _uses_of(line: Line, numbers: Set[int], came: Sorted) -> Tuple[LineUse, ...]:
    found: List[LineUse] = []
    for case in came.judged:
        signs = _signs_at(case, line.path, numbers)
        if signs:
            course = course_of(case, came)
            found += [LineUse(case.rule, name, signs[name], course) for name in sorted(signs)]
    return tuple(sorted(found, key=_use_order))


def _signs_at(case: Case, path: str, numbers: Set[int]) -> Dict[str, bool]:
    """List the signs that were seen at these lines, and whether the diagnosis rests on it."""
    resting = {s.sign for s in case.sightings if _is_at(s, path, numbers)}
    seen = {
        name
        for name, truth in case.truths.items()
        for s in truth.sightings
        if _is_at(s, path, numbers) and _is_of_attempt(s, case)
    }
    return {name: name in resting for name in seen | resting}


def _is_at(sighting: Sighting, path: str, numbers: Set[int]) -> bool:
    line = sighting.line
    return line is not None and line.path == path and line.number in numbers


def _is_of_attempt(sighting: Sighting, case: Case) -> bool:
    attempt = sighting.line.writer.attempt if sighting.line else None
    return None in (attempt, case.attempt) or attempt == case.attempt


def _use_order(use: LineUse) -> Tuple[bool, int, int, str, str]:
    course = use.course
    fate = _FATES.index(course.fate)
    return not use.evidence, fate, -course.confidence, str(use.rule["id"]), use.sign


def _verdict_of(story: LineStory, unexplained: bool, summary: bool) -> str:
    """Choose the word that says most of a line."""
    line, block = story.line, story.block
    fates = {use.course.fate for use in story.uses if use.evidence}
    by_launcher = any(end.by == "launcher" for end in story.ends)
    holds = (
        ("evidence", not fates.isdisjoint(("diagnosed", "recovered", "hidden"))),
        ("summary", summary),
        ("wrapper", block is not None and block.line.writer.source == "launcher"),
        ("noise", block is not None and block.ignored),
        ("handled", block is not None and block.handled),
        ("teardown", by_launcher or any(words in line.text for words in _TEARDOWN)),
        ("unexplained", unexplained),
        ("matched", bool(story.uses)),
        ("fixed_text", is_fixed_text(line)),
        ("end", bool(story.ends)),
        ("exception", block is not None),
        ("numbers", bool(story.values)),
    )
    return next((word for word, held in holds if held), "nothing")
