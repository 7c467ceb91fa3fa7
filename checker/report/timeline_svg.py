"""The timeline of an HTML report, to scale: tracks enter, nodes leave.

Places along the time are percents, so that the chart can be stretched by style alone. Ranks of a
host that went alike share a row, and rows are never more than a browser draws at once.
"""

from typing import Dict, List, Sequence, Set, Tuple

from checker.model import Moment
from checker.report.clock_text import moment_text, spoken_moment
from checker.report.markup import Node, element
from checker.report.phrases import counted, ranks_phrase
from checker.report.tracks import MARK_KINDS, Mark, Track, Tracks

_MOST_CHART_ROWS = 80
_MOST_ROW_MARKS = 40
_NAME_CHARACTERS = 28
# Of the whole width, in percent; less is not seen beside the mark.
_LEAST_DOUBT = 2.0
_ROW_PIXELS, _HOST_PIXELS, _SCALE_PIXELS = 40, 24, 24
# (host, tracks that went alike)
_ChartRow = Tuple[str, List[Track]]
_Span = Tuple[float, float]


def timeline_nodes(found: Tracks, attempts: Sequence[Tuple[int, float]]) -> List[Node]:
    """Draw the chart; *attempts* are the numbers and ends of those before the last."""
    start, end = found.start, found.end
    if start is None or end is None or start.seconds >= end.seconds:
        return []
    span = (start.seconds, end.seconds - start.seconds)
    rows = chart_rows(found.tracks, span)
    zooms: List[Node] = []
    for name, said in (("z1", "whole"), ("z4", "4 times"), ("z16", "16 times")):
        kind = {"type": "radio", "name": "zoom", "id": name}
        zooms.append(element("input", dict(kind, checked="") if name == "z1" else kind))
        zooms.append(element("label", {"for": name}, said))
    used = {mark.kind for _, tracks in rows for track in tracks for mark in track.marks}
    has_first = "first" in used
    jump = element("a", {"href": "#first", "class": "jump"}, "Go to the first failure")
    intro = "From {} to {}, drawn to scale. Zoom:".format(spoken_moment(start), spoken_moment(end))
    plot = element("div", {"class": "plot"}, _names(rows), _chart(rows, span, start, attempts))
    lead = [element("p", {}, intro), *zooms, jump if has_first else ""]
    chart = element("div", {"class": "time"}, *lead, plot)
    notes = [chart, _key(used, bool(attempts))]
    if found.foreign:
        text = "{} left out: nothing relates their clocks to this one.".format(
            counted(found.foreign, "moment")
        )
        notes.append(element("p", {"class": "soft"}, text))
    return notes


def chart_rows(tracks: Sequence[Track], span: _Span) -> List[_ChartRow]:
    """Group the tracks host by host; over hosts, and then by outcome alone, where they are many."""
    timed = [track for track in tracks if track.marks]
    rows = (
        _grouped_rows(timed, span, True, True, _MOST_CHART_ROWS)
        or _grouped_rows(timed, span, False, True, _MOST_CHART_ROWS)
        or _grouped_rows(timed, span, False, False, len(timed))
    )
    kept, left = rows[:_MOST_CHART_ROWS], rows[_MOST_CHART_ROWS:]
    if left:
        kept.append(("", [track for _, tracks in left for track in tracks]))
    return kept


def _grouped_rows(
    tracks: Sequence[Track], span: _Span, by_host: bool, by_time: bool, most: int
) -> List[_ChartRow]:
    """Group the tracks that look alike; none where that makes more rows than may be."""
    groups: Dict[Tuple[object, ...], _ChartRow] = {}
    for track in tracks:
        host = (track.host or "") if by_host else ""
        looks = sorted(
            {(_look_place(mark, span) if by_time else 0, mark.kind) for mark in track.marks}
        )
        state = track.state if by_time else ""
        groups.setdefault((host, track.name, tuple(looks), state), (host, []))[1].append(track)
        if len(groups) > most:
            return []
    earliest: Dict[str, Tuple[bool, float]] = {}
    for host, members in groups.values():
        earliest[host] = min(earliest.get(host, (True, 1e99)), _urgency(members))
    return sorted(
        groups.values(),
        key=lambda row: (earliest[row[0]], row[0], _urgency(row[1]), _first_name(row[1])),
    )


def _first_name(tracks: Sequence[Track]) -> Tuple[int, str]:
    rank = tracks[0].rank
    return -1 if rank is None else rank, tracks[0].name


def _urgency(tracks: Sequence[Track]) -> Tuple[bool, float]:
    """Put the first failure before all, then by the first sign of trouble."""
    bad = ("first", "failed", "sign")
    marks = [mark for track in tracks for mark in track.marks if mark.kind in bad]
    return all(m.kind != "first" for m in marks), min((m.at for m in marks), default=1e99)


def _share_of_span(at: float, span: _Span) -> float:
    return 100.0 * (at - span[0]) / span[1]


def _look_place(mark: Mark, span: _Span) -> int:
    """Ranks whose marks are nearer to each other than this went alike."""
    return min(49, int(_share_of_span(mark.at, span) / 2.0))


def _mark_place(mark: Mark, span: _Span) -> float:
    """Marks nearer to each other than this are drawn on one place."""
    return round(_share_of_span(mark.at, span), 1)


def _percent(at: float, span: _Span) -> str:
    """Leave room at both ends, so that marks there are seen whole."""
    return "{:.3f}%".format(2.0 + 0.96 * _share_of_span(at, span))


def _names(rows: Sequence[_ChartRow]) -> Node:
    items: List[Node] = []
    for host, tracks, is_new in _with_hosts(rows):
        if is_new:
            items.append(element("li", {"class": "host", "title": host}, host))
        states = {track.state for track in tracks if track.state}
        said = min(states) if len(states) == 1 else ("in several states" if states else "")
        name = row_name(tracks)
        title = _whole_name(tracks) + (": " + said if said else "")
        items.append(element("li", {"title": title}, name, element("small", {}, said)))
    return element("ul", {"class": "names"}, *items)


def _with_hosts(rows: Sequence[_ChartRow]) -> List[Tuple[str, List[Track], bool]]:
    hosts = [""] + [host for host, _ in rows]
    return [(row[0], row[1], row[0] not in ("", before)) for row, before in zip(rows, hosts)]


def row_name(tracks: Sequence[Track]) -> str:
    """Name the ranks of a row, or what is no rank."""
    ranks = [track.rank for track in tracks if track.rank is not None]
    if not ranks:
        return tracks[0].name
    text = ranks_phrase(ranks) + (" ({:,})".format(len(ranks)) if len(ranks) > 1 else "")
    if len(text) > _NAME_CHARACTERS:
        return "{} from {}".format(counted(len(ranks), "rank"), min(ranks))
    return text


def _whole_name(tracks: Sequence[Track]) -> str:
    ranks = [track.rank for track in tracks if track.rank is not None]
    return ranks_phrase(ranks) if ranks else tracks[0].name


def _chart(
    rows: Sequence[_ChartRow], span: _Span, start: Moment, attempts: Sequence[Tuple[int, float]]
) -> Node:
    drawn: List[Node] = []
    top, jumped = _SCALE_PIXELS, False
    for _, tracks, is_new in _with_hosts(rows):
        top += _HOST_PIXELS if is_new else 0
        middle = top + _ROW_PIXELS // 2
        drawn.append(_line("grid", "0", "100%", top))
        marks = _row_marks(tracks, span)
        drawn += _life(marks, span, middle)
        for mark in marks:
            if mark.kind != "last":
                names = {} if jumped or mark.kind != "first" else {"id": "first"}
                jumped = jumped or bool(names)
                drawn += _doubt(mark, span, middle)
                drawn.append(_placed_mark(mark, span, middle, start, names))
        top += _ROW_PIXELS
    ends = [_attempt_end(number, at, span, top) for number, at in attempts[-8:]]
    size = {"class": "chart", "height": str(top), "role": "img"}
    size["aria-label"] = "Ranks over time; the table of ranks below says the same in words"
    chart = element("svg", size, *_scale_ticks(span, start, top), *ends, *drawn)
    return element("div", {"class": "scroll", "tabindex": "0"}, chart)


def _row_marks(tracks: Sequence[Track], span: _Span) -> List[Mark]:
    """Take the marks of all tracks of a row, those once that fall on one place."""
    kept: Dict[Tuple[float, str], Mark] = {}
    for track in tracks:
        for mark in track.marks:
            kept.setdefault((_mark_place(mark, span), mark.kind), mark)
    order = [kind for kind, _, _ in MARK_KINDS]
    telling = sorted(kept.values(), key=lambda mark: (order.index(mark.kind), mark.at))
    # Those that tell most are drawn last, over the others.
    return telling[:_MOST_ROW_MARKS][::-1]


def _life(marks: Sequence[Mark], span: _Span, middle: int) -> List[Node]:
    last = max((mark.at for mark in marks if mark.kind == "last"), default=None)
    until = max(mark.at for mark in marks)
    begin = span[0] if last is None else last
    lines = [_line("quiet", _percent(begin, span), _percent(until, span), middle)]
    if last is not None:
        lines.append(_line("lived", _percent(span[0], span), _percent(last, span), middle))
    return lines


def _doubt(mark: Mark, span: _Span, middle: int) -> List[Node]:
    """Show how much later the first failure can have been, by a clock of whole seconds."""
    if 100.0 * mark.doubt / span[1] < _LEAST_DOUBT:
        return []
    until = min(mark.at + mark.doubt, span[0] + span[1])
    return [_line("doubt", _percent(mark.at, span), _percent(until, span), middle)]


def _line(kind: str, left: str, right: str, y: int) -> Node:
    return element("line", {"class": kind, "x1": left, "x2": right, "y1": str(y), "y2": str(y)})


def _placed_mark(
    mark: Mark, span: _Span, middle: int, start: Moment, names: Dict[str, str]
) -> Node:
    when = spoken_moment(start._replace(seconds=mark.at))
    later = ", or up to {:g} s later".format(mark.doubt) if mark.doubt >= 1.0 else ""
    title = element("title", {}, "{}{}: {}".format(when, later, mark.text))
    place = {"x": _percent(mark.at, span), "y": str(middle), "overflow": "visible", **names}
    return element("svg", place, title, _shape(mark.kind))


def _shape(kind: str) -> Node:
    """Draw a kind of mark; shapes differ, since colors are not told apart by all."""
    if kind == "ended":
        return element("circle", {"class": kind, "r": "6"})
    paths = {
        "first": "M0-12L12 0L0 12L-12 0Z",
        "failed": "M-6-6L6 6M-6 6L6-6",
        "sign": "M0-7L7 6L-7 6Z",
        "stopped": "M-5-5H5V5H-5Z",
        "last": "M-8-2H8V2H-8Z",
    }
    return element("path", {"class": kind, "d": paths[kind]})


def _key(used: Set[str], attempts: bool) -> Node:
    words = {"last": "timed lines", "stopped": "stopped by others", "sign": "other sign of trouble"}
    items = []
    for kind, _, said in MARK_KINDS:
        if kind in used:
            icon = element("svg", {"viewBox": "-9 -9 18 18", "aria-hidden": "true"}, _shape(kind))
            items.append(element("li", {}, icon, " " + words.get(kind, said)))
    if attempts:
        items.append(element("li", {}, "dashed: the last time that an earlier attempt printed"))
    return element("ul", {"class": "key"}, *items)


def _attempt_end(number: int, at: float, span: _Span, height: int) -> Node:
    x = _percent(at, span)
    title = element("title", {}, "the last time that attempt {} printed".format(number))
    return element("g", {}, title, _upright("ended-attempt", x, "0", height))


def _upright(kind: str, x: str, top: str, bottom: int) -> Node:
    return element("line", {"class": kind, "x1": x, "x2": x, "y1": top, "y2": str(bottom)})


def _scale_ticks(span: _Span, start: Moment, height: int) -> List[Node]:
    """Write round times along the top: a few, more as the chart is stretched."""
    ticks: List[Node] = []
    seen: Set[float] = set()
    for kind, most in (("t1", 4), ("t4", 16), ("t16", 64)):
        step = next((s for s in _steps() if span[1] / s <= most), span[1])
        first = int(span[0] / step) + 1
        for number in range(most):
            at = (first + number) * step
            if at > span[0] + span[1] or at in seen:
                continue
            seen.add(at)
            x = _percent(at, span)
            shown = start._replace(seconds=at, precision=min(1.0, step))
            said = str(moment_text(shown)).rpartition("T")[2].rstrip("Z")
            place = {"x": x, "y": "12", "text-anchor": "middle"}
            line = _upright("grid", x, "16", height)
            ticks.append(element("g", {"class": kind}, line, element("text", place, said)))
    return ticks


def _steps() -> List[float]:
    small = [base * 10.0**power for power in (-3, -2, -1) for base in (1, 2, 5)]
    longer = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200]
    return small + [float(step) for step in longer] + [86400.0 * 2**power for power in range(40)]
