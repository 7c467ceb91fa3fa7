"""What happened when, rank by rank: a `Report` enters, tracks of marks on one clock leave.

Moments of clocks that nothing relates to the one that most share are left out, never guessed.
"""

import sys
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.judgement import Report
from checker.model import NOT_BEFORE, Diagnosis, Exit, Moment, RankState
from checker.report.phrases import exit_phrase, state_words
from checker.scan.moments import timeline

# The kinds of marks, the most telling first, each with its letter and its words.
MARK_KINDS = (
    ("first", "X", "first failure"),
    ("failed", "x", "failed"),
    ("sign", "!", "other sign"),
    ("stopped", "t", "stopped"),
    ("ended", "e", "ended"),
    ("last", "-", "timed lines"),
)
_NO_RANK = "rank not known"


class Mark(NamedTuple):
    """Something that happened to a rank or a machine."""

    at: float
    """Seconds on the clock of the tracks."""
    kind: str
    """One of MARK_KINDS."""
    text: str
    doubt: float = 0.0
    """So many seconds later it can have been, where it is coarsely known what failed first."""


class Track(NamedTuple):
    """All that is known of when, for one rank or one writer that is no rank."""

    rank: Optional[int]
    name: str
    """Of a writer without rank: its host, or what kind of writer it is."""
    host: Optional[str]
    marks: Tuple[Mark, ...]
    state: str
    """Where it stood and how it ended, in words."""


class Tracks(NamedTuple):
    """The tracks of a report, and the clock that they share."""

    tracks: Tuple[Track, ...]
    start: Optional[Moment]
    """The first moment; None where no time is known."""
    end: Optional[Moment]
    foreign: int
    """How many moments no clock relates to these."""
    axis: str
    """The clock, as `checker.scan.moments.timeline` names it."""


class _TimedMark(NamedTuple):
    """A mark before the clock is chosen. A moment of its own takes thrice as much memory."""

    axis: str
    at: float
    clock: str
    precision: float
    kind: str
    text: str


_TrackKey = Tuple[int, str, str]


def tracks_of(
    report: Report, states: Sequence[RankState], diagnoses: Sequence[Diagnosis]
) -> Tracks:
    """Gather the marks of *states* and of *diagnoses*, the leading one first."""
    timed: Dict[_TrackKey, List[_TimedMark]] = {}
    hosts: Dict[_TrackKey, Optional[str]] = {}
    words: Dict[_TrackKey, Tuple[str, ...]] = {}
    for state in states:
        key = (state.rank, "", state.run or "")
        hosts[key] = state.host or hosts.get(key)
        words[key] = (*words.get(key, ()), state_words(state))
        timed.setdefault(key, []).extend(_state_times(state))
    for number, item in enumerate(diagnoses):
        for key, host, mark in _diagnosis_times(item, number == 0):
            hosts.setdefault(key, host)
            timed.setdefault(key, []).append(mark)
    known = [mark for marks in timed.values() for mark in marks]
    axis = _shared_axis(known)
    tracks = [
        Track(
            None if key[0] < 0 else key[0],
            key[1],
            hosts.get(key),
            _marks_on(axis, timed.get(key, ())),
            "; ".join(dict.fromkeys(words.get(key, ()))),
        )
        for key in sorted(set(timed) | set(words), key=lambda key: (key[0] < 0, key))
    ]
    noticed = any(_was_noticed(item) for item in diagnoses[:1])
    tracks = _with_first(tracks, diagnoses[0]) if diagnoses else tracks
    drawn = _first_before_stops(tracks, noticed)
    ats = [mark.at for track in drawn for mark in track.marks]
    return Tracks(
        drawn,
        _moment_at(min(ats), axis, known) if ats else None,
        _moment_at(max(ats), axis, known) if ats else None,
        sum(mark.axis != axis for mark in known),
        axis,
    )


def _timed_mark(moment: Moment, kind: str, text: str) -> _TimedMark:
    axis, at = timeline(moment)
    clock = sys.intern(moment.clock)
    return _TimedMark(sys.intern(axis), at, clock, moment.precision, kind, text)


def _state_times(state: RankState) -> List[_TimedMark]:
    found: List[_TimedMark] = []
    if state.last_moment is not None and state.last_moment.precision < NOT_BEFORE:
        found.append(_timed_mark(state.last_moment, "last", "last line with a time"))
    if state.exit is not None:
        moment = state.exit.moment or state.exit.line.moment
        if moment is not None and moment.precision < NOT_BEFORE:
            found.append(_timed_mark(moment, _exit_kind(state.exit), exit_phrase(state.exit)))
    return found


def _exit_kind(ended: Exit) -> str:
    if ended.by in ("launcher", "scheduler", "person"):
        return "stopped"
    return "failed" if ended.signal is not None or ended.code else "ended"


def _diagnosis_times(
    item: Diagnosis, leads: bool
) -> Iterable[Tuple[_TrackKey, Optional[str], _TimedMark]]:
    name, run = str(item.rule["id"]), item.run or ""
    first = leads and item.rule["kind"] in ("failure", "stop")
    if first and item.onset is not None and item.onset.precision < NOT_BEFORE:
        key = (item.rank, "", run) if item.rank is not None else (-1, item.host or _NO_RANK, run)
        yield key, item.host, _timed_mark(item.onset, "first", name + " began")
    for sighting in item.evidence:
        moment = sighting.line.moment if sighting.line else None
        if moment is None or moment.precision >= NOT_BEFORE or sighting.line is None:
            continue
        writer = sighting.line.writer
        source = writer.source if writer.source not in ("rank", "unknown") else _NO_RANK
        key = (-1, sighting.host or writer.host or source, run)
        if sighting.rank is not None:
            key = (sighting.rank, "", run)
        if sighting.kind != "exit":
            yield key, sighting.host or writer.host, _timed_mark(moment, "sign", name)


def _with_first(tracks: Sequence[Track], top: Diagnosis) -> List[Track]:
    """Where nothing tells when the first rank failed, its end or last sign of life is the mark."""
    if top.onset is not None or top.rule["kind"] not in ("failure", "stop") or top.rank is None:
        return list(tracks)
    return [
        track._replace(marks=_with_first_mark(track.marks)) if track.rank == top.rank else track
        for track in tracks
    ]


def _with_first_mark(marks: Tuple[Mark, ...]) -> Tuple[Mark, ...]:
    if any(mark.kind == "failed" for mark in marks):
        return tuple(m._replace(kind="first") if m.kind == "failed" else m for m in marks)
    last = max((mark.at for mark in marks if mark.kind == "last"), default=None)
    said = "no time is printed with it; not before this last line with a time"
    return marks if last is None else (*marks, Mark(last, "first", said))


def _was_noticed(item: Diagnosis) -> bool:
    """Tell whether the beginning is only known as the moment in which an end was noticed."""
    rules = {s.onset_rule for s in item.evidence if s.onset == item.onset}
    return item.onset is None or rules == {"earlier"}


def _first_before_stops(tracks: Sequence[Track], noticed: bool) -> Tuple[Track, ...]:
    """Put a first failure whose end was only noticed before what the launcher then stopped."""
    stops = [mark.at for track in tracks for mark in track.marks if mark.kind == "stopped"]
    if not noticed or not stops:
        return tuple(tracks)
    earliest = min(stops)
    return tuple(
        track._replace(
            marks=tuple(
                mark._replace(at=min(mark.at, earliest)) if mark.kind == "first" else mark
                for mark in track.marks
            )
        )
        for track in tracks
    )


def _shared_axis(known: Iterable[_TimedMark]) -> str:
    """Choose the clock that most marks lie on."""
    counts: Dict[str, int] = {}
    for mark in known:
        counts[mark.axis] = counts.get(mark.axis, 0) + 1
    return max(sorted(counts), key=lambda axis: counts[axis], default="")


def _marks_on(axis: str, timed: Iterable[_TimedMark]) -> Tuple[Mark, ...]:
    marks = {
        Mark(mark.at, mark.kind, mark.text, mark.precision if mark.kind == "first" else 0.0)
        for mark in timed
        if mark.axis == axis
    }
    return tuple(sorted(marks))


def _moment_at(at: float, axis: str, known: Sequence[_TimedMark]) -> Moment:
    """Make a moment of the shared clock, so that it can be said as that clock prints it."""
    clocks = {mark.clock for mark in known if mark.axis == axis}
    clock = axis if axis in clocks else min(clocks)
    precisions = [mark.precision for mark in known if (mark.axis, mark.at) == (axis, at)]
    return Moment(at, clock, max(0.001, min(precisions, default=1.0)))
