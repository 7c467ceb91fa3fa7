"""The pages on disk: what is written anew, what stays, what goes."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Changes(NamedTuple):
    """The paths that differ from what lay on disk before."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def read_pages(folder: Path) -> dict[str, str]:
    """Read the hand-written pages of a folder, by their paths below it."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.md"))
    }


def write_pages(folder: Path, pages: Mapping[str, str | bytes]) -> Changes:
    """Make *folder* hold exactly *pages*; an unchanged file keeps its time.

    A new folder is filled and then takes the place of the old one, so that a build that is broken
    off leaves no half of the pages behind.
    """
    before = _read_all(folder)
    after = {path: _encoded(content) for path, content in pages.items()}
    changes = Changes(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(p for p in after.keys() & before.keys() if after[p] != before[p])),
        tuple(sorted(before.keys() - after.keys())),
    )
    if any(changes):
        _swap(folder, _fill(folder, before, after))
    return changes


def _encoded(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8")


def _read_all(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _fill(folder: Path, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Path:
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    for path, content in after.items():
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        if before.get(path) == content:
            shutil.copy2(folder / path, new / path)
        else:
            (new / path).write_bytes(content)
    return new


def _swap(folder: Path, new: Path) -> None:
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
