"""The command line from outside: output, trouble and exit status."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checker.catalogue import Catalogue, CatalogueEntry
from checker.cli import main
from tests.checker.report_records import KILL, KILL_CATALOGUE, catalogue

ROOT = Path(__file__).parents[2]
HELP = """\
usage: python3 trainwreck.py PATH ...
       python3 trainwreck.py COMMAND [OPTION ...] [WORD ...]

Say what failed first in an ML training run, from its logs: files, folders of
logs, compressed logs, or - for standard input.

commands (a path of such a name is written ./check):
  check PATH ...          diagnose logs (the default)
  explain ID              tell all about an entry
  list                    list all entries
  self-test               run the built-in examples on this machine
  version                 show version, catalogue and its age

options:
  --format text|json      form of the report (text)
  --only ID               look for this entry only
  -o, --output FILE       write the report to FILE
  -h, --help              show this help
  --version               show the version, as the command does

exit status:
  0    looked, and nothing was recognized
  1    at least one diagnosis that is certain or likely
  2    the command line is wrong, or the report could not be written
  3    nothing readable: missing, empty, binary, or no log in the folder
  4    nothing recognized, and a named input was refused or did not answer
  70   a defect of the checker itself
  130  interrupted; the report tells what was read before
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """The hand-made catalogue as a file."""
    path = tmp_path / "catalogue.tsv"
    path.write_text(
        "".join(
            f'{entry.id}\t["log {entry.id}"]\t{entry.rule_text}\n'
            for entry in KILL_CATALOGUE.entries
        )
    )
    return path


def start(rows: Path, *argv: str, **environment: str) -> "subprocess.Popen[bytes]":
    """Start the checker in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "checker", "--catalogue", str(rows), *argv],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(rows: Path, *argv: str, **environment: str) -> tuple[int, str, str]:
    """Run the checker to its end: status, stdout, stderr."""
    process = start(rows, *argv, **environment)
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
            [],
            "trainwreck: no log was named, and this version does not look at the machine itself\n"
            "trainwreck: help: give the path of a log, a folder of logs, or - for standard input\n",
        ),
        (
            ["explian", "host-oom-kill"],
            "trainwreck: there is no command and no path 'explian'\n"
            "trainwreck: help: did you mean explain?\n",
        ),
        (
            ["--format", "html", "a.log"],
            "trainwreck: this build cannot write html\n"
            "trainwreck: help: use --format text or json\n",
        ),
        (
            ["--format", "xml", "a.log"],
            "trainwreck: there is no format 'xml'\ntrainwreck: help: use --format text or json\n",
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


def test_a_reader_that_leaves_early_is_no_trouble(rows: Path) -> None:
    """`trainwreck.py list | head -1` prints no complaint."""
    process = start(rows, "list")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


def test_what_the_encoding_of_the_output_lacks_is_escaped(tmp_path: Path) -> None:
    """A terminal without Unicode shows escapes, and nothing breaks."""
    known = catalogue({**KILL, "title": "M\u00e9moire \u2014 \u4f60"})
    path = tmp_path / "rows"
    path.write_text(f"host-oom-kill\t[]\t{known.entries[0].rule_text}\n")
    assert run(path, "list", PYTHONIOENCODING="ascii") == (
        0,
        "host-oom-kill  M\\xe9moire \\u2014 \\u4f60\n",
        "",
    )


def test_without_a_catalogue_the_development_entry_says_so(tmp_path: Path) -> None:
    """The modules carry none themselves."""
    missing = tmp_path / "none"
    assert run(missing, "list") == (
        2,
        "",
        f"checker: there is no {missing}; build it, or name one\n",
    )
