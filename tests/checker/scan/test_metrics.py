"""Metric records of the usual programs are read."""

import math
import random

import pytest

from checker.scan.metrics import read_metrics
from checker.scan.observe import observe_texts

CASES = [
    (
        "{'loss': 1.8342, 'grad_norm': 0.91, 'epoch': 0.34}",
        None,
        {"loss": 1.8342, "grad_norm": 0.91, "epoch": 0.34},
    ),
    ("{'loss': '1.8342', 'grad_norm': '0.91'}", None, {"loss": 1.8342, "grad_norm": 0.91}),
    ("step 12 loss 2.3", 12, {"loss": 2.3}),
    (
        "step: 120 loss: 3.1415 grad_norm: 1.02 memory: 61.3GiB(77%) tps: 6,012",
        120,
        {"loss": 3.1415, "grad_norm": 1.02, "tps": 6012.0},
    ),
    ("step=120, skipped=3, lr=[1e-05], mom=[(0.9, 0.95)]", 120, {"skipped": 3.0, "lr": 1e-05}),
    (
        "iteration      120/  500000 | consumed samples: 61440 | "
        "lm loss: 2.1E+00 | grad norm: 1.204 |",
        120,
        {"consumed samples": 61440.0, "lm loss": 2.1, "grad norm": 1.204},
    ),
    (" 34%|###   | 1200/3500 [21:13<40:41, 1.06s/it]", 1200, {"bar": 1200.0, "bar_total": 3500.0}),
    ("no numbers here", None, None),
    ("listening on port: 29500", None, None),
]


@pytest.mark.parametrize(("text", "step", "values"), CASES)
def test_record_is_read(text: str, step: object, values: object) -> None:
    """Step and values come out of one payload; other text is no record."""
    reading = read_metrics(text)
    if values is None:
        assert reading is None
    else:
        assert reading is not None
        assert reading.step == step
        assert dict(reading.values) == values


def test_values_that_are_no_numbers_are_kept() -> None:
    """NaN and infinity are values."""
    reading = read_metrics("{'loss': nan, 'grad_norm': inf}")
    assert reading is not None
    values = dict(reading.values)
    assert math.isnan(values["loss"])
    assert values["grad_norm"] == math.inf


def samples_of(text: str) -> list[tuple[object, ...]]:
    """Read the metric records of one log."""
    seen = observe_texts({"train.log": text}, frozenset({"metric loss"}), {}, {})
    return [
        (
            sample.line.number,
            sample.line.text,
            sample.line.writer.rank,
            sample.line.moment and sample.line.moment.seconds,
            sample.line.level,
            sample.step,
            sample.values,
        )
        for sample in seen.samples
    ]


SHAPES = [
    "{{'loss': {loss:.4f}, 'grad_norm': {norm:g}, 'epoch': {step}.{rank}}}",
    "[rank{rank}]:[titan] 2026-08-14 03:{minute:02d}:{second:02d},123 - root - INFO - "
    "step: {step:2d}  loss: {loss:7.4f}  memory: 61.30GiB(77.00%)  tps: {tps:,}  mfu: 11.2%",
    " [2026-08-14 03:{minute:02d}:{second:02d}] iteration {step:8d}/  500000 | lm loss: {loss:.6E} "
    "| loss: {loss:.3E} | number of nan iterations:   0 |",
    "[default{rank}]:W0814 03:{minute:02d}:{second:02d}.000000 41 a.py:7] step {step} loss {norm}",
    "2026-08-14T03:{minute:02d}:{second:02d}Z host-{rank} step={step}, loss={loss}, lr=[{norm}]",
    "step {step}.5 loss {loss}",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_records_of_a_known_shape_are_read_as_the_first_one(shape: str) -> None:
    """The many lines that repeat a shape give what each of them gives alone."""
    choice = random.Random(shape)
    rows = [
        shape.format(
            rank=choice.randrange(4),
            step=step,
            minute=step // 60,
            second=step % 60,
            loss=choice.choice([choice.uniform(0, 30), math.nan, -1.5e-7, 3.0]),
            norm=choice.choice([math.inf, 0.25, 12]),
            tps=choice.choice([12, 987, 6012]),
        )
        for step in range(200)
    ]
    together = samples_of("".join(row + "\n" for row in rows))
    alone = [
        (number, *found[1:])
        for number, row in enumerate(rows, 1)
        for found in samples_of(row + "\n")
    ]
    assert repr(together) == repr(alone)
