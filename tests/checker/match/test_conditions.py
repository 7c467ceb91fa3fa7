"""Conditions of signatures: true, false, or unknown."""

from typing import Any

import pytest

from checker.match.comparisons import compare_values
from checker.match.conditions import Chosen, condition_in_words, judge_condition
from checker.model import Sighting
from tests.checker.observed import at, ended, line, scene_of, sighting

pytestmark = pytest.mark.rule("signatures")


def judged(condition: dict[str, Any], *bound: Sighting, **more: Any) -> bool | None:
    """Judge a condition on sightings; *more* gives further ones by sign, or the world's size."""
    scene = scene_of(world_size=more.pop("world", None), exits=more.pop("exits", ()))
    pools: dict[str, list[Sighting]] = {s.sign: [s] for s in bound}
    pools.update(more)
    chosen = Chosen(scene, {s.sign: s for s in bound}, lambda name: pools.get(name, []))
    return judge_condition(condition, chosen)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("idle >= tried", True),
        ("total - free - own > 1GiB", False),
        ("2 * tried == 4", True),
        ("a.tried < 3", True),
        ("code in [144..150]", True),
        ("code in [1, 2]", False),
        ("unknown > 1", None),
        ("word > 1", None),
        ("idle ? 1", None),
    ],
)
def test_comparison_of_captures(text: str, verdict: bool | None) -> None:
    """Sums and products are compared; what has no number is unknown."""
    known = (("code", 145), ("free", 3), ("idle", 5), ("own", 1), ("total", 9), ("word", "x"))
    one = sighting("a", values=(("tried", 2),))
    assert judged({"compare": text}, one, sighting("b", values=known)) is verdict


def test_comparison_reads_products_before_sums() -> None:
    """Multiplication binds as everywhere."""
    assert compare_values("2 + 3 * 4 == 14", lambda _: None) is True
    assert compare_values("9 - 2 - 3 == 4", lambda _: None) is True


@pytest.mark.parametrize(
    ("seconds", "within", "verdict"),
    [(30, "60s", True), (90, "60s", False), (90, None, True), (-5, None, False), (0, None, None)],
)
def test_order_by_onset(seconds: float, within: str | None, verdict: bool | None) -> None:
    """The first must have begun before the second, and not too long before."""
    one = sighting("a", onset=at(100), line=line(rank=1))
    other = sighting("b", onset=at(100 + seconds))
    assert judged({"order": ["a", "b"], "within": within}, one, other) is verdict


def test_order_within_lines() -> None:
    """Lines are counted within one file."""
    one, other = sighting("a", line=line(number=3)), sighting("b", line=line(number=8))
    assert judged({"order": ["a", "b"], "within": "5 lines"}, one, other) is True
    assert judged({"order": ["a", "b"], "within": "4 lines"}, one, other) is False


def same(*keys: str) -> dict[str, Any]:
    """The condition that keys are equal."""
    return {"same": list(keys), "differ": []}


def test_same_and_differ_compare_captures_of_several_signs() -> None:
    """A capture that only one sign has decides nothing."""
    one = sighting("a", values=(("op", "ALLREDUCE"), ("seq", 5)))
    other = sighting("b", values=(("op", "BROADCAST"), ("seq", 5)))
    assert judged({"differ": ["op"], "same": ["seq"]}, one, other) is True
    assert judged({"differ": ["seq"], "same": []}, one, other) is False
    assert judged(same("size"), one, other) is None


def test_host_that_one_side_lacks_joins_where_there_is_one() -> None:
    """A kernel log without host name belongs to the only host, or to none for certain."""
    kernel, process = sighting("a", host=None), sighting("b", host="node-a")
    one_host = (ended(rank=0, host="node-a"),)
    two_hosts = (ended(rank=0, host="node-a"), ended(rank=1, host="node-b"))
    assert judged(same("host"), kernel, process, exits=one_host) is True
    assert judged(same("host"), kernel, process, exits=two_hosts) is None
    assert judged(same("host"), sighting("a", host="node-b"), process) is False


def test_unequal_pid_does_not_refute() -> None:
    """In a container the id differs: then host and five seconds join, if only one death fits."""
    kernel = sighting("a", pid=4000, onset=at(100))
    process = sighting("b", pid=7, onset=at(103))
    assert judged(same("pid"), kernel, process) is True
    assert judged(same("pid"), kernel, process._replace(onset=at(110))) is None
    assert judged(same("pid"), kernel, process._replace(onset=at(3, "boot"))) is None
    another = process._replace(pid=8, onset=at(104))
    assert judged(same("pid"), kernel, process, b=[process, another]) is None
    far = process._replace(host="node-b")
    assert judged(same("pid"), kernel._replace(host="node-a"), far) is False


def counting(**fields: Any) -> dict[str, Any]:
    """A condition on how often `a` was seen."""
    empty = {"min": None, "max": None, "distinct": None, "per": None, "within": None}
    return {"count": "a", **empty, **fields}


def test_burst_of_one_event_counts_once() -> None:
    """Repetitions within five seconds are one."""
    pool = [sighting("a", onset=at(second)) for second in (0, 1, 2, 60)]
    assert judged(counting(min=2), a=pool) is True
    assert judged(counting(min=3), a=pool) is False
    assert judged(counting(max=2), a=pool) is True
    assert judged(counting(min=2, within="30s"), a=pool) is False


def test_count_of_distinct_values_and_per_rank() -> None:
    """Values of a capture are counted once each; `per` counts each rank by itself."""
    pool = [
        sighting("a", rank=rank, values=(("bus", bus),))
        for rank, bus in ((0, "x"), (0, "y"), (1, "x"))
    ]
    assert judged(counting(min=2, distinct="bus"), a=pool) is True
    assert judged(counting(min=3, distinct="bus"), a=pool) is False
    assert judged(counting(min=2, per="rank"), a=pool) is True
    assert judged(counting(min=3, per="rank"), a=pool) is False


def test_inexact_count_proves_only_that_there_were_so_many() -> None:
    """Repetitions that were folded at least prove a minimum."""
    pool = [sighting("a", times=100, exact=False)]
    assert judged(counting(min=100), a=pool) is True
    assert judged(counting(min=101), a=pool) is None
    assert judged(counting(max=100), a=pool) is None


@pytest.mark.parametrize(
    ("wanted", "ranks", "verdict"),
    [
        ("one", (2,), True),
        ("some", (1, 2), True),
        ("some", (0, 1, 2, 3), False),
        ("all", (0, 1, 2, 3), True),
        ("all_but_one", (0, 1, 3), True),
        ("all_but_one", (0, 1), False),
    ],
)
def test_ranks_of_the_world(wanted: str, ranks: tuple[int, ...], verdict: bool) -> None:
    """How many ranks show a sign is known where the world's size is."""
    pool = [sighting("a", rank=rank) for rank in ranks]
    assert judged({"ranks": wanted, "of": "a"}, a=pool, world=4) is verdict
    assert judged({"ranks": wanted, "of": "a"}, a=pool) is None


def test_condition_is_named_in_words() -> None:
    """What a signature lacks can be said to a person."""
    assert condition_in_words({"compare": "idle >= tried"}) == "idle >= tried"
    assert condition_in_words({"same": ["pid"], "differ": ["op"]}) == "the same pid and another op"
