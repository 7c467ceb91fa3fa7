"""What the checker wrote itself is no log."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.arguments import AGAIN, Request
from checker.catalogue import Catalogue, read_catalogue
from checker.check import run_check
from checker.outcome import NOTHING_READABLE
from checker.report.explain import explain_rows
from checker.report.terminal import paint
from checker.scan.observe import observe, observe_texts
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
ERROR_ROW = LINES.rstrip()[len("[rank0]: ") :]
KEY_ERROR_ROWS = [
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in f',
    "    x()",
    "KeyError: 'x'",
]
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


def explained() -> str:
    """Tell all of an entry."""
    return paint(explain_rows(known().by_id()["peer-connection-lost"].rule()), False)


def drafted(path: Path) -> str:
    """Draft an entry from an exception with a wording that is known."""
    path.write_text("\n".join([*KEY_ERROR_ROWS[:-1], ERROR_ROW]) + "\n", encoding="utf-8")
    request = Request("check", True, (str(path),), {"--draft": AGAIN}, False)
    few = compile_catalogue([Published("host-oom-killer", make_entry(HOST_OOM))])
    text = run_check(request, read_catalogue(few.rows, few.sha256, few.date)).text
    assert "Connection closed by peer" in text
    return text


@pytest.mark.parametrize("prefix", ["", "[rank0]: ", " 3: "])
@pytest.mark.parametrize("make", [reported, traced])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_report_in_the_middle_of_a_log_is_no_failure(
    tmp_path: Path, make: Callable[[Path, str], str], form: str, prefix: str
) -> None:
    """A job that ran the checker has its report in its log; what failed after it counts."""
    log = tmp_path / "train.log"
    log.write_text(LINES, encoding="utf-8")
    rows = ["step 1", "step 2", *make(log, form).splitlines(), "step 3", *KEY_ERROR_ROWS]
    text = "".join(prefix + row + "\n" for row in rows)
    seen = observe_texts({"a.log": text}, KEYS, {}, {})
    assert seen.hits == ()
    assert [block.parts[0].type for block in seen.tracebacks] == ["KeyError"]
    seen = observe_texts({"a.log": text + prefix + ERROR_ROW + "\n"}, KEYS, {}, {})
    assert [hit.line.number for hit in seen.hits] == [len(rows) + 1]


@pytest.mark.parametrize("make", [lambda path: explained(), drafted])
def test_an_entry_in_the_middle_of_a_log_is_no_failure(
    tmp_path: Path, make: Callable[[Path], str]
) -> None:
    """Neither what is explained nor what is drafted happened."""
    log = tmp_path / "train.log"
    log.write_text(LINES, encoding="utf-8")
    rows = ["step 1", "step 2", *make(log).splitlines(), "step 3", ERROR_ROW]
    seen = observe_texts({"a.log": "\n".join(rows) + "\n"}, KEYS, {}, {})
    assert [hit.line.number for hit in seen.hits] == [len(rows)]
    assert seen.tracebacks == ()


def test_an_explained_or_drafted_entry_is_recognized(tmp_path: Path) -> None:
    """A file of the checker's own words is no log."""
    log = tmp_path / "train.log"
    log.write_text(LINES, encoding="utf-8")
    assert own_output(explained().encode()) == "an entry that this checker explained"
    assert own_output(drafted(log).encode()) == "an entry that this checker drafted"


def test_a_report_that_was_cut_hides_nothing_after_it(tmp_path: Path) -> None:
    """What begins a line is no part of a report."""
    log = tmp_path / "train.log"
    log.write_text(LINES, encoding="utf-8")
    head = reported(log).splitlines()[:9]
    rows = ["step 1", *head, ERROR_ROW, *KEY_ERROR_ROWS]
    seen = observe_texts({"a.log": "\n".join(rows) + "\n"}, KEYS, {}, {})
    assert [hit.line.number for hit in seen.hits] == [len(head) + 2]
    assert [block.parts[0].type for block in seen.tracebacks] == ["KeyError"]
