"""Whether what happened also passed."""

import math
from typing import Any

import pytest

from checker.diagnose.confidence import judge_rule
from checker.diagnose.recovery import has_recovered
from checker.diagnose.survival import Leads, without_survived
from checker.match.scene import Scene, build_scene
from checker.model import Input
from checker.scan.observe import observe_texts
from generator.catalogue import compile_rule
from tests.checker.observed import at, block, ended, hit, line, raised, sample, scene_of
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("recovery")

FAILED = hit("save failed", "save failed", number=10)
DETECT: dict[str, Any] = {
    "signs": {"bad": "save failed", "good": "save succeeded"},
    "signatures": [{"strong": ["bad"]}],
}


def recovered(scene: Scene, **fields: Any) -> bool:
    """Judge an entry for saves that failed; tell whether it recovered."""
    (case,) = judge_rule(compile_rule("x", make_entry(DETECT, **fields)), scene)
    assert case.confidence == 2
    return has_recovered(case, scene)


def steps(*numbers: int) -> tuple[Any, ...]:
    """Records of further steps."""
    return tuple(sample(20 + number, number) for number in numbers)


def test_two_further_steps_of_the_writer() -> None:
    """One step more proves nothing, nor does the same step twice."""
    assert recovered(scene_of(hits=(FAILED,), samples=steps(7, 8)))
    assert not recovered(scene_of(hits=(FAILED,), samples=steps(7)))
    assert not recovered(scene_of(hits=(FAILED,), samples=(*steps(7), sample(40, 7))))


def test_two_further_epochs_of_records_without_a_step() -> None:
    """The Trainer's records name the epoch alone, as a number that grows with every record."""

    def epochs(*numbers: float) -> tuple[Any, ...]:
        values = [(("loss", 1.9), ("epoch", number)) for number in numbers]
        made = [sample(20 + at, 0)._replace(step=None, values=v) for at, v in enumerate(values)]
        return tuple(made)

    assert recovered(scene_of(hits=(FAILED,), samples=epochs(0.05, 0.1)))
    assert not recovered(scene_of(hits=(FAILED,), samples=epochs(3.0, 3.0)))
    nameless = tuple(one._replace(values=(("loss", 1.9),)) for one in epochs(0.05, 0.1))
    assert not recovered(scene_of(hits=(FAILED,), samples=nameless))


@pytest.mark.parametrize(
    "record",
    [
        "Epoch: [{epoch}][{step:4d}/5005]\tTime 0.4 ( 0.5)\tLoss 6.9e+00 (7.0e+00)",
        "Epoch(train)  [{epoch}][{step:4d}/7330]  lr: 2.0e-02  eta: 2:11:00  loss: 1.2",
        "Train: {epoch} [{step:4d}/1251 (  4%)]  Loss: 6.9 (6.9)  LR: 1.000e-04",
        "Epoch {epoch}/9 \u2501\u2501\u2501\u2578\u2501 {step}/100 0:00:10 \u2022 0:00:20 9.90it/s",
        "[{step}]\ttrain-rmse:0.5",
        "[{step}]\tvalid_0's l2: 0.5",
        "{step}:\tlearn: 0.5\ttotal: 58ms",
    ],
)
def test_counters_of_programs_that_write_no_step(record: str) -> None:
    """Two more of them show that the program goes on; one, or the same one again, does not."""
    rows = [record.format(epoch=0, step=step) + "\n" for step in (20, 30, 40)]
    start = "world_size=1\n" + rows[0] + PORT + "\n"
    assert passed_in({"a.log": start + rows[1] + rows[2]})
    assert not passed_in({"a.log": start + rows[1] + rows[1]})


def test_epochs_count_where_each_begins_with_the_same_step() -> None:
    """A program that prints each epoch's first batch alone counts on by its epochs."""
    record = "Epoch: [{}]  [    0/40037]  eta: 1:02:03  lr: 0.1  loss: 6.9 (7.0)\n"
    start = record.format(0) + PORT + "\n"
    assert passed_in({"a.log": start + record.format(1) + record.format(2)})
    assert not passed_in({"a.log": start + record.format(1)})


def test_steps_of_another_rank_prove_nothing() -> None:
    """Others may go on where one does not."""
    others = tuple(s._replace(line=line(number=s.line.number, rank=1)) for s in steps(7, 8))
    assert not recovered(scene_of(hits=(FAILED,), samples=others))


def test_line_of_nobody_is_of_one_of_those_that_count_in_its_file() -> None:
    """Such as a sample of a model that holds an exception: all ranks that count went on."""
    bare = FAILED._replace(line=line("save failed", number=10, source="unknown", rank=None))
    ranks = [
        tuple(s._replace(line=line(number=s.line.number, rank=rank)) for s in steps(*numbers))
        for rank, numbers in ((0, (7, 8)), (1, (7, 8)), (2, (7,)))
    ]
    assert recovered(scene_of(hits=(bare,), samples=ranks[0] + ranks[1]))
    assert not recovered(scene_of(hits=(bare,), samples=ranks[0] + ranks[2]))
    one_failed = (ended(rank=1, code=1),)
    assert not recovered(scene_of(hits=(bare,), samples=ranks[0], exits=one_failed))


PORT = "node-b:34050:34121 [0] transport/net_ib.cc:171 NCCL WARN NET/IB : port error"
JOINED = "node-b:34050:34121 [0] NCCL INFO comm 0x1 rank {} nranks 4 cudaDev 0 - Init COMPLETE\n"
AT = "2026-08-14 03:02:0{} "


def passed_in(texts: dict[str, str]) -> bool:
    """Judge an entry for NCCL's port errors on logs; tell whether it recovered."""
    seen = observe_texts(texts, frozenset({"metric loss", "log port error"}), {}, {})
    entry = make_entry({"signs": {"lost": "port error"}, "signatures": [{"strong": ["lost"]}]})
    (case,) = judge_rule(compile_rule("x", entry), build_scene(seen, ()))
    assert case.confidence == 2
    return has_recovered(case, build_scene(seen, ()))


def counted(before: str, first: int, last: int) -> str:
    """Steps that a training program prints."""
    return "".join(f"{before}step {step} loss 2.5\n" for step in range(first, last + 1))


@pytest.mark.parametrize(
    ("steps", "port"),
    [
        ("", PORT),
        ("[rank0]: ", "[rank0]: " + PORT),
        ("0: ", "0: " + PORT),
        ("[default0]:", "[default0]:" + PORT),
        ("", "[rank3]: " + PORT),
        ("", JOINED.format(3) + PORT),
    ],
)
def test_head_of_nccl_is_of_a_process_of_the_run_that_counts(steps: str, port: str) -> None:
    """Where the steps name nobody else, they are those of the run, in which NCCL's lines stand."""
    start = "world_size=4\n" + counted(steps, 7, 10) + port + "\n"
    assert passed_in({"a.log": start + counted(steps, 11, 12)})
    assert not passed_in({"a.log": start + counted(steps, 11, 11)})
    assert not passed_in({"a.log": start})
    end = "[2026-08-14 03:02:09,120] torch.distributed.elastic.multiprocessing.api: [ERROR] "
    end += "failed (exitcode: 1) local_rank: 0 (pid: 34050) of binary: /usr/bin/python\n"
    assert not passed_in({"a.log": start + counted(steps, 11, 12) + end})


@pytest.mark.parametrize("port", ["[rank3]: " + PORT, JOINED.format(3) + PORT])
def test_steps_that_name_another_rank_are_not_of_the_whole_run(port: str) -> None:
    """Ranks that are told apart speak each for itself."""
    other = "world_size=4\n" + port + "\n" + counted("[rank0]: ", 11, 13)
    assert not passed_in({"a.log": other})
    assert passed_in({"a.log": other + counted("[rank3]: ", 11, 12)})


@pytest.mark.parametrize(("code", "passed"), [(0, True), (1, False)])
def test_end_of_the_process_decides(code: int, passed: bool) -> None:
    """A regular end shows that it passed, another end that it did not, steps or no."""
    scene = scene_of(hits=(FAILED,), samples=steps(7, 8), exits=(ended(rank=0, code=code),))
    assert recovered(scene) is passed


BLOCK = 'Traceback (most recent call last):\n  File "/workspace/train.py", line 7, in step\n'
STORM = "".join(f"{BLOCK}    x = table[key]\nKeyError: 'item-{what}'\n" for what in range(10_000))
STEPS = "".join(f"step {step} loss 2.5\n" for step in range(400))


@pytest.mark.parametrize(("text", "passed"), [(STORM, False), (STORM + STEPS, True)])
def test_last_of_very_many_exceptions_decides(text: str, passed: bool) -> None:
    """What ends the log has not passed, however often the same was printed before."""
    seen = observe_texts({"train.log": STEPS + text}, frozenset({"metric loss"}), {}, {})
    entry = make_entry(
        {"signs": {"it": {"traceback": "KeyError"}}, "signatures": [{"strong": ["it"]}]}
    )
    (case,) = judge_rule(compile_rule("x", entry), build_scene(seen, ()))
    assert has_recovered(case, build_scene(seen, ())) is passed


def test_every_writer_that_showed_it_must_have_gone_on() -> None:
    """One rank that went on does not speak for another that fell silent."""
    other = hit("save failed", "save failed", number=11, rank=1)
    ones = steps(7, 8)
    others = tuple(s._replace(line=line(number=s.line.number, rank=1)) for s in ones)
    assert not recovered(scene_of(hits=(FAILED, other), samples=ones))
    assert recovered(scene_of(hits=(FAILED, other), samples=(*ones, *others)))


@pytest.mark.parametrize("source", ["launcher", "kernel", "scheduler", "service"])
def test_lines_that_are_no_ranks_show_no_progress(source: str) -> None:
    """A kernel writes on whatever happened, and so do launchers and schedulers."""
    told = FAILED._replace(line=line("save failed", number=10, source=source, rank=None))
    counted = tuple(s._replace(line=told.line._replace(number=s.line.number)) for s in steps(7, 8))
    seen = {"inputs": read(900), "sources": frozenset([source])}
    assert not recovered(scene_of(hits=(told,), samples=counted, **seen))
    assert not recovered(scene_of(hits=(told,), **seen))


def test_nothing_recovers_from_an_exit() -> None:
    """A process that ended did not go on, whatever another one prints in its place."""
    detect = {
        "signs": {"nine": {"exit": {"signal": 9}}, "good": "save succeeded"},
        "signatures": [{"strong": ["nine"]}],
    }
    after = hit("save succeeded", "save succeeded", number=99, moment=at(200))
    end = ended(signal=9, rank=0, moment=at(100))
    for recovers in ("good", "progress"):
        rule = compile_rule("x", make_entry(detect, recovers=recovers))
        scene = scene_of(exits=(end,), hits=(after,), samples=steps(7, 8))
        (case,) = judge_rule(rule, scene)
        assert case.confidence == 2
        assert not has_recovered(case, scene)


def test_counters_of_an_earlier_attempt_say_nothing_of_a_later_kill() -> None:
    """Only the processes that lived when the kernel killed something can have survived it."""
    detect = {
        "signs": {"kill": {"log": "Killed process", "source": "kernel"}},
        "signatures": [{"strong": ["kill"]}],
    }
    kill = hit("Killed process", "Killed process", source="kernel", rank=None, moment=at(500))
    old, new = (
        tuple(
            sample(number, number)._replace(
                line=line(number=number, path=path, attempt=attempt, moment=at(start + number))
            )
            for number in (1, 2, 3)
        )
        for attempt, path, start in ((0, "a.log", 100), (1, "b.log", 500))
    )
    begun = [
        hit("x", "start", path=path, attempt=attempt, moment=at(start))
        for attempt, path, start in ((0, "a.log", 90), (1, "b.log", 490))
    ]
    sources = frozenset(["kernel", "rank"])
    scene = scene_of(hits=(kill, *begun), samples=(*old, *new), sources=sources)
    cases = judge_rule(compile_rule("x", make_entry(detect)), scene)
    standing = [case for case in cases if case.confidence]
    assert [(case.attempt, case.confidence) for case in standing] == [(1, 2)]
    assert without_survived(standing, scene, Leads(scene)) == ([], standing)


def test_what_an_entry_recovers_by_follows_from_its_effect_and_signs() -> None:
    """Progress heals what dies or hangs, good values a series; a stop is outlived, or not."""
    series = {
        "signs": {"high": {"metric": "loss", "is": "above", "value": 5}},
        "signatures": [{"weak": ["high"]}],
    }
    made = [
        (DETECT, {"effect": "dies"}),
        (DETECT, {"effect": "hangs"}),
        (series, {"effect": "wrong"}),
        (DETECT, {"effect": "slows"}),
        (DETECT, {"effect": "dies", "kind": "stop"}),
    ]
    rules = [compile_rule("x", make_entry(detect, **fields)) for detect, fields in made]
    assert [rule["recovers"] for rule in rules] == [
        "progress",
        "progress",
        "series",
        "never",
        "outlived",
    ]


def test_what_never_recovers() -> None:
    """Damage stays."""
    scene = scene_of(hits=(FAILED,), samples=steps(7, 8))
    assert not recovered(scene, effect="damages")


@pytest.mark.parametrize("by", ["scheduler", "person", "launcher"])
def test_end_from_outside_says_nothing_of_what_was_before(by: str) -> None:
    """A run that was stopped had gone on if it made more steps than come out before a hang."""
    end = (ended(rank=0, signal=15, by=by),)
    assert recovered(scene_of(hits=(FAILED,), samples=steps(7, 16), exits=end))
    assert not recovered(scene_of(hits=(FAILED,), samples=steps(7, 15), exits=end))
    killed = (ended(rank=0, signal=15),)
    assert not recovered(scene_of(hits=(FAILED,), samples=steps(7, 16), exits=killed))


def test_sign_that_shows_recovery() -> None:
    """An entry may name the sign that shows that it passed; it must come after, on that rank."""
    after = hit("save succeeded", "save succeeded", number=11)
    before = hit("save succeeded", "save succeeded", number=9)
    other = hit("save succeeded", "save succeeded", number=11, rank=1)
    assert recovered(scene_of(hits=(FAILED, after)), recovers="good")
    assert not recovered(scene_of(hits=(FAILED, before)), recovers="good")
    assert not recovered(scene_of(hits=(FAILED, other)), recovers="good")
    failed = FAILED._replace(line=FAILED.line._replace(moment=at(100)))
    for rank, passed in ((0, True), (1, False)):
        later = hit("save succeeded", "save succeeded", path="b.log", rank=rank, moment=at(200))
        assert recovered(scene_of(hits=(failed, later)), recovers="good") is passed


NFS = "nfs: server <host:server>"
SERVERS: dict[str, Any] = {
    "signs": {
        "bad": {"log": NFS + " not responding, timed out", "source": "kernel"},
        "good": {"log": NFS + " OK", "at": "whole", "source": "kernel"},
    },
    "signatures": [{"strong": ["bad"]}],
}


@pytest.mark.parametrize(
    ("host", "other", "answered", "passed"),
    [
        ("", "", "10.0.0.5", True),
        ("", "", "10.0.0.6", False),
        ("Aug 14 03:00:00 trn-07 kernel: ", "Aug 14 03:00:09 trn-07 kernel: ", "10.0.0.5", True),
        ("Aug 14 03:00:00 trn-07 kernel: ", "Aug 14 03:00:09 trn-08 kernel: ", "10.0.0.5", False),
    ],
)
def test_only_what_was_bad_is_good_again(
    host: str, other: str, answered: str, passed: bool
) -> None:
    """What another host says, or what is said of another server, shows no recovery."""
    rule = compile_rule("x", make_entry(SERVERS, recovers="good"))
    keys = frozenset(f"log {sign['log'][0]['literal']}" for sign in rule["signs"].values())
    text = f"{host}nfs: server 10.0.0.5 not responding, timed out\n"
    text += f"{other}nfs: server {answered} OK\n"
    scene = build_scene(observe_texts({"a.log": text}, keys, {}, {}), ())
    (case,) = judge_rule(rule, scene)
    assert has_recovered(case, scene) is passed


def read(lines: int) -> tuple[Input, ...]:
    """The file of rank 0, so many lines long."""
    return (Input("a.log", "read", None, 9, lines, None, 0, None, False),)


def test_many_ordinary_lines_where_nothing_counts() -> None:
    """Two hundred lines more show that a process without a counter goes on."""
    assert recovered(scene_of(hits=(FAILED,), inputs=read(210)))
    assert not recovered(scene_of(hits=(FAILED,), inputs=read(209)))
    assert not recovered(scene_of(hits=(FAILED,), inputs=read(210), samples=(sample(1, 1),)))
    elsewhere = (ended(rank=3, code=1),)
    assert not recovered(scene_of(hits=(FAILED,), inputs=read(210), exits=elsewhere))
    trouble = (block(raised("KeyError"), first=line(number=50)),)
    assert not recovered(scene_of(hits=(FAILED,), inputs=read(210), tracebacks=trouble))


@pytest.mark.parametrize(
    ("values", "passed"), [((9, 1, 1), True), ((9, 1), False), ((1, 9), False)]
)
def test_series_that_is_good_again(values: tuple[float, ...], passed: bool) -> None:
    """Two good values at the end show that a series recovered."""
    detect = {
        "signs": {"high": {"metric": "loss", "is": "above", "value": 5}},
        "signatures": [{"weak": ["high"]}],
    }
    rule = compile_rule("x", make_entry(detect, effect="wrong"))
    samples = tuple(sample(n + 1, n, loss=float(value)) for n, value in enumerate(values))
    scene = scene_of(samples=samples)
    assert rule["recovers"] == "series"
    assert has_recovered(judge_rule(rule, scene)[0], scene) is passed


PAIR = {"metric": "grad_norm", "is": "nonfinite", "for": 2, "with": ["loss == 0"]}
HUGE = {"metric": "loss", "is": "above", "value": 1}
TRAINED = {"metric": "grad_norm", "is": "above", "value": 0}
STRONG = {"strong": ["pair"]}


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({}, {}),
        ({"huge": HUGE}, {"signatures": [STRONG, {"weak": ["huge"]}]}),
        ({"huge": HUGE}, {"signatures": [STRONG, {"strong": ["huge", "never"]}]}),
        ({"huge": HUGE}, {"signatures": [{"strength": "strong", "all": ["pair"], "none": []}]}),
        ({"trained": TRAINED}, {"against": ["trained"]}),
    ],
)
@pytest.mark.parametrize("goes_on", [True, False])
def test_series_of_another_sign_shows_no_recovery(
    more: dict[str, Any], part: dict[str, Any], goes_on: bool
) -> None:
    """Losses that are no longer high, or norms that no longer speak against it, heal no NaN."""
    signs = {"pair": PAIR, "never": {"metric": "lr", "is": "above", "value": 9}, **more}
    detect = {"signs": signs, "signatures": [STRONG], **part}
    rule = compile_rule("x", make_entry(detect, effect="wrong"))
    good, bad = {"loss": 2.5, "grad_norm": 1.0}, {"loss": 0.0, "grad_norm": math.nan}
    again = {**good, "loss": 0.5}
    rows = [good] * 5 + [bad] * 5 + [again] * (0 if goes_on else 2)
    scene = scene_of(samples=tuple(sample(n, n, **row) for n, row in enumerate(rows, 1)))
    assert rule["recovers"] == "series"
    assert has_recovered(judge_rule(rule, scene)[0], scene) is (not goes_on)


def test_last_sighting_counts() -> None:
    """What came again after the progress has not passed."""
    again = hit("save failed", "save failed", number=40)
    assert not recovered(scene_of(hits=(FAILED, again), samples=steps(7, 8)))
    assert recovered(scene_of(hits=(FAILED, again), samples=(*steps(7, 8), *steps(27, 28))))
    healed = hit("save succeeded", "save succeeded", number=20)
    assert not recovered(scene_of(hits=(FAILED, again, healed)), recovers="good")
