"""Which sightings belong together."""

from typing import Any

import pytest

from checker.diagnose.confidence import judge_rule
from checker.match.joining import attempts_at
from checker.match.silence import with_waits
from generator.catalogue import compile_rule
from tests.checker.observed import at, ended, fact, hit, line, scene_of, sighting
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("joining")

DETECT: dict[str, Any] = {
    "signs": {"xid": {"log": "NVRM: Xid (PCI:<bus>)", "source": "kernel"}},
    "signatures": [{"strong": ["xid"]}],
}
KERNEL_WORDS = {"log": "other words of rank <rank>", "source": "kernel"}
STARTS = (
    hit("x", "start", moment=at(1000), attempt=0),
    hit("x", "start", moment=at(2000), attempt=1),
)


def kernel_hit(bus: str, seconds: float | None = None, **fields: Any) -> Any:
    """A kernel line about a device."""
    text = f"NVRM: Xid (PCI:{bus}): 79"
    moment = None if seconds is None else at(seconds)
    fields = {"path": "k.log", "source": "kernel", "rank": None, "moment": moment, **fields}
    return hit("NVRM: Xid (PCI:", text, **fields)


def attempts_of(*hits: Any, **records: Any) -> list[int | None]:
    """The attempts in which a hardware failure is diagnosed."""
    rule = compile_rule("x", make_entry(DETECT, category="hardware"))
    scene = scene_of(hits=hits, sources=frozenset(["kernel"]), **records)
    return [case.attempt for case in judge_rule(rule, scene) if case.confidence]


@pytest.mark.parametrize(
    ("seconds", "attempts"),
    [(None, [1]), (1500, [0]), (2500, [1]), (500, [0]), (300, [])],
)
def test_kernel_line_belongs_to_the_attempt_of_its_time(
    seconds: float | None, attempts: list[int]
) -> None:
    """A line of last week says nothing of today's run; one without a time is the last attempt's."""
    assert attempts_of(*STARTS, kernel_hit("3b:00", seconds)) == attempts


def test_kernel_line_long_after_the_end_belongs_to_no_attempt() -> None:
    """What is logged days later ended nothing, whether the end is told or only the last line."""
    over = {"exits": (ended(moment=at(2100), rank=0, code=1),)}
    assert attempts_of(*STARTS, kernel_hit("3b:00", 2600), **over) == [1]
    assert attempts_of(*STARTS, kernel_hit("3b:00", 2800), **over) == []
    assert attempts_of(*STARTS, kernel_hit("3b:00", 2600)) == [1]
    assert attempts_of(*STARTS, kernel_hit("3b:00", 2800)) == []
    assert attempts_of(*STARTS, kernel_hit("3b:00", 2800), last_times=((1, at(2300)),)) == [1]


def test_attempt_lived_when_a_wait_began_that_it_tells_of() -> None:
    """A printed time limit proves that the run began before its first printed time."""
    scene = scene_of(hits=(hit("x", "start", moment=at(1000)),))
    assert attempts_at(at(300), scene) == []
    wait = sighting(line=line(moment=at(1000)), onset=at(400), onset_rule="minus timeout")
    assert attempts_at(at(300), with_waits(scene, [wait])) == [None]


def test_clock_that_cannot_be_compared_leaves_all_attempts_possible() -> None:
    """Seconds since boot exclude no attempt."""
    assert attempts_at(at(5, "boot"), scene_of(hits=STARTS)) == (0, 1)
    assert attempts_at(at(2500), scene_of(hits=STARTS)) == [1]


def test_pid_joins_across_clocks_of_two_zones() -> None:
    """A kernel log in another time zone is not of another day if the process id fits."""
    detect = {
        "signs": {"kill": {"log": "Killed process <pid>", "source": "kernel"}},
        "signatures": [{"strong": ["kill"]}],
    }
    kill = hit("Killed process", "Killed process 7", source="kernel", rank=None, moment=at(-9000))
    start = hit("x", "start", moment=at(1000))
    rule = compile_rule("x", make_entry(detect))
    (case,) = judge_rule(rule, scene_of(hits=(start, kill), exits=(ended(rank=2, pid=7),)))
    assert (case.confidence, case.rank) == (2, 2)
    (case,) = judge_rule(rule, scene_of(hits=(start, kill)))
    assert case.confidence == 0


def test_hardware_failures_are_one_per_device_and_host() -> None:
    """Two devices that fail are two failures; one that is told twice is one."""
    rule = compile_rule("x", make_entry(DETECT, category="hardware"))
    hits = (
        kernel_hit("0000:3b:00", host="node-a"),
        kernel_hit("00000000:3B:00.0", host="node-a", number=2),
        kernel_hit("0000:af:00", host="node-a", number=3),
        kernel_hit("0000:3b:00", host="node-b", number=4),
    )
    cases = judge_rule(rule, scene_of(hits=hits))
    assert [(case.host, dict(case.evidence[0].values)["bus"]) for case in cases] == [
        ("node-a", "0000:3b:00"),
        ("node-a", "0000:af:00"),
        ("node-b", "0000:3b:00"),
    ]


def test_sightings_of_two_unlabelled_files_do_not_join() -> None:
    """Where ranks are not known, a file stands for a process."""
    detect = {
        "signs": {"a": "first words", "b": "other words"},
        "signatures": [{"strong": ["a", "b"]}],
    }
    rule = compile_rule("x", make_entry(detect))
    one = hit("first words", "first words", rank=None)
    same = hit("other words", "other words", rank=None, number=2)
    other = same._replace(line=line("other words", path="b.log", rank=None))
    assert judge_rule(rule, scene_of(hits=(one, same)))[0].confidence == 2
    assert judge_rule(rule, scene_of(hits=(one, other)))[0].confidence == 0


def test_local_ranks_of_one_console_are_processes_of_their_own() -> None:
    """Where the ranks of several nodes are not known, signs of two local ranks do not join."""
    detect = {
        "signs": {"a": "first words", "b": "other words"},
        "signatures": [{"strong": ["a", "b"]}],
    }
    rule = compile_rule("x", make_entry(detect))
    one = hit("first words", "first words", rank=None)
    two = hit("other words", "other words", rank=None, number=2)
    local = [
        made._replace(line=made.line._replace(writer=made.line.writer._replace(local_rank=rank)))
        for made, rank in ((one, 1), (two, 1), (two, 2))
    ]
    assert judge_rule(rule, scene_of(hits=(local[0], local[1])))[0].confidence == 2
    assert judge_rule(rule, scene_of(hits=(local[0], local[2])))[0].confidence == 0


WORDS: dict[str, Any] = {
    "signs": {"a": "first words", "b": "other words"},
    "signatures": [{"strong": ["a", "b"]}],
}


def test_line_without_a_rank_joins_the_only_one_that_is_known() -> None:
    """A console in which one process has a prefix tells mostly of that one."""
    rule = compile_rule("x", make_entry(WORDS))
    ranked = [hit("first words", "first words", rank, "r.log", rank=rank) for rank in (3, 4)]
    bare = hit("other words", "other words", source="unknown", rank=None)
    assert judge_rule(rule, scene_of(hits=(ranked[0], bare)))[0].confidence == 2
    assert judge_rule(rule, scene_of(hits=(*ranked, bare)))[0].confidence == 0


def test_rank_on_another_host_is_another_process() -> None:
    """The kernel of one host tells of a rank 3, and the rank 3 of this run is on the next one."""
    rule = compile_rule("x", make_entry({**WORDS, "signs": {**WORDS["signs"], "b": KERNEL_WORDS}}))
    own = hit("first words", "first words", rank=3, host="node-a")
    kernel = hit("other words of rank", "other words of rank 3", source="kernel", rank=None)
    for host, confidence in (("node-a", 2), ("node-b", 0)):
        there = kernel._replace(line=line(kernel.line.text, source="kernel", rank=None, host=host))
        seen = scene_of(hits=(own, there), exits=(ended(rank=3, host="node-a"),))
        assert judge_rule(rule, seen)[0].confidence == confidence


def test_equal_ranks_of_two_hosts_are_two_processes() -> None:
    """Two nodes that number their own ranks, or two runs: neither showed both signs."""
    rule = compile_rule("x", make_entry(WORDS))
    one = hit("first words", "first words", rank=3, host="node-a")
    for host, confidence in (("node-a", 2), ("node-b", 0)):
        other = hit("other words", "other words", 2, "b.log", rank=3, host=host)
        assert judge_rule(rule, scene_of(hits=(one, other)))[0].confidence == confidence


def test_fact_of_another_host_says_nothing_here() -> None:
    """One node has the old package, and another one failed."""
    old = {"version": "torch", "range": "<2.5"}
    rule = compile_rule("x", make_entry({**WORDS, "signs": {"a": "first words", "b": old}}))
    signature = {"strong": ["a"], "none": ["b"]}
    unless = compile_rule(
        "x", make_entry({"signs": {"a": "first words", "b": old}, "signatures": [signature]})
    )
    one = hit("first words", "first words", rank=3, host="node-a")
    for host, confidence in (("node-a", 2), (None, 2), ("node-b", 0)):
        told = line("torch 2.4.1", 1, "env.log", source="unknown", rank=None, host=host)
        version = fact("version torch", "2.4.1")._replace(line=told)
        seen = scene_of(hits=(one,), facts=(version,))
        assert judge_rule(rule, seen)[0].confidence == confidence
        assert judge_rule(unless, seen)[0].confidence == 2 - confidence


def test_host_that_a_line_names_is_the_one_that_it_is_about() -> None:
    """A scheduler's log names the node, and its own machine does not matter."""
    sign = {"log": "lost contact with <host>", "source": "scheduler"}
    rule = compile_rule("x", make_entry({**WORDS, "signs": {"a": "first words", "b": sign}}))
    own = hit("first words", "first words", rank=3, host="node-a")
    other = hit("x", "x", rank=4, host="node-b", path="b.log")
    for host, confidence in (("node-a", 2), ("node-b", 0)):
        text = f"lost contact with {host}"
        told = hit("lost contact with", text, path="s.log", source="scheduler", rank=None)
        assert judge_rule(rule, scene_of(hits=(own, other, told)))[0].confidence == confidence


def test_what_cannot_be_joined_leaves_an_exclusion_open() -> None:
    """A line that names no rank could be about either of two: neither is excluded for certain."""
    detect = {
        "signs": {"a": "first words", "told": {"log": "asked to stop", "source": "launcher"}},
        "signatures": [{"decisive": ["a"], "none": ["told"]}],
    }
    rule = compile_rule("x", make_entry(detect))
    ranks = [hit("first words", "first words", rank + 1, rank=rank) for rank in (0, 1)]
    told = hit("asked to stop", "asked to stop", source="launcher", rank=None)
    launcher = frozenset(["launcher"])
    assert judge_rule(rule, scene_of(hits=ranks, sources=launcher))[0].confidence == 3
    (case,) = judge_rule(rule, scene_of(hits=(*ranks, told), sources=launcher))
    assert (case.confidence, case.ranks) == (2, (0, 1))
    (case,) = judge_rule(rule, scene_of(hits=(ranks[0], told), sources=launcher))
    assert case.confidence == 0


_REFUSED = "could not reach the peer address"
RESTARTED: dict[str, Any] = {
    "signs": {
        "refused": {"log": _REFUSED},
        "restarted": {"log": "restart_count=<n:restarts>", "at": "start", "source": "launcher"},
        "ended": {"log": "of binary: /usr/bin/python", "source": "launcher"},
    },
    "signatures": [
        {"strong": ["refused", "restarted", {"compare": "restarts >= 1"}]},
        {"strong": ["refused", "ended"]},
    ],
}


def restarted_cases(*hits: Any) -> list[tuple[int, tuple[int, ...], str | None]]:
    """Confidence, ranks and host of what two ranks and their launchers told."""
    rule = compile_rule("x", make_entry(RESTARTED))
    refused = [
        hit(_REFUSED, _REFUSED, rank + 1, rank=rank, host=host, attempt=1)
        for rank, host in enumerate(("a", "b"))
    ]
    found = judge_rule(rule, scene_of(hits=(*refused, *hits)))
    return [(case.confidence, case.ranks, case.host) for case in found if case.confidence]


def launcher_hit(text: str, key: str, **fields: Any) -> Any:
    """A line of a launcher that names no rank."""
    return hit(key, text, path="console.log", source="launcher", rank=None, **fields)


def test_launcher_that_names_no_process_speaks_of_all_of_its_attempt_and_node() -> None:
    """A restart is of every rank; that of another attempt or of a node not known is not."""

    def _restart(**fields: Any) -> Any:
        return launcher_hit("restart_count=1", "restart_count=", **fields)

    assert restarted_cases(_restart(host="b", attempt=1)) == [(2, (1,), "b")]
    assert restarted_cases(_restart(host="b", attempt=0)) == []
    assert restarted_cases(_restart(attempt=1)) == []
    assert (
        restarted_cases(launcher_hit("restart_count=0", "restart_count=", host="b", attempt=1))
        == []
    )


def test_launcher_that_names_a_process_speaks_of_no_other() -> None:
    """Which of two ranks has the local rank is not known here."""
    text = "failed (exitcode: 1) local_rank: 0 (pid: 7) of binary: /usr/bin/python"
    ended_line = launcher_hit(text, "of binary: /usr/bin/python", host="b", attempt=1)
    assert restarted_cases(ended_line) == []
