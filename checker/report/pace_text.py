"""How fast the ranks counted, and where that changed: a `Report` enters, rows of text leave.

It is told only where it says something: steps that became slow, or of which none came for long
before the last line that was read.
"""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.judgement import Report
from checker.match.pace import Pace, paces_of, standstill
from checker.match.reached import may_be_same_attempt
from checker.model import NOT_BEFORE, Moment
from checker.packed import Packer
from checker.report.clock_text import moment_text
from checker.report.phrases import ranks_phrase
from checker.report.terminal import TextRow, wrap_text
from checker.scan.moments import moment_gap, timeline

_MOST_PACES = 4
# Steps became slow if the last five usually took so many times as long as those before.
_SLOWER = 3.0


class ToldPace(NamedTuple):
    """One pace, and what its end says."""

    pace: Pace
    silence: Optional[float]
    """Seconds from the last step to the last line of the attempt, where times tell."""

    @property
    def stalled(self) -> bool:
        """Tell whether no step came for unusually long."""
        usual = self.pace.seconds
        if usual is None or self.silence is None:
            return False
        slow = max(usual, self.pace.latest or 0.0)
        return self.silence > standstill(slow)

    @property
    def slowed(self) -> bool:
        """Tell whether the last steps took much longer than usual."""
        usual, latest = self.pace.seconds, self.pace.latest
        return usual is not None and latest is not None and latest > _SLOWER * usual > 0


def told_paces(report: Report) -> Iterable[ToldPace]:
    """Tell the pace of every writer that counts steps, and how long it was silent at the end."""
    if report.paces is not None:
        return iter(report.paces)
    last = _LastTimes(report.observations.last_times)
    return (
        ToldPace(pace, last.silence_after(pace)) for pace in paces_of(report.observations.samples)
    )


class _LastTimes:
    """When the files of a run were last written, by attempt; of each clock the latest alone.

    Thousands of ranks would be compared with thousands of files.
    """

    def __init__(self, times: Sequence[Tuple[Optional[int], Moment]]) -> None:
        self._times = times
        self._of_attempts: Dict[Optional[int], List[Moment]] = {}
        self._latest: Dict[Optional[int], List[Moment]] = {}

    def silence_after(self, pace: Pace) -> Optional[float]:
        """Tell how long after the last step of a writer something was written."""
        if pace.moment is None:
            return None
        attempt = pace.writer.attempt
        if attempt not in self._latest:
            moments = [at for number, at in self._times if may_be_same_attempt(number, attempt)]
            self._of_attempts[attempt], self._latest[attempt] = moments, _latest_of(moments)
        # Without a year the latest is not known to be the one that is farthest away.
        by_year = timeline(pace.moment)[0] != "yearless"
        moments = (self._latest if by_year else self._of_attempts)[attempt]
        gaps = (moment_gap(pace.moment, moment) for moment in moments)
        return max((gap for gap in gaps if gap is not None), default=None)


def _latest_of(moments: Sequence[Moment]) -> List[Moment]:
    latest: Dict[str, Moment] = {}
    yearless: List[Moment] = []
    for moment in moments:
        axis, at = timeline(moment)
        known = latest.get(axis)
        if axis == "yearless":
            yearless.append(moment)
        elif moment.precision != NOT_BEFORE and (known is None or at > timeline(known)[1]):
            latest[axis] = moment
    return [*latest.values(), *yearless]


def pace_rows(report: Report) -> List[TextRow]:
    """Tell stalls and slow steps in rows."""
    texts = pace_texts(report)
    return [("plain", row) for text in texts for row in wrap_text(text, "  ", "    ")]


def pace_texts(report: Report) -> List[str]:
    """Tell stalls and slow steps, those of ranks that are alike together."""
    groups: Dict[Tuple[object, ...], Packer[ToldPace]] = {}
    for told in told_paces(report):
        if told.stalled or told.slowed:
            groups.setdefault(_alike_key(told), Packer()).add(told)
    alike = {key: group.packed() for key, group in groups.items()}
    texts = [_pace_text(group) for _, group in sorted(alike.items(), key=_pace_order)]
    if len(texts) > _MOST_PACES:
        left = len(texts) - _MOST_PACES
        texts = [*texts[:_MOST_PACES], "and {} more (--format json has all)".format(left)]
    return texts


def _alike_key(told: ToldPace) -> Tuple[object, ...]:
    pace = told.pace
    ranked = pace.writer.rank is not None
    named = "" if ranked else pace.path
    return pace.writer.attempt, named, pace.first_step, pace.step, told.stalled, told.slowed


def _pace_order(group: Tuple[Tuple[object, ...], Sequence[ToldPace]]) -> Tuple[int, int, str, int]:
    pace = group[1][0].pace
    rank = pace.writer.rank
    return pace.step, -1 if rank is None else rank, pace.path, pace.number


def _pace_text(group: Sequence[ToldPace]) -> str:
    first = group[0].pace
    usual = _middle_of([told.pace.seconds for told in group])
    ranks = [told.pace.writer.rank for told in group if told.pace.writer.rank is not None]
    text = "{}: steps {:,}-{:,}, usually {} a step".format(
        ranks_phrase(ranks) if ranks else first.path,
        first.first_step,
        first.step,
        duration_text(usual),
    )
    if group[0].slowed:
        latest = _middle_of([told.pace.latest for told in group])
        text += ", but {} in the last five".format(duration_text(latest))
    if group[0].stalled:
        silence = _middle_of([told.silence for told in group])
        text += "; then none in the {} until the last line{}".format(
            duration_text(silence), "" if first.writer.attempt is None else " of the attempt"
        )
    return text


def _middle_of(values: Sequence[Optional[float]]) -> float:
    known = sorted(value for value in values if value is not None)
    return known[len(known) // 2] if known else 0.0


def duration_text(seconds: float) -> str:
    """Say a duration no finer than matters: `41 min`, `3.1 s`, `2 h 5 min`."""
    if seconds < 100:
        return "{:.2g} s".format(seconds) if seconds < 10 else "{:.0f} s".format(seconds)
    minutes = int(seconds / 60 + 0.5)
    if minutes < 100:
        return "{} min".format(minutes)
    hours, left = divmod(minutes, 60)
    return "{:,} h".format(hours) + (" {} min".format(left) if left else "")


def json_pace(told: ToldPace) -> Dict[str, Any]:
    """Tell the pace of one writer in the JSON report; seconds to the millisecond."""
    pace = told.pace
    return {
        "path": pace.path,
        "line": pace.number,
        "rank": pace.writer.rank,
        "host": pace.writer.host,
        "attempt": pace.writer.attempt,
        "first_step": pace.first_step,
        "last_step": pace.step,
        "last_time": moment_text(pace.moment),
        "usual_seconds": _rounded(pace.seconds),
        "pauses": pace.pauses,
        "latest_seconds": _rounded(pace.latest),
        "silent_seconds": _rounded(told.silence),
        "stalled": told.stalled,
        "slowed": told.slowed,
    }


def _rounded(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else round(seconds, 3)
