"""`--explain-line` says what was made of one line, and why it is called so."""

import json
from pathlib import Path

import pytest

from checker.arguments import UsageError, read_arguments
from checker.asked_line import asked_line
from checker.check import run_check
from checker.outcome import Outcome
from tests.checker.failures import catalogue_of

LOG = """\
[default2]:a line about nothing
[default2]:2026-08-14 03:00:01,120 INFO train rank 2: step 7 loss 2.1140
[default0]:[rank0]: Traceback (most recent call last):
[default0]:[rank0]:   File "/workspace/train.py", line 9, in save
[default0]:[rank0]:     write(state)
[default0]:[rank0]: OSError: [Errno 28] No space left on device
[default1]:[rank1]: Traceback (most recent call last):
[default1]:[rank1]:   File "/workspace/train.py", line 7, in step
[default1]:[rank1]:     reduce()
[default1]:[rank1]: RuntimeError: Connection closed by peer [10.0.0.1]:21654
W0814 03:00:03.123000 41050 torch/distributed/elastic/multiprocessing/api.py:908] Sending process \
41002 closing signal SIGTERM
[default2]:For debugging consider passing CUDA_LAUNCH_BLOCKING=1
[default2]:2026-08-14 03:00:02,120 ERROR train the spool is odd
[default2]:Exception ignored in: <function Loader.__del__ at 0x7f2a>
[default2]:Traceback (most recent call last):
[default2]:  File "/workspace/train.py", line 3, in __del__
[default2]:    self.close()
[default2]:ValueError: closed
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-08-14_03:00:02
  host      : node-a
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 41001)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""
SCANNED = """\
console.log:6: a diagnosis rests on it: disk-full (certain), initiating.

The line
  {path}:6
    | [default0]:[rank0]: OSError: [Errno 28] No space left on device
  - written by rank 0
  - time: none was printed
  - taken off in front: [default0]:[rank0]:

Where it stands
  - in the exception of lines 3 to 6: OSError: [Errno 28] No space left on
    device

Signs that it meets
  - full of disk-full: an OSError that says "No space left on device"
    Diagnosed (certain). Initiating: nothing that could cause it, or began
    before it, is as sure.
"""


def asked(folder: Path, line: str, *options: str) -> Outcome:
    """What is said of a line of the log."""
    path = folder / "console.log"
    path.write_text(LOG, encoding="utf-8")
    words = [str(path), "--explain-line", line, *options]
    return run_check(read_arguments(words, ["check"]), catalogue_of())


def test_a_line_of_the_first_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writer, time, envelope, signs, diagnosis and role are told."""
    monkeypatch.chdir(tmp_path)
    Path("console.log").write_text(LOG, encoding="utf-8")
    words = ["console.log", "--explain-line", "console.log:6"]
    outcome = run_check(read_arguments(words, ["check"]), catalogue_of())
    assert outcome.text == SCANNED.format(path="console.log")
    assert outcome.status == 1


@pytest.mark.parametrize(
    ("number", "verdict", "reason"),
    [
        (2, "numbers", "its numbers were read, and no sign asks for more."),
        (4, "evidence", "a diagnosis rests on it: disk-full (certain), initiating."),
        (
            10,
            "evidence",
            "a diagnosis rests on it: peer-connection-lost (likely), a consequence of disk-full.",
        ),
        (
            11,
            "teardown",
            "teardown: the launcher ends processes itself, after something else failed.",
        ),
        (
            12,
            "fixed_text",
            "a fixed text of a wrapper, a teardown or advice, which never says what failed.",
        ),
        (13, "unexplained", "an error that no entry explains."),
        (
            18,
            "noise",
            "noise of a shutdown: it was printed under `Exception ignored in`, and is no cause.",
        ),
        (1, "nothing", "nothing: no sign asks for it, and it reports no error."),
        (
            31,
            "summary",
            "the launcher's word on what failed first, which is weighed and not evidence.",
        ),
    ],
)
def test_every_line_has_its_verdict(tmp_path: Path, number: int, verdict: str, reason: str) -> None:
    """Evidence, teardown, advice, noise, numbers and nothing are told apart."""
    told = json.loads(asked(tmp_path, f"console.log:{number}", "--format", "json").text)
    assert (told["line"], told["verdict"], told["reason"]) == (number, verdict, reason)


def test_scripts_get_the_same(tmp_path: Path) -> None:
    """The JSON has the writer, the block and what each sign's entry came to."""
    told = json.loads(asked(tmp_path, "console.log:10", "--format", "json").text)
    assert told["writer"]["rank"] == 1
    assert told["text"] == "RuntimeError: Connection closed by peer [10.0.0.1]:21654"
    assert told["block"] == {
        "first": 7,
        "last": 10,
        "last_path": told["path"],
        "exception": "RuntimeError: Connection closed by peer [10.0.0.1]:21654",
        "handled": False,
        "ignored": False,
    }
    assert [(use["id"], use["sign"], use["verdict"], use["role"]) for use in told["uses"]] == [
        ("peer-connection-lost", "closed", "diagnosed", "consequence")
    ]


@pytest.mark.parametrize(
    ("line", "problem", "remedy"),
    [
        ("console.log:999", "has no line 999", "it has 34 lines"),
        ("other.log:3", "'other.log' is none of the logs that were read", "write it as the report"),
        ("console.log", "is not a file and the number of a line", "--explain-line train.log:120"),
        ("console.log:0", "is not a file and the number of a line", "--explain-line train.log:120"),
    ],
)
def test_a_line_that_is_not_there(tmp_path: Path, line: str, problem: str, remedy: str) -> None:
    """The message says what is wrong and how to mend it."""
    with pytest.raises(UsageError) as error:
        asked(tmp_path, line)
    assert problem in str(error.value)
    assert remedy in error.value.remedy


def test_a_drive_letter_is_no_line_number() -> None:
    """The number stands behind the last colon."""
    assert asked_line("C:\\logs\\train.log:12") == ("C:\\logs\\train.log", 12)


def test_nothing_changes_by_asking(tmp_path: Path) -> None:
    """The same diagnoses are made, whichever line is asked about."""
    told = [
        json.loads(asked(tmp_path, f"console.log:{n}", "--format", "json").text)["uses"]
        for n in (3, 4, 5, 6)
    ]
    assert all(uses == told[0] for uses in told)
