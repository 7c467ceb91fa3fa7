"""Counters that have not begun, move, stand still or are through."""

from typing import Any

import pytest

from checker.judgement import Truth
from checker.match.scene import build_scene
from checker.match.signs import judge_signs
from checker.pipeline import diagnose_texts
from checker.scan.observe import observe_texts
from generator.catalogue import compile_rule
from tests.checker.failures import catalogue_of
from tests.checker.observed import ended, sample, scene_of
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("counters")

KEYS = frozenset(["metric loss", "log saving"])
STEP = "2026-11-30 10:00:{:02} INFO train rank {}: step {} loss 2.5\n"
LIMIT = (
    "slurmstepd: error: *** JOB 7 ON node-a CANCELLED AT 2026-11-30T10:00:09 DUE TO TIME LIMIT ***"
    "\n"
)
CTRL_C = 'Traceback (most recent call last):\n  File "t.py", line 3, in f\nKeyboardInterrupt\n'


def judged(sign: dict[str, Any], **files: str) -> Truth:
    """The truth of one sign of these files."""
    detect = {
        "signs": {"it": sign, "saving": "saving", "saved": "all is saved"},
        "signatures": [{"weak": ["it"]}, {"weak": ["saving"]}, {"weak": ["saved"]}],
    }
    texts = {name + ".log": text for name, text in files.items()}
    scene = build_scene(observe_texts(texts, KEYS | {"log all is saved"}, {}, {}), ())
    return judge_signs(compile_rule("x", make_entry(detect)), scene)["it"]


def progress(state: str, of: str = "step", **files: str) -> bool | None:
    """Whether a counter does so."""
    return judged({"progress": state, "of": of}, **files).value


def steps(rank: int = 0, first: int = 1, count: int = 4) -> str:
    """Timed steps of one rank, a second apart."""
    return "".join(STEP.format(n, rank, n) for n in range(first, first + count))


def test_log_that_merely_ends_has_a_moving_counter_that_may_have_stopped() -> None:
    """It may have been copied while the run went on."""
    assert progress("moving", a=steps()) is True
    assert progress("stopped", a=steps()) is None
    assert progress("finished", a=steps()) is False
    assert progress("none_yet", a=steps()) is False


@pytest.mark.parametrize(
    "proof",
    [
        {"b": "2026-11-30 10:02:00 INFO train rank 1: step 90 loss 2.5\n"},
        {"slurm": LIMIT},
        {"slurm": LIMIT.replace("10:00:09", "10:30:00").replace(" DUE TO TIME LIMIT", "")},
        {"c": CTRL_C},
    ],
)
def test_counter_stopped_where_something_proves_that_time_passed(proof: dict[str, str]) -> None:
    """Another rank, the scheduler's time, a time limit or Ctrl-C prove it."""
    truth = judged({"progress": "stopped"}, a=steps(), **proof)
    assert [sighting.text for sighting in truth.sightings][:1] == ["step 4 loss 2.5"]


def test_lines_of_the_same_writer_prove_that_a_counter_without_times_stopped() -> None:
    """Two hundred lines after a step in every other line are a silence of the counter."""
    text = "".join(f"step {n} loss 2\n" for n in range(1, 9))
    assert progress("stopped", rank0=text + "waiting for data\n" * 300) is True
    assert progress("stopped", rank0=text + "waiting for data\n" * 50) is None
    # In a console they can be of another process.
    others = "[rank1]: waiting for data\n" * 300
    assert progress("stopped", console=text.replace("step", "[rank0]: step") + others) is None


def test_counter_whose_process_ended_does_not_move() -> None:
    """The last value was the last one for good."""
    failed = (
        "E1130 10:00:09.000000 35 torch/distributed/elastic/multiprocessing/api.py:1002] failed "
        "(exitcode: 1) local_rank: 0 (pid: 90) of binary: /usr/bin/python3\n"
    )
    assert progress("moving", rank0=steps()) is True
    assert progress("moving", rank0=steps(), console=failed) is None


def test_counter_that_went_back_does_not_move_yet() -> None:
    """A new epoch has begun, or the run again; the next value tells."""
    assert progress("moving", a=steps() + STEP.format(9, 0, 1)) is None


def test_counter_of_a_process_that_ended_well_is_finished() -> None:
    """Who ends with code 0 has done what it wanted; with another one it has not."""
    for code, finished in ((0, True), (1, None)):
        scene = scene_of(samples=(sample(1, 1), sample(2, 2)), exits=(ended(rank=0, code=code),))
        detect = {"signs": {"it": {"progress": "finished"}}, "signatures": [{"weak": ["it"]}]}
        truth = judge_signs(compile_rule("x", make_entry(detect)), scene)["it"]
        assert truth.value is finished


def test_each_writer_has_a_counter_of_its_own() -> None:
    """One rank stands still although the other one in the console goes on."""
    row = "[rank{0}]: 2026-11-30 10:0{1}:00 INFO train: step {1} loss 2.5\n"
    console = "".join(row.format(rank, n) for n in range(3) for rank in (0, 1))
    others = "".join(
        f"[rank1]: 2026-11-30 1{n}:00:00 INFO train: step {n} loss 2.5\n" for n in range(3, 9)
    )
    truth = judged({"progress": "stopped"}, a=console + others)
    assert [(sighting.rank, sighting.text) for sighting in truth.sightings] == [
        (0, "train: step 2 loss 2.5")
    ]


def test_two_runs_in_one_file_have_no_counter() -> None:
    """Nobody knows which of both the last step is of."""
    order = [100, 5, 101, 6, 102, 7, 103, 8, 104]
    console = "".join(STEP.format(n, 0, step) for n, step in enumerate(order))
    later = "2026-11-30 10:05:00 INFO train rank 1: saving tokens\n"
    assert progress("stopped", a=console, b=later) is None


def test_slow_counter_is_given_its_usual_pause() -> None:
    """Steps of ten minutes do not stand still after twelve."""
    slow = "".join(f"2026-11-30 1{n}:00:00 INFO train rank 0: step {n} loss 2\n" for n in range(4))
    other = "2026-11-30 13:12:00 INFO train rank 1: step 90 loss 2.5\n"
    assert progress("stopped", a=slow, b=other) is None


@pytest.mark.parametrize(
    "text",
    [
        "100%|#####| 8/8 [00:01<00:00, 7.9it/s]\n",
        "".join(f"step {n} loss 2\n" for n in (1, 2)) + "\nTraining completed. Do not forget\n",
    ],
)
def test_counter_that_reached_its_end_is_finished(text: str) -> None:
    """By its total, or since the program says that it is through."""
    assert progress("finished", a=text) is True
    assert progress("stopped", a=text) is False


def test_epoch_and_bar_are_counters_too() -> None:
    """An epoch is a value of its records."""
    rows = "".join(f"{{'loss': 2.5, 'epoch': {n}.5}}\n" for n in (1, 2))
    assert progress("moving", "epoch", a=rows) is True
    bars = "".join(f" {n}0%|##   | {n}/10 [00:01<00:09, 1.0it/s]\n" for n in (1, 2))
    assert progress("moving", "bar", a=bars) is True
    assert judged({"progress": "moving", "of": "bar"}, a=rows) == Truth(
        None, (), "no bar counter was printed"
    )


def test_nothing_counted_yet_needs_a_start_and_a_proof() -> None:
    """A process that printed nothing may not have begun, and one that began may be quick."""
    start = "2026-11-30 10:00:00 INFO train rank 0: saving tokens\n"
    later = "2026-11-30 10:05:00 INFO train rank 1: saving tokens\n"
    assert progress("none_yet", a=start) is None
    assert progress("none_yet", a=start, b=later) is True
    assert progress("none_yet", a=start + CTRL_C) is True


@pytest.mark.parametrize("proof", [CTRL_C, LIMIT, "2026-11-30 10:05:00 step 3 loss 2\n"])
def test_missing_line_is_proven_by_whoever_ended_the_wait(proof: str) -> None:
    """Ctrl-C and a time limit come after a wait; a later time tells how long it was."""
    sign = {"missing": "saved", "after": "saving", "within": "2m"}
    start = "2026-11-30 10:00:00 saving\n"
    assert judged(sign, a=start).value is None
    assert judged(sign, a=start + proof).value is True
    assert judged(sign, a=proof.replace("10:05", "09:05") + start).value is None


def test_entry_with_nothing_but_a_counter_is_asked() -> None:
    """What a counter does not do leaves no line of its own to look for."""
    detect = {"signs": {"it": {"progress": "stopped"}}, "signatures": [{"weak": ["it"]}]}
    report = diagnose_texts(
        catalogue_of("disk-full", x=(detect, {"recovers": "never"})),
        {"a.log": steps() + LIMIT},
        {},
        {},
    )
    assert [(item.rule["id"], item.confidence) for item in report.diagnoses] == [("x", 1)]
