"""Signs of a series of numbers: samples enter; where a writer's series does so leaves."""

import math
from typing import Any, Callable, Dict, List, Optional, Tuple

from checker.match.comparisons import compare_values
from checker.match.scene import Scene
from checker.match.signs_text import SignCase, make_sighting
from checker.model import Rule, Sample, Sighting, Sign, Truth

Point = Tuple[Sample, float]

# A spike is a value of this many times the median of up to so many values before it.
_SPIKE_FACTOR = 5.0
_SPIKE_MEMORY = 20
# So many good samples at the end of a series show that it is good again.
_GOOD_AGAIN = 2


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
    return [flag and _companions_fit(sign, point[0]) for flag, point in zip(flags, points)]


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


def _companions_fit(sign: Sign, sample: Sample) -> bool:
    named = {name.lower(): value for name, value in sample.values}
    return all(compare_values(text, named.get) for text in sign["with"])


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
    return "a series of '{}' that is {}{} {} times".format(
        sign["metric"], sign["is"], limit, sign["for"]
    )
