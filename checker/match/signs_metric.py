"""Signs of a series of numbers: samples enter; where a writer's series does so leaves."""

import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.match.scene import Scene
from checker.match.signs_text import SignCase, make_sighting
from checker.model import Rule, Sample, Sighting, Sign, Truth

Point = Tuple[Sample, float]

# A spike is a value of this many times the median of up to so many values before it.
_SPIKE_FACTOR = 5.0
_SPIKE_MEMORY = 20
# So many good samples at the end of a series show that it is good again.
_GOOD_AGAIN = 2
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
    series = _series(case.scene, case.sign["metric"])
    if not series:
        return Truth(None, (), "no values of '{}' were printed".format(case.sign["metric"]))
    found = [_first_run(case, points) for _, points in sorted(series.items())]
    sightings = tuple(sighting for sighting in found if sighting is not None)
    return Truth(bool(sightings), sightings, "" if sightings else "the series does not do so")


def _series(scene: Scene, name: str) -> Dict[Tuple[Any, ...], List[Point]]:
    series: Dict[Tuple[Any, ...], List[Point]] = {}
    for sample in scene.observations.samples:
        for metric, value in sample.values:
            if metric == name:
                writer = sample.line.writer
                key = (
                    sample.line.path,
                    -1 if writer.rank is None else writer.rank,
                    -1 if writer.attempt is None else writer.attempt,
                )
                series.setdefault(key, []).append((sample, value))
    return series


def _first_run(case: SignCase, points: List[Point]) -> Optional[Sighting]:
    """Find the first sample from which on the series does so for long enough."""
    sign = case.sign
    flags = _point_flags(sign, points)
    needed, window = sign["for"], sign["of"] or sign["for"]
    for end in range(len(flags)):
        recent = flags[max(0, end - window + 1) : end + 1]
        if flags[end] and sum(recent) >= needed:
            first = end - len(recent) + 1 + recent.index(True)
            return _point_sighting(case, points[first], sum(flags[first:]))
    return None


def _point_flags(sign: Sign, points: List[Point]) -> List[bool]:
    flags = _flags(sign, [value for _, value in points])
    companions = [companion_of(text) for text in sign["with"]]
    return [flag and _companions_fit(companions, point[0]) for flag, point in zip(flags, points)]


def healing_sightings(rule: Rule, scene: Scene) -> Tuple[Sighting, ...]:
    """List where the series of a rule's metric signs are good again, after they were not."""
    found: List[Sighting] = []
    for name, sign in sorted(rule["signs"].items()):
        if sign["kind"] != "metric":
            continue
        case = SignCase(name, sign, scene, False, {})
        for _, points in sorted(_series(scene, sign["metric"]).items()):
            flags = _point_flags(sign, points)
            good = flags[::-1].index(True) if True in flags else 0
            if good >= _GOOD_AGAIN:
                found.append(_point_sighting(case, points[-1], good))
    return tuple(found)


def _point_sighting(case: SignCase, point: Point, times: int) -> Sighting:
    sample, value = point
    values: Dict[str, Any] = {**dict(sample.values), "value": value}
    if sample.step is not None:
        values["step"] = sample.step
    return make_sighting(case, sample.line, sample.line.text.strip(), values, times=times)


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
        return [_is_spike(value, values[:index]) for index, value in enumerate(values)]
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


def _is_spike(value: float, before: List[float]) -> bool:
    recent = sorted(old for old in before[-_SPIKE_MEMORY:] if math.isfinite(old))
    if len(recent) < 3 or not math.isfinite(value):
        return False
    median = recent[len(recent) // 2]
    return median > 0 and value > _SPIKE_FACTOR * median


def words_metric(sign: Sign) -> str:
    """Name a behavior of a series that is looked for."""
    limit = "" if sign["value"] is None else " {}".format(sign["value"])
    often = "once" if sign["for"] == 1 else "{} times".format(sign["for"])
    among = " among {}".format(sign["of"]) if sign["of"] else ""
    beside = " while {}".format(" and ".join(sign["with"])) if sign["with"] else ""
    return "a series of '{}' that is {}{} {}{}{}".format(
        sign["metric"], sign["is"], limit, often, among, beside
    )
