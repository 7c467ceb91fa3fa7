"""The folder of pages holds exactly what was rendered, and unchanged files keep their time."""

import os
from pathlib import Path

from generator.pages.write import Changes, read_pages, write_pages

LONG_AGO = 1_000_000_000


def _age(path: Path) -> None:
    os.utime(path, (LONG_AGO, LONG_AGO))


def test_first_write_adds_everything(tmp_path: Path) -> None:
    """A folder that is not there is made, with the folders in it."""
    docs = tmp_path / "build" / "docs"
    changes = write_pages(docs, {"index.md": "home\n", "entries/a.md": "a\n"})
    assert changes == Changes(added=("entries/a.md", "index.md"), changed=(), removed=())
    assert read_pages(docs) == {"entries/a.md": "a\n", "index.md": "home\n"}


def test_only_what_differs_is_written(tmp_path: Path) -> None:
    """A changed page is new, an unchanged one keeps its time, and a stale one goes."""
    docs = tmp_path / "docs"
    write_pages(docs, {"same.md": "same\n", "changed.md": "old\n", "stale/gone.md": "gone\n"})
    _age(docs / "same.md")
    _age(docs / "changed.md")
    changes = write_pages(docs, {"same.md": "same\n", "changed.md": "new\n", "more.md": "more\n"})
    assert changes == Changes(("more.md",), ("changed.md",), ("stale/gone.md",))
    assert (docs / "same.md").stat().st_mtime == LONG_AGO
    assert (docs / "changed.md").stat().st_mtime > LONG_AGO
    assert not (docs / "stale").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs"]


def test_nothing_new_touches_nothing(tmp_path: Path) -> None:
    """Writing the same pages again leaves even the folder as it was."""
    docs = tmp_path / "docs"
    write_pages(docs, {"a.md": "a\n"})
    _age(docs)
    assert write_pages(docs, {"a.md": "a\n"}) == Changes((), (), ())
    assert docs.stat().st_mtime == LONG_AGO


def test_leftovers_of_a_broken_build_do_no_harm(tmp_path: Path) -> None:
    """A build that was broken off leaves folders beside; the next one clears them."""
    docs = tmp_path / "docs"
    write_pages(docs, {"a.md": "a\n"})
    for name in ("docs.new", "docs.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half.md").write_text("half\n", encoding="utf-8")
    write_pages(docs, {"b.md": "b\n"})
    assert read_pages(docs) == {"b.md": "b\n"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs"]
