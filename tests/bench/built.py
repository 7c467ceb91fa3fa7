"""The built checker, for the benches: rows of a catalogue enter, one file to run leaves."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from checker.identity import VERSION
from generator.assemble import assemble
from generator.build import published
from generator.catalogue import catalogue_rows
from generator.lint import check

ROOT = Path(__file__).resolve().parents[2]


def real_rows() -> str:
    """Read the rows of the published entries; end the program where they have problems."""
    collection, problems = check(ROOT / "entries")
    if problems:
        sys.exit("the entries have problems; run: python -m generator lint")
    return catalogue_rows(published(collection))


def write_script(path: Path, rows: str) -> Path:
    """Assemble the checker with the rows, into a file."""
    path.write_text(assemble(ROOT / "checker", rows, "", "2026-01-01", VERSION))
    return path
