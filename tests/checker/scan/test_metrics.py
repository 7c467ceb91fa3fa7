"""Metric records of the usual programs are read."""

import math
import random

import pytest

from checker.scan.metrics import read_metrics
from checker.scan.observe import observe_texts

KEYS = frozenset({"metric loss"})

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
    (
        "step:  1  loss:     inf  grad_norm:     inf  memory:  1.90GiB(2.00%)  tps: 6,012",
        1,
        {"loss": math.inf, "grad_norm": math.inf, "tps": 6012.0},
    ),
    ("validate step: 10  loss: 2.1", 10, {"validate loss": 2.1}),
    (
        "Epoch 0:  34%|###   | 120/350 [00:10<00:20,  5.00it/s, v_num=0, loss=inf.0]",
        120,
        {"bar": 120.0, "bar_total": 350.0, "v_num": 0.0, "loss": math.inf},
    ),
    (
        " iteration      120/  500000 | consumed samples:        61440 | "
        "iteration time (ms): 123 | lm loss: 2.1E+00 | grad norm: INF | "
        "number of skipped iterations:   0 | number of nan iterations:   0 |",
        120,
        {
            "consumed samples": 61440.0,
            "iteration time (ms)": 123.0,
            "lm loss": 2.1,
            "grad norm": math.inf,
            "number of skipped iterations": 0.0,
            "number of nan iterations": 0.0,
        },
    ),
    ("number of nan iterations:   0", None, None),
    (
        "OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768",
        None,
        None,
    ),
    (
        "epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=1.25, MemAllocated=0.2GB",
        10,
        {"epoch": 0.0, "micro_step": 10.0, "RunningAvgSamplesPerSec": 1.25},
    ),
    (
        "epoch 001:    100 / 1000 loss=12.3, ppl=4000.1, num_updates=100, lr=1.2e-05",
        100,
        {"loss": 12.3, "ppl": 4000.1, "lr": 1.2e-05},
    ),
    ("epoch 001 | loss 5.2 | num_updates 1000 | lr 0.0001", 1000, {"loss": 5.2, "lr": 0.0001}),
    (
        "Iter(train) [  100/80000]  lr: 9.9e-03  eta: 6:10:11  time: 0.27  loss: 0.5",
        100,
        {"lr": 0.0099, "time": 0.27, "loss": 0.5},
    ),
    (
        "step:1 - global_seqlen/min:1234.000 - actor/grad_norm:inf - actor/lr:1e-06",
        1,
        {"global_seqlen/min": 1234.0, "actor/grad_norm": math.inf, "actor/lr": 1e-06},
    ),
    ("step 0: train loss 10.9, val loss 10.8", 0, {"train loss": 10.9, "val loss": 10.8}),
    ("iter 10: loss 4.27, time 123.45ms, mfu 12.34%", 10, {"loss": 4.27, "mfu": 12.34}),
    ("step 5 loss 2.1 grad norm 1.23", 5, {"loss": 2.1, "grad norm": 1.23}),
    ("clip grad norm 1.0", None, None),
    ("Step 3 | Loss: inf", 3, {"loss": math.inf}),
    (
        "Training: loss=inf: 34%|###   | 12/35 [00:10<00:20,  5.00it/s]",
        12,
        {"bar": 12.0, "bar_total": 35.0, "loss": math.inf},
    ),
    (
        "Map:  34%|###   | 17000/51760 [00:01<00:02, 12000.12 examples/s]",
        None,
        {"bar": 17000.0, "bar_total": 51760.0},
    ),
    ("step 3 loss=tensor(2.5, device='cuda:0', grad_fn=<Mean>)", 3, {"loss": 2.5}),
    ("{'loss': tensor(inf, device='cuda:0'), 'lr': 0.1}", None, {"loss": math.inf, "lr": 0.1}),
    ("step: 1,234 loss: 2.1", 1234, {"loss": 2.1}),
    (
        "llamafactory.train.callbacks:157 >> {'loss': 11.9, 'epoch': 0.01}",
        None,
        {"loss": 11.9, "epoch": 0.01},
    ),
    ("llamafactory.train.callbacks:157 >> the loss is saved", None, None),
    ("Total optimization steps = 1,000", None, None),
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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("step:  1  loss:     nan  grad_norm:     nan  memory:  1.90GiB(2.00%)", "grad_norm"),
        ("Epoch 0:  34%|## | 120/350 [00:10<00:20,  5.00it/s, v_num=0, loss=nan.0]", "loss"),
        (" iteration      120/  500000 | lm loss: NAN | grad norm: 1.0 |", "lm loss"),
        ("step:1 - actor/grad_norm:nan", "actor/grad_norm"),
        ("Loss: nan", "loss"),
        ("loss: tensor(nan, device='cuda:0', grad_fn=<NllLossBackward0>)", "loss"),
        ("Training loss=nan: 34%|###   | 12/35 [00:10<00:20,  5.00it/s]", "loss"),
    ],
)
def test_value_that_is_no_number_is_found_in_every_spelling(text: str, name: str) -> None:
    """NaN is read however a program pads, capitalizes or wraps it."""
    reading = read_metrics(text)
    assert reading is not None
    assert math.isnan(dict(reading.values)[name])


def samples_of(text: str) -> list[tuple[object, ...]]:
    """Read the metric records of one log."""
    seen = observe_texts({"train.log": text}, KEYS, {}, {})
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
    "step: {tps:,} loss: {loss}",
    "Step {step} | Loss: {loss}",
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


TRAINING = " 34%|###   | {}/3500 [21:13<40:41, 1.06s/it]\n"
EVALUATION = " 50%|###   | {}/2 [00:01<00:01, 1.06s/it]\n"


@pytest.mark.parametrize("order", [1, -1])
def test_bar_inside_another_one_counts_no_steps(order: int) -> None:
    """Of the bars of one writer the longest is the run's, whichever came first."""
    rows = [TRAINING.format(1200), EVALUATION.format(1)][::order]
    text = "".join(rows) + TRAINING.format(1201) + EVALUATION.format(2)
    seen = observe_texts(
        {"train.log": "[rank0]: ".join(("", *text.splitlines(True)))}, KEYS, {}, {}
    )
    found = [(int(dict(sample.values)["bar_total"]), sample.step) for sample in seen.samples]
    assert sorted(found, key=str) == [(2, None), (2, None), (3500, 1200), (3500, 1201)]
    assert [state.last_step for state in seen.ranks] == [1201]


def test_capital_letter_makes_no_other_metric() -> None:
    """Every line of a long log that writes `Loss` is read as those that write `loss`."""
    text = "".join(f"Step {step} | Loss: 2.5\n" for step in range(3000))
    assert len(samples_of(text)) == 3000
