"""Metric records of the usual programs are read."""

import math

import pytest

from checker.metrics import read_metrics

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
