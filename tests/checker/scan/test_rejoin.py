"""Lines that a terminal or a container's runtime cut are read whole."""

import json
import textwrap
from typing import Any

import pytest

from checker.model import Observations
from checker.scan.observe import observe_texts

WORDING = "Watchdog caught collective operation timeout"
LONG = [
    "[rank3]:[E814 03:11:52.123456789 ProcessGroupNCCL.cpp:629] [Rank 3] " + WORDING + ": WorkNCCL("
    "SeqNum=4711, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600031 "
    "milliseconds before timing out.",
    "[rank3]:[W814 03:11:52.223456789 socket.cpp:752] [c10d] The client socket has failed to "
    "connect to [trn-07]:29500 (errno: 110 - Connection timed out).",
    "[rank3]: Traceback (most recent call last):",
    '[rank3]:   File "/opt/conda/envs/train/lib/python3.11/site-packages/torch/nn/modules/'
    'module.py", line 1751, in _wrapped_call_impl',
    "[rank3]:     return self._call_impl(*args, **kwargs)",
    "[rank3]: RuntimeError: no batch",
    "[rank3]: step 7 of the run that was started from the checkpoint of yesterday, loss 2.5 and on",
]


def seen_in(rows: list[str]) -> Observations:
    """Read rows as one file."""
    text = "\n".join(rows) + "\n"
    return observe_texts({"a.log": text}, frozenset({"log " + WORDING}), {}, {})


def hits(seen: Observations) -> list[tuple[int, str]]:
    """Say where the wording was found, and in which text."""
    return [(hit.line.number, hit.line.text) for hit in seen.hits]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("before", range(0, 60, 7))
def test_what_a_terminal_wrapped_is_joined(width: int, before: int) -> None:
    """Wherever the last column is, the wording is found, and frames and numbers are right."""
    rows = ["[rank3]: " + "x" * before + " first", *LONG, *LONG[1:]]
    shown: list[str] = []
    for row in rows:
        shown += [row[begin : begin + width].rstrip() for begin in range(0, len(row), width)]
    seen = seen_in(shown)
    ((number, text),) = hits(seen)
    assert (number, text) == (2, LONG[0].partition("629] ")[2])
    for block in seen.tracebacks:
        assert [(frame.line, frame.function) for frame in block.parts[0].frames] == [
            (1751, "_wrapped_call_impl")
        ]
        assert (block.parts[0].type, block.parts[0].message) == ("RuntimeError", "no batch")
    assert len(seen.tracebacks) == 2


@pytest.mark.parametrize(
    "rows",
    [
        [f"step {step:6d} loss 2.5 {'grad norm 1.0'.ljust(50)} tokens 1" for step in range(99)],
        ["=" * 80, "name".ljust(77) + "yes", "other".ljust(77) + "yes"] * 9,
        textwrap.wrap("a text that somebody wrote, with words as long as any " * 40, 80),
    ],
)
def test_lines_that_happen_to_be_as_wide_as_a_terminal_stay(rows: list[str]) -> None:
    """Records, tables and wrapped prose are no lines that a terminal cut."""
    rows = [*rows, WORDING, *rows]
    assert hits(seen_in(rows)) == [(len(rows) // 2 + 1, WORDING)]


def test_partial_records_of_cri_are_joined() -> None:
    """A line beyond 16 KiB is several records, between which another stream may stand."""
    head = "2026-08-14T03:11:52.481920331Z"
    rows = [
        f"{head} stdout F step 1",
        f"{head} stderr P [rank3]: Watchdog caught coll",
        f"{head} stdout F step 2",
        f"{head} stderr P ective operation",
        f"{head} stderr F  timeout",
        f"{head} stdout F step 3",
    ]
    assert hits(seen_in(rows)) == [(2, WORDING)]


def test_partial_records_of_docker_are_joined() -> None:
    """A record whose text does not end in a line feed goes on in the next of its stream."""

    def record(text: str, stream: str) -> str:
        fields: dict[str, Any] = {"log": text, "stream": stream, "time": "2026-08-14T03:11:52Z"}
        return json.dumps(fields, separators=(",", ":"))

    rows = [
        record("step 1\n", "stdout"),
        record("[rank3]: Watchdog caught coll", "stderr"),
        record("step 2\n", "stdout"),
        record("ective operation timeout\n", "stderr"),
    ]
    assert hits(seen_in(rows)) == [(2, WORDING)]


def test_what_is_cut_at_the_end_of_a_block_is_joined() -> None:
    """A block ends anywhere, and an unended line at the end of the file is read as it is."""
    head = "2026-08-14T03:11:52.481920331Z stdout"
    for count in range(2010, 2060, 3):
        rows = [f"{head} F {'x' * 10}{row:04d}" for row in range(count)]
        rows += [f"{head} P Watchdog caught coll", f"{head} F ective operation timeout"]
        assert hits(seen_in(rows)) == [(count + 1, WORDING)]
    assert hits(seen_in([*rows, f"{head} P {WORDING}"]))[-1] == (len(rows) + 1, WORDING)
