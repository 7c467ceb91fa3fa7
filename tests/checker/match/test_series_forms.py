"""What a series does is found in whatever form a framework prints it."""

import pytest

from checker.match.scene import build_scene
from checker.match.signs import judge_signs
from checker.model import Sighting
from checker.scan.observe import observe_texts
from generator.catalogue import compile_keys, compile_rule
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("numbers")

YOLO_HEAD = "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
# Metric and record; `step` counts from 1.
FORMS = {
    "HF Trainer": (
        "loss",
        "{{'loss': {value}, 'grad_norm': 0.91, 'learning_rate': 4.9e-05, 'epoch': 0.{step:03d}}}",
    ),
    "HF Trainer, numbers in quotes": (
        "loss",
        "{{'loss': '{value}', 'grad_norm': '0.91', 'learning_rate': '4.9e-05', 'epoch': "
        "'0.{step}'}}",
    ),
    "Megatron-LM": (
        "lm loss",
        " [2026-08-14 03:{minute:02d}:{second:02d}] iteration {step:8d}/  500000 | consumed "
        "samples:        61440 | elapsed time per iteration (ms): 523.1 | learning rate: "
        "1.500000E-04 | global batch size:   512 | lm loss: {value} | loss scale: 1.0 | grad norm: "
        "1.204 | number of skipped iterations:   0 | number of nan iterations:   0 |",
    ),
    "DeepSpeed": (
        "loss",
        "steps: {step} loss: {value} iter time (s): 0.523 samples/sec: 61.213",
    ),
    "torchtitan": (
        "loss",
        "[rank0]:[titan] 2026-08-14 03:{minute:02d}:{second:02d},123 - root - INFO - step: "
        "{step:2d}  loss: {value}  grad_norm:  1.0213  memory: 61.30GiB(77.45%)  tps: 6,012  "
        "tflops: 301.22  mfu: 30.46%",
    ),
    "Lightning": (
        "train_loss",
        "Epoch 0:  34%|###4      | {step}/350 [00:{second:02d}<00:20,  5.00it/s, v_num=0, "
        "train_loss={value}]",
    ),
    "fairseq": (
        "loss",
        "2026-08-14 03:{minute:02d}:{second:02d} | INFO | train_inner | epoch 001:    {step} / 500 "
        "loss={value}, ppl=4.93, wps=10234.1, ups=2.01, wpb=5091.2, bsz=256, num_updates={step}, "
        "lr=0.0001, gnorm=1.204, clip=0, train_wall=49, gb_free=30.1, wall=61",
    ),
    "Keras 2": (
        "loss",
        "{step}/350 [=========>....................] - ETA: 10s - loss: {value} - accuracy: 0.5012",
    ),
    "Keras 3": (
        "loss",
        "{step}/350 \u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501 10s 20ms/step - accuracy: "
        "0.5012 - loss: {value}",
    ),
    "YOLO": (
        "box_loss",
        YOLO_HEAD + "{step:7d}/350      1.98G {value:>10}      2.512      1.113         15"
        "        640: 100%|##########| 8/8 [00:02<00:00,  3.50it/s]",
    ),
}
SIGNS = {
    "nonfinite": {"is": "nonfinite", "for": 2},
    "zero": {"is": "zero", "for": 3},
    "spike": {"is": "spike", "for": 1},
    "constant": {"is": "constant", "for": 6},
}
STEPS = 40
BEGINS = 25
"""The step, counted from 1, from which on a series misbehaves."""
TROUBLE = {"nonfinite": "nan", "zero": "0.0", "spike": "19.4", "constant": "2.1875"}
LASTS = {"nonfinite": 3, "zero": 5, "spike": 2, "constant": 12}


def log(form: str, trouble: str | None, lasts: int | None = None) -> str:
    """A log whose loss falls with some noise, and misbehaves for some steps."""
    rows = []
    for step in range(1, STEPS + 1):
        value = f"{2.5 - step / 100 + 0.05 * (step % 3):.4f}"
        if trouble is not None and 0 <= step - BEGINS < (lasts or LASTS[trouble]):
            value = TROUBLE[trouble]
        minute, second = divmod(step, 60)
        rows.append(FORMS[form][1].format(step=step, value=value, minute=minute, second=second))
    return "\n".join(rows) + "\n"


def found(form: str, kind: str, text: str) -> tuple[Sighting, ...]:
    """The sightings of a behavior in a log."""
    signs = {"it": {"metric": FORMS[form][0], **SIGNS[kind]}}
    rule = compile_rule("x", make_entry({"signs": signs, "signatures": [{"weak": ["it"]}]}))
    seen = observe_texts({"train.log": text}, frozenset(compile_keys(rule)), {}, {})
    return judge_signs(rule, build_scene(seen, ()))["it"].sightings


@pytest.mark.parametrize("kind", SIGNS)
@pytest.mark.parametrize("form", FORMS)
def test_series_that_misbehaves_is_found_where_it_began(form: str, kind: str) -> None:
    """Not finite, zero, far above what it was, or frozen."""
    (sighting,) = found(form, kind, log(form, kind))
    assert sighting.line is not None
    # A frozen series is known to be so from its second equal value on.
    begins = BEGINS + (kind == "constant")
    rows_of_a_step = FORMS[form][1].count("\n") + 1
    assert sighting.line.number == begins * rows_of_a_step


@pytest.mark.parametrize("kind", SIGNS)
@pytest.mark.parametrize("form", FORMS)
def test_series_that_behaves_is_not_found(form: str, kind: str) -> None:
    """A loss that falls with some noise does none of it."""
    assert found(form, kind, log(form, None)) == ()


@pytest.mark.parametrize("form", FORMS)
def test_one_noisy_step_is_no_spike(form: str) -> None:
    """A single value far above the others passes."""
    assert found(form, "spike", log(form, "spike", lasts=1)) == ()
