"""What happened when, rank by rank: a `Report` enters, tracks of marks on one clock leave.

Moments of clocks that nothing relates to the one that most share are left out, never guessed.
"""

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


_TimedMark = Tuple[Moment, str, str]
_TrackKey = Tuple[int, str, str]


def tracks_of(
    report: Report, states: Sequence[RankState], diagnoses: Sequence[Diagnosis]
) -> Tracks:
    """Gather the marks of *states* and of *diagnoses*, the leading one first."""
    timed: Dict[_TrackKey, List[_TimedMark]] = {}
    hosts: Dict[_TrackKey, Optional[str]] = {}
    words: Dict[_TrackKey, List[str]] = {}
    for state in states:
        key = (state.rank, "", state.run or "")
        hosts[key] = state.host or hosts.get(key)
        words.setdefault(key, []).append(state_words(state))
        timed.setdefault(key, []).extend(_state_times(state))
    for number, item in enumerate(diagnoses):
        for key, host, mark in _diagnosis_times(item, number == 0):
            hosts.setdefault(key, host)
            timed.setdefault(key, []).append(mark)
    axis = _shared_axis(moment for marks in timed.values() for moment, _, _ in marks)
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
    known = [moment for marks in timed.values() for moment, _, _ in marks]
    return Tracks(
        drawn,
        _moment_at(min(ats), axis, known) if ats else None,
        _moment_at(max(ats), axis, known) if ats else None,
        sum(timeline(moment)[0] != axis for moment in known),
        axis,
    )


def _state_times(state: RankState) -> List[_TimedMark]:
    found: List[_TimedMark] = []
    if state.last_moment is not None and state.last_moment.precision < NOT_BEFORE:
        found.append((state.last_moment, "last", "last line with a time"))
    if state.exit is not None:
        moment = state.exit.moment or state.exit.line.moment
        if moment is not None and moment.precision < NOT_BEFORE:
            found.append((moment, _exit_kind(state.exit), exit_phrase(state.exit)))
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
        yield key, item.host, (item.onset, "first", name + " began")
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
            yield key, sighting.host or writer.host, (moment, "sign", name)


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


def _shared_axis(moments: Iterable[Moment]) -> str:
    """Choose the clock that most moments lie on."""
    counts: Dict[str, int] = {}
    for moment in moments:
        axis = timeline(moment)[0]
        counts[axis] = counts.get(axis, 0) + 1
    return max(sorted(counts), key=lambda axis: counts[axis], default="")


def _marks_on(axis: str, timed: Iterable[_TimedMark]) -> Tuple[Mark, ...]:
    marks = {
        Mark(timeline(moment)[1], kind, text, moment.precision if kind == "first" else 0.0)
        for moment, kind, text in timed
        if timeline(moment)[0] == axis
    }
    return tuple(sorted(marks))


def _moment_at(at: float, axis: str, known: Sequence[Moment]) -> Moment:
    """Make a moment of the shared clock, so that it can be said as that clock prints it."""
    clocks = {moment.clock for moment in known if timeline(moment)[0] == axis}
    clock = axis if axis in clocks else min(clocks)
    precisions = [m.precision for m in known if timeline(m) == (axis, at)]
    return Moment(at, clock, max(0.001, min(precisions, default=1.0)))
