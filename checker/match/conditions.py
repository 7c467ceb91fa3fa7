"""Conditions of a signature: sightings chosen for its signs enter; true, false, unknown leave.

A condition is unknown (None) where a capture, a key or a time that it needs is not there.
"""

from itertools import combinations
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence

from checker.match.comparisons import all_of, compare_values
from checker.match.counting import judge_count
from checker.match.homes import known_host
from checker.match.keys import key_value
from checker.match.living import samples_after
from checker.match.onset import AFTER, BEFORE, compare_onsets
from checker.match.scene import Scene, attempt_of
from checker.match.ties import SAME_DEATH
from checker.match.values import span_of
from checker.model import Sighting
from checker.scan.moments import moment_gap

Condition = Dict[str, Any]
# These tell of the host on which they are.
_OF_THEIR_HOST = ("rank", "unknown", "kernel")


class Chosen(NamedTuple):
    """What conditions are asked of."""

    scene: Scene
    binding: Dict[str, Sighting]
    """Sign name to the sighting chosen for it."""
    pool: Callable[[str], Sequence[Sighting]]
    """Lists all sightings of a sign in the attempt."""


def judge_condition(condition: Condition, chosen: Chosen) -> Optional[bool]:
    """Judge one condition."""
    return _condition_kind(condition).judge(condition, chosen)


def condition_in_words(condition: Condition) -> str:
    """Say what a condition asks for."""
    return _condition_kind(condition).words(condition)


def _condition_kind(condition: Condition) -> "_ConditionKind":
    return CONDITION_JUDGES[next(kind for kind in CONDITION_JUDGES if kind in condition)]


def _judge_compare(condition: Condition, chosen: Chosen) -> Optional[bool]:
    return compare_values(condition["compare"], lambda name: capture_of(chosen.binding, name))


def capture_of(binding: Dict[str, Sighting], name: str) -> Any:
    """Find a capture by its name, or by `sign.name`; None where no sighting has it."""
    sign, _, capture = name.rpartition(".")
    for bound, sighting in binding.items():
        if sign in ("", bound):
            for known, value in sighting.values:
                if known == capture:
                    return value
    return None


def _judge_order(condition: Condition, chosen: Chosen) -> Optional[bool]:
    names = condition["order"]
    if any(name not in chosen.binding for name in names):
        return None
    verdicts = [
        _in_order_within(chosen, chosen.binding[first], chosen.binding[then], condition["within"])
        for first, then in zip(names, names[1:])
    ]
    return all_of(verdicts)


def _in_order_within(
    chosen: Chosen, first: Sighting, then: Sighting, within: Optional[str]
) -> Optional[bool]:
    order = compare_onsets(first, then)
    if order == AFTER:
        return False
    near = True if within is None else _is_near(chosen.scene, first, then, within)
    return near if order == BEFORE or near is False else None


def _is_near(scene: Scene, first: Sighting, then: Sighting, within: str) -> Optional[bool]:
    amount, unit = span_of(within)
    if unit == "s":
        if first.onset is None or then.onset is None:
            return None
        gap = moment_gap(first.onset, then.onset)
        return None if gap is None else abs(gap) <= amount
    if first.line is None or then.line is None or first.line.path != then.line.path:
        return None
    if unit == "lines":
        return abs(then.line.number - first.line.number) <= amount
    later = samples_after(scene, first.line, first.line.number)
    between = [sample for sample in later if sample.line.number <= then.line.number]
    return len(between) <= amount


def _judge_same(condition: Condition, chosen: Chosen) -> Optional[bool]:
    verdicts = [_have_same(key, chosen) for key in condition["same"]]
    for key in condition["differ"]:
        equal = _have_same(key, chosen, joining=False)
        verdicts.append(None if equal is None else not equal)
    return all_of(verdicts)


def _have_same(key: str, chosen: Chosen, joining: bool = True) -> Optional[bool]:
    """Tell whether all sightings that can have a key have the same one."""
    found = [(sighting, key_value(key, sighting)) for sighting in chosen.binding.values()]
    values = [value for _, value in found if value is not None]
    if len(set(map(str, values))) > 1:
        if key == "pid" and joining:
            return _same_death([sighting for sighting, value in found if value is not None], chosen)
        return False
    if key == "rank" and _of_different_hosts(chosen.binding.values()):
        return False
    if key in ("rank", "host", "attempt") and len(values) < len(found):
        return True if joining and _one_candidate(key, chosen) else None
    return True if len(values) > 1 else None


def _of_different_hosts(sightings: Iterable[Sighting]) -> bool:
    """Tell whether the processes of sightings have different hosts, and so are different ranks.

    A launcher or a scheduler tells of processes of other hosts than its own.
    """
    own = [s for s in sightings if s.line is not None and s.line.writer.source in _OF_THEIR_HOST]
    lives = {(known_host(s.host), attempt_of(s)) for s in own if known_host(s.host) is not None}
    return any(
        one[0] != other[0] and (None in (one[1], other[1]) or one[1] == other[1])
        for one, other in combinations(sorted(lives, key=str), 2)
    )


def _one_candidate(key: str, chosen: Chosen) -> bool:
    if key == "host":
        return len(chosen.scene.hosts) <= 1
    if key == "attempt":
        return len(chosen.scene.attempts) <= 1
    ranks = {s.rank for name in chosen.binding for s in chosen.pool(name) if s.rank is not None}
    return len(ranks) <= 1


def _same_death(sightings: List[Sighting], chosen: Chosen) -> Optional[bool]:
    """Join deaths whose ids differ, as in a container, by host and time if only one fits."""
    if len(sightings) != 2:
        return None
    one, other = sightings
    if None not in (known_host(one.host), known_host(other.host)) and one.host != other.host:
        return False
    rivals = [
        _near_in_time(mine, its)
        for mine in chosen.pool(one.sign)
        for its in chosen.pool(other.sign)
    ]
    return True if _near_in_time(one, other) and sum(rivals) == 1 else None


def _near_in_time(one: Sighting, other: Sighting) -> bool:
    if one.onset is None or other.onset is None:
        return False
    gap = moment_gap(one.onset, other.onset)
    return gap is not None and abs(gap) <= SAME_DEATH


def _judge_count(condition: Condition, chosen: Chosen) -> Optional[bool]:
    return judge_count(condition, list(chosen.pool(condition["count"])), chosen.scene)


def _judge_ranks(condition: Condition, chosen: Chosen) -> Optional[bool]:
    world = chosen.scene.observations.world_size
    if not world:
        return None
    pool = chosen.pool(condition["of"])
    seen = len({sighting.rank for sighting in pool if sighting.rank is not None})
    verdicts = {
        "one": seen == 1,
        "some": 0 < seen < world,
        "all": seen == world,
        "all_but_one": seen == world - 1 and world > 1,
    }
    return verdicts[condition["ranks"]]


class _ConditionKind(NamedTuple):
    judge: Callable[[Condition, Chosen], Optional[bool]]
    words: Callable[[Condition], str]


def _words_same(condition: Condition) -> str:
    parts = ["the same " + key for key in condition["same"]]
    return " and ".join(parts + ["another " + key for key in condition["differ"]])


CONDITION_JUDGES: Dict[str, _ConditionKind] = {
    "compare": _ConditionKind(_judge_compare, lambda condition: str(condition["compare"])),
    "order": _ConditionKind(
        _judge_order, lambda condition: "in this order: " + ", ".join(condition["order"])
    ),
    "same": _ConditionKind(_judge_same, _words_same),
    "count": _ConditionKind(
        _judge_count, lambda condition: "another number of '{}'".format(condition["count"])
    ),
    "ranks": _ConditionKind(
        _judge_ranks,
        lambda condition: "'{}' on {} of the ranks".format(
            condition["of"], condition["ranks"].replace("_", " ")
        ),
    ),
}
