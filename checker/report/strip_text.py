"""Which rank failed when, as a strip of plain characters: tracks enter, rows of text leave.

Ranks whose strips look alike share a row, so that it stays short at any number of ranks.
"""

from typing import Dict, List, Sequence, Set, Tuple

from checker.model import Moment
from checker.report.accounts import plain
from checker.report.clock_text import moment_text
from checker.report.phrases import counted, ranks_phrase
from checker.report.terminal import Excerpt, TextRow, clip, wrap_text
from checker.report.tracks import MARK_KINDS, Track, Tracks

_MOST_STRIPS = 7
_NAME_COLUMNS = 19
_STRIP_COLUMNS = 54
_NOTHING_SEEN = "."
# Seconds; in a shorter one their fractions matter.
_SHORT_SPAN = 20.0
_StripGroup = Tuple[str, List[Track]]


def strip_rows(found: Tracks) -> List[TextRow]:
    """Draw one line for each group of ranks; nothing where time tells no rank from another."""
    start, end = found.start, found.end
    if start is None or end is None or start.seconds >= end.seconds:
        return []
    groups = _strip_groups(found.tracks, start.seconds, end.seconds)
    if len(groups) < 2 or not any(letter in strip for strip, _ in groups for letter in "Xx!t"):
        return []
    margin = " " * (2 + _NAME_COLUMNS + 1)
    rows = plain([margin + _strip_scale(start, end)])
    for strip, tracks in groups[:_MOST_STRIPS]:
        rows += plain(["  {:<{}} {}".format(_strip_name(tracks), _NAME_COLUMNS, strip).rstrip()])
    left = [track for _, tracks in groups[_MOST_STRIPS:] for track in tracks]
    if left:
        rows += plain(["  and {} that look otherwise".format(counted(len(left), "rank"))])
    return rows + plain(wrap_text(_strip_legend(groups[:_MOST_STRIPS]), "  ", "  "))


def _strip_groups(tracks: Sequence[Track], start: float, end: float) -> List[_StripGroup]:
    """Group the tracks that look alike, the earliest failure first."""
    drawn = [(_drawn_strip(track, start, end), track) for track in tracks if track.marks]
    groups = _look_alike(drawn)
    if len(groups) > _MOST_STRIPS:
        # The last sign of life differs most, and says least.
        groups = _look_alike([(_without_life(strip), track) for strip, track in drawn])
    return sorted(groups, key=_strip_order)


def _look_alike(drawn: Sequence[Tuple[str, Track]]) -> List[_StripGroup]:
    found: Dict[Tuple[str, str], _StripGroup] = {}
    for strip, track in drawn:
        # A machine's strip stands alone, under its name.
        found.setdefault((strip, track.name), (strip, []))[1].append(track)
    return list(found.values())


def _strip_order(group: _StripGroup) -> Tuple[bool, int, bool, int, str]:
    strip, tracks = group
    failures = [index for index, letter in enumerate(strip) if letter in "Xx!"]
    first = min(failures, default=len(strip))
    rank = min((track.rank for track in tracks if track.rank is not None), default=-1)
    return "X" not in strip, first, rank < 0, rank, tracks[0].name


def _drawn_strip(track: Track, start: float, end: float) -> str:
    """Draw a line up to the last sign of life, then the marks over it, the most telling on top."""
    cells = [" "] * _STRIP_COLUMNS
    columns = {mark: _strip_column(mark.at, start, end) for mark in track.marks}
    lived = max((columns[m] for m in track.marks if m.kind == "last"), default=-1)
    until = max(columns.values())
    for index in range(until + 1):
        cells[index] = "-" if index <= lived else _NOTHING_SEEN
    for kind, letter, _ in reversed(MARK_KINDS):
        for mark, column in columns.items():
            if mark.kind == kind:
                cells[column] = letter
    return "".join(cells).rstrip()


def _without_life(strip: str) -> str:
    return strip.replace("-", _NOTHING_SEEN)


def _strip_column(at: float, start: float, end: float) -> int:
    return int((at - start) / (end - start) * (_STRIP_COLUMNS - 1) + 0.5)


def _strip_name(tracks: Sequence[Track]) -> str:
    ranks = [track.rank for track in tracks if track.rank is not None]
    text = ranks_phrase(ranks) if ranks else tracks[0].name
    if ranks and len(text) > _NAME_COLUMNS:
        text = "{} from {}".format(counted(len(ranks), "rank"), min(ranks))
    return clip(Excerpt(text, 0, len(text)), _NAME_COLUMNS)


def _strip_scale(start: Moment, end: Moment) -> str:
    """Say when the strip begins and ends; the day only where it is another one."""
    finest = 1.0 if end.seconds - start.seconds >= _SHORT_SPAN else 0.0
    begin, finish = _scale_words(start, finest), _scale_words(end, finest)
    day, _, time = finish.rpartition(" ")
    if day and begin.startswith(day):
        finish = time
    return begin + finish.rjust(_STRIP_COLUMNS - len(begin))


def _scale_words(moment: Moment, finest: float) -> str:
    shown = moment._replace(precision=max(moment.precision, finest))
    return str(moment_text(shown)).replace("T", " ").replace("--", "")


def _strip_legend(groups: Sequence[_StripGroup]) -> str:
    used: Set[str] = {letter for strip, _ in groups for letter in strip}
    words = ["{} {}".format(letter, said) for _, letter, said in MARK_KINDS if letter in used]
    return ", ".join(words + ([_NOTHING_SEEN + " none later"] if _NOTHING_SEEN in used else []))
