"""Every kind of sign and condition is told in words."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from generator import detection as d
from generator.pages.signs import describe_condition, describe_sign
from tests.generator.pages.rendering import parse_html, to_html

SIGNS: list[tuple[Any, str]] = [
    ("CUDA out of memory", "a line holds CUDA out of memory"),
    (
        {"log": [{"text": "old", "until": "1.9"}, {"text": "new", "since": "2.0", "until": "2.4"}]},
        "a line holds old (printed until 1.9) or new (printed since 2.0 until 2.4)",
    ),
    (
        {"log": "killed", "at": "whole", "source": "kernel", "onset": "minus took"},
        "a line of the kernel log is exactly killed",
    ),
    (
        {"log": {"regex": "a+b"}, "at": "start", "under": {"text": "Head <n>", "within": 3}},
        "a line begins with a+b (expression), at most 3 lines below Head <n>",
    ),
    (
        {"traceback": "*", "frame": "loader.py", "innermost": True, "code": "user"},
        "any exception is printed, its innermost frame is in loader.py and it was raised in "
        "your own code",
    ),
    (
        {"traceback": "OSError", "message": ["full", "quota"], "function": "save"},
        "the exception OSError is printed, its message holds full or quota and one of its frames "
        "is in a function called save",
    ),
    ({"exit": {"code": 137}}, "a process ends with exit code 137"),
    ({"exit": {"signal": 40}}, "a process ends by signal 40 (a real-time signal)"),
    (
        {"metric": "loss", "is": "equals", "value": 0.0, "for": 3, "with": ["grad_norm is 0"]},
        "the metric loss equals 0.0 for 3 samples in a row, with grad_norm is 0",
    ),
    (
        {"metric": "loss", "is": "nonfinite", "for": 2, "of": 5},
        "the metric loss is not a finite number for 2 of 5 samples",
    ),
    ({"progress": "stopped"}, "the step counter stands still although time passes"),
    ({"collective": "straggler"}, "a rank had not enqueued the collective that the others wait in"),
    (
        {"stack": "p9_client_rpc", "file": "client.c", "share": "all"},
        "a stack dump shows p9_client_rpc in client.c, in all dumped processes",
    ),
    ({"fact": "shm.size", "is": "below", "value": 64}, "the fact shm.size is below 64"),
    ({"fact": "gpu.lost", "is": "equals", "value": True}, "the fact gpu.lost is yes"),
    ({"version": "torch", "range": "<2.4"}, "the version of torch is <2.4"),
    (
        {"missing": "other", "after": "other", "within": "200lines"},
        "within 200 lines after this: a line holds other; there is no sign of this: "
        "a line holds other; and something proves that the time passed",
    ),
]

CONDITIONS: list[tuple[Any, str]] = [
    ("a", "a line holds A"),
    ({"compare": "idle >= tried"}, "the printed values satisfy idle >= tried"),
    (
        {"order": ["a", "b"], "within": "60s"},
        "in this order: a line holds A; then a line holds B, within 60 s",
    ),
    (
        {"same": ["pid", "seq"], "differ": ["op"]},
        "all of this has the same process id and seq and this differs in op",
    ),
    (
        {"count": "a", "min": 3, "max": 5, "within": "10 m"},
        "at least 3 and at most 5 times within 10 m: a line holds A",
    ),
    (
        {"count": "a", "min": 2, "distinct": "bus", "per": "host"},
        "at least 2 different values of bus per host: a line holds A",
    ),
    ({"ranks": "all_but_one", "of": "a"}, "on all ranks but one: a line holds A"),
]


def _words(markdown: str) -> str:
    return parse_html(to_html(markdown)).text


@pytest.mark.parametrize(("written", "words"), SIGNS)
def test_a_sign_is_told_in_words(written: Any, words: str) -> None:
    """A reader learns what the checker looks for without knowing the language of entries."""
    adapter: TypeAdapter[d.SignPart] = TypeAdapter(d.AnySign)
    signs = {"sign": adapter.validate_python(written), "other": d.LogSign.model_validate("other")}
    assert _words(describe_sign("sign", signs)) == words


@pytest.mark.parametrize(("written", "words"), CONDITIONS)
def test_a_condition_is_told_in_words(written: Any, words: str) -> None:
    """What several signs must have in common is said after them."""
    adapter: TypeAdapter[d.Condition] = TypeAdapter(d.Condition)
    signs = {"a": d.LogSign.model_validate("A"), "b": d.LogSign.model_validate("B")}
    assert _words(describe_condition(adapter.validate_python(written), signs)) == words
