"""What no diagnosis accounts for."""

import pytest

from checker.diagnose.diagnosis import diagnose
from checker.diagnose.unexplained import unexplained_lines
from checker.scan.observe import observe
from tests.checker.failures import catalogue_of, diagnosed
from tests.checker.observed import block, line, raised, scene_of
from tests.needs import ROOT
from tests.published import published_catalogue

LOST = "RuntimeError: [pair.cc:553] Connection closed by peer [127.0.0.1]:20896"
LOGGED = "2026-11-30 10:14:0{second},000 ERROR {text}\n"


def left(text: str, *ids: str) -> list[tuple[int, str]]:
    """Line and text of what is left of a log over the known entries."""
    report = diagnosed(catalogue_of(*ids), {"a.log": text})
    return [(line.number, line.text.strip()) for line in report.unexplained]


def traced(error: str, code: str = "loss.backward()") -> str:
    """An exception block."""
    return (
        "Traceback (most recent call last):\n"
        f'  File "/workspace/train.py", line 40, in step\n    {code}\n{error}\n'
    )


def test_repeated_sightings_are_explained() -> None:
    """All lines that a sign matches are, although one of them stands for them in the evidence."""
    waits = "".join(
        LOGGED.format(second=second, text=f"Timed out waiting {second}000ms for recv operation")
        for second in (3, 4, 5)
    )
    assert left(waits, "collective-timeout") == []
    again = waits.replace("2026", "[rank1]: 2026")
    assert left(again, "collective-timeout") == []
    assert left(traced(LOST) + traced(LOST.replace("20896", "9")), "peer-connection-lost") == []


def test_what_no_sign_matches_is_left() -> None:
    """An error of another kind stays, also beside explained ones."""
    log = LOGGED.format(second=1, text="cannot reach the license server") + traced(LOST)
    assert left(log, "peer-connection-lost") == [(1, "cannot reach the license server")]


def test_copy_of_an_explained_exception_is_explained() -> None:
    """The error file, the console and the rank's own log tell of one exception."""
    folder = "logs/run_x/attempt_0/{}/{}"
    error = '{{"message": {{"message": "{}", "extraInfo": {{"py_callstack": ""}}}}}}'
    files = {
        "console.log": "".join(
            f"[default2]:[rank2]: {line}\n" for line in traced("KeyError: 'x'").splitlines()
        ),
        folder.format(2, "stderr.log"): traced("KeyError: 'x'"),
        folder.format(2, "error.json"): error.format("KeyError: 'x'"),
        folder.format(1, "stderr.log"): traced(LOST),
        folder.format(1, "error.json"): error.format(LOST),
    }
    report = diagnosed(catalogue_of("user-code-error", "peer-connection-lost"), files)
    assert report.unexplained == ()
    lone = diagnosed(catalogue_of("disk-full"), files)
    assert {line.text for line in lone.unexplained} == {"KeyError: 'x'", LOST}


def test_origin_of_a_chain_is_left_where_only_what_followed_is_explained() -> None:
    """A lost connection that was met while an exception was handled does not explain that."""
    chain = (
        traced("KeyError: 'x'")
        + "\nDuring handling of the above exception, another exception occurred:\n\n"
        + traced(LOST)
    )
    assert left(chain, "peer-connection-lost") == [(4, "KeyError: 'x'")]


def test_line_of_another_rank_inside_a_block_is_left() -> None:
    """Where the ranks' lines are mixed, only the writer's own lines belong to its block."""
    first = line(number=3)
    own, other = line("odd", 5), line("odder", 6, rank=1)
    scene = scene_of(tracebacks=(block(raised("E"), first=first),), errors=(own, other))
    assert [left.text for left in unexplained_lines([], scene)] == ["odder", "E"]
    mixed = scene_of(
        tracebacks=(block(raised("E"), first=first, separated=False),), errors=(own, other)
    )
    assert [left.text for left in unexplained_lines([], mixed)] == ["E"]


def test_what_the_run_recovered_from_is_explained() -> None:
    """The report tells of it apart, so it needs no other mention."""
    retry = {"signs": {"retry": "checkpoint save failed"}, "signatures": [{"strong": ["retry"]}]}
    catalogue = catalogue_of("disk-full", save_failed=(retry, {}))
    steps = "".join(f"INFO train: step {step} loss 2.0\n" for step in (7, 8))
    report = diagnosed(catalogue, {"a.log": "ERROR checkpoint save failed\n" + steps})
    assert [d.rule["id"] for d in report.recovered] == ["save-failed"]
    assert report.unexplained == ()


@pytest.mark.parametrize(
    "folder",
    [
        "rank_killed/tee",
        "user_exception_one_rank/log_dir",
        "user_exception_one_rank/plain",
        "user_exception_one_rank/restarted",
        "user_exception_one_rank/tee",
    ],
)
def test_real_logs_leave_nothing(folder: str) -> None:
    """All that the captured logs report belongs to what failed or followed."""
    catalogue = catalogue_of()
    keys = frozenset(key for entry in catalogue.entries for key in entry.keys)
    logs = ROOT / "tests" / "logs" / folder
    report = diagnose(catalogue, observe([str(logs)], keys))
    assert [(line.path, line.number, line.text) for line in report.unexplained] == []


WATCHDOG = "[rank{0}]:[E709 17:05:38.16255585{1} ProcessGroupNCCL.cpp:{2}] {3}\n"
TIMED_OUT = (
    "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20585, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600000 milliseconds "
    "before timing out."
)
CORRUPT = "Some NCCL operations have failed or timed out."


def real_left(text: str) -> list[tuple[int, str]]:
    """The same, over all published entries."""
    report = diagnosed(published_catalogue(), {"a.log": text})
    return [(line.number, line.text.strip()) for line in report.unexplained]


def test_what_the_same_part_of_the_program_says_next_is_explained() -> None:
    """It tells how the rank ends; before the failure, or on another rank, it may tell another."""
    before = WATCHDOG.format(0, 0, 684, CORRUPT)
    failed = WATCHDOG.format(0, 1, 632, TIMED_OUT)
    after = WATCHDOG.format(0, 2, 684, CORRUPT)
    other = WATCHDOG.format(1, 2, 684, CORRUPT)
    assert real_left(before + failed + after + other) == [(1, CORRUPT), (4, CORRUPT)]


def test_an_error_that_the_same_part_of_the_program_passes_on_is_left() -> None:
    """The watchdog also dies of errors of the device, which are news."""
    thrown = "Process group watchdog thread terminated with exception: CUDA error: out of order"
    failed = WATCHDOG.format(0, 1, 632, TIMED_OUT)
    assert real_left(failed + WATCHDOG.format(0, 2, 1899, thrown)) == [(2, thrown)]


def test_what_was_thrown_and_its_frames_are_one() -> None:
    """C++ prints the kind in one line and the text in the next; frames name kinds of errors too."""
    thrown = (
        "terminate called after throwing an instance of 'c10::DistBackendError'\n"
        f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank 0] {TIMED_OUT}\n"
        "Exception raised from checkTimeout at /pytorch/ProcessGroupNCCL.cpp:635 (most recent "
        "call first):\n"
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (libc10.so)\n"
    )
    assert real_left(thrown) == []
