"""How fast writers count. Metric records enter; the usual pause between two steps leaves."""

from itertools import groupby
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.model import Moment, Sample, Writer
from checker.packed import packed_records, sorted_records
from checker.scan.metrics import BAR_SECONDS

# Of fewer pauses nothing usual can be said.
_FEWEST_PAUSES = 3
# So many last ones are compared with those before; fewer before them would not be usual.
_LATEST_PAUSES = 5
_FEWEST_BEFORE = 10
# A counter stands still only after a silence of so many usual pauses, and of at least a minute.
MANY_PAUSES = 10
SHORTEST_SILENCE = 60.0


def standstill(usual: float) -> float:
    """Tell how long a counter may be silent whose usual pause is known before it stands still."""
    return max(SHORTEST_SILENCE, MANY_PAUSES * usual)


class Pace(NamedTuple):
    """The pace of one writer in one attempt: steps came every so many seconds."""

    path: str
    writer: Writer
    seconds: Optional[float]
    """The median time from one step to the next; None where it is not known."""
    pauses: int
    """How many pauses it is the median of."""
    latest: Optional[float]
    """The median of the last five pauses, where the usual one is that of many before them."""
    first_step: int
    step: int
    """The last one."""
    number: int
    """Its line."""
    moment: Optional[Moment]
    """When it was printed."""


def paces_of(samples: Iterable[Sample]) -> Sequence[Pace]:
    """Tell the pace of every writer that counts steps, by path and line."""
    paces = packed_records(
        _pace_of(path, writer, steps) for path, writer, steps in _steps_by_writer(samples)
    )
    return sorted_records(paces, lambda pace: (pace.path, pace.number))


def _steps_by_writer(samples: Iterable[Sample]) -> Iterable[Tuple[str, Writer, List[Sample]]]:
    """List file after file who counts steps in it; records of a file follow each other."""
    for path, own in groupby(samples, lambda sample: sample.line.path):
        counted: Dict[Writer, List[Sample]] = {}
        for sample in own:
            if sample.step is not None:
                counted.setdefault(sample.line.writer, []).append(sample)
        for writer, steps in counted.items():
            yield path, writer, steps


def _pace_of(path: str, writer: Writer, samples: List[Sample]) -> Pace:
    ordered = sorted(samples, key=lambda sample: sample.line.number)
    pauses = _pauses([_clocked(sample) for sample in ordered])
    if len(pauses) < _FEWEST_PAUSES:
        # A bar shows the time since its beginning, where lines have none.
        pauses = _pauses([_by_bar(sample) for sample in ordered])
    last, latest = ordered[-1], None
    if len(pauses) >= _FEWEST_BEFORE + _LATEST_PAUSES:
        pauses, tail = pauses[:-_LATEST_PAUSES], pauses[-_LATEST_PAUSES:]
        latest = median_of(tail)
    usual = median_of(pauses) if len(pauses) >= _FEWEST_PAUSES else None
    first_step, step = ordered[0].step, last.step
    assert first_step is not None
    assert step is not None
    line = last.line
    return Pace(
        path, writer, usual, len(pauses), latest, first_step, step, line.number, line.moment
    )


def median_of(pauses: Iterable[float]) -> float:
    """Return the middle one of pauses, of which there is at least one."""
    pauses = list(pauses)
    return sorted(pauses)[len(pauses) // 2]


def usual_gap(samples: Iterable[Sample]) -> Optional[float]:
    """Tell how often the busiest writer prints a record; None where nothing usual is known."""
    usual = []
    for _, own in groupby(samples, lambda sample: sample.line.path):
        printed: Dict[Writer, List[float]] = {}
        for sample in own:
            if sample.line.moment is not None:
                times = printed.setdefault(sample.line.writer, [])
                times.append(sample.line.moment.seconds)
        for times in printed.values():
            gaps = [after - one for one, after in zip(times, times[1:])]
            if len(gaps) >= _FEWEST_PAUSES:
                usual.append(median_of(gaps))
    return min(usual, default=None)


class _Tick(NamedTuple):
    """A step and its time on a clock that other ticks share."""

    clock: str
    seconds: float
    step: int


def _clocked(sample: Sample) -> Optional[_Tick]:
    moment = sample.line.moment
    if moment is None or sample.step is None:
        return None
    return _Tick(moment.clock, moment.seconds, sample.step)


def _by_bar(sample: Sample) -> Optional[_Tick]:
    values = dict(sample.values)
    if BAR_SECONDS not in values or sample.step is None:
        return None
    return _Tick("bar of {:.0f}".format(values["bar_total"]), values[BAR_SECONDS], sample.step)


def _pauses(ticks: Sequence[Optional[_Tick]]) -> List[float]:
    """List the seconds a step, from each tick to the next one that counts on."""
    pauses: List[float] = []
    before: Optional[_Tick] = None
    for tick in ticks:
        if tick is None or (before is not None and before.step == tick.step):
            continue
        if before is not None and before.clock == tick.clock and tick.step > before.step:
            passed = tick.seconds - before.seconds
            if passed >= 0:
                pauses.append(passed / (tick.step - before.step))
        before = tick
    return pauses
