"""To which attempt every line belongs: the findings of files enter, beginnings by file leave.

What one file tells of new attempts holds, by time, for the files that tell nothing themselves.
"""

from operator import gt
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Moment, Sample
from checker.scan.attempts import attempt_at
from checker.scan.findings import FileFindings
from checker.scan.moments import moment_gap
from checker.scan.notes import WriterNotes
from checker.scan.reading import FileReading

# Two runs in one file are known by so many changes from one counter to the other.
_TURNS = 6
# Ranks that are not told apart are never so many steps from each other.
_FAR = 16
_LENGTH_OF_FORM = 80
_DIGITS_OF_STEPS = lazy_pattern(r"[\d.]+")
Beginnings = List[Tuple[int, int]]
"""First line and number of each attempt in one file."""
AttemptStarts = Dict[int, List[Moment]]


def beginnings_of(files: Sequence[FileFindings]) -> Dict[str, Beginnings]:
    """Tell where attempts begin, for every file in which several are."""
    told: Dict[str, Beginnings] = {}
    starts: AttemptStarts = {}
    for path, place, reading, _ in files:
        if place.attempt is not None:
            _note_start(starts, place.attempt, reading, 0)
            continue
        own = reading.attempts.beginnings()
        if own:
            told[path] = own
            for first, attempt in own:
                _note_start(starts, attempt, reading, first)
    return told if len(starts) < 2 else {**told, **_told_by_others(files, told, starts)}


def _told_by_others(
    files: Sequence[FileFindings], told: Dict[str, Beginnings], starts: AttemptStarts
) -> Dict[str, Beginnings]:
    """Divide the files that tell nothing of attempts by the times of those that do."""
    found = {
        path: _by_time(reading, starts)
        for path, place, reading, _ in files
        if place.attempt is None and path not in told
    }
    return {path: begun for path, begun in found.items() if begun}


def _note_start(starts: AttemptStarts, attempt: int, reading: FileReading, first: int) -> None:
    moment = next((m for number, m in _times_read(reading) if number >= first), None)
    if moment is not None:
        starts.setdefault(attempt, []).append(moment)


def _times_read(reading: FileReading) -> List[Tuple[int, Moment]]:
    """List the lines with times that were kept of a file."""
    measured = [
        (sample.line.number, sample.line.moment)
        for notes in reading.writers.values()
        for sample in _samples_of(notes)
        if sample.line.moment is not None
    ]
    return sorted([*measured, *reading.times.times()])


def _samples_of(notes: WriterNotes) -> List[Sample]:
    return notes.samples.kept()


def _by_time(reading: FileReading, starts: AttemptStarts) -> Beginnings:
    """Begin an attempt at the first line that was written after its start."""
    found: Beginnings = []
    for number, moment in _times_read(reading):
        begun = [
            attempt
            for attempt, moments in starts.items()
            if any((gap or -1.0) >= 0 for gap in (moment_gap(one, moment) for one in moments))
        ]
        attempt = max(begun) if begun else min(starts)
        if not found or attempt > found[-1][1]:
            found.append((number if found else 1, attempt))
    return found


def written_apart(one: FileReading, other: FileReading) -> Optional[bool]:
    """Tell whether one file was written after the other; None where times do not tell."""
    pairs = [(_last_time(one), _first_time_of(other)), (_last_time(other), _first_time_of(one))]
    gaps = [moment_gap(last, first) for last, first in pairs if last and first]
    known = [gap for gap in gaps if gap is not None]
    return any(gap > 0 for gap in known) if known else None


def _first_time_of(reading: FileReading) -> Optional[Moment]:
    return next((moment for _, moment in _times_read(reading)), None)


def _last_time(reading: FileReading) -> Optional[Moment]:
    lasts = [notes.last_moment for notes in reading.writers.values() if notes.last_moment]
    return max(lasts, key=lambda moment: moment.seconds, default=None)


def seen_in_attempts(
    notes: WriterNotes, beginnings: Beginnings
) -> Iterable[Tuple[int, Optional[int], Optional[Moment]]]:
    """Tell the last step and time of a writer in each attempt in which it wrote."""
    found: Dict[int, Tuple[Optional[int], Optional[Moment]]] = {}
    last = attempt_at(beginnings, notes.last_number)
    for sample in _samples_of(notes):
        attempt = attempt_at(beginnings, sample.line.number)
        step, moment = found.get(attempt or 0, (None, None))
        found[attempt or 0] = (
            step if sample.step is None else sample.step,
            sample.line.moment or moment,
        )
    step, _ = found.get(last or 0, (None, None))
    found[last or 0] = (step, notes.last_moment)
    return [(attempt, *found[attempt]) for attempt in sorted(found)]


def counts_in_turn(reading: FileReading) -> bool:
    """Tell whether two counters of one form go on in turn, far from each other: two runs."""
    for notes in reading.writers.values():
        counted = [sample.step for sample in _samples_of(notes) if sample.step is not None]
        if sum(map(gt, counted, counted[1:])) < _TURNS // 2:
            continue
        series: Dict[str, List[int]] = {}
        for sample in _samples_of(notes):
            if sample.step is not None and not any(name == "bar" for name, _ in sample.values):
                form = _DIGITS_OF_STEPS.sub("0", sample.line.text[:_LENGTH_OF_FORM])
                series.setdefault(form, []).append(sample.step)
        if any(_in_turn(steps) for steps in series.values()):
            return True
    return False


def _in_turn(steps: Sequence[int]) -> bool:
    """Tell whether a series is two rising ones, between which it changes back and forth."""
    lasts: List[int] = []
    turns, current = 0, 0
    for step in steps:
        fitting = [index for index, last in enumerate(lasts) if last <= step]
        if not fitting and len(lasts) == 2:
            lasts, turns = [], 0
        if not fitting:
            current = len(lasts)
            lasts.append(step)
            continue
        chosen = max(fitting, key=lambda index: lasts[index])
        apart = abs(lasts[0] - lasts[-1])
        if chosen != current and apart > max(_FAR, 2 * (step - lasts[chosen])):
            turns += 1
        current, lasts[chosen] = chosen, step
        if turns >= _TURNS:
            return True
    return False
