"""Records that no sign is true of are left out, and the signs do not notice."""

import functools
import random
from typing import Any

import pytest

from checker.match.scene import build_scene
from checker.match.signs_metric import healing_sightings, judge_metric
from checker.match.signs_text import SignCase
from checker.model import Observations
from checker.scan.metric_asks import asked_key, asks_of, may_answer, numbers_in
from checker.scan.observe import observe_texts

ROWS = 5000
SIGNS: dict[str, dict[str, Any]] = {
    "not finite": {"is": "nonfinite", "for": 3},
    "not finite, of more": {"is": "nonfinite", "for": 2, "of": 6},
    "zero": {"is": "zero", "for": 3},
    "zero beside another": {"is": "zero", "for": 2, "with": ["grad_norm is nonfinite"]},
    "above": {"is": "above", "value": 50.0, "for": 2},
    "below": {"is": "below", "value": 0, "for": 1},
    "equal": {"is": "equals", "value": 7.5, "for": 1},
    "constant": {"is": "constant", "for": 5},
    "spike": {"is": "spike", "for": 1},
}
FORMS = {
    "quoted": "{{'loss': {loss}, 'grad_norm': {norm}, 'epoch': 0.{step}}}",
    "plain": "[default{rank}]:2026-08-14 03:{minute:02d}:{second:02d},123 INFO train: "
    "step {step} loss: {loss} grad_norm: {norm}",
    "tensor": "step {step} | loss: tensor({loss}) | grad_norm: {norm}",
    "table": " iteration {step:8d}/  500000 | Loss: {loss} | grad_norm: {norm} | ok |",
}


def completed(sign: dict[str, Any]) -> dict[str, Any]:
    """Write a sign in its long form."""
    return {
        "kind": "metric",
        "metric": "loss",
        "value": None,
        "of": None,
        "with": [],
        "onset": "printed",
        **sign,
    }


def log(form: str, seed: int) -> str:
    """Write a long log whose loss misbehaves at some places."""
    choice = random.Random(seed)
    spells = {
        step + offset: kind
        for step in choice.sample(range(300, ROWS - 30), 4)
        for kind in [choice.choice(["nan", "0.0", "99.5", "-1", "7.5", "2.345", "inf"])]
        for offset in range(0, 4 * choice.choice([1, 2, 8]), choice.choice([1, 4]))
    }
    rows = []
    for step in range(ROWS):
        loss = spells.get(step, f"{choice.uniform(1, 3):.4f}")
        norm = "nan" if spells.get(step) == "0.0" else f"{choice.uniform(0.5, 1):.6f}"
        rows.append(
            form.format(
                loss=loss,
                norm=norm,
                step=step,
                rank=step % 4,
                minute=step // 60 % 60,
                second=step % 60,
            )
        )
    return "\n".join(rows) + "\n"


def seen_with(keys: set[str], text: str) -> Observations:
    """Read a log for keys."""
    return observe_texts({"train.log": text}, frozenset(keys), {}, {})


@functools.cache
def read_whole(form: str, seed: int) -> Observations:
    """Read every record of a log, in parts that are short enough for it."""
    rows = log(form, seed).splitlines(keepends=True)
    samples = []
    for start in range(0, len(rows), 500):
        part = seen_with({"metric loss"}, "".join(rows[start : start + 500]))
        samples += [
            sample._replace(line=sample.line._replace(number=sample.line.number + start))
            for sample in part.samples
        ]
    return part._replace(samples=tuple(samples))


def verdict(seen: Observations, sign: dict[str, Any]) -> object:
    """Judge a sign, and where its series is good again."""
    scene = build_scene(seen, set())
    truth = judge_metric(SignCase("it", sign, scene, False, {}))
    healed = healing_sightings({"signs": {"it": sign}}, scene)
    return (
        truth.value,
        [(found.rank, found.line and found.line.number) for found in truth.sightings],
        [(found.rank, found.line and found.line.number) for found in healed if truth.value],
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SIGNS)
def test_signs_are_judged_as_if_every_record_had_been_read(name: str, form: str) -> None:
    """Truth, first place and healing of a series are those of reading every record."""
    sign = completed(SIGNS[name])
    for seed in range(2):
        few = seen_with({"metric loss", asked_key(sign)}, log(FORMS[form], seed))
        assert verdict(few, sign) == verdict(read_whole(FORMS[form], seed), sign)


def test_healthy_records_are_left_out() -> None:
    """Of a long log in which nothing can be true, only some records are kept."""
    text = FORMS["quoted"] + "\n"
    rows = "".join(text.format(loss=2.5, norm=0.5, step=step) for step in range(ROWS))
    seen = seen_with({"metric loss", "series loss is zero"}, rows)
    assert len(seen.samples) < 500
    assert [(gap.first, gap.last, gap.names, gap.telling) for gap in seen.left_out] == [
        (1, 4872, frozenset({"loss"}), False)
    ]


def test_series_that_misbehaves_for_long_is_counted_up_to_a_bound() -> None:
    """The first bad record is exact, and a count beyond the bound is said to be the least."""
    text = FORMS["quoted"] + "\n"
    rows = "".join(
        text.format(loss=2.5 if step < 700 else "nan", norm=0.5, step=step)
        for step in range(40 * 700)
    )
    sign = completed(SIGNS["not finite"])
    seen = seen_with({"metric loss", asked_key(sign)}, rows)
    (found,) = judge_metric(SignCase("it", sign, build_scene(seen, set()), False, {})).sightings
    assert found.line is not None
    assert (found.line.number, found.exact) == (701, False)
    assert 2000 < found.times < 27_300


HEALTHY = {
    "an evaluation that is nan": ["{'eval_loss': nan, 'epoch': 0.5}"],
    "steps that a scaler skipped": ["{'loss': 0.0, 'grad_norm': nan, 'epoch': 0.5}"] * 2,
    "one noisy step": ["{'loss': 99.5, 'grad_norm': 99.5, 'epoch': 0.5}"],
    "a validation line": ["epoch 001 | valid on 'valid' subset | loss nan | num_updates 9"] * 3,
    "a table with missing cells": ["  all        128        929        nan        nan"] * 3,
}


@pytest.mark.parametrize("what", HEALTHY)
@pytest.mark.parametrize("behavior", ["nonfinite", "zero", "constant", "spike"])
def test_healthy_series_stays_silent(what: str, behavior: str) -> None:
    """What healthy runs print now and then is no series that misbehaves."""
    choice = random.Random(7)
    rows = [f"{{'loss': {choice.uniform(1, 3):.4f}, 'grad_norm': 0.5}}" for _ in range(300)]
    rows[200:200] = HEALTHY[what]
    sign = completed({"is": behavior, "for": 1 if behavior == "spike" else 3})
    seen = seen_with({"metric loss", asked_key(sign)}, "\n".join(rows) + "\n")
    assert judge_metric(SignCase("it", sign, build_scene(seen, set()), False, {})).value is False


def test_two_runs_of_bad_records_are_not_one() -> None:
    """Bad records far from each other are not in a row, though those between were not read."""
    text = FORMS["quoted"] + "\n"
    rows = "".join(
        text.format(loss="nan" if step in (1500, 4000) else 2.5, norm=0.5, step=step)
        for step in range(ROWS)
    )
    sign = completed({"is": "nonfinite", "for": 2})
    seen = seen_with({"metric loss", asked_key(sign)}, rows)
    assert judge_metric(SignCase("it", sign, build_scene(seen, set()), False, {})).value is False


@pytest.mark.parametrize(
    ("sign", "key"),
    [
        ({"is": "zero", "for": 3}, "series loss is zero"),
        ({"is": "above", "value": 1e3, "for": 1}, "series loss is above 1000.0"),
        ({"is": "constant", "for": 50}, "series loss is constant 8"),
        ({"is": "constant", "for": 3, "of": 9}, "series loss is constant 1"),
    ],
)
def test_key_tells_what_is_asked(sign: dict[str, Any], key: str) -> None:
    """The catalogue's key of a sign holds what records must be read for."""
    assert asked_key(completed(sign)) == key


def test_metric_of_which_nothing_is_told_is_read_for_any_value() -> None:
    """Without a key that tells what is asked, every value may answer."""
    (ask,) = asks_of(["metric lm loss"])["lm loss"]
    assert may_answer(ask, (1.0,), ()) is True
    assert may_answer(ask, (), ()) is False


def test_numbers_are_converted_as_programs_print_them() -> None:
    """Thousands have commas, bars print `nan.0`, and words are no numbers."""
    assert numbers_in([b"6,012", b"inf.0", b"2.1E+00", b"0.27s"]) == (6012.0, float("inf"), 2.1)
