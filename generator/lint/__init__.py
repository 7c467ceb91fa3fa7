"""Judge entries beyond their shape: one by one, and all of them together."""

from pathlib import Path

from generator.errors import Problem
from generator.lint.registry import findings
from generator.load import Collection
from generator.sources import EntrySource, load_sources


def check(*folders: Path | EntrySource) -> tuple[Collection, list[Problem]]:
    """Load the entries of the folders and find everything that is wrong with them."""
    sources = [one if isinstance(one, EntrySource) else EntrySource(one) for one in folders]
    collection = load_sources(sources)
    return collection, sorted([*collection.problems, *findings(collection)])
