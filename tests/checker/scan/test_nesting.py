"""Envelopes stand in each other in any order, and are peeled until the program's line is left."""

import json
import random
from collections.abc import Callable

import pytest

from checker.scan.observe import observe_texts

LINE = 'RuntimeError: worker <7> said "no & never" \\ in C:\\new'
WORDING = 'worker <7> said "no & never"'


def docker(line: str, row: int) -> str:
    """Write a line of Docker's json-file driver, whose encoder escapes as Go does."""
    text = json.dumps({"log": line + "\n", "stream": "stderr", "time": f"2026-08-14T03:11:{row}Z"})
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.replace(": ", ":", 1).replace(', "', ',"')


def journal(line: str, row: int) -> str:
    """Write an entry as `journalctl -o json` does."""
    stamp = 1786677101000000 + row
    fields = {"PRIORITY": "6", "_HOSTNAME": "trn-07", "_PID": "812", "MESSAGE": line}
    return json.dumps({"__REALTIME_TIMESTAMP": str(stamp), **fields})


def journal_bytes(line: str, row: int) -> str:
    """Write an entry whose message is no UTF-8 for the journal."""
    codes = list(line.encode() + b"\x1b[0m")
    return json.dumps({"_HOSTNAME": "trn-07", "MESSAGE": codes, "_PID": "812"})


ENVELOPES: list[Callable[[str, int], str]] = [
    docker,
    journal,
    journal_bytes,
    lambda line, row: f"[pod/llm-worker-3/pytorch] {line}",
    lambda line, row: f"2026-08-14T03:11:{row}.481920331Z stderr F {line}",
    lambda line, row: f"2026-08-14T03:11:{row}.4819203Z {line}",
    lambda line, row: f"train\tRun python\t\ufeff2026-08-14T03:11:{row}.4819203Z {line}",
    lambda line, row: f"(RayTrainWorker pid=41825, ip=10.1.2.3) {line}",
    lambda line, row: f"[1,{row}]<stderr>:{line}",
    lambda line, row: f"[1,{row}][trn-07:41825]<stderr>: {line}",
    lambda line, row: f"[rank{row}]: {line}",
    lambda line, row: f"[default{row}]:{line}",
    lambda line, row: f"2026-08-14T03:11:{row}+02:00 trn-07 train.sh[812]: {line}",
    lambda line, row: f"Aug 14 03:11:{row} trn-07 train.sh[812]: {line}",
    lambda line, row: f"{row % 4:2d}: {line}",
    lambda line, row: f"[{row % 4}] {line}",
    lambda line, row: f"> {line}",
]


@pytest.mark.parametrize("seed", range(120))
def test_nested_envelopes_are_peeled(seed: int) -> None:
    """Whatever stands around whatever, the wording is found, and the text is the line."""
    choice = random.Random(seed)
    chosen = [choice.choice(ENVELOPES) for _ in range(choice.randint(1, 5))]
    rows = []
    for row in range(10, 22):
        line = LINE if row == 20 else f"step {row} of some work"
        for envelope in chosen:
            line = envelope(line, row)
        rows.append(line)
    text = "\n".join(rows) + "\n"
    seen = observe_texts({"a.log": text}, frozenset({"log " + WORDING}), {}, {})
    assert [(hit.line.number, hit.line.text) for hit in seen.hits] == [(11, LINE)]
