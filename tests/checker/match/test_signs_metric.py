"""Series of numbers: from which sample on they do what a sign asks for, or that nothing tells."""

import math
from typing import Any

import pytest

from checker.judgement import Truth
from checker.match.scene import Scene, build_scene
from checker.match.signs import judge_signs
from checker.model import Sample
from checker.scan.observe import observe_texts
from generator.catalogue import compile_rule
from tests.checker.observed import sample, scene_of
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("numbers")


def judged(sign: dict[str, Any], scene: Scene) -> Truth:
    """The truth of one sign."""
    detect = {"signs": {"it": sign}, "signatures": [{"weak": ["it"]}]}
    return judge_signs(compile_rule("x", make_entry(detect)), scene)["it"]


def series(*values: float) -> tuple[Sample, ...]:
    """A series of losses."""
    return tuple(sample(index + 1, index, loss=value) for index, value in enumerate(values))


@pytest.mark.parametrize(
    ("sign", "values", "number"),
    [
        ({"is": "nonfinite"}, (1.0, float("nan")), 2),
        ({"is": "equals", "value": 0.693}, (0.7, 0.693, 0.69), 2),
        ({"is": "above", "value": 3}, (1.0, 2.0), None),
        ({"is": "above", "value": 3}, (1.0, 3.0, 3.5), 3),
        ({"is": "below", "value": 0.5}, (1.0, 0.5, 0.25), 3),
        ({"is": "zero", "for": 2}, (0.0, 1.0, 0.0, 0.0), 3),
        ({"is": "zero", "for": 2, "of": 3}, (0.0, 1.0, 0.0), 1),
        ({"is": "constant", "for": 2}, (2.0, 2.0, 2.0), 2),
        ({"is": "rising", "for": 3}, (1.0, 2.0, 3.0, 2.0), None),
        ({"is": "falling", "for": 2}, (1.0, 2.0, 1.0, 0.5), 3),
        ({"is": "falling", "for": 2}, (2.0, 1.0, 1.0, 0.5), None),
        ({"is": "spike"}, (1.0, 1.0, 1.1, 1.0, 1.0, 9.0, 1.0, 8.0), 6),
        ({"is": "spike"}, (1.0, 1.0, 1.1, 1.0, 1.0, 9.0, 1.0, 1.0), None),
        ({"is": "spike"}, (1.0, 1.0, 1.1, 1.0, 1.0, 4.9, 4.9), None),
        ({"is": "spike"}, (1.0, 1.0, 1.1, 1.0, 1.0, 5.1, 5.1), 6),
        ({"is": "spike"}, (0.2, 0.5, 1.0, 3.0, 4.0, 7.0, 7.0), None),
        ({"is": "spike"}, (0.2, 0.5, 1.0, 3.0, 4.0, 7.5, 7.5), 6),
        ({"is": "spike"}, (1.0, 1.0, 1.1, 1.0, 9.0, 9.0), None),
        ({"is": "spike"}, (0.1, 4.0, 0.2, 3.0, 0.1, 5.0, 4.5), None),
        ({"is": "spike"}, (0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0), None),
    ],
)
def test_series_does_so_for_long_enough(
    sign: Any, values: tuple[float, ...], number: int | None
) -> None:
    """The sighting is the sample from which on the series does so."""
    truth = judged({"metric": "loss", **sign}, scene_of(samples=series(*values)))
    found = truth.sightings[0].line if truth.sightings else None
    assert (found.number if found else None) == number


def test_series_with_another_metric_of_the_same_record() -> None:
    """A condition on another number of the record must hold there."""
    sign = {"metric": "loss", "is": "above", "value": 1, "with": ["lr < 1"]}
    assert judged(sign, scene_of(samples=(sample(1, 1, loss=2.0, lr=0.1),))).value is True
    assert judged(sign, scene_of(samples=(sample(1, 1, loss=2.0, lr=3.0),))).value is False
    assert judged(sign, scene_of(samples=(sample(1, 1, loss=2.0),))).value is False


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("grad_norm is nonfinite", True),
        ("grad_norm is finite", False),
        ("grad norm == 0", True),
        ("actor/kl is finite", True),
        ("actor/kl > 1e-3", True),
        ("actor/kl>=-0.5", True),
        ("iteration time (ms) < 200", True),
        ("lr > 0", True),
        ("perplexity is finite", False),
        ("grad_norm != grad_norm", False),
    ],
)
def test_condition_on_another_metric_names_it_as_printed(condition: str, value: bool) -> None:
    """What a record lacks meets no condition."""
    values = {
        "loss": 0.0,
        "grad_norm": math.inf,
        "grad norm": 0.0,
        "actor/kl": 0.25,
        "iteration time (ms)": 123.0,
        "LR": 0.1,
    }
    scene = scene_of(samples=(sample(1, 1, **values),))
    assert judged({"metric": "loss", "is": "zero", "with": [condition]}, scene).value is value


def read(**files: str) -> Scene:
    """The scene of logs, by name of the file."""
    texts = {name + ".log": text for name, text in files.items()}
    return build_scene(observe_texts(texts, frozenset(["metric loss"]), {}, {}), ())


def test_series_is_of_one_writer() -> None:
    """Two ranks in one console of which one is at zero have no loss that is zero in a row."""
    rows = [f"[rank{rank}]: step {step} loss {rank}.0\n" for step in (1, 2, 3) for rank in (0, 1)]
    sign = {"metric": "loss", "is": "zero", "for": 3}
    assert [s.rank for s in judged(sign, read(console="".join(rows))).sightings] == [0]
    turns = [f"[rank{step % 2}]: step {step} loss 2.5\n" for step in range(4)]
    assert judged({"metric": "loss", "is": "constant", "for": 2}, read(a="".join(turns))).value is (
        False
    )


def test_series_is_of_one_attempt() -> None:
    """The restarted run begins with the loss of the checkpoint: that is no standstill."""
    banner = "loading config.yaml\nmodel has 7 layers\n"
    first = banner + "step 1 loss 2.5\nstep 2 loss 2.4\nKilled\n"
    then = banner + "step 1 loss 2.4\nstep 2 loss 2.3\n"
    sign = {"metric": "loss", "is": "constant"}
    assert judged(sign, read(a=first + then)).value is False
    assert judged(sign, read(a=first + then.replace("2.3", "2.4"))).value is True


def test_series_that_nobody_printed_is_unknown() -> None:
    """A log without any loss does not say that the loss was finite."""
    sign = {"metric": "loss", "is": "nonfinite"}
    reason = "no values of 'loss' were printed"
    assert judged(sign, read(a="step 1 lr 0.1\n")) == Truth(None, (), reason)
    assert judged(sign, read(a="step 1 loss 0.1\n")).value is False
