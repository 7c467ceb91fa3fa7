"""Judge entries beyond their shape: one by one, and all of them together."""

from pathlib import Path

from generator.errors import Problem
from generator.lint.registry import findings
from generator.load import Collection, load


def check(folder: Path) -> tuple[Collection, list[Problem]]:
    """Load the entries of a folder and find everything that is wrong with them."""
    collection = load(folder)
    return collection, sorted([*collection.problems, *findings(collection)])
