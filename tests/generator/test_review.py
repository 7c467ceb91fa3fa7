"""What a reviewer is told of changed entries."""

import subprocess
from pathlib import Path

import pytest

from generator.cli import main
from generator.errors import Problem
from generator.matrix import Found, Outcome
from generator.review import Healthy, review_text
from tests.needs import ROOT

GOOD = (ROOT / "tests/lint_samples/good.md").read_text(encoding="utf-8")
FOUND = (Found("spool-full", "certain", "initiating"),)


def test_a_change_without_entries_says_so() -> None:
    """There is nothing to review in the entries."""
    assert review_text([], [], [], []) == "### Entries\n\nNo entry is changed.\n"


def test_the_review_has_lint_matrix_and_healthy_logs() -> None:
    """A clean change reads as one."""
    result = Outcome("spool-full", "a full spool", True, FOUND, ())
    text = review_text(["spool-full"], [], [result], [Healthy("torch_loop", ())])
    assert text == (
        "### Entries\n\n1 entry changed: `spool-full`.\n\n"
        "#### Lint\n\nNo problems.\n\n"
        "#### Matrix\n\n"
        "| entry | example | diagnosed | found | outcome |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| `spool-full` | a full spool | yes | `spool-full` (certain, initiating) | as declared |\n"
        "\n"
        "#### Healthy logs\n\n"
        "Of 1 log of runs in which nothing failed, none makes a changed entry speak.\n"
    )


def test_what_speaks_on_a_healthy_log_is_named() -> None:
    """A false alarm is shown with its log."""
    text = review_text(["spool-full"], [], [], [Healthy("torch_loop", FOUND), Healthy("x", ())])
    assert text.endswith(
        "Of 2 logs of runs in which nothing failed, 1 make a changed entry speak:\n\n"
        "| log | found |\n| --- | --- |\n| `torch_loop` | `spool-full` (certain, initiating) |\n"
    )


def test_nothing_of_a_contributor_is_markup() -> None:
    """Names, messages and examples can neither mention people, link, nor end a block or a cell."""
    hostile = "a | b\n![x](https://example.org/i.png) @everyone <img>"
    problem = Problem("entries/x.md", 1, 1, "unknown-key", "", "```\n# forged", "help")
    text = review_text(["x`|y"], [problem], [Outcome("x", hostile, True, (), (hostile,))], [])
    assert "`xy`" in text
    assert "````text\n" in text
    row = text[text.index("| `x` |") :].split("\n")[0]
    assert row.count("|") == 6
    assert not set("<>[]@!`") & set(row.replace("`x`", "", 1))


def test_the_command_compares_with_a_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only what was changed since is reviewed."""
    monkeypatch.chdir(tmp_path)

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True)

    (tmp_path / "entries").mkdir()
    (tmp_path / "entries/spool-full.md").write_text(GOOD, encoding="utf-8")
    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "one")
    git("checkout", "-b", "change")
    changed = GOOD.replace("spool", "spill").replace("Spool", "Spill")
    (tmp_path / "entries/spill-full.md").write_text(changed, encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "two")
    assert main(["review", "--base", "main", "-o", "review.md"]) in (0, 1)
    text = (tmp_path / "review.md").read_text(encoding="utf-8")
    assert "1 entry changed: `spill-full`." in text
    assert "Healthy logs" in text
    assert main(["review", "--base", "nowhere"]) == 2
    assert capsys.readouterr().err.startswith("cannot compare with nowhere: ")
