"""Why a condition does not hold: a condition and its verdict enter, words for a person leave."""

from typing import Any, Callable, Dict, List, Optional, Tuple

from checker.match.comparisons import compared_names
from checker.match.conditions import Chosen, Condition, capture_of
from checker.match.keys import key_value
from checker.model import Sighting
from checker.scan.moments import timeline

# What a condition looked at: a name, and what was found under it.
LookedAt = Tuple[str, Any]


def verdict_in_words(condition: Condition, verdict: Optional[bool], chosen: Chosen) -> str:
    """Say what a condition looked at, and what of it is not known; nothing where it holds."""
    if verdict:
        return ""
    kind = next(kind for kind in _LOOKS if kind in condition)
    seen = _LOOKS[kind](condition, chosen)
    unknown = [name for name, value in seen if value is None]
    if verdict is None and unknown:
        return "not known: {}".format(", ".join(unknown))
    known = ["{} is {}".format(name, value) for name, value in seen if value is not None]
    if verdict is None:
        return _order_in_words(condition, chosen) if kind == "order" else "that cannot be told"
    return ", ".join(known) or "it is not so"


def _look_compare(condition: Condition, chosen: Chosen) -> List[LookedAt]:
    names = compared_names(condition["compare"])
    return [(name, capture_of(chosen.binding, name)) for name in names]


def _look_same(condition: Condition, chosen: Chosen) -> List[LookedAt]:
    return [
        ("the {} of '{}'".format(key, name), _plain_key(key, sighting))
        for key in (*condition["same"], *condition["differ"])
        for name, sighting in sorted(chosen.binding.items())
    ]


def _plain_key(key: str, sighting: Sighting) -> Any:
    value = key_value(key, sighting)
    if key == "writer" and value is not None:
        return value[0]
    return value


def _look_order(condition: Condition, chosen: Chosen) -> List[LookedAt]:
    absent = [name for name in condition["order"] if name not in chosen.binding]
    untimed = [
        name
        for name in condition["order"]
        if name in chosen.binding and chosen.binding[name].onset is None
    ]
    return [
        *(("'{}'".format(name), None) for name in absent),
        *(("the time of '{}'".format(name), None) for name in untimed),
    ]


def _order_in_words(condition: Condition, chosen: Chosen) -> str:
    moments = [chosen.binding[name].onset for name in condition["order"]]
    clocks = {timeline(moment)[0] for moment in moments if moment is not None}
    if len(clocks) > 1:
        return "nothing ties their clocks; times that are printed with their zone can be compared"
    return "the times do not tell"


def _look_count(condition: Condition, chosen: Chosen) -> List[LookedAt]:
    pool = chosen.pool(condition["count"])
    number = sum(sighting.times for sighting in pool)
    return [("how often '{}' was seen".format(condition["count"]), number)]


def _look_ranks(condition: Condition, chosen: Chosen) -> List[LookedAt]:
    ranks = {s.rank for s in chosen.pool(condition["of"]) if s.rank is not None}
    world = chosen.scene.observations.world_size
    return [
        ("the number of ranks with '{}'".format(condition["of"]), len(ranks)),
        ("the size of the world", world or None),
    ]


_LOOKS: Dict[str, Callable[[Condition, Chosen], List[LookedAt]]] = {
    "compare": _look_compare,
    "order": _look_order,
    "same": _look_same,
    "count": _look_count,
    "ranks": _look_ranks,
}
