"""The files in the repository that are made from others, each with its maker."""

from collections.abc import Callable
from pathlib import Path

from generator.load import load
from generator.quotations import DOCUMENTS, with_output
from generator.snippets import snippets_text

Maker = Callable[[Path, str], str]
"""Takes the folder of the repository and the file's present text; returns what it must be."""


def with_published_ids(root: Path, text: str) -> str:
    """Add the ids of published entries to those that were published before; none ever goes."""
    entries = load(root / "entries").entries.values()
    published = {one.id for one in entries if one.entry.status == "published"}
    return "".join(f"{name}\n" for name in sorted({*text.split(), *published}))


GENERATED: dict[str, Maker] = {
    **dict.fromkeys(DOCUMENTS, with_output),
    ".vscode/trainwreck.code-snippets": lambda root, text: snippets_text(),
    "tests/published_ids.txt": with_published_ids,
}


def stale_files(root: Path) -> dict[str, str]:
    """Return the new texts of all generated files that are not up to date, by path."""
    stale = {}
    for name, maker in GENERATED.items():
        path = root / name
        present = path.read_text(encoding="utf-8") if path.exists() else ""
        made = maker(root, present)
        if made != present:
            stale[name] = made
    return stale
