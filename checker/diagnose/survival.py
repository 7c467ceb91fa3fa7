"""What the run as a whole survived: cases that still stand and the scene enter; they leave sorted.

No rank of a training gets further without the others. So the steps of one speak for those that
count nothing themselves, and for what only a machine's log tells of.
"""

from bisect import insort
from itertools import groupby
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case, lowered
from checker.diagnose.recovery import (
    FEWEST_STEPS,
    MANY_STEPS,
    all_passed,
    completions,
    ended_badly,
    lines_seen,
    run_ended_well,
    steps_made,
    went_on,
)
from checker.diagnose.roles import could_cause
from checker.match.comparisons import all_of
from checker.match.joining import is_of_host
from checker.match.onset import BEFORE, compare_moments
from checker.match.processes import process_of
from checker.match.scene import Scene
from checker.model import Line, Sample, Sighting, Writer
from checker.picked import picked_records

_NO_COMMON_CLOCK = "clocks do not tell whether the ranks went on after it"
# Of thousands that count, the busiest tell enough.
_MOST_LEADS = 64
_LONGEST_TAIL = 32


class Lead(NamedTuple):
    """Who counts, and the line since when it made more steps than it can be ahead of others."""

    first: Line
    since: Optional[Line]


_LeadPlace = Tuple[int, str, int]
"""How busy a lead is, as a number below 0, its file, and its number among all who count."""
_PlacedLead = Tuple[_LeadPlace, Lead]


class Leads:
    """Who counts in each attempt, or trained to the end.

    Most cases ask for it, and the records are walked through once for all attempts.
    """

    __slots__ = ("_busiest", "_scene")

    def __init__(self, scene: Scene) -> None:
        """Begin; nothing is looked for before the first question."""
        self._scene = scene
        self._busiest: Optional[Dict[Optional[int], List[_PlacedLead]]] = None

    def of(self, attempt: Optional[int]) -> List[Lead]:
        """List those of an attempt; who names none is of each."""
        if self._busiest is None:
            self._busiest = _busiest_of_each(self._scene.observations.samples)
        found = [one for number in {None, attempt} for one in self._busiest.get(number, ())]
        done = [Lead(end, end) for end in completions(self._scene) if _is_in_attempt(end, attempt)]
        return done + [lead for _, lead in sorted(found, key=_place_of_lead)[:_MOST_LEADS]]


def without_survived(
    cases: Sequence[Case], scene: Scene, leads: Leads
) -> Tuple[List[Case], List[Case]]:
    """Set apart what the run survived; lower what it may have."""
    verdicts = _without_lasting(cases, [_run_survived(case, scene, leads) for case in cases])
    standing, survived = [], []
    for case, verdict in zip(cases, verdicts):
        if verdict:
            survived.append(case)
        elif verdict is None and case.confidence > 1:
            standing.append(lowered(case, "clock", case.confidence - 1, _NO_COMMON_CLOCK))
        else:
            standing.append(case)
    return standing, survived


def _without_lasting(
    cases: Sequence[Case], verdicts: Sequence[Optional[bool]]
) -> List[Optional[bool]]:
    """Take back what is told of cases from which something followed that the run did not survive.

    Some failures of a child, such as of one that writes checkpoints, show only when it is needed.
    """
    kept = list(verdicts)
    while True:
        standing = [case for case, verdict in zip(cases, kept) if not verdict]
        lasting = [
            index
            for index, case in enumerate(cases)
            if kept[index] is not False and _had_consequences(case, standing)
        ]
        if not lasting:
            return kept
        for index in lasting:
            kept[index] = False


def _run_survived(case: Case, scene: Scene, every_lead: Leads) -> Optional[bool]:
    """Tell whether the run went on after all that a case rests on; None if times do not tell."""
    seen = picked_records(case.sightings, lambda s: s.line is not None and s.kind != "fact")
    if case.rule["recovers"] != "progress" or not seen or any(s.kind == "exit" for s in seen):
        return False
    leads = every_lead.of(case.attempt)
    if _failed_for_good(case, leads, scene):
        return False
    if all(map(is_of_host, seen)):
        return _ranks_survived(case, seen, scene)
    return all_passed(lines_seen(case), lambda line: _passed_by(line, leads, scene))


def _failed_for_good(case: Case, leads: Sequence[Lead], scene: Scene) -> bool:
    """Tell whether a process ended badly by itself, or raised what it and the run did not pass."""
    if ended_badly(scene, case.attempt):
        return True
    return any(
        not _passed_by(block.line, leads, scene)
        for block in scene.observations.tracebacks
        if not block.handled and not block.ignored and _is_in_attempt(block.line, case.attempt)
    )


def _passed_by(line: Line, leads: Sequence[Lead], scene: Scene) -> bool:
    return went_on(line, scene) or others_went_on(line, leads)


def _had_consequences(case: Case, standing: Sequence[Case]) -> bool:
    """Tell whether anything likely could follow from a case; who stops a run has other reasons."""
    return any(
        other.confidence >= LIKELY_LEVEL
        and other.rule["kind"] != "stop"
        and could_cause(case, other)
        for other in standing
        if other is not case
    )


def _ranks_survived(case: Case, seen: Sequence[Sighting], scene: Scene) -> Optional[bool]:
    """Tell whether all ranks went on after what only a machine's log says."""
    by_process = any(s.rank is not None and s.pid in scene.homes for s in seen)
    if by_process or case.rule["kind"] != "failure":
        return False
    if run_ended_well(scene) and all(s.exit is not None for s in scene.observations.ranks):
        return True
    counting = _counting(scene.observations.samples)
    own = (steps for steps in counting if _is_in_attempt(steps[0].line, case.attempt))
    told = {_went_on_after(s, steps) for steps in own for s in seen}
    return all_of(told) if told else False


def _counting(samples: Iterable[Sample]) -> Iterable[List[Sample]]:
    """List the records of each writer that counts steps in an attempt, file after file."""
    for _, own in groupby(samples, lambda sample: sample.line.path):
        found: Dict[Writer, List[Sample]] = {}
        for sample in own:
            found.setdefault(sample.line.writer, []).append(sample)
        yield from filter(steps_made, found.values())


def _is_in_attempt(line: Line, attempt: Optional[int]) -> bool:
    return line.writer.attempt in (None, attempt)


def _went_on_after(sighting: Sighting, records: Sequence[Sample]) -> Optional[bool]:
    """Tell whether a writer counted further steps after a time; None where clocks do not tell."""
    orders = [(one, compare_moments(sighting.onset, one.line.moment)) for one in records]
    if steps_made([one for one, order in orders if order == BEFORE]) >= FEWEST_STEPS:
        return True
    if any(order is not None for _, order in orders) or _is_below(sighting, records):
        return False
    return None


def _is_below(sighting: Sighting, records: Sequence[Sample]) -> bool:
    """Tell whether a line stands below all steps in one file, so that none is known to follow."""
    line = sighting.line
    return line is not None and all(
        s.line.path == line.path and s.line.number < line.number for s in records
    )


def _busiest_of_each(samples: Iterable[Sample]) -> Dict[Optional[int], List[_PlacedLead]]:
    """List for each attempt those who count most, the busiest first."""
    busiest: Dict[Optional[int], List[_PlacedLead]] = {}
    for number, records in enumerate(_counting(samples)):
        line = records[0].line
        own = busiest.setdefault(line.writer.attempt, [])
        place = (-len(records), line.path, number)
        if len(own) < _MOST_LEADS or place < _place_of_lead(own[-1]):
            insort(own, (place, Lead(line, _begin_of_lead(records))))
            del own[_MOST_LEADS:]
    return busiest


def _place_of_lead(placed: _PlacedLead) -> _LeadPlace:
    return placed[0]


def _begin_of_lead(records: Sequence[Sample]) -> Optional[Line]:
    """Find the line from which on a writer made so many steps until its last record."""
    for length in range(1, min(len(records), _LONGEST_TAIL) + 1):
        if steps_made(records[-length:]) >= MANY_STEPS:
            return records[-length].line
    return None


def others_went_on(line: Line, leads: Sequence[Lead]) -> bool:
    """Tell whether other ranks made many steps after a line of one that counts nothing itself."""
    if line.writer.source != "rank":
        return False
    if any(_is_same_process(line, lead.first) for lead in leads):
        return False
    alone = len({lead.first.path for lead in leads}) == 1
    return any(
        _is_printed_before(line, lead.since)
        for lead in leads
        if lead.since is not None and _is_of_run(line, lead, alone)
    )


def _is_same_process(one: Line, other: Line) -> bool:
    if None not in (one.writer.rank, other.writer.rank):
        return one.writer.rank == other.writer.rank
    return process_of(one) == process_of(other)


def _is_of_run(line: Line, lead: Lead, alone: bool) -> bool:
    """Tell whether who counts is of the run of a line, such as one that NCCL wrote to its own file.

    Of two files the ranks show it. Who is nobody's rank must count *alone* in all that was read,
    and have done so before: a run that begins later is another one.
    """
    if lead.first.path == line.path or None not in (line.writer.rank, lead.first.writer.rank):
        return True
    return (
        alone
        and lead.first.writer.rank is None
        and compare_moments(lead.first.moment, line.moment) == BEFORE
    )


def _is_printed_before(line: Line, since: Line) -> bool:
    """Tell whether a line was printed before another rank's; of two files only times tell."""
    order = compare_moments(line.moment, since.moment)
    if order is not None:
        return order == BEFORE
    return line.path == since.path and line.number < since.number
