"""What the checker wrote itself is no log."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.arguments import Request
from checker.catalogue import Catalogue, read_catalogue
from checker.check import run_check
from checker.outcome import NOTHING_READABLE
from checker.scan.observe import observe
from checker.scan.own_output import own_output
from checker.why import run_why
from generator.assemble import HEADER
from generator.catalogue import Published, compile_catalogue
from generator.products import catalogue_json
from tests.checker.failures import HOST_OOM, PEER_LOST, USER_CODE
from tests.generator.entries import make_entry

REPORT, CATALOGUE = "a report of this checker", "the catalogue of this checker"
KEYS = frozenset({"log Connection closed by peer"})
LINES = "[rank0]: RuntimeError: [pair.cc:553] Connection closed by peer\n"
KNOWN = {
    "host-oom-killer": (HOST_OOM, {}),
    "peer-connection-lost": (PEER_LOST, {"kind": "symptom"}),
    "user-code-error": (USER_CODE, {}),
}
COMPILED = compile_catalogue(
    Published(name, make_entry(detect, **fields)) for name, (detect, fields) in KNOWN.items()
)


def known() -> Catalogue:
    """Make a catalogue of a few entries."""
    return read_catalogue(COMPILED.rows, COMPILED.sha256, COMPILED.date)


def request_of(command: str, form: str, *words: str) -> Request:
    """Ask for a command in a form."""
    return Request(command, True, words, {"--format": form}, False)


def reported(path: Path, form: str = "text") -> str:
    """Diagnose a log."""
    return run_check(request_of("check", form, str(path)), known()).text


def traced(path: Path, form: str) -> str:
    """Tell how an entry was judged on a log."""
    words = ("peer-connection-lost", str(path))
    return run_why(request_of("why", form, *words), known()).text


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("make", [reported, traced])
@pytest.mark.parametrize(
    "text",
    [
        LINES,
        "nothing of interest\n",
        "[rank0]: failed (exitcode: -9) local_rank: 0 (pid: 12) of binary: python3\n",
        "",
    ],
)
def test_a_report_is_recognized(
    tmp_path: Path, text: str, make: Callable[[Path, str], str], form: str
) -> None:
    """Whatever a report says, it is told from a log by how it begins."""
    log = tmp_path / "train.log"
    log.write_text(text, encoding="utf-8")
    assert own_output(make(log, form).encode()) == REPORT


def test_a_report_that_begins_with_a_possibility_is_recognized() -> None:
    """A mere possibility has no confidence beside it."""
    assert own_output(b"PERHAPS FAILED FIRST, rank 2: An exception in the training\n") == REPORT


def test_a_report_of_several_runs_is_recognized(tmp_path: Path) -> None:
    """The report of several runs begins in another way."""
    path = Path(__file__).parents[2] / "logs" / "host_oom_kill"
    assert own_output(reported(path).encode()) == REPORT


def test_a_report_behind_messages_is_recognized() -> None:
    """Both streams may have gone into one file."""
    said = b"trainwreck: old.log: no right to read it\r\nNo known failure recognized.\r\n"
    assert own_output(said) == REPORT


def test_the_script_and_its_catalogue_are_recognized() -> None:
    """The script is told by its header, whatever it is called, and the data by their keys."""
    assert own_output(HEADER.format(version="0.1.0").encode()) == "this checker itself"
    text = catalogue_json(COMPILED.rows, COMPILED.sha256, COMPILED.date)
    assert own_output(text.encode()) == CATALOGUE


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        "",
        '{"schema_version": 1, "tool": {"name": "another"}}\n',
        "FAILED FIRST ATTEMPT, trying again\n",
        "trainwreck: starting\n",
        "data-loader: ready\n  DIAGNOSED\n",
    ],
)
def test_a_log_is_not_taken_for_a_report(text: str) -> None:
    """What merely resembles a report is read."""
    assert own_output(text.encode()) is None


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_report_beside_the_log_is_skipped(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """A report that was written into the folder of the logs is no second log."""
    (tmp_path / "train.log").write_text(LINES, encoding="utf-8")
    (tmp_path / "report.txt").write_bytes(pack(reported(tmp_path / "train.log").encode()))
    seen = observe([str(tmp_path)], KEYS)
    assert [(given.status, given.reason) for given in seen.inputs] == [
        ("skipped", REPORT),
        ("read", None),
    ]
    assert [hit.line.path for hit in seen.hits] == [str(tmp_path / "train.log")]


def test_a_named_report_is_skipped_and_that_is_said(tmp_path: Path) -> None:
    """Asked to diagnose its own report, the checker says what it is."""
    log, report = tmp_path / "train.log", tmp_path / "report.txt"
    log.write_text(LINES, encoding="utf-8")
    report.write_text(reported(log), encoding="utf-8")
    outcome = run_check(request_of("check", "text", str(report)), known())
    assert outcome.status == NOTHING_READABLE
    assert outcome.trouble[0] == f"{report}: {REPORT}"


def test_a_report_in_a_pipe_is_skipped(tmp_path: Path) -> None:
    """Standard input is looked at as a file is."""
    log = tmp_path / "train.log"
    log.write_text(LINES, encoding="utf-8")
    reading, writing = os.pipe()
    os.write(writing, reported(log).encode())
    os.close(writing)
    kept = os.dup(0)
    try:
        os.dup2(reading, 0)
        (given,) = observe(["-"], KEYS).inputs
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(reading)
    assert (given.status, given.reason) == ("skipped", REPORT)
