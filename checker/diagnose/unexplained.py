"""What is left over: the cases and the scene enter; lines that no diagnosis accounts for leave.

A line is accounted for if a sign of a diagnosed entry matches it, or if it says again what
explained evidence says: repetitions, `--tee`, error files.
"""

import math
import re
from bisect import bisect_left, bisect_right
from itertools import chain
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case
from checker.diagnose.relations import spots_of
from checker.diagnose.usercode import exception_text
from checker.match.scene import Scene, line_place
from checker.match.signs_metric import GOOD_AGAIN
from checker.model import Line, Rule, Traceback, Writer
from checker.scan.advice import reports_end

_MOST_UNEXPLAINED = 20
_Place = Tuple[str, Optional[Writer]]
_Series = Tuple[str, Writer, str]


class _Known(NamedTuple):
    """What the diagnoses account for."""

    numbers: Dict[str, List[int]]
    """Path to the lines that their signs match, in order."""
    texts: Dict[str, Set[Optional[int]]]
    """What their evidence says, to the ranks that said it."""
    rules: Sequence[Rule]


def unexplained_lines(cases: Sequence[Case], scene: Scene) -> List[Line]:
    """List the exceptions and the error lines that no case accounts for."""
    known = _known_of(cases)
    seen = scene.observations
    for block in seen.tracebacks:
        if block.parts and _is_known_block(block, known):
            text = exception_text(block.parts[0])
            known.texts.setdefault(text, set()).add(block.line.writer.rank)
    left: List[Line] = []
    for block in seen.tracebacks:
        if not _is_known_block(block, known):
            left.extend(_raised_lines(block))
    spans = _spans_of(seen.tracebacks)
    for line in chain(seen.errors, _nonfinite_losses(cases, scene)):
        if _is_end_of(line, cases):
            continue
        matched = _between(known.numbers.get(line.path, ()), line.number, line.number)
        own = [spans.get(key, ()) for key in ((line.path, line.writer), (line.path, None))]
        if not matched and not any(_is_inside(line, found) for found in own):
            left.append(line)
    ordered = sorted(left, key=line_place)
    return [line for line in ordered if not _says_what_is_known(line, known)][:_MOST_UNEXPLAINED]


def _is_end_of(line: Line, cases: Sequence[Case]) -> bool:
    """Tell whether a line is the end of a process in which a sure diagnosis was seen."""
    return reports_end(line) and any(
        case.confidence >= LIKELY_LEVEL and _can_end(case, line.writer.rank) for case in cases
    )


def _can_end(case: Case, rank: Optional[int]) -> bool:
    """Tell whether a process can have ended of this; a symptom of others ends no unnamed one."""
    if case.rule["kind"] == "symptom":
        return rank in case.ranks
    return case.rule["kind"] != "benign" and (rank is None or not case.ranks or rank in case.ranks)


def _nonfinite_losses(cases: Sequence[Case], scene: Scene) -> Iterable[Line]:
    """Take the first loss of every writer that is no number, if no diagnosis is about it.

    A loss that is good again at the end was a step that the trainer skipped.
    """
    known = {
        (sighting.line.path, sighting.line.writer)
        for case in cases
        for sighting in case.sightings
        if sighting.kind == "metric" and sighting.line is not None
    }
    first: Dict[_Series, Line] = {}
    good: Dict[_Series, int] = {}
    for sample in scene.observations.samples:
        for name, value in sample.values:
            series = (sample.line.path, sample.line.writer, name)
            if "loss" not in name or series[:2] in known:
                continue
            good[series] = good.get(series, 0) + 1 if math.isfinite(value) else 0
            if not good[series]:
                first.setdefault(series, sample.line)
    lasting = [line for series, line in first.items() if good[series] < GOOD_AGAIN]
    by_writer: Dict[_Place, Line] = {}
    for line in sorted(lasting, key=line_place):
        by_writer.setdefault((line.path, line.writer), line)
    return by_writer.values()


def _known_of(cases: Sequence[Case]) -> _Known:
    numbers: Dict[str, Set[int]] = {}
    texts: Dict[str, Set[Optional[int]]] = {}
    for case in cases:
        for path, number in spots_of(case) | case.touched:
            numbers.setdefault(path, set()).add(number)
        for sighting in case.evidence:
            texts.setdefault(sighting.text, set()).add(sighting.rank)
    ordered = {path: sorted(found) for path, found in numbers.items()}
    return _Known(ordered, texts, [case.rule for case in cases])


def _is_known_block(block: Traceback, known: _Known) -> bool:
    """Tell whether a matched line is about the origin of a block, not about what followed."""
    start = block.parts[0].number if block.parts else block.end
    later = [part.number for part in block.parts[1:] if part.number > start]
    last = min([block.end + 1, *later]) - 1
    return bool(_between(known.numbers.get(block.line.path, ()), block.line.number, last))


def _between(numbers: Sequence[int], first: int, last: int) -> Sequence[int]:
    return numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]


def _spans_of(blocks: Iterable[Traceback]) -> Dict[_Place, List[Tuple[int, int]]]:
    """Unite the lines that a writer's blocks take; of a mixed block all lines are its own."""
    found: Dict[_Place, Set[Tuple[int, int]]] = {}
    for block in blocks:
        place = (block.line.path, block.line.writer if block.separated else None)
        found.setdefault(place, set()).add((block.line.number, block.end))
    return {place: _united_spans(spans) for place, spans in found.items()}


def _united_spans(spans: Iterable[Tuple[int, int]]) -> List[Tuple[int, int]]:
    united: List[Tuple[int, int]] = []
    for first, last in sorted(spans):
        if united and first <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], last))
        else:
            united.append((first, last))
    return united


def _is_inside(line: Line, spans: Sequence[Tuple[int, int]]) -> bool:
    index = bisect_right(spans, (line.number + 1, 0)) - 1
    return index >= 0 and line.number <= spans[index][1]


def _says_what_is_known(line: Line, known: _Known) -> bool:
    ranks = known.texts.get(line.text.strip())
    if ranks is not None and (line.writer.rank in ranks or None in (line.writer.rank, *ranks)):
        return True
    return any(
        re.search(wording["regex"], line.text, re.ASCII)
        for rule in known.rules
        for sign in rule["signs"].values()
        if sign["kind"] == "log" and sign["at"] == "inside"
        for wording in sign["log"]
    )


def _raised_lines(block: Traceback) -> List[Line]:
    """Make a line of the exception that a block is about; the first line of a block says little."""
    if block.ignored or block.handled or block.line.writer.source == "launcher":
        return []
    texts = [(raised.number, exception_text(raised)) for raised in block.parts[:1]]
    return [
        block.line._replace(number=number or block.end, text=text, shown=text)
        for number, text in texts
    ]
