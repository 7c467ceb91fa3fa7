"""The page of an entry that is being written."""

from pathlib import Path

import pytest

from generator.load import load
from generator.preview import Preview
from tests.needs import ROOT

GOOD = (ROOT / "tests/lint_samples/good.md").read_text(encoding="utf-8")


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder whose one entry is a draft."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entries").mkdir()
    file = tmp_path / "entries/spool-full.md"
    file.write_text(GOOD, encoding="utf-8")
    return file


def saved(preview: Preview, entry: Path, text: str) -> str:
    """Save a text, and return the page."""
    entry.write_text(text, encoding="utf-8")
    return preview.saved(entry, "entries/spool-full.md")


def test_a_draft_has_a_page_that_says_so(entry: Path) -> None:
    """Its writer sees what it will be; on the site it is not."""
    page = saved(Preview(load(Path("entries"))), entry, GOOD)
    assert '!!! note "Draft"\n\n    This is a draft' in page
    assert "failure" not in page.split("Draft")[0]
    assert "Point the spool folder to a disk" in page


def test_problems_stand_on_top_of_the_page(entry: Path) -> None:
    """What can still be read is shown as it is now, below what lint says of it."""
    preview = Preview(load(Path("entries")))
    page = saved(preview, entry, GOOD.replace("rules_out: [waited]", "rules_out: [wait]"))
    assert (
        '!!! failure "1 problem"\n\n'
        "    ```text\n"
        "    entries/spool-full.md:45:15: unknown-sign: detect.rules_out[0]: no sign is called "
        "'wait'\n"
        "      45 |   rules_out: [wait]\n"
        "         |               ^^^^\n"
        "      help: did you mean 'waited'?\n"
        "    ```\n"
    ) in page


def test_an_entry_that_cannot_be_read_shows_its_last_page(entry: Path) -> None:
    """A key half typed does not take the page away."""
    preview = Preview(load(Path("entries")))
    page = saved(preview, entry, GOOD.replace("kind: failure", "kind: fail"))
    assert "unknown-value: kind: 'fail' is not allowed here" in page
    assert "Point the spool folder to a disk" in page
    assert "problem" not in saved(preview, entry, GOOD).split("Draft")[0]


def test_a_new_file_that_is_no_entry_yet_has_a_page(entry: Path) -> None:
    """There is nothing to show but what is wrong."""
    preview = Preview(load(Path("entries")))
    new = entry.with_name("spool-new.md")
    new.write_text("", encoding="utf-8")
    page = preview.saved(new, "entries/spool-new.md")
    assert "# spool-new" in page
    assert "empty-file: the file is empty" in page


def test_nothing_of_a_broken_entry_is_markup(entry: Path) -> None:
    """A quoted line cannot end the block that it stands in."""
    preview = Preview(load(Path("entries")))
    page = saved(preview, entry, GOOD.replace("kind: failure", 'kind: "```<script>x</script>"'))
    assert "````text\n" in page
