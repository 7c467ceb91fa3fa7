"""Signs of a counter: samples enter; which writers' counters move, stopped or finished leaves."""

from itertools import chain, groupby
from typing import Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from checker.judgement import Truth
from checker.match.elapsed import ended_from_outside, lines_left, seconds_after
from checker.match.lifetimes import recorded_lines
from checker.match.living import exits_of
from checker.match.pace import MANY_PAUSES, SHORTEST_SILENCE, standstill
from checker.match.processes import same_writer
from checker.match.scene import Scene
from checker.match.signs_text import SignCase, make_sighting
from checker.model import HOST_SOURCES, Line, Sample, Sighting, Sign, Writer
from checker.packed import Packer
from checker.scan.readers import COMPLETED

# A counter without times stands still after so many more lines of its writer.
_FEWEST_LINES = 200


class Counter(NamedTuple):
    """The values that one writer counted in one attempt."""

    samples: Tuple[Sample, ...]
    values: Tuple[float, ...]
    total: Optional[float]


def judge_progress(case: SignCase) -> Truth:
    """Look for writers whose counter does so."""
    counters = counters_of(case.scene, case.sign["of"])
    wanted = case.sign["progress"]
    if wanted == "none_yet":
        return _judge_none_yet(case, counters)
    states: Set[Optional[str]] = set()
    found: Packer[Sighting] = Packer()
    for counter in counters:
        state = _state_of(counter, case.scene)
        states.add(state)
        if state == wanted:
            found.add(_counter_sighting(case, counter))
    if found:
        return Truth(True, found.packed(), "")
    if not states:
        return Truth(None, (), "no {} counter was printed".format(case.sign["of"]))
    if None in states or any({state, wanted} == {"moving", "stopped"} for state in states):
        return Truth(None, (), "the log does not show whether the counter went on")
    return Truth(False, (), "the counter does not do so")


def counters_of(scene: Scene, of: str) -> Iterable[Counter]:
    """List the counters of all writers; two runs in one file have none that is known."""
    for path, samples in groupby(scene.observations.samples, lambda sample: sample.line.path):
        if path not in scene.observations.mixed:
            yield from _counters_in_file(samples, of)


def _counters_in_file(samples: Iterable[Sample], of: str) -> List[Counter]:
    series: Dict[Writer, List[Tuple[Sample, float]]] = {}
    totals: Dict[Writer, float] = {}
    for sample in samples:
        key = sample.line.writer
        values = dict(sample.values)
        if "bar_total" in values:
            totals[key] = values["bar_total"]
        value = _counted(sample, values, of)
        if value is not None:
            series.setdefault(key, []).append((sample, value))
    return [
        Counter(
            tuple(sample for sample, _ in points),
            tuple(value for _, value in points),
            totals.get(key) if of != "epoch" else None,
        )
        for key, points in series.items()
    ]


def _counted(sample: Sample, values: Dict[str, float], of: str) -> Optional[float]:
    if of == "step":
        return None if sample.step is None else float(sample.step)
    return values.get(of)


def _state_of(counter: Counter, scene: Scene) -> Optional[str]:
    """Tell what a counter does at the end of what was read; None where nothing tells."""
    last = counter.samples[-1].line
    if counter.values[-1] == counter.total or ended_regularly(last, scene):
        return "finished"
    if _stands_still(counter, scene):
        return "stopped"
    rising = len(counter.values) > 1 and counter.values[-1] > counter.values[-2]
    return "moving" if rising and not exits_of(scene, last) else None


def ended_regularly(line: Line, scene: Scene) -> bool:
    """Tell whether the process that wrote a line ended well after it, or said that it was done."""
    ends = exits_of(scene, line)
    if ends:
        return all(ended.signal is None and ended.code == 0 for ended in ends)
    return any(
        fact.line is not None and same_writer(fact.line, line) and fact.line.number > line.number
        for fact in scene.facts.get(COMPLETED, ())
    )


def _stands_still(counter: Counter, scene: Scene) -> bool:
    """Tell whether more time passed after the last value than between the values before."""
    last = counter.samples[-1].line
    if ended_from_outside(last, scene):
        return True
    times = [s.line.moment.seconds for s in counter.samples if s.line.moment is not None]
    pauses = [after - before for before, after in zip(times, times[1:])]
    if seconds_after(last, scene) > standstill(_middle(pauses)):
        return True
    lines = [float(sample.line.number) for sample in counter.samples]
    gaps = [after - before for before, after in zip(lines, lines[1:])]
    if last.moment is not None or not _writes_alone(last, scene):
        return False
    return (lines_left(scene, last) or 0) > max(_FEWEST_LINES, MANY_PAUSES * _middle(gaps))


def _middle(values: List[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0


def _writes_alone(line: Line, scene: Scene) -> bool:
    given = next((g for g in scene.observations.inputs if g.path == line.path), None)
    return given is not None and given.rank is not None


def _judge_none_yet(case: SignCase, counters: Iterable[Counter]) -> Truth:
    """Look for an attempt that lasted without any value of the counter."""
    scene = case.scene
    last = scene.attempts[-1]
    if any(counter.samples[0].line.writer.attempt in (None, last) for counter in counters):
        return Truth(False, (), "the counter was printed")
    first = _first_line(scene, last)
    if first is None:
        return Truth(None, (), "nothing shows that the process started")
    if seconds_after(first, scene) <= SHORTEST_SILENCE and not ended_from_outside(first, scene):
        return Truth(None, (), "the log does not show that the time passed")
    return Truth(True, (make_sighting(case, first, first.text.strip(), {}),), "")


def _first_line(scene: Scene, attempt: Optional[int]) -> Optional[Line]:
    """Find the first line that is kept of a rank or launcher, the earliest where times tell."""
    seen = scene.observations
    lines = (
        line
        for line in recorded_lines(seen)
        if line.writer.source not in HOST_SOURCES and line.writer.attempt in (None, attempt)
    )
    return min(
        chain(lines, (fact.line for fact in seen.facts if fact.line is not None)),
        key=lambda line: (line.moment is None, line.moment or (0.0,), line.path, line.number),
        default=None,
    )


def _counter_sighting(case: SignCase, counter: Counter) -> Sighting:
    sample, value = counter.samples[-1], counter.values[-1]
    values = {case.sign["of"]: value, "value": value}
    return make_sighting(case, sample.line, sample.line.text.strip(), values)


def words_progress(sign: Sign) -> str:
    """Name what a counter does that is looked for."""
    return "a {} counter that is {}".format(sign["of"], sign["progress"].replace("_", " "))
