"""What is left over: the cases and the scene enter; lines that no diagnosis accounts for leave.

A line is accounted for if a sign of a diagnosed entry matches it, if it says again what
explained evidence says (repetitions, `--tee`, error files), or if it is what the part of a program
that told of the failure says next: how it ends, not why.
"""

import math
import re
from bisect import bisect_right
from heapq import nsmallest
from itertools import chain, groupby
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.diagnose.confidence import LIKELY_LEVEL, Case
from checker.diagnose.relations import spots_of
from checker.diagnose.usercode import exception_text
from checker.lazy_patterns import lazy_pattern
from checker.match.scene import Scene, line_place
from checker.match.signs_metric import GOOD_AGAIN
from checker.model import Line, Rule, Sample, Traceback, Writer
from checker.packed import packed_records
from checker.picked import ByFile, LineSet
from checker.scan.advice import reports_end

_MOST_UNEXPLAINED = 20
# What glog puts before a message: `ProcessGroupNCCL.cpp:632] `.
_SOURCE_FILE = lazy_pattern(r"\b(\w{1,80}\.(?:cc|cpp|cu)):\d{1,6}\] ")
_NEW_ERROR = "with exception: "
_FIRST_OF_TWO = "terminate called after throwing an instance of"
_Place = Tuple[str, Writer]
_Speaker = Tuple[str, Optional[int], str]
_Series = Tuple[Writer, str]


class _Known(NamedTuple):
    """What the diagnoses account for."""

    lines: LineSet
    """The lines that their signs match."""
    texts: Dict[str, Set[Optional[int]]]
    """What their evidence says, to the ranks that said it."""
    speakers: Dict[_Speaker, int]
    """In which line a log, rank and source file first told what they account for."""
    rules: Sequence[Rule]


def unexplained_lines(cases: Sequence[Case], scene: Scene) -> List[Line]:
    """List the exceptions and the error lines that no case accounts for."""
    lines = LineSet(scene.files)
    for case in cases:
        lines.add_all(spots_of(case))
        if case.touched is not None:
            lines.merge(case.touched)
    left = packed_records(_lines_left(cases, lines, scene))
    if not left:
        return []
    known = _known_of(cases, lines, left, scene)
    untold = (line for line in left if not _says_what_is_known(line, known))
    return nsmallest(_MOST_UNEXPLAINED, untold, key=line_place)


def _lines_left(cases: Sequence[Case], known: LineSet, scene: Scene) -> Iterable[Line]:
    """List the exceptions and error lines of which no sign of a case matches one."""
    blocks = scene.observations.tracebacks
    for block in blocks:
        if not _is_known_block(block, known):
            yield from _raised_lines(block)
    by_file = ByFile(blocks, lambda block: block.line.path, scene.files)
    lines = chain(scene.observations.errors, _nonfinite_losses(cases, scene))
    for path, own in groupby(lines, lambda line: line.path):
        spans = _spans_of(by_file.of(path))
        for line in own:
            last = line.number + line.text.startswith(_FIRST_OF_TWO)
            if known.has_any(path, line.number, last) or _is_end_of(line, cases):
                continue
            if not any(_is_inside(line, spans.get(who, ())) for who in (line.writer, None)):
                yield line


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
    for _, samples in groupby(scene.observations.samples, lambda sample: sample.line.path):
        yield from _nonfinite_in_file(samples, known)


def _nonfinite_in_file(samples: Iterable[Sample], known: Set[_Place]) -> Iterable[Line]:
    first: Dict[_Series, Line] = {}
    good: Dict[_Series, int] = {}
    for sample in samples:
        writer = sample.line.writer
        for name, value in sample.values:
            if "loss" not in name or (sample.line.path, writer) in known:
                continue
            good[writer, name] = good.get((writer, name), 0) + 1 if math.isfinite(value) else 0
            if not good[writer, name]:
                first.setdefault((writer, name), sample.line)
    lasting = [line for series, line in first.items() if good[series] < GOOD_AGAIN]
    by_writer: Dict[Writer, Line] = {}
    for line in sorted(lasting, key=line_place):
        by_writer.setdefault(line.writer, line)
    return by_writer.values()


def _known_of(cases: Sequence[Case], lines: LineSet, left: Iterable[Line], scene: Scene) -> _Known:
    """Collect what the diagnoses account for; of texts and speakers only those that are *left*."""
    texts: Dict[str, Set[Optional[int]]] = {}
    speakers: Dict[_Speaker, int] = {}
    asked: Set[str] = set()
    asked_speakers: Set[Optional[_Speaker]] = set()
    for line in left:
        asked.add(line.text.strip())
        asked_speakers.add(_speaker_of(line))
    for case in cases:
        for sighting in case.evidence:
            if sighting.text in asked:
                texts.setdefault(sighting.text, set()).add(sighting.rank)
            told = sighting.line
            speaker = None if told is None else _speaker_of(told)
            if told is not None and speaker is not None and speaker in asked_speakers:
                speakers[speaker] = min(told.number, speakers.get(speaker, told.number))
    for block in scene.observations.tracebacks:
        if block.parts and _is_known_block(block, lines):
            text = exception_text(block.parts[0])
            if text in asked:
                texts.setdefault(text, set()).add(block.line.writer.rank)
    return _Known(lines, texts, speakers, [case.rule for case in cases])


def _is_known_block(block: Traceback, known: LineSet) -> bool:
    """Tell whether a matched line is about the origin of a block, not about what followed."""
    start = block.parts[0].number if block.parts else block.end
    later = [part.number for part in block.parts[1:] if part.number > start]
    last = min([block.end + 1, *later]) - 1
    return known.has_any(block.line.path, block.line.number, last)


def _spans_of(blocks: Iterable[Traceback]) -> Dict[Optional[Writer], List[Tuple[int, int]]]:
    """Unite the lines of a file that a writer's blocks take; of a mixed block all are its own."""
    found: Dict[Optional[Writer], Set[Tuple[int, int]]] = {}
    for block in blocks:
        writer = block.line.writer if block.separated else None
        found.setdefault(writer, set()).add((block.line.number, block.end))
    return {writer: _united_spans(spans) for writer, spans in found.items()}


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


def _speaker_of(line: Line) -> Optional[_Speaker]:
    """Name the log, the rank and the source file that a line says it comes from."""
    found = _SOURCE_FILE.search(line.shown[:400])
    return (line.path, line.writer.rank, found.group(1)) if found else None


def _says_what_is_known(line: Line, known: _Known) -> bool:
    speaker = _speaker_of(line)
    began = None if speaker is None else known.speakers.get(speaker)
    if began is not None and began < line.number and _NEW_ERROR not in line.text:
        return True
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
