"""One time line for all clocks: what was read enters; the same with aligned moments leaves.

Every host keeps its own clocks, in its own zone and with its own error. What several hosts saw at
the same time tells how far their clocks are apart, and how surely; a line with two times tells it
of the clocks of one host. No printed time is changed: a `Moment` only learns where it lies.
"""

from itertools import islice
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

from checker.lazy_patterns import lazy_pattern
from checker.match.lifetimes import recorded_lines
from checker.model import (
    NOT_BEFORE,
    ClockOffset,
    Exit,
    Hit,
    Line,
    Moment,
    Observations,
    Sample,
    Stack,
    Traceback,
)
from checker.packed import Kept, packed_records
from checker.scan.moments import dated_seconds

OnLine = TypeVar("OnLine", Hit, Traceback, Sample, Stack)
Keeper = Tuple[Optional[str], str]
"""Whose clock it is, and which; a file stands for the host of its rank where that is not known."""
Event = Tuple[str, Any]
"""Kind, and what tells it from others of its kind."""
Link = Tuple[Keeper, Keeper, float, float]
"""Two clocks of one host, the seconds from one to the other, and by how much that can be wrong."""
NameHost = Callable[[Line, Optional[str]], Optional[str]]
KnowHost = Callable[[Optional[str]], Optional[str]]

# By how many seconds hosts can see an event of a kind one after another.
_SEEN_APART: Dict[str, float] = {
    "step": 0.0,  # measured: there are many
    "communicator": 2.0,
    "cancel": 5.0,
    "rendezvous": 10.0,
    "timeout": 60.0,
}
# Clocks of two hosts that nothing was measured of are taken to be set by a time server.
_UNMEASURED = 0.5
# Files of one host differ by what their writers do; only more than that is another clock.
_OTHER_HOST = 30.0
_FEWEST_STEPS = 3
_MOST_EVENTS = 256
_ALL_EVENTS = 32768
_DATED = 4096
_MOST_ROUNDS = 16
_SEQUENCE = lazy_pattern(r"SeqNum=(\d{1,18}), OpType=(\w{1,40})")
_PREFERRED = ("utc", "local", "yearless", "boot")
_OF_FILE = ">"


class View:
    """What one clock saw, and when."""

    __slots__ = ("events", "precision")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.events: Dict[Event, float] = {}
        self.precision = 0.0


class Alignment(NamedTuple):
    """Where the times of one clock lie."""

    axis: str
    shift: float
    doubt: float
    by: str
    """The kind of event that told, `line` where one line has both times, or nothing."""


def with_common_clocks(seen: Observations, host_of_line: NameHost, known: KnowHost) -> Observations:
    """Let every moment know where it lies; *host_of_line* names the host of a line."""
    anchor = _anchor(seen)
    views = _views_of(seen, host_of_line, anchor)
    if len(views) < 2:
        return seen
    aligned = _alignments(views, _links_of(seen, known, anchor))

    def _placed(moment: Optional[Moment], host: Optional[str]) -> Optional[Moment]:
        if moment is None or moment.precision >= NOT_BEFORE:
            return moment
        keeper, extra = _keeper_of(moment, host, anchor)
        found = aligned.get(keeper)
        if found is None:
            return moment
        name = None if _is_of_file(keeper) and not found.shift else keeper[0]
        shift = found.shift + extra
        if (name, found.axis, shift, found.doubt) == (moment.keeper, moment.clock, 0.0, 0.0):
            # It lies where it was printed: of thousands of files nothing needs to be held twice.
            return moment
        return Moment(*moment[:3], name, found.axis, shift, found.doubt)

    def _line(line: Line) -> Line:
        if line.moment is None:
            return line
        moment = _placed(line.moment, host_of_line(line, None))
        if moment is line.moment:
            return line
        return Line(*line[:6], moment, *line[7:])

    def _record(record: OnLine) -> OnLine:
        line = _line(record.line)
        return record if line is record.line else record._replace(line=line)

    def _end(ended: Exit) -> Exit:
        host = host_of_line(ended.line, ended.host)
        return ended._replace(line=_line(ended.line), moment=_placed(ended.moment, host))

    return seen._replace(
        hits=_changed(seen.hits, _record),
        tracebacks=_changed(seen.tracebacks, _record),
        exits=tuple(map(_end, seen.exits)),
        samples=_changed(seen.samples, _record),
        stacks=_changed(seen.stacks, _record),
        errors=_changed(seen.errors, _line),
        ranks=packed_records(
            state._replace(
                last_moment=_placed(state.last_moment, known(state.host)),
                exit=None if state.exit is None else _end(state.exit),
            )
            for state in seen.ranks
        ),
        last_times=tuple(
            (attempt, _placed(moment, known(moment.keeper)) or moment)
            for attempt, moment in seen.last_times
        ),
        clocks=tuple(
            ClockOffset(*_host_or_file(keeper), keeper[1], found.shift, found.doubt, found.by)
            for keeper, found in sorted(aligned.items(), key=lambda item: _order_of(item[0]))
            if found.by and found.shift
        ),
    )


def _changed(records: Sequence[Kept], change: Callable[[Kept], Kept]) -> Sequence[Kept]:
    """Change what needs it; where nothing does, thousands of records are not packed once more."""
    if all(change(record) is record for record in records):
        return records
    return packed_records(map(change, records))


def _anchor(seen: Observations) -> Optional[float]:
    """Find a dated time: clocks without a year are of the year nearest to it."""
    told = (
        line.moment.seconds
        for line in recorded_lines(seen)
        if line.moment is not None
        and line.moment.clock in ("utc", "local")
        and line.moment.precision < NOT_BEFORE
    )
    dated = sorted(islice(told, _DATED))
    return dated[len(dated) // 2] if dated else None


def _keeper_of(
    moment: Moment, host: Optional[str], anchor: Optional[float]
) -> Tuple[Keeper, float]:
    """Name the clock of a moment, and the seconds that its year adds."""
    if moment.clock == "yearless" and anchor is not None:
        return (host, "local"), dated_seconds(moment.seconds, anchor) - moment.seconds
    return (host, moment.clock), 0.0


def _views_of(
    seen: Observations, host_of_line: NameHost, anchor: Optional[float]
) -> Dict[Keeper, View]:
    """Collect when each clock saw which event."""
    views: Dict[Keeper, View] = {}
    for moment, host, _ in _told_events(seen, host_of_line):
        views.setdefault(_keeper_of(moment, host, anchor)[0], View())
    most = max(4, min(_MOST_EVENTS, _ALL_EVENTS // max(1, len(views))))
    alike: Dict[Event, Event] = {}
    for moment, host, event in _told_events(seen, host_of_line):
        keeper, extra = _keeper_of(moment, host, anchor)
        view = views[keeper]
        view.precision = max(view.precision, moment.precision)
        if event is not None and (event in view.events or len(view.events) < most):
            at = moment.seconds + extra
            known = alike.setdefault(event, event)
            view.events[known] = min(at, view.events.get(known, at))
    return views


def _links_of(seen: Observations, known: KnowHost, anchor: Optional[float]) -> List[Link]:
    """List the clocks of one host of which a line shows two."""
    links = []
    for tie in seen.ties:
        one, extra = _keeper_of(tie.one, known(tie.host), anchor)
        other, more = _keeper_of(tie.other, known(tie.host), anchor)
        gap = tie.other.seconds + more - tie.one.seconds - extra
        links.append((one, other, gap, tie.spread + tie.one.precision + tie.other.precision))
    return links


def _told_events(
    seen: Observations, host_of_line: NameHost
) -> Iterable[Tuple[Moment, Optional[str], Optional[Event]]]:
    """List all times, whose clock they are of, and what all hosts see then, if that is so."""
    for shared in seen.shared:
        line, key = shared.line, (shared.line.writer.attempt, shared.key)
        yield from _told_event(line.moment, host_of_line(line, None), shared.kind, key)
    for ended in seen.exits:
        host = host_of_line(ended.line, ended.host)
        step = ended.line.text.partition(" ON ")[0] if ended.by == "scheduler" else None
        yield from _told_event(ended.moment, host, "cancel", step)
        yield from _told_event(ended.line.moment, host_of_line(ended.line, None), "", None)
    for records in (seen.hits, seen.tracebacks, seen.stacks):
        for record in records:
            line = record.line
            yield from _told_event(
                line.moment, host_of_line(line, None), "timeout", _operation_of(line)
            )
    for sample in seen.samples:
        line = sample.line
        counted = (line.writer.attempt, sample.step) if sample.step is not None else None
        yield from _told_event(line.moment, host_of_line(line, None), "step", counted)


def _told_event(
    moment: Optional[Moment], host: Optional[str], kind: str, key: Any
) -> Iterable[Tuple[Moment, Optional[str], Optional[Event]]]:
    if moment is not None and moment.precision < NOT_BEFORE:
        yield moment, host, None if key is None else (kind, key)


def _operation_of(line: Line) -> Optional[Tuple[Any, ...]]:
    """Name the operation that a watchdog gave up: all who waited for it do so together."""
    found = _SEQUENCE.search(line.text) if "SeqNum=" in line.text else None
    return (line.writer.attempt, *found.groups()) if found else None


def _is_of_file(keeper: Keeper) -> bool:
    return keeper[0] is not None and keeper[0].startswith(_OF_FILE)


def file_keeper(path: str) -> str:
    """Name the clock of a file of whose writer no host is known."""
    return _OF_FILE + path


def _host_or_file(keeper: Keeper) -> Tuple[Optional[str], Optional[str]]:
    host = keeper[0]
    if host is None or not host.startswith(_OF_FILE):
        return host, None
    return None, host[len(_OF_FILE) :]


def _order_of(keeper: Keeper) -> Tuple[int, str]:
    clock = keeper[1]
    return _PREFERRED.index(clock) if clock in _PREFERRED else len(_PREFERRED), keeper[0] or ""


def _alignments(views: Dict[Keeper, View], ties: List[Link]) -> Dict[Keeper, Alignment]:
    """Align clock after clock with what is aligned already, beginning with the best seen one."""
    most = min(views, key=lambda keeper: (-len(views[keeper].events), _order_of(keeper)))
    aligned = {most: Alignment(most[1], 0.0, 0.0, "")}
    known = dict(views[most].events)
    left = sorted((keeper for keeper in views if keeper != most), key=_order_of)
    links: Dict[Keeper, List[Link]] = {}
    for one, other, gap, spread in ties:
        links.setdefault(one, []).append((one, other, gap, spread))
        links.setdefault(other, []).append((other, one, -gap, spread))
    for _ in range(_MOST_ROUNDS):
        before = len(aligned)
        for keeper in left[:]:
            alignment = _measured(keeper, views[keeper], known, aligned[most].axis)
            alignment = alignment or _tied(links.get(keeper, ()), aligned)
            if alignment is not None:
                aligned[keeper] = alignment
                for event, at in views[keeper].events.items():
                    known.setdefault(event, at + alignment.shift)
        left = [keeper for keeper in left if keeper not in aligned]
        if len(aligned) == before:
            break
    if len(aligned) == 1:
        aligned[most] = aligned[most]._replace(doubt=_unmeasured(most))
    for keeper in left:
        aligned[keeper] = Alignment(keeper[1], 0.0, _unmeasured(keeper), "")
    # Of thousands of files most lie where they were printed: one record stands for all of them.
    alike: Dict[Alignment, Alignment] = {}
    return {keeper: alike.setdefault(one, one) for keeper, one in aligned.items()}


def _unmeasured(keeper: Keeper) -> float:
    return 0.0 if _is_of_file(keeper) else _UNMEASURED


def _measured(
    keeper: Keeper, view: View, known: Dict[Event, float], axis: str
) -> Optional[Alignment]:
    """Tell how far a clock is from the aligned ones, by the kind of event that tells it best."""
    gaps: Dict[str, List[float]] = {}
    for event, at in view.events.items():
        if event in known:
            gaps.setdefault(event[0], []).append(known[event] - at)
    best: Optional[Alignment] = None
    for kind in sorted(gaps):
        if kind == "step" and len(gaps[kind]) < _FEWEST_STEPS:
            continue
        shift, spread = _median_gap(gaps[kind])
        doubt = _SEEN_APART[kind] + spread + view.precision
        if best is None or doubt < best.doubt:
            best = Alignment(axis, shift, doubt, kind)
    if best is None or keeper[1] != axis:
        return best
    least = _OTHER_HOST if _is_of_file(keeper) else _UNMEASURED
    if abs(best.shift) <= max(best.doubt, least):
        # Nothing that was seen shows the clocks to differ.
        return Alignment(axis, 0.0, min(best.doubt, _unmeasured(keeper)), "")
    return best


def _median_gap(gaps: List[float]) -> Tuple[float, float]:
    """Return the median, and how far three quarters of all are from it."""
    ordered = sorted(gaps)
    middle = ordered[len(ordered) // 2]
    apart = sorted(abs(gap - middle) for gap in ordered)
    return middle, apart[3 * (len(apart) - 1) // 4]


def _tied(links: Iterable[Link], aligned: Dict[Keeper, Alignment]) -> Optional[Alignment]:
    found = []
    for _, other, gap, spread in links:
        if other in aligned:
            axis, shift, doubt, _ = aligned[other]
            found.append(Alignment(axis, gap + shift, spread + doubt, "line"))
    return min(found, key=lambda each: (each.doubt, each.shift), default=None)
