"""The contributors' command line: what it prints, and its exit status."""

import subprocess
import sys
from pathlib import Path

import pytest

from generator.cli import main
from tests.needs import ROOT

SAMPLES = ROOT / "tests/lint_samples"


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with an empty folder of entries."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "entries"
    folder.mkdir()
    return folder


def add(folder: Path, name: str, sample: str = "good", **changes: str) -> None:
    """Copy a sample into the folder; each change is `old=new`."""
    text = (SAMPLES / f"{sample}.md").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / name).write_text(text, encoding="utf-8")


def test_one_entry_is_called_one(entries: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The closing line counts in good English."""
    add(entries, "spool-full.md")
    assert main(["lint"]) == 0
    assert capsys.readouterr().out == "1 entry: no problems\n"


def test_a_named_draft_has_its_examples_run(
    entries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who checks a file also learns whether its examples are diagnosed as it says."""
    add(entries, "spool-full.md")
    assert main(["lint", "entries/spool-full.md"]) == 0
    assert capsys.readouterr().out == ("1 entry: no problems\n2 examples of 1 entry: no failures\n")
    add(entries, "spool-full.md", **{"checkpoint needs 14.9 GiB": "checkpoint needs 1.9 GiB"})
    assert main(["lint", "entries/spool-full.md"]) == 1
    printed = capsys.readouterr()
    assert printed.out == "1 entry: no problems\n2 examples of 1 entry: 1 failure\n"
    assert printed.err.startswith(
        "spool-full: a checkpoint that needs more room than the spool has: is not diagnosed"
    )


def test_a_named_folder_has_its_examples_run(
    entries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who checks a folder of failures of their own learns the same as who names its files."""
    add(entries, "spool-full.md", **{"checkpoint needs 14.9 GiB": "checkpoint needs 1.9 GiB"})
    assert main(["lint", "--entries", "entries"]) == 1
    printed = capsys.readouterr()
    assert printed.out == "1 entry: no problems\n2 examples of 1 entry: 1 failure\n"
    assert printed.err.startswith(
        "spool-full: a checkpoint that needs more room than the spool has: is not diagnosed"
    )


def test_drafts_are_not_among_all_examples(
    entries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A draft that is not named is not run, and harms nothing."""
    add(entries, "spool-full.md")
    assert main(["examples"]) == 0
    assert capsys.readouterr().out == "0 examples of 0 entries: no failures\n"


def test_a_file_elsewhere_is_not_called_clean(
    entries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that was not looked at is refused."""
    add(entries, "spool-full.md")
    add(entries.parent, "spool-full.md")
    assert main(["lint", "spool-full.md", "entries/absent.md"]) == 2
    assert capsys.readouterr().err == (
        "not a file of entries/: spool-full.md, entries/absent.md\n"
        "  help: name a file of that folder; --entries names another\n"
    )


def test_the_last_line_tells_of_checks_that_did_not_run(
    entries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be loaded may have more problems than are shown."""
    add(entries, "spool-full.md", sample="missing-key")
    add(entries, "spool-full-again.md", sample="title-period")
    assert main(["lint", "entries/spool-full.md"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "1 problem; 1 file not checked further until these are solved"
    )
    assert main(["lint", "entries/spool-full-again.md"]) == 1
    assert "not checked further" not in capsys.readouterr().err


def test_a_build_stops_at_a_failing_example(
    entries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What its own examples contradict is not published."""
    add(
        entries,
        "spool-full.md",
        **{
            "status: draft": "status: published",
            "title: Sample trainer stops": "title: The trainer stops",
            "https://example.org/": "https://docs.pytorch.org/",
            "checkpoint needs 14.9 GiB": "checkpoint needs 1.9 GiB",
        },
    )
    assert main(["build"]) == 1
    assert capsys.readouterr().out == "2 examples of 1 entry: 1 failure\n"


def test_a_reader_that_leaves_early_is_no_trouble() -> None:
    """As `head` does: no traceback follows, and the status is that of a closed pipe."""
    command = [sys.executable, "-m", "generator", "lint", "explain"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
