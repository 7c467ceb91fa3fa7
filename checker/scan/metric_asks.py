"""What signs ask of metrics. Keys of the catalogue enter; whether values may answer leaves.

Every judgment here errs on one side: values that no sign could be true of are told for certain,
others may turn out to be nothing when their records are read.
"""

import math
from typing import Callable, Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Sign
from checker.scan.metrics import metric_literals

_KEY = lazy_pattern(r"series (.{1,200}) is ([a-z]{1,20})(?: (\S{1,40}))?$")
# A spike is a value of this many times the median of up to so many values before it.
SPIKE_FACTOR = 5.0
SPIKE_MEMORY = 20
# Numbers that repeat oftener are always read: a block may hold only part of a long row of them.
_MOST_EQUAL = 8


class MetricAsk(NamedTuple):
    """What a sign asks of a series."""

    behavior: str
    """`is` of the sign, or `any` where the values themselves are asked for."""
    limit: float
    """What values are compared with; for `constant`, how many equal pairs a series needs."""


ANY = MetricAsk("any", 0.0)
_OF_ONE_VALUE = ("nonfinite", "zero", "equals", "above", "below")
Numbers = Sequence[float]
MetricAsks = Dict[str, FrozenSet[MetricAsk]]


def asked_key(sign: Sign) -> str:
    """Name the catalogue key of what a sign asks of its metric."""
    behavior, limit = sign["is"], sign["value"]
    if behavior == "constant":
        # Pairs that are not in a row may be of different values.
        limit = 1 if sign["of"] else min(sign["for"], _MOST_EQUAL)
    key = "series {} is {}".format(sign["metric"], behavior)
    return key if limit is None else "{} {!r}".format(key, limit)


def asks_of(keys: Iterable[str]) -> MetricAsks:
    """List what is asked of each metric, by the names as they may be written."""
    found: Dict[str, List[MetricAsk]] = {}
    metrics = []
    for key in keys:
        if key.startswith("metric "):
            metrics.append(key)
        elif key.startswith("series "):
            parts = _KEY.match(key)
            if parts is not None:
                name, behavior, limit = parts.groups()
                found.setdefault(name, []).append(MetricAsk(behavior, float(limit or 0)))
    asks = {}
    for key in metrics:
        name = key[len("metric ") :]
        for written in metric_literals([key]):
            asks[written] = frozenset(found.get(name, [ANY]))
    return asks


def may_answer(ask: MetricAsk, values: Numbers, before: Numbers) -> bool:
    """Tell whether a sign may be true of values of any writers, given some from before them."""
    judge = _MAY_ANSWER.get(ask.behavior)
    return bool(values) and (judge is None or judge(ask.limit, values, before))


def tells_alone(asks: MetricAsks, values: Iterable[Tuple[str, float]]) -> bool:
    """Tell whether a sign may be true of one record, whatever is around it."""
    return any(
        may_answer(ask, (value,), ())
        for name, value in values
        for ask in asks.get(name, ())
        if ask.behavior in _OF_ONE_VALUE
    )


def _repeats(times: int, values: Numbers, before: Numbers) -> bool:
    """Tell whether any value comes more often than so many times."""
    every = [*before, *values]
    if len(every) - len(set(every)) < times:
        return False
    counts: Dict[float, int] = {}
    for value in every:
        counts[value] = counts.get(value, 0) + 1
    return max(counts.values()) > times


def _rises_far(values: Numbers, before: Numbers) -> bool:
    """Tell whether any value is far above any other, which a median of them may be."""
    positive = [value for value in (*before, *values) if 0 < value < math.inf]
    return bool(positive) and max(positive) > SPIKE_FACTOR * min(positive)


_Judge = Callable[[float, Numbers, Numbers], bool]
_MAY_ANSWER: Dict[str, _Judge] = {
    "nonfinite": lambda limit, values, before: not math.isfinite(sum(values)),
    "zero": lambda limit, values, before: 0.0 in values,
    "equals": lambda limit, values, before: limit in values,
    "above": lambda limit, values, before: any(value > limit for value in values),
    "below": lambda limit, values, before: any(value < limit for value in values),
    "constant": lambda limit, values, before: _repeats(int(limit), values, before),
    "spike": lambda limit, values, before: _rises_far(values, before),
}
"""Other behaviors may be those of any values."""


def numbers_in(tokens: Iterable[bytes]) -> Tuple[float, ...]:
    """Convert what stands where a number may stand; what is none is left out."""
    try:
        return tuple(map(float, tokens))
    except ValueError:
        numbers = [_number_in(token) for token in tokens]
        return tuple([number for number in numbers if number is not None])


def _number_in(token: bytes) -> Optional[float]:
    """Convert one; bars print `nan.0`."""
    text = token.replace(b",", b"")
    whole = text[:-2] if text.endswith(b".0") and not text[:1].isdigit() else text
    try:
        return float(whole)
    except ValueError:
        return None
