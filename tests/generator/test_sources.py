"""Entries of one's own beside the public ones."""

import re
from pathlib import Path

import pytest

from generator.lint import check
from generator.sources import EntrySource, SourceError
from tests.needs import ROOT

GOOD = (ROOT / "tests/lint_samples/good.md").read_text(encoding="utf-8")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[EntrySource, EntrySource]:
    """Make a public folder with one entry, and an empty one with a prefix."""
    monkeypatch.chdir(tmp_path)
    for name in ("entries", "ours"):
        (tmp_path / name).mkdir()
    (tmp_path / "entries/spool-full.md").write_text(GOOD, encoding="utf-8")
    return EntrySource(Path("entries")), EntrySource(Path("ours"), "acme")


def own(**changes: str) -> str:
    """Write an entry that refines the public one, with its own words."""
    text = GOOD.replace("conditions:", "relations:\n  refines: [spool-full]\n\nconditions:", 1)
    text = re.sub(r"^    - (name: .*)$", r"    - \1, at Acme", text, flags=re.MULTILINE)
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def test_a_folder_is_named_with_its_prefix() -> None:
    """`PREFIX=DIR` is a folder whose ids begin with the prefix, and `DIR` is the public one."""
    assert EntrySource.read("ours") == EntrySource(Path("ours"), "")
    assert EntrySource.read("acme-ml=../ours") == EntrySource(Path("../ours"), "acme-ml")
    for text, message in {
        "Acme=ours": "'Acme' is no prefix of ids: write lower-case words, as acme=ours",
        "=ours": "'' is no prefix of ids: write lower-case words, as acme=ours",
        "acme=": "the name of the folder is empty",
    }.items():
        with pytest.raises(SourceError, match=f"^{re.escape(message)}$"):
            EntrySource.read(text)


def test_entries_of_both_folders_are_one_collection(
    folders: tuple[EntrySource, EntrySource],
) -> None:
    """An entry of one's own may refine a public one."""
    Path("ours/acme-spool.md").write_text(own(), encoding="utf-8")
    collection, problems = check(*folders)
    assert list(collection.entries) == ["acme-spool", "spool-full"]
    assert {problem.code for problem in problems} <= {"refines-without-sign"}


def test_an_id_without_the_prefix_is_refused(folders: tuple[EntrySource, EntrySource]) -> None:
    """Otherwise a public entry of the same name would some day take its place."""
    Path("ours/spool.md").write_text(GOOD, encoding="utf-8")
    assert [one.render() for one in check(*folders)[1] if one.code == "wrong-prefix"] == [
        "ours/spool.md:1:1: wrong-prefix: the id 'spool' does not begin with 'acme-'\n"
        "  help: rename it to 'acme-spool': its folder keeps ids apart so"
    ]


def test_a_public_id_with_the_prefix_is_refused(folders: tuple[EntrySource, EntrySource]) -> None:
    """The prefix belongs to one folder alone."""
    Path("entries/acme-x.md").write_text(GOOD, encoding="utf-8")
    Path("ours/acme-spool.md").write_text(GOOD, encoding="utf-8")
    assert [one.render() for one in check(*folders)[1] if one.code == "wrong-prefix"] == [
        "entries/acme-x.md:1:1: wrong-prefix: the id 'acme-x' begins with 'acme-', as those of "
        "ours do\n  help: rename it, or give that folder another prefix"
    ]
