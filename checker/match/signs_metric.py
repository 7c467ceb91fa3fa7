"""Signs of a series of numbers: samples enter; where a writer's series does so leaves."""

import math
from itertools import groupby
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from checker.judgement import Truth
from checker.lazy_patterns import lazy_pattern
from checker.match.scene import Scene
from checker.match.signs_text import SignCase, make_sighting
from checker.model import LeftOut, Rule, Sample, Sighting, Sign
from checker.packed import Packer
from checker.scan.metric_asks import SPIKE_FACTOR, SPIKE_MEMORY

Point = Tuple[Sample, float]
# No path stands behind it.
_AFTER_ALL = "\U0010ffff"

# And it lies outside of the noise: so many times the median distance from that median.
_SPIKE_NOISE = 8.0
_FEWEST_BEFORE_SPIKE = 5
# So many good samples at the end of a series show that it is good again.
GOOD_AGAIN = 2
_COMPANION = lazy_pattern(
    r"\s*([A-Za-z_][\w/. ()%-]{0,80}?)\s*"
    r"(?:\bis\s+(nonfinite|finite)|(>=|<=|==|!=|<|>)\s*([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?))\s*$"
)


class Companion(NamedTuple):
    """A condition on another metric of the same record."""

    metric: str
    operator: str
    """`finite`, `nonfinite`, or a sign that compares."""
    limit: float


def companion_of(text: str) -> Optional[Companion]:
    """Read `loss == 0` or `grad_norm is nonfinite`; None where it is neither."""
    found = _COMPANION.match(text)
    if found is None:
        return None
    metric, kind, operator, limit = found.groups()
    return Companion(metric, kind or operator, float(limit or 0))


def judge_metric(case: SignCase) -> Truth:
    """Look for the series of each writer that do so for as many samples as asked for."""
    found: Packer[Sighting] = Packer()
    printed = False
    for series in _all_series(case.scene, case.sign["metric"]):
        printed = True
        sighting = _first_run(case, series)
        if sighting is not None:
            found.add(sighting)
    if not printed:
        return Truth(None, (), "no values of '{}' were printed".format(case.sign["metric"]))
    return Truth(bool(found), found.packed(), "" if found else "the series does not do so")


class Series(NamedTuple):
    """The values of one metric that one writer printed in one attempt."""

    points: List[Point]
    begins: List[bool]
    """Whether values that show nothing were left out before the value, or nothing is before it."""
    whole: int
    """From this one on, values that may show something were left out; else their number."""


def _all_series(scene: Scene, name: str) -> Iterable[Series]:
    """List the series of a metric, in the order of files, ranks and attempts."""
    seen = scene.observations
    no_gaps: Iterator[LeftOut] = iter(())
    gaps = groupby(seen.left_out, lambda gap: gap.path)
    at, own = "", no_gaps
    for path, samples in groupby(seen.samples, lambda sample: sample.line.path):
        while at < path:
            at, own = next(gaps, (_AFTER_ALL, no_gaps))
        left_out = [gap for gap in own if name in gap.names] if at == path else []
        points = _points_in_file(samples, name)
        yield from (_in_parts(points[key], left_out) for key in sorted(points))


def _points_in_file(samples: Iterable[Sample], name: str) -> Dict[Tuple[int, int], List[Point]]:
    points: Dict[Tuple[int, int], List[Point]] = {}
    for sample in samples:
        for metric, value in sample.values:
            if metric == name:
                writer = sample.line.writer
                rank = -1 if writer.rank is None else writer.rank
                key = (rank, -1 if writer.attempt is None else writer.attempt)
                points.setdefault(key, []).append((sample, value))
    return points


def _in_parts(points: List[Point], gaps: List[LeftOut]) -> Series:
    """Find where values were left out of a series of a file with these gaps."""
    writer = points[0][0].line.writer
    own = [gap for gap in gaps if gap.writer is None or gap.writer[:3] == writer[:3]]
    own.sort(key=lambda gap: gap.first)
    begins, whole, at = [True], len(points), 0
    for index in range(1, len(points)):
        before, number = points[index - 1][0].line.number, points[index][0].line.number
        between = False
        while at < len(own) and own[at].last <= before:
            at += 1
        for gap in own[at:]:
            if gap.first >= number:
                break
            between = True
            whole = min(whole, index) if gap.telling else whole
        begins.append(between)
    return Series(points, begins, whole)


def _first_run(case: SignCase, series: Series) -> Optional[Sighting]:
    """Find the first sample from which on the series does so for long enough."""
    sign = case.sign
    flags = _point_flags(sign, series)
    needed, window = sign["for"], sign["of"] or sign["for"]
    start = recent = 0
    for end, flag in enumerate(flags):
        if series.begins[end]:
            start, recent = end, 0
        if end - start >= window:
            recent -= flags[start]
            start += 1
        recent += flag
        if flag and recent >= needed:
            first = flags.index(True, start)
            exact = series.whole == len(flags)
            return _point_sighting(case, series.points[first], sum(flags[first:]), exact)
    return None


def _point_flags(sign: Sign, series: Series) -> List[bool]:
    flags = _flags(sign, [value for _, value in series.points])
    if sign["is"] in _BETWEEN:
        flags = [flag and not begins for flag, begins in zip(flags, series.begins)]
    companions = [companion_of(text) for text in sign["with"]]
    return [
        flag and _companions_fit(companions, point[0]) for flag, point in zip(flags, series.points)
    ]


def healing_sightings(rule: Rule, scene: Scene) -> Sequence[Sighting]:
    """List where the series of a rule's metric signs are good again, after they were not."""
    found: Packer[Sighting] = Packer()
    for name, sign in sorted(rule["signs"].items()):
        if sign["kind"] != "metric":
            continue
        case = SignCase(name, sign, scene, False, {})
        for series in _all_series(scene, sign["metric"]):
            flags = _point_flags(sign, series)
            good = flags[::-1].index(True) if True in flags else 0
            if good >= GOOD_AGAIN:
                found.add(
                    _point_sighting(case, series.points[-1], good, not any(series.begins[-good:]))
                )
    return found.packed()


def _point_sighting(case: SignCase, point: Point, times: int, exact: bool) -> Sighting:
    sample, value = point
    values: Dict[str, Any] = {**dict(sample.values), "value": value}
    if sample.step is not None:
        values["step"] = sample.step
    return make_sighting(
        case, sample.line, sample.line.text.strip(), values, times=times, exact=exact
    )


def _companions_fit(companions: Sequence[Optional[Companion]], sample: Sample) -> bool:
    named = {name.lower(): value for name, value in sample.values}
    named.update(sample.values)
    return all(companion is not None and _fits(companion, named) for companion in companions)


def _fits(companion: Companion, named: Dict[str, float]) -> bool:
    value = named.get(companion.metric)
    return value is not None and _OPERATORS[companion.operator](value, companion.limit)


def _flags(sign: Sign, values: List[float]) -> List[bool]:
    """Tell of every value whether the series does so there."""
    alone = _ALONE.get(sign["is"])
    if alone is not None:
        return [alone(value, sign["value"]) for value in values]
    if sign["is"] == "spike":
        return [_is_spike(values, index) for index in range(len(values))]
    step = _BETWEEN[sign["is"]]
    return [index > 0 and step(values[index - 1], value) for index, value in enumerate(values)]


_ALONE: Dict[str, Callable[[float, Any], bool]] = {
    "nonfinite": lambda value, _: not math.isfinite(value),
    "zero": lambda value, _: value == 0,
    "equals": lambda value, limit: bool(value == limit),
    "above": lambda value, limit: limit is not None and bool(value > limit),
    "below": lambda value, limit: limit is not None and bool(value < limit),
}
_OPERATORS: Dict[str, Callable[[float, float], bool]] = {
    "finite": lambda value, _: math.isfinite(value),
    "nonfinite": lambda value, _: not math.isfinite(value),
    ">=": lambda value, limit: value >= limit,
    "<=": lambda value, limit: value <= limit,
    ">": lambda value, limit: value > limit,
    "<": lambda value, limit: value < limit,
    "==": lambda value, limit: value == limit,
    "!=": lambda value, limit: value != limit,
}
_BETWEEN: Dict[str, Callable[[float, float], bool]] = {
    "constant": lambda before, value: before == value,
    "rising": lambda before, value: value > before,
    "falling": lambda before, value: value < before,
}


def _is_spike(values: List[float], index: int) -> bool:
    """Tell whether the series left its range there, and not for one noisy step only."""
    before = values[max(0, index - SPIKE_MEMORY) : index]
    recent = sorted(old for old in before if math.isfinite(old))
    if len(recent) < _FEWEST_BEFORE_SPIKE:
        return False
    middle, upper = recent[len(recent) // 2], recent[3 * len(recent) // 4]
    noise = sorted(abs(old - middle) for old in recent)[len(recent) // 2]
    limit = max(SPIKE_FACTOR * middle, middle + _SPIKE_NOISE * noise, 2 * upper)
    high = [limit < value < math.inf for value in values[index : index + 3]]
    return middle > 0 and high[0] and any(high[1:])


def words_metric(sign: Sign) -> str:
    """Name a behavior of a series that is looked for."""
    limit = "" if sign["value"] is None else " {}".format(sign["value"])
    often = "once" if sign["for"] == 1 else "{} times".format(sign["for"])
    among = " among {}".format(sign["of"]) if sign["of"] else ""
    beside = " while {}".format(" and ".join(sign["with"])) if sign["with"] else ""
    return "a series of '{}' that is {}{} {}{}{}".format(
        sign["metric"], sign["is"], limit, often, among, beside
    )
