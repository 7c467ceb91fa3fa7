"""The files in the repository that are made from others, each with its maker."""

from collections.abc import Callable
from pathlib import Path

from generator.quotations import DOCUMENTS, with_output
from generator.snippets import snippets_text

Maker = Callable[[Path, str], str]
"""Takes the folder of the repository and the file's present text; returns what it must be."""

GENERATED: dict[str, Maker] = {
    **dict.fromkeys(DOCUMENTS, with_output),
    ".vscode/trainwreck.code-snippets": lambda root, text: snippets_text(),
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
