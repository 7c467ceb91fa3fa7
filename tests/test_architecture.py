"""The rules of the house that hold across modules."""

import ast
from pathlib import Path

import pytest

from generator.assemble import assemble
from tests.needs import ROOT

CHECKER = sorted((ROOT / "checker").rglob("*.py"))
GENERATOR = sorted((ROOT / "generator").rglob("*.py"))


def imported_packages(path: Path) -> set[str]:
    """Name the packages that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(item.name.split(".")[0] for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def relative(path: Path) -> str:
    """Name a module as the reader of a failure knows it."""
    return path.relative_to(ROOT).as_posix()


def test_the_modules_of_the_checker_can_be_assembled() -> None:
    """Names mean one thing across modules, and imports make no circle."""
    assert assemble(ROOT / "checker", "", "", "", "")


@pytest.mark.parametrize("path", CHECKER, ids=relative)
def test_the_checker_imports_nothing_of_the_generator(path: Path) -> None:
    """The script stands alone: neither the generator nor what it is made with is there."""
    assert not imported_packages(path) & {"generator", "pydantic", "yaml", "mkdocs", "markdown"}


@pytest.mark.parametrize("path", CHECKER + GENERATOR, ids=relative)
def test_a_module_stays_short_enough_to_read(path: Path) -> None:
    """A module over 400 lines is two modules."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 401


@pytest.mark.parametrize("path", CHECKER + GENERATOR, ids=relative)
def test_no_module_hides_behind_a_word_that_says_nothing(path: Path) -> None:
    """Modules are named after the stage they belong to."""
    assert path.stem not in {"utils", "util", "helpers", "common", "misc"}
