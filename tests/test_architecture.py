"""The rules of the house that hold across modules."""

import ast
import re
from pathlib import Path

import pytest

from generator.assemble import assemble
from generator.lint import check
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


def checker_imports(package: str) -> set[str]:
    """Name the packages of the checker that the modules of one package import."""
    found = set()
    for path in (ROOT / "checker" / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("checker."):
                found.add((node.module or "").split(".")[1])
    return {name for name in found if (ROOT / "checker" / name).is_dir()} - {package}


def test_packages_import_what_the_architecture_says() -> None:
    """The table of the page is the code: no import that it lacks, none that is gone."""
    page = (ROOT / "site_overrides/pages/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
    told = {package: set(re.findall(r"`(\w+)`", imports)) for package, imports in rows}
    packages = [path.parent.name for path in (ROOT / "checker").glob("*/__init__.py")]
    assert told == {package: checker_imports(package) for package in packages}


@pytest.mark.parametrize("path", GENERATOR, ids=relative)
def test_only_the_command_line_knows_the_commands(path: Path) -> None:
    """Stages do not know who calls them."""
    knows = "from generator.commands" in path.read_text(encoding="utf-8")
    allowed = ("generator/commands/", "generator/cli.py", "generator/pages/command_reference.py")
    assert not knows or relative(path).startswith(allowed)


def test_every_id_that_was_ever_published_still_leads_to_an_entry() -> None:
    """An id may change, but its old links and `--only` keep working."""
    collection, _ = check(ROOT / "entries")
    present = {name for one in collection.entries.values() for name in (one.id, *one.entry.aliases)}
    known = (ROOT / "tests/published_ids.txt").read_text(encoding="utf-8").split()
    assert [name for name in known if name not in present] == []
    assert {
        one.id for one in collection.entries.values() if one.entry.status == "published"
    } <= set(known), "run: trainwreck-dev update"
