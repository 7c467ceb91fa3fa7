"""Conditions of signatures: true, false, or unknown."""

from typing import Any

import pytest

from checker.match.comparisons import compare_values
from checker.match.conditions import Chosen, condition_in_words, judge_condition
from checker.model import RankState, Sighting
from tests.checker.observed import at, ended, hit, line, sample, scene_of, sighting

pytestmark = pytest.mark.rule("signatures")


def judged(condition: dict[str, Any], *bound: Sighting, **more: Any) -> bool | None:
    """Judge a condition on sightings; *more* gives further ones by sign, or the world's size."""
    names = ("exits", "hits", "ranks", "samples")
    records = {name: more.pop(name) for name in names if name in more}
    scene = scene_of(world_size=more.pop("world", None), **records)
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
        ("code in [1, 145]", True),
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


def test_comparison_tells_equal_names_of_two_signs_apart() -> None:
    """One memory was asked for, and less was freed, though both are called the same."""
    one, other = sighting("a", values=(("size", 2),)), sighting("b", values=(("size", 9),))
    assert judged({"compare": "a.size < b.size"}, one, other) is True
    assert judged({"compare": "b.size < a.size"}, one, other) is False


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


def test_order_within_lines_of_two_files_is_unknown() -> None:
    """Line numbers of two files have nothing to do with each other."""
    one = sighting("a", line=line(number=3), onset=at(1))
    other = sighting("b", line=line(number=4, path="b.log"), onset=at(2))
    assert judged({"order": ["a", "b"], "within": "5 lines"}, one, other) is None
    assert judged({"order": ["a", "b"], "within": None}, one, other) is True


def test_order_within_seconds_needs_times() -> None:
    """Where no time is printed the order of one file is known, and how long it took is not."""
    one, other = sighting("a", line=line(number=3)), sighting("b", line=line(number=8))
    assert judged({"order": ["a", "b"], "within": "60s"}, one, other) is None
    assert judged({"order": ["a", "b"], "within": None}, one, other) is True


def test_order_within_steps_counts_the_records_between() -> None:
    """Only steps of the same writer between the two lines count."""
    one, other = sighting("a", line=line(number=3)), sighting("b", line=line(number=8))
    steps = (sample(2, 1), sample(4, 2), sample(6, 3), sample(9, 4))
    elsewhere = sample(5, 2)._replace(line=line(number=5, rank=1))
    for within, verdict in (("2 steps", True), ("1 steps", False)):
        condition = {"order": ["a", "b"], "within": within}
        assert judged(condition, one, other, samples=(*steps, elsewhere)) is verdict


def test_every_pair_of_an_order_must_hold() -> None:
    """Three signs in order are two pairs, each within the span."""
    three = [sighting(name, onset=at(when)) for name, when in (("a", 0), ("b", 50), ("c", 100))]
    condition = {"order": ["a", "b", "c"], "within": "60s"}
    assert judged(condition, *three) is True
    assert judged(condition, *three[:2], three[2]._replace(onset=at(111))) is False
    assert judged(condition, *three[:2], three[2]._replace(onset=at(40))) is False


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


def test_rank_that_one_side_lacks_joins_where_one_is_seen() -> None:
    """Of two ranks that show the sign, nobody knows which is meant."""
    unnamed, named = sighting("a", rank=None), sighting("b", rank=3)
    assert judged(same("rank"), unnamed, named) is True
    assert judged(same("rank"), unnamed, named, b=[named, sighting("b", rank=4)]) is None
    assert judged(same("rank"), sighting("a", rank=4), named) is False


def test_attempt_that_one_side_lacks_joins_where_there_is_one() -> None:
    """A kernel line has no attempt; of two it is not known to be of the last."""
    kernel = sighting("a", line=line(source="kernel", rank=None))
    process = sighting("b", line=line(attempt=1))
    later, earlier = hit("x", "x", attempt=1), hit("x", "x", path="b.log", attempt=0)
    assert judged(same("attempt"), kernel, process, hits=(later,)) is True
    assert judged(same("attempt"), kernel, process, hits=(later, earlier)) is None
    assert judged(same("attempt"), sighting("a", line=line(attempt=0)), process) is False


def test_gpu_of_two_lines_is_one_bus() -> None:
    """A bus id is a device however the sign captured it."""
    one = sighting("a", values=(("gpu", "0000:3b:00"),))
    assert judged(same("gpu"), one, sighting("b", values=(("bus", "0000:3b:00"),))) is True
    assert judged(same("gpu"), one, sighting("b", values=(("bus", "0000:af:00"),))) is False


def test_writer_is_a_process_of_one_file() -> None:
    """Two ranks in one console are two writers, and so is one rank in two files."""
    one = sighting("a", line=line(rank=1))
    assert judged(same("writer"), one, sighting("b", line=line(number=9, rank=1))) is True
    assert judged(same("writer"), one, sighting("b", line=line(number=9, rank=2))) is False
    assert judged(same("writer"), one, sighting("b", line=line(path="b.log", rank=1))) is False


def test_what_one_side_lacks_does_not_differ() -> None:
    """A host that only one line tells may be the same; it differs where both are known."""
    one, other = sighting("a", host="node-a"), sighting("b", host=None)
    differ = {"same": [], "differ": ["host"]}
    assert judged(differ, one, other, exits=(ended(rank=0, host="node-a"),)) is None
    assert judged(differ, one, other._replace(host="node-b")) is True


def test_ranks_of_different_hosts_differ() -> None:
    """A rank lives on one host in an attempt, whatever its number."""
    one, other = (
        sighting(name, rank=None, host=host, line=line(rank=None, host=host, source=source))
        for name, host, source in (("a", "node-a", "rank"), ("b", "node-b", "kernel"))
    )
    differ = {"same": [], "differ": ["rank"]}
    assert judged(differ, one, other) is True
    assert judged(same("rank"), one, other) is False
    assert judged(differ, one, other._replace(host="node-a.lan")) is None
    assert judged(differ, one, other._replace(host=None)) is None
    for source in ("launcher", "scheduler"):
        told = other._replace(line=line(rank=None, host="node-b", source=source))
        assert judged(differ, one, told) is None
    earlier, later = (
        s._replace(line=line(rank=None, attempt=attempt, source="rank"))
        for attempt, s in enumerate((one, other))
    )
    assert judged(differ, earlier, later) is None


def test_two_pids_differ_however_close_the_deaths() -> None:
    """What joins two ids of one process in a container proves no difference, and refutes none."""
    one = sighting("a", pid=4000, onset=at(100))
    other = sighting("b", pid=7, onset=at(103))
    assert judged({"same": [], "differ": ["pid"]}, one, other) is True


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
    assert judged(counting(max=1), a=pool) is False
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


def test_count_on_one_device_or_host() -> None:
    """Two hosts have devices of the same bus id, which are two devices."""
    pool = [
        sighting("a", host=host, values=(("bus", bus),), onset=at(when))
        for host, bus, when in (
            ("n1", "x", 0),
            ("n1", "y", 60),
            ("n2", "x", 120),
            ("n2", "x", 180),
        )
    ]
    assert judged(counting(min=3), a=pool) is True
    assert judged(counting(min=2, per="host"), a=pool) is True
    assert judged(counting(min=3, per="host"), a=pool) is False
    assert judged(counting(min=2, per="gpu"), a=pool) is True
    assert judged(counting(min=3, per="gpu"), a=pool) is False


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"min": 1}, True),
        ({"min": 3}, True),
        ({"min": 4}, None),
        ({"min": 7}, None),
        ({"min": 8}, False),
        ({"min": 4, "max": 6}, None),
        ({"max": 7}, True),
    ],
)
def test_lines_of_unknown_ranks_are_of_any(fields: dict[str, int], verdict: bool | None) -> None:
    """They prove no more than one of some rank, and may all be of the same."""
    known = [sighting("a", rank=3, onset=at(60 * number)) for number in range(3)]
    told = line(rank=None, path="console.log")
    unknown = [
        sighting("a", rank=None, line=told, onset=at(600 + 60 * number)) for number in range(4)
    ]
    states = (RankState(3, None, None, None, None, None),)
    pool = known + unknown
    assert judged(counting(per="rank", **fields), a=pool, ranks=states) is verdict


def test_file_stands_for_a_process_where_nothing_speaks_of_ranks() -> None:
    """A run of one process has no rank to tell."""
    told = line(rank=None, path="train.log")
    pool = [sighting("a", rank=None, line=told, onset=at(60 * number)) for number in range(3)]
    assert judged(counting(min=3, per="rank"), a=pool) is True
    assert judged(counting(min=3, per="rank"), a=pool, world=1) is True
    assert judged(counting(min=3, per="rank"), a=pool, world=8) is None


def test_local_rank_and_its_file_stand_for_a_process() -> None:
    """Two of one file are two."""
    pool = [
        sighting("a", rank=None, local_rank=local, line=line(rank=None), onset=at(60 * number))
        for number, local in enumerate((0, 0, 1))
    ]
    assert judged(counting(min=2, per="rank"), a=pool, world=16) is True
    assert judged(counting(min=3, per="rank"), a=pool, world=16) is False


def test_lines_of_unknown_hosts_are_of_any() -> None:
    """Where two hosts are known, a line that names none can be of either."""
    pool = [
        sighting("a", host=host, onset=at(60 * number))
        for number, host in enumerate(("n1", "n1", None))
    ]
    hits = (hit("log x", host="n1", rank=1), hit("log x", host="n2", rank=2))
    assert judged(counting(min=3, per="host"), a=pool, hits=hits) is None
    assert judged(counting(min=4, per="host"), a=pool, hits=hits) is False
    assert judged(counting(min=3, per="host"), a=pool, hits=hits[:1]) is True


def test_count_within_a_span_may_begin_at_any_of_them() -> None:
    """Three in a minute are three, although the first of all was an hour ago."""
    pool = [sighting("a", onset=at(second)) for second in (0, 3600, 3620, 3640)]
    assert judged(counting(min=3, within="1m"), a=pool) is True
    assert judged(counting(min=4, within="1m"), a=pool) is False


def test_count_within_a_span_is_unknown_without_times() -> None:
    """That there were three does not say that they came together."""
    pool = [sighting("a", line=line(number=number)) for number in (1, 2, 3)]
    assert judged(counting(min=3), a=pool) is True
    assert judged(counting(min=3, within="1m"), a=pool) is None


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
        ("all_but_one", (0, 1, 2, 3), False),
        ("all", (0, 1, 1, 2), False),
        ("one", (2, 2), True),
        ("some", (), False),
    ],
)
def test_ranks_of_the_world(wanted: str, ranks: tuple[int, ...], verdict: bool) -> None:
    """How many ranks show a sign is known where the world's size is."""
    pool = [sighting("a", rank=rank) for rank in ranks]
    assert judged({"ranks": wanted, "of": "a"}, a=pool, world=4) is verdict
    assert judged({"ranks": wanted, "of": "a"}, a=pool) is None


def test_world_of_one_has_no_other_ranks() -> None:
    """Nobody is not all but one."""
    assert judged({"ranks": "all_but_one", "of": "a"}, a=[], world=1) is False


def test_condition_is_named_in_words() -> None:
    """What a signature lacks can be said to a person."""
    assert condition_in_words({"compare": "idle >= tried"}) == "idle >= tried"
    assert condition_in_words({"same": ["pid"], "differ": ["op"]}) == "the same pid and another op"
