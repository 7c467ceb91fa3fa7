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
    (
        " 34%|###   | 1200/3500 [21:13<40:41, 1.06s/it]",
        1200,
        {"bar": 1200.0, "bar_total": 3500.0, "bar_seconds": 1273.0},
    ),
    (
        "step:  1  loss:     inf  grad_norm:     inf  memory:  1.90GiB(2.00%)  tps: 6,012",
        1,
        {"loss": math.inf, "grad_norm": math.inf, "tps": 6012.0},
    ),
    ("validate step: 10  loss: 2.1", 10, {"validate loss": 2.1}),
    (
        "Epoch 0:  34%|###   | 120/350 [00:10<00:20,  5.00it/s, v_num=0, loss=inf.0]",
        120,
        {"bar": 120.0, "bar_total": 350.0, "v_num": 0.0, "loss": math.inf, "bar_seconds": 10.0},
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
        {"bar": 12.0, "bar_total": 35.0, "loss": math.inf, "bar_seconds": 10.0},
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
    (
        "steps: 10 loss: 4.2134 iter time (s): 0.512 samples/sec: 31.250",
        10,
        {"loss": 4.2134, "iter time (s)": 0.512, "samples/sec": 31.25},
    ),
    (
        "Training epoch 0, iteration 28/99 | lr: 5.6e-06 | global_batch_size: 32 | "
        "global_step: 28 | reduced_train_loss: 2.778 | train_step_timing in s: 0.189",
        28,
        {
            "lr": 5.6e-06,
            "global_batch_size": 32.0,
            "reduced_train_loss": 2.778,
            "train_step_timing in s": 0.189,
        },
    ),
    (
        " 10/100 " + "\u2501" * 20 + " 5s 10ms/step - accuracy: 0.1000 - loss: nan",
        10,
        {"bar": 10.0, "bar_total": 100.0, "accuracy": 0.1, "loss": math.nan},
    ),
    (
        " 10/100 [==>...........................] - ETA: 5s - loss: 2.3000 - accuracy: 0.1000",
        10,
        {"bar": 10.0, "bar_total": 100.0, "loss": 2.3, "accuracy": 0.1},
    ),
    (
        "100/100 - 5s - 50ms/step - accuracy: 0.1000 - loss: 2.3026 - val_loss: 2.5000e-04",
        100,
        {
            "bar": 100.0,
            "bar_total": 100.0,
            "accuracy": 0.1,
            "loss": 2.3026,
            "val_loss": 2.5e-04,
        },
    ),
    (
        '{"epoch": 1, "update": 0.1, "loss": "12.345", "num_updates": "100", "gnorm": "nan"}',
        100,
        {"epoch": 1.0, "update": 0.1, "loss": 12.345, "gnorm": math.nan},
    ),
    (
        "epoch 001 | valid on 'valid' subset | loss nan | nll_loss 4.1 | num_updates 1000",
        1000,
        {"valid loss": math.nan},
    ),
    ("[epoch=1][batch=10/100]:", 10, {"epoch": 1.0}),
    ("[batch=10/100]:", 10, {}),
    ("[Eval batch=10/100] Eval on eval data:", None, None),
    ("downloaded 10/100 - 5s left", None, None),
    (
        "Epoch 0:  34%|###   | 120/350 [00:10<00:20,  5.00it/s, v_num=0, train_loss_step=nan.0]",
        120,
        {
            "bar": 120.0,
            "bar_total": 350.0,
            "v_num": 0.0,
            "train_loss_step": math.nan,
            "bar_seconds": 10.0,
        },
    ),
    (
        "Epoch: [0][  10/5005]\tTime  0.4 ( 0.5)\tData  0.0 ( 0.0)\tLoss 6.9e+00 (7.0e+00)",
        10,
        {"bar": 10.0, "bar_total": 5005.0, "epoch": 0.0, "loss": 6.9},
    ),
    (
        "Epoch(train)  [1][  50/7330]  lr: 2.0e-02  eta: 2:11:00  memory: 3900  loss: 1.2",
        50,
        {"bar": 50.0, "bar_total": 7330.0, "epoch": 1.0, "lr": 0.02, "memory": 3900.0, "loss": 1.2},
    ),
    (
        "Train: 0 [  50/1251 (  4%)]  Loss: 6.9 (6.9)  Time: 0.5s, 2000/s  LR: 1.000e-04",
        50,
        {"bar": 50.0, "bar_total": 1251.0, "epoch": 0.0, "loss": 6.9, "lr": 1e-4},
    ),
    (
        "Train: [0/300][10/1251]\teta 0:10:11 lr 0.000002\t wd 0.0500\tloss 6.9 (6.9)",
        10,
        {"bar": 10.0, "bar_total": 1251.0, "epoch": 0.0, "lr": 2e-6, "loss": 6.9},
    ),
    (
        "Epoch: [0]  [   10/40037]  eta: 1:02:03  lr: 0.1  loss: 6.9 (7.0)  data: 0.1",
        10,
        {"bar": 10.0, "bar_total": 40037.0, "epoch": 0.0, "lr": 0.1, "loss": 6.9, "data": 0.1},
    ),
    (
        "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.293648",
        640,
        {"bar": 640.0, "bar_total": 60000.0, "epoch": 1.0, "loss": 2.293648},
    ),
    ("loss: 2.303494  [   64/60000]", 64, {"bar": 64.0, "bar_total": 60000.0, "loss": 2.303494}),
    ("Epoch [1/10], Loss: 0.5", None, {"epoch": 1.0, "loss": 0.5}),
    ("Epoch 3/10 - loss: 0.5", None, {"epoch": 3.0, "loss": 0.5}),
    ("epoch 3.5 loss: 0.5", None, {"loss": 0.5}),
    ("loss: 0.5 of [3/8] parts", 3, {"bar": 3.0, "bar_total": 8.0, "loss": 0.5}),
    ("moved shard [3/8] to node-b", None, None),
    (
        "Epoch 0/9 \u2501\u2501\u2501\u2578\u2501 32/100 0:00:10 \u2022 0:00:20 9.90it/s loss: 2.1",
        32,
        {"bar": 32.0, "bar_total": 100.0, "epoch": 0.0, "loss": 2.1},
    ),
    ("   \u2501\u2501\u2501\u2501\u2501\u2501 2/2 MB 5.1 MB/s eta 0:00:00", None, None),
    ("[12]\ttrain-rmse:0.5\tvalid-rmse:0.6", 12, {"train-rmse": 0.5, "valid-rmse": 0.6}),
    ("[12]\tvalid_0's l2: 0.5", 12, {"s l2": 0.5}),
    ("[12]\tno value here", None, None),
    ("epoch 2: {'accuracy': 0.7, 'f1': 0.8}", None, {"epoch": 2.0, "accuracy": 0.7, "f1": 0.8}),
    (
        "- 0 - levanter.tracker - INFO :: Progress on:train 1.23kit/10.0kit rate:1.2it/s "
        "remaining:? elapsed:17:05 postfix:loss=2.31",
        None,
        {"progress": 1.23, "remaining:? elapsed:17": 5.0, "postfix:loss": 2.31},
    ),
    ("Trial PPO_Cart_1a2b3_00000 finished iteration 5 at 2026-08-14 03:02:01. Total", 5, {}),
    ("  training_iteration: 5", 5, {}),
    ("|    iterations           | 5           |", 5, {}),
    (
        "(trainer:763) INFO: 1epoch:train:51-100batch: iter_time=0.1, loss=90.1",
        100,
        {"epoch": 1.0, "iter_time": 0.1, "loss": 90.1},
    ),
    ("Ep. 1 : Up. 1000 : Sen. 63,000 : Cost 7.1 : Time 100.1s", 1000, {}),
    (
        "[Epoch 0][Batch 49], Speed: 31.6 samples/sec, RPN=0.1",
        49,
        {"epoch": 0.0, "Speed": 31.6, "RPN": 0.1},
    ),
    (
        "(epoch: 1, iters: 100, time: 0.2, data: 0.1) G_GAN: 0.5",
        100,
        {"epoch": 1.0, "data": 0.1, "G_GAN": 0.5},
    ),
    (
        "[0/5][50/1583]\tLoss_D: 1.2\tLoss_G: 3.1",
        50,
        {"bar": 50.0, "bar_total": 1583.0, "epoch": 0.0, "Loss_D": 1.2, "Loss_G": 3.1},
    ),
    (
        "| epoch   1 |   200/ 2983 batches | lr 20.00 | loss 17.1",
        200,
        {"bar": 200.0, "bar_total": 2983.0, "epoch": 1.0, "lr": 20.0, "loss": 17.1},
    ),
    ("[1,  2000] loss: 2.166", 2000, {"epoch": 1.0, "loss": 2.166}),
    ("12:\tlearn: 0.5\ttotal: 58ms\tremaining: 5.8s", 12, {"learn": 0.5}),
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
        assert repr(dict(reading.values)) == repr(values)


def test_value_below_a_head_is_named_as_it_is_printed() -> None:
    """Composer prints one value a line, and what it is of before the name."""
    name = "Train loss/train/total"
    reading = read_metrics(f"\t {name}: 2.3026", frozenset([name]))
    assert reading == (None, ((name, 2.3026),))


HEADS = "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
ROW = (
    "      {}/100      2.31G      1.234      {}         15        640: "
    "100%|##########| 8/8 [00:02<00:00,  3.50it/s]\n"
)
VALIDATION = (
    "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): "
    "100%|##########| 4/4 [00:01<00:00,  3.50it/s]\n"
    "                   all        128        929        nan        nan        nan        nan\n"
)


def test_columns_of_a_table_have_the_names_of_its_head() -> None:
    """YOLO prints the names once an epoch; a nan in another table is no value of them."""
    rows = "".join(HEADS + ROW.format(n, "nan" if n == 40 else 2.5) + VALIDATION for n in range(60))
    keys = frozenset({"metric box_loss", "metric cls_loss", "series cls_loss is nonfinite"})
    seen = observe_texts({"train.log": "x\n" * 2000 + rows}, keys, {}, {})
    found = [dict(sample.values) for sample in seen.samples]
    named = [values for values in found if "cls_loss" in values]
    assert [values["epoch"] for values in named] == [float(epoch) for epoch in range(60)]
    assert [v["epoch"] for v in named if math.isnan(v["cls_loss"])] == [40.0]
    assert named[7] == {
        "bar": 8.0,
        "bar_total": 8.0,
        "bar_seconds": 2.0,
        "epoch": 7.0,
        "box_loss": 1.234,
        "cls_loss": 2.5,
        "Instances": 15.0,
        "Size": 640.0,
    }


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
    "Epoch: [{rank}][{step:4d}/5005]\tTime 0.4 ({norm:6.3f})\tLoss {loss} (7.0e+00)",
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


def test_counter_of_a_shorter_loader_counts_no_steps() -> None:
    """Also where many lines of one shape are read as the first one."""
    train = "Epoch: [0][{:4d}/5005]\tTime 0.4\tLoss 6.9 (7.0)\n"
    test = "Test: [{:3d}/196]\tTime 0.4\tLoss 6.9 (7.0)\n"
    text = "".join(train.format(step) for step in range(150))
    text += "".join(test.format(step) for step in range(150))
    seen = observe_texts({"train.log": text}, KEYS, {}, {})
    assert [sample.step for sample in seen.samples] == [*range(150), *[None] * 150]


def test_capital_letter_makes_no_other_metric() -> None:
    """Every line of a long log that writes `Loss` is read as those that write `loss`."""
    text = "".join(f"Step {step} | Loss: 2.5\n" for step in range(3000))
    assert len(samples_of(text)) == 3000
