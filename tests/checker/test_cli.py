"""The command line from outside: output, trouble and exit status."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from array import array
from pathlib import Path

import pytest

from checker.catalogue import Catalogue, CatalogueEntry
from checker.cli import main
from tests.checker.report_records import DISK, KILL, KILL_CATALOGUE, catalogue

ROOT = Path(__file__).parents[2]
HELP = """\
usage: python3 trainwreck.py [PATH ...]
       python3 trainwreck.py COMMAND [OPTION ...] [WORD ...]

Say what failed first in an ML training run, from its logs: files, folders of
logs, compressed logs, or - for standard input. Without a path, look at the
training that runs on this machine, and read its open logs.

commands (a path of such a name is written ./check):
  check [PATH ...]        diagnose logs, or what runs (the default)
  why ID PATH ...         tell how an entry was judged, sign by sign
  snapshot [PATH ...]     write what a diagnosis needs into one file
  merge SNAPSHOT ...      diagnose snapshots of many machines as one
  watch LOG | -- COMMAND  follow a run, report when it stalls or fails
  preflight [FOLDER]      tell what a run would meet on this machine
  explain ID              tell all about an entry
  list                    list all entries
  self-test               run the built-in examples on this machine
  version                 show version, catalogue and its age

options:
  --format FORM           text, json, html, sarif or lines (text)
  --only ID               look for this entry only
  --machine               join the logs with what this machine shows
  --pid PID               look at this process and what it started
  --interval SECONDS      between two looks at processes (5)
  --budget SECONDS        for all looks at the machine (30)
  --network               also ask other hosts: file servers, names
  --size SIZE             of one checkpoint, such as 80GB
  --log PATH              follow this log or folder; may be repeated
  --silence SECONDS       a longer silence is a stall (by its pace)
  --then COMMAND          run this with sh after a report
  --redact                mask names, addresses and secrets
  --salt WORD             makes pseudonyms that many snapshots share
  --compare OLD           show which facts changed since a snapshot
  --draft                 draft an entry for a failure that none explains
  --explain-line FILE:N   tell what was made of one line, and why
  -o, --output FILE       write to FILE; preflight: the folder
  -h, --help              show this help
  --version               show the version, as the command does

exit status:
  0    looked, and nothing was recognized
  1    at least one diagnosis that is certain or likely
  2    the command line is wrong, or the report could not be written
  3    nothing readable: missing, empty, binary, or no log in the folder
  4    nothing recognized, and a named input was refused, or it or a needed
       probe did not answer
  70   a defect of the checker itself
  130  interrupted; the report tells what was read before
"""


FULL = "[rank1]: OSError: [Errno 28] No space left on device\n"


def write_catalogue(path: Path, known: Catalogue) -> Path:
    """Write a catalogue as the generator does."""
    entries = [{**entry.rule(), "keys": list(entry.keys)} for entry in known.entries]
    document = {"entries": entries, "sha256": known.sha256, "date": known.date}
    path.write_text(json.dumps(document), encoding="ascii")
    return path


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A catalogue of the full disk alone, as a file."""
    return write_catalogue(tmp_path / "catalogue.json", catalogue(DISK))


def start(built: Path, *argv: str, **environment: str) -> "subprocess.Popen[bytes]":
    """Start the checker in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "checker", "--catalogue", str(built), *argv],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(built: Path, *argv: str, **environment: str) -> tuple[int, str, str]:
    """Run the checker to its end: status, stdout, stderr."""
    process = start(built, *argv, **environment)
    out, err = process.communicate(timeout=30)
    return process.returncode, out.decode(), err.decode()


def test_help_shows_commands_options_and_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    """The one table of statuses is what a person reads."""
    assert main(["--help"], KILL_CATALOGUE) == 0
    assert capsys.readouterr() == (HELP, "")


@pytest.mark.parametrize(
    ("argv", "trouble"),
    [
        (
            ["--pid", "first"],
            "trainwreck: --pid is the id of a process, and 'first' is none\n"
            "trainwreck: help: write --pid 4711\n",
        ),
        (
            ["--pid", "1", "a.log"],
            "trainwreck: --pid is for the look at what runs, without a log\n"
            "trainwreck: help: leave it out, or leave the logs out\n",
        ),
        (
            ["--interval", "0"],
            "trainwreck: --interval is a number of seconds, and '0' is none\n"
            "trainwreck: help: write --interval 5, or leave it out\n",
        ),
        (
            ["explian", "host-oom-kill"],
            "trainwreck: there is no command and no path 'explian'\n"
            "trainwreck: help: did you mean explain?\n",
        ),
        (
            ["--format", "xml", "a.log"],
            "trainwreck: there is no format 'xml'\n"
            "trainwreck: help: use --format text or json or html or sarif or lines\n",
        ),
        (
            ["--only", "host-oom-kil", "a.log"],
            "trainwreck: there is no entry 'host-oom-kil'\n"
            "trainwreck: help: did you mean host-oom-kill?\n",
        ),
        (
            ["-o", "/no/such/folder/report", "a.log"],
            "trainwreck: cannot write '/no/such/folder/report': there is no folder "
            "'/no/such/folder'\ntrainwreck: help: make it, or name another file\n",
        ),
        (
            ["-o", "/", "a.log"],
            "trainwreck: cannot write '/': it is a folder\ntrainwreck: help: name a file in it\n",
        ),
    ],
)
def test_a_wrong_command_line_ends_with_status_2(
    argv: list[str], trouble: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is printed as a report; stderr says what is wrong and how to mend it."""
    assert main(argv, KILL_CATALOGUE) == 2
    assert capsys.readouterr() == ("", trouble)


def test_trouble_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """What the person typed may come from a script."""
    assert main(["--x\x1b[2J"], KILL_CATALOGUE) == 2
    assert capsys.readouterr().err.startswith("trainwreck: there is no option '--x\\x1b[2J'\n")


def test_a_defect_of_ours_is_called_one(capsys: pytest.CaptureFixture[str]) -> None:
    """The traceback stands below, for the report of it."""
    broken = Catalogue((CatalogueEntry("broken", (), "{"),), "", "2026-08-01")
    assert main(["explain", "broken"], broken) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "trainwreck: this is a defect of trainwreck 0.1.0, not of your run\n"
        "trainwreck: help: report it with the text below\n"
        "Traceback (most recent call last):\n"
    )
    assert "JSONDecodeError" in err


def test_a_reader_that_leaves_early_is_no_trouble(built: Path) -> None:
    """`trainwreck.py list | head -1` prints no complaint."""
    process = start(built, "list")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_no_defect_of_ours(built: Path) -> None:
    """The message says what failed, once."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "checker", "--catalogue", str(built), "list"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr.decode()) == (
        2,
        "trainwreck: cannot write to standard output: no space left on device\n"
        "trainwreck: help: name a file elsewhere with -o\n",
    )


@pytest.mark.parametrize("words", ["list", "version", "explain disk-full", "{log}"])
def test_a_closed_stdout_is_no_defect_of_ours(words: str, tmp_path: Path, built: Path) -> None:
    """Whatever was to be printed, the message says that it could not be."""
    log = tmp_path / "job.log"
    log.write_text(FULL, encoding="ascii")
    assert run_redirected(built, words.format(log=log), ">&-") == (
        2,
        "trainwreck: cannot write to standard output: it is closed\n"
        "trainwreck: help: name a file with -o, or open it\n",
    )


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", ">&- 2>&-", "<&- 2>&-"])
def test_an_unwritable_stderr_does_not_change_the_status(redirection: str, built: Path) -> None:
    """A wrong command line ends with its status, seen or unseen."""
    assert run_redirected(built, "--nonsense", redirection) == (2, "")


def run_redirected(built: Path, words: str, redirection: str) -> tuple[int, str]:
    """Run the checker under a shell that redirects its streams: status and stderr."""
    command = f"exec '{sys.executable}' -m checker --catalogue '{built}' {words} {redirection}"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, check=False)
    return done.returncode, done.stderr.decode()


def test_what_the_encoding_of_the_output_lacks_is_escaped(tmp_path: Path) -> None:
    """A terminal without Unicode shows escapes, and nothing breaks."""
    known = catalogue({**KILL, "title": "M\u00e9moire \u2014 \u4f60"})
    path = write_catalogue(tmp_path / "known", known)
    assert run(path, "list", PYTHONIOENCODING="ascii") == (
        0,
        "host-oom-kill: M\\xe9moire \\u2014 \\u4f60\n",
        "",
    )


@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colors_are_for_a_terminal_that_wants_them(
    tmp_path: Path, built: Path, environment: dict[str, str], colored: bool
) -> None:
    """NO_COLOR and a dumb terminal are respected."""
    (tmp_path / "train.log").write_text(FULL)
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "checker", "--catalogue", str(built), str(tmp_path / "train.log")],
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm", **environment},
        stdout=theirs,
        check=False,
    )
    os.close(theirs)
    shown = os.read(ours, 200)
    os.close(ours)
    assert shown.startswith(b"\x1b[1;31mFAILED FIRST" if colored else b"FAILED FIRST")


def test_without_a_catalogue_the_development_entry_says_so(tmp_path: Path) -> None:
    """The modules carry none themselves."""
    missing = tmp_path / "none"
    assert run(missing, "list") == (
        2,
        "",
        f"checker: there is no {missing}; build it, or name one\n",
    )


def test_a_log_is_diagnosed(tmp_path: Path, built: Path) -> None:
    """The report goes to stdout, nothing to stderr, and the status says that there is one."""
    log = tmp_path / "train.log"
    log.write_text("step 1\n" + FULL)
    assert run(built, str(log)) == (
        1,
        f"""\
FAILED FIRST (certain), rank 1: The disk was full
  disk-full

What to do now
  Mend it.

Evidence
  {log}:2  (rank 1)
    | [rank1]: OSError: [Errno 28] No space left on device

Why
  It is broken.

Steps
  1. Mend it.

Checkpoints
  The last checkpoint is safe to resume from: It was written before.

How to confirm
  1. Look.
     $ look
     yes: It shows.
     no:  Nothing.

Read 1 file, 2 lines; looked for 1 of 1 entry; trainwreck 0.1.0, catalogue of
2026-08-01.
More about it: python3 trainwreck.py explain disk-full
""",
        "",
    )


def test_an_exception_that_no_entry_explains_is_quoted(tmp_path: Path, built: Path) -> None:
    """The person sees at least where to look."""
    log = tmp_path / "train.log"
    log.write_text(
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "train.py", line 3, in <module>\n'
        "[rank1]:     main()\n"
        "[rank1]: ValueError: odd\n"
    )
    status, out, err = run(built, str(log))
    assert (status, err) == (0, "")
    assert out.startswith(
        f"""\
No known failure recognized. The log reports errors that no entry explains
(below).

Errors that no entry explains
  {log}:4  (rank 1)
    | ValueError: odd
"""
    )


def test_a_copy_of_what_is_explained_is_explained_too(tmp_path: Path, built: Path) -> None:
    """Launchers write what a rank prints into the console and into a file of its own."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("console.log", "stderr.log"):
        (folder / name).write_text(
            "[rank1]: Traceback (most recent call last):\n"
            '[rank1]:   File "train.py", line 3, in <module>\n'
            "[rank1]:     main()\n" + FULL
        )
    status, out, _ = run(built, str(folder))
    assert (status, "Errors that no entry explains" in out) == (1, False)


def test_the_report_may_go_into_a_file(tmp_path: Path, built: Path) -> None:
    """Then nothing is printed, and the status stays."""
    (tmp_path / "train.log").write_text(FULL)
    target = tmp_path / "report.json"
    argv = ["--format", "json", "-o", str(target), str(tmp_path / "train.log")]
    assert run(built, *argv) == (1, "", "")
    assert json.loads(target.read_text())["diagnoses"][0]["id"] == "disk-full"


def test_a_log_is_never_written_over(tmp_path: Path, built: Path) -> None:
    """Also if it lies in a folder that was named; the report is not lost."""
    log = tmp_path / "logs" / "train.log"
    log.parent.mkdir()
    log.write_text(FULL)
    status, out, err = run(built, str(log.parent), "-o", str(log))
    assert status == 2
    assert out.startswith("FAILED FIRST (certain), rank 1: The disk was full\n")
    assert err == (
        f"trainwreck: '{log}' is one of the logs; it was not overwritten\n"
        "trainwreck: help: name another file; the report went to standard output\n"
    )
    assert log.read_text() == FULL


def test_a_report_that_cannot_be_written_is_printed(tmp_path: Path, built: Path) -> None:
    """The work is not lost."""
    (tmp_path / "train.log").write_text(FULL)
    status, out, err = run(built, str(tmp_path / "train.log"), "-o", "/proc/version/../self/nope")
    assert (status, out) == (2, "") or out.startswith("FAILED FIRST")
    assert "cannot write '/proc/version/../self/nope'" in err


@pytest.mark.parametrize(
    ("content", "status", "verdict", "trouble"),
    [
        (None, 3, "Nothing was readable, so nothing is known about this run.", "no such file"),
        (b"", 3, "Nothing was readable, so nothing is known about this run.", "empty"),
        (b"\x7fELF\x00\x00", 3, "Nothing was readable, so nothing is known", "binary"),
        (bytes(range(256)) * 40, 3, "Nothing was readable, so nothing is known", "binary"),
        (b"step 1\n", 0, "No known failure recognized; no line is one that this version knows", ""),
        (b"step 1\n\xe2\x82", 0, "No known failure recognized; no line", "ends in the middle"),
    ],
)
def test_an_input_without_a_diagnosis_gets_a_clear_line(
    *, tmp_path: Path, built: Path, content: bytes | None, status: int, verdict: str, trouble: str
) -> None:
    """Missing, empty, binary, healthy and cut inputs are told apart."""
    log = tmp_path / "train.log"
    if content is not None:
        log.write_bytes(content)
    ended, out, err = run(built, str(log))
    assert ended == status
    assert out.startswith(verdict)
    assert err.startswith(f"trainwreck: {log}: {trouble}" if trouble else "")
    assert bool(err) == bool(trouble)


def wait_until_read(handle: int) -> None:
    """Wait until nothing is left in a pipe; what came before is then scanned."""
    left = array("i", [1])
    while left[0]:
        fcntl.ioctl(handle, termios.FIONREAD, left)
        time.sleep(0.01)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_interrupt_reports_what_was_read(tmp_path: Path, built: Path) -> None:
    """Ctrl-C in the middle of a stream does not throw the findings away."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = start(built, str(pipe))
    with open(pipe, "wb", buffering=0) as feed:
        for part in (FULL.encode(), b"step 1\n"):
            feed.write(part)
            wait_until_read(feed.fileno())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out.decode().startswith("FAILED FIRST (certain), rank 1: The disk was full\n")
    assert err.decode() == (f"trainwreck: {pipe}: interrupted here; nothing after it was read\n")


def test_the_self_test_runs_the_examples(built: Path) -> None:
    """Its numbers are printed, and the status is good only without a failure."""
    assert run(built, "self-test") == (0, "self-test: 1 example of 1 entry, 0 failures\n", "")


def test_a_self_test_that_fails_names_entry_and_example(tmp_path: Path) -> None:
    """What was expected stands beside what was found."""
    example = {**DISK["examples"][0], "expect": {"rank": 5}}
    broken = write_catalogue(tmp_path / "known", catalogue({**DISK, "examples": [example]}))
    assert run(broken, "self-test") == (
        70,
        "self-test: 1 example of 1 entry, 1 failure\n"
        "disk-full: a write that failed: is on rank 1, expected 5\n",
        "",
    )
