"""Every command of the contributors' command line, run as a person types it."""

import json
import re
import socket
from pathlib import Path

import pytest

from generator.cli import main
from generator.commands.registry import commands
from generator.pages.command_reference import command_pages
from tests.needs import ROOT

GOOD = (ROOT / "tests/lint_samples/good.md").read_text(encoding="utf-8")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that has one entry, spool-full."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries/spool-full.md").write_text(GOOD, encoding="utf-8")
    return tmp_path


def test_every_command_says_what_it_does_and_how_it_is_typed(capsys: Capture) -> None:
    """Help of each command has a sentence and an example that begins with a command line."""
    for name, one in commands().items():
        assert one.help.endswith("."), name
        assert f"trainwreck-dev {name}" in one.example
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert f"\nexample: {one.example}\n" in capsys.readouterr().out


def test_the_reference_has_every_command() -> None:
    """The page is made from the registry, with a heading for each command."""
    page = command_pages()["reference/contributing.md"]
    assert re.findall(r"^## (\S+) \{ #\S+ \}$", page, re.MULTILINE) == list(commands())
    assert "None" not in page


def test_a_new_entry_from_nothing_asks_for_everything(folder: Path, capsys: Capture) -> None:
    """The file has what was given, and the rest says TODO; lint names each such place."""
    typed = ["new", "rank-lost", "--title", 'A rank is "lost"', "--layer", "host"]
    assert main([*typed, "--frameworks", "pytorch", "deepspeed"]) == 0
    assert capsys.readouterr().out == (
        "entries/rank-lost.md: written\n"
        "next: fill in what says TODO, then 'trainwreck-dev lint entries/rank-lost.md'\n"
    )
    text = (folder / "entries/rank-lost.md").read_text(encoding="utf-8")
    assert text.startswith("---\n# yaml-language-server: $schema=../dist/entry.schema.json\n")
    for line in (
        'title: "A rank is \\"lost\\""',
        "layer: host",
        "frameworks: [pytorch, deepspeed]",
    ):
        assert f"\n{line}\n" in text
    assert main(["lint", "entries/rank-lost.md"]) == 1
    codes = set(re.findall(r"^entries\S+ ([a-z-]+):", capsys.readouterr().err, re.MULTILINE))
    assert "placeholder-text" in codes


def test_a_new_entry_from_a_log_has_its_message(folder: Path, capsys: Capture) -> None:
    """What the log tells is filled in, without what is only of this run."""
    (folder / "run.log").write_text(
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "/home/anna/train.py", line 3, in step\n'
        "[rank1]:     spool.write(batch)\n"
        "[rank1]: spool.SpoolError: spool /scratch/anna/x has 3 slots left\n",
        encoding="utf-8",
    )
    assert main(["new", "spool-slots", "--from-log", "run.log"]) == 0
    text = (folder / "entries/spool-slots.md").read_text(encoding="utf-8")
    assert 'raised: {traceback: "SpoolError"' in text
    assert "has <n> slots left" in text
    assert "anna" not in text


def test_a_new_entry_is_refused_where_there_can_be_none(folder: Path, capsys: Capture) -> None:
    """An id that is taken, was one, or is none, and a log without a failure, write nothing."""
    aliased = GOOD.replace("kind:", "aliases: [spool-gone]\nkind:", 1)
    (folder / "entries/spool-full.md").write_text(aliased, encoding="utf-8")
    for name, said in {
        "spool-full": "entries/spool-full.md is there already\n"
        "  help: edit it, or choose another id",
        "Spool": "'Spool' is no id\n  help: write lower-case words with single hyphens",
        "spool-gone": "'spool-gone' was an id of spool-full\n  help: choose another",
    }.items():
        assert main(["new", name]) == 2
        assert capsys.readouterr().err == said + "\n"
    (folder / "healthy.log").write_text("step 1 loss 2.0\n", encoding="utf-8")
    assert main(["new", "nothing", "--from-log", "healthy.log"]) == 1
    assert capsys.readouterr().err == (
        "no exception and no error line is left unexplained there\n"
        "  help: leave --from-log out, and write the signs yourself\n"
    )
    assert [file.name for file in (folder / "entries").iterdir()] == ["spool-full.md"]


def test_a_draft_is_tried_on_a_log(folder: Path, capsys: Capture) -> None:
    """Which sign stands where, which is missing, and what else fires."""
    (folder / "run.log").write_text(
        "step 1000 loss 2.31\n"
        "SampleSpoolError: spool /var/spool/x has 3.2 GiB left, checkpoint needs 14.9 GiB\n",
        encoding="utf-8",
    )
    assert main(["try", "entries/spool-full.md", "run.log"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("spool-full: Sample trainer stops because its spool folder is full\n")
    assert "run.log:2" in printed
    assert printed.endswith("\nNo other entry is diagnosed here.\n")


def test_trying_what_is_not_there_says_so(folder: Path, capsys: Capture) -> None:
    """A misspelled id has the nearest one as help; an entry with problems is not tried."""
    assert main(["try", "spool-ful", "run.log"]) == 2
    assert (
        capsys.readouterr().err
        == "there is no entry 'spool-ful'\n  help: did you mean 'spool-full'?\n"
    )
    broken = GOOD.replace("kind: failure", "kind: failur")
    (folder / "entries/spool-full.md").write_text(broken, encoding="utf-8")
    assert main(["try", "spool-full", "run.log"]) == 1
    assert "unknown-value: kind" in capsys.readouterr().err
    broken = GOOD.replace("decisive: [spool_full,", "decisive: [spool_ful,")
    (folder / "entries/spool-full.md").write_text(broken, encoding="utf-8")
    assert main(["try", "spool-full", "run.log"]) == 1
    assert "unknown-sign: detect" in capsys.readouterr().err


def test_an_entry_is_tried_before_its_prose_is_written(folder: Path, capsys: Capture) -> None:
    """What is still to be written keeps no sign from being tried; the rest is told in a line."""
    unfinished = re.sub(r"why: The writer needs .*", "why: TODO", GOOD)
    (folder / "entries/spool-full.md").write_text(unfinished, encoding="utf-8")
    (folder / "run.log").write_text(
        "SampleSpoolError: spool /var/spool/x has 3.2 GiB left, checkpoint needs 14.9 GiB\n",
        encoding="utf-8",
    )
    assert main(["try", "spool-full", "run.log"]) == 0
    assert capsys.readouterr().out.endswith(
        "\nNo other entry is diagnosed here.\n"
        "\nThe entry has 1 problem: 'trainwreck-dev lint entries/spool-full.md' shows it.\n"
    )


def test_the_examples_of_an_unfinished_entry_run(folder: Path, capsys: Capture) -> None:
    """Lint of a named file runs its examples unless its signs have problems, and says so then."""
    file = folder / "entries/spool-full.md"
    unfinished = re.sub(r"why: The writer needs .*", "why: TODO", GOOD)
    file.write_text(unfinished.replace("has 3.2 GiB left", "had 3.2 GiB left"), encoding="utf-8")
    assert main(["lint", "entries/spool-full.md"]) == 1
    said = capsys.readouterr()
    assert "\n1 problem\n" in said.err
    assert "spool-full: a checkpoint that needs more room than the spool has: " in said.err
    assert said.out == "2 examples of 1 entry: 1 failure\n"
    file.write_text(GOOD.replace("decisive: [spool_full,", "decisive: [spool_ful,"), "utf-8")
    assert main(["lint", "entries/spool-full.md"]) == 1
    said = capsys.readouterr()
    assert said.err.endswith("\n1 problem; examples not run until its signs are right\n")
    assert said.out == ""


SAMPLES = sorted((ROOT / "tests/lint_samples").glob("*.md"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_no_problem_makes_trying_fail(sample: Path, folder: Path, capsys: Capture) -> None:
    """An entry with any problem is tried or refused, and nothing is raised."""
    (folder / "entries/spool-full.md").write_bytes(sample.read_bytes())
    (folder / "run.log").write_text("step 1000 loss 2.31\n", encoding="utf-8")
    assert main(["try", "spool-full", "run.log"]) in (0, 1, 2)
    assert main(["lint", "entries/spool-full.md"]) in (0, 1)
    capsys.readouterr()


def test_the_site_is_not_shown_at_a_port_that_is_taken(folder: Path, capsys: Capture) -> None:
    """It is said at once, and not after the site was rendered."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 2
    assert capsys.readouterr() == (
        "",
        f"port {port} is taken\n  help: choose another, as --port {port + 1}\n",
    )


def test_no_archive_is_made_of_entries_with_problems(folder: Path, capsys: Capture) -> None:
    """What would not be published is not packed either."""
    (folder / "entries/spool-full.md").write_bytes((SAMPLES[0]).read_bytes())
    assert main(["offline", "--output", "site.zip"]) == 1
    assert "entries/spool-full.md:" in capsys.readouterr().err
    assert not (folder / "site.zip").exists()


def test_an_entry_is_renamed(folder: Path, capsys: Capture) -> None:
    """The file moves, keeps its old id as an alias, and its new id is taken no second time."""
    assert main(["rename", "spool-full", "spool-folder-full"]) == 0
    assert capsys.readouterr().out == (
        "entries/spool-full.md is entries/spool-folder-full.md now, with the alias spool-full\n"
    )
    text = (folder / "entries/spool-folder-full.md").read_text(encoding="utf-8")
    assert "\naliases: [spool-full]\n" in text
    assert not (folder / "entries/spool-full.md").exists()
    assert main(["rename", "spool-ful", "x"]) == 2
    assert main(["rename", "spool-folder-full", "spool-full"]) == 2


def test_the_layout_is_checked_and_mended(folder: Path, capsys: Capture) -> None:
    """`fmt --check` only names files, `fmt` changes them, and then nothing is left to do."""
    file = folder / "entries/spool-full.md"
    untidy = GOOD.replace("kind: failure\n", "", 1).replace("title:", "kind: failure\ntitle:", 1)
    file.write_text(untidy, encoding="utf-8")
    assert main(["fmt", "--check"]) == 1
    assert capsys.readouterr().out == "entries/spool-full.md: would be laid out anew\n"
    assert file.read_text(encoding="utf-8") == untidy
    assert main(["fmt"]) == 0
    assert capsys.readouterr().out == "entries/spool-full.md: laid out\n"
    assert main(["fmt", "--check"]) == 0
    assert capsys.readouterr().out == "the layout of all is right\n"


@pytest.mark.parametrize("command", ["check", "update"])
def test_what_quotes_the_checker_wants_it_built(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """In a fresh clone nothing is built, and the person is told what to run."""
    monkeypatch.setattr("generator.commands.generated.ROOT", tmp_path)
    assert main([command]) == 1
    assert capsys.readouterr().err == (
        "dist/trainwreck.py is not built yet, and the documents quote what it prints\n"
        "  help: run 'make build' first\n"
    )


def test_the_collection_is_counted(folder: Path, capsys: Capture) -> None:
    """Numbers of what the entries hold, as text or for programs."""
    published = GOOD.replace("status: draft", "status: published")
    published = published.replace("title: Sample trainer", "title: The trainer")
    published = published.replace("https://example.org/", "https://docs.pytorch.org/")
    (folder / "entries/spool-full.md").write_text(published, encoding="utf-8")
    assert main(["stats", "--format", "json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["entries"] == 1
    assert counts["category"] == {"storage": 1}
    assert (counts["examples"], counts["near misses"]) == (1, 1)
    assert main(["stats"]) == 0
    assert "\nproof            source 1\n" in capsys.readouterr().out


def test_a_code_is_explained(capsys: Capture) -> None:
    """`lint explain` shows the rule and a message; without a code it lists them all."""
    assert main(["lint", "explain", "unknown-key"]) == 0
    assert capsys.readouterr().out == (
        "unknown-key\n"
        "\n"
        "Only the keys of the entry's model are allowed.\n"
        "\n"
        "It looks like this:\n"
        "\n"
        "    entries/unknown-key.md:18:5: unknown-key: symptoms[0].becuase: unknown key 'becuase'\n"
        "      help: did you mean 'because'?\n"
    )
    assert main(["lint", "explain"]) == 0
    assert re.search(
        r"^yaml-tab +Tabs are no indentation in YAML\.$", capsys.readouterr().out, re.M
    )
    assert main(["lint", "explain", "unknown-kye"]) == 2
    assert capsys.readouterr().err == (
        "there is no code 'unknown-kye'\n  help: did you mean 'unknown-key'?\n"
    )
