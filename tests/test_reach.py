"""No module, command or script of the project is out of reach of the tests."""

import ast
from pathlib import Path

from checker.commands import COMMANDS
from generator.assemble import REFUSAL
from generator.commands.registry import commands
from tests.needs import ROOT

OWN = ("checker", "generator")


def module_name(path: Path) -> str:
    """Name a module as an import does."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """Name all that a module imports: packages, modules, and names that may be modules."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{item.name}" for item in node.names)
    return {".".join(name.split(".")[:end]) for name in found for end in range(1, 6)}


def modules(folder: str) -> dict[str, set[str]]:
    """Find the modules under a folder, with what each imports."""
    return {module_name(path): imports(path) for path in (ROOT / folder).rglob("*.py")}


def reached(beginnings: set[str], imported: dict[str, set[str]]) -> set[str]:
    """Follow imports as far as they lead."""
    found: set[str] = set()
    ahead = beginnings & imported.keys()
    while ahead:
        found |= ahead
        ahead = {one for name in ahead for one in imported[name] & imported.keys()} - found
    return found


def test_every_module_is_reached_by_a_test() -> None:
    """A module that no test imports, and nothing that a test imports, is untried or dead.

    Checks and commands are found by their folders: test_lint_samples.py holds a sample of each
    check, the test below asks for each command, assembling puts the refusal of old Pythons in, and
    `__main__` is what Python runs.
    """
    own = {name: found for folder in OWN for name, found in modules(folder).items()}
    tests = modules("tests")
    found_by_folder = {name for name in own if name.startswith("generator.lint.")}
    found_by_folder |= {one.run.__module__ for one in commands().values()}

    beginnings = {name for name in tests if name.rsplit(".", 1)[-1].startswith("test_")}
    started = {REFUSAL, *(f"{folder}.__main__" for folder in OWN)}
    known = reached(beginnings | found_by_folder | started, own | tests)

    assert sorted(name for name in own if name not in known) == []


def test_every_command_is_run_by_a_test() -> None:
    """A command's name stands among the arguments that a test gives."""
    texts = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    names = {*commands(), *(command.name for command in COMMANDS)}

    assert sorted(name for name in names if f'"{name}"' not in texts) == []
