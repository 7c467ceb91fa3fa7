"""Put the modules of `checker` and the catalogue into one readable file.

The bodies of the modules are taken as they are, comments included; only the docstring of a module
becomes a banner, imports are gathered at the top, modules stand in texts, and their functions in
texts that are compiled at their first call. What the tests exercise is therefore the source that
is shipped. The rules that make this safe are asserted here, each with its own error.
"""

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from generator.deferral import (
    CLOSING,
    MODULE_CLOSING,
    MODULE_OPENING,
    OPENING,
    DeferralError,
    function_texts,
    numbered,
)

PACKAGE = "checker"
TYPING = "checker.plain_typing"
REFUSAL = "checker.interpreter"
LATER = "checker.later"
FIRST = (TYPING, REFUSAL, LATER)
FORBIDDEN_NAMES = {"__file__", "globals", "importlib", "__import__", "exec", "eval", "compile"}

# Python checks the bytes of a file a second time where no coding is declared.
HEADER = """\
#!/usr/bin/env python3
# Trainwreck {version}: what failed first in an ML training run?    -*- coding: utf-8 -*-
#
#   python3 trainwreck.py LOG-OR-FOLDER ...     diagnose logs        (-h for everything else)
#
# One file, Python 3.8 or newer, standard library only. It reads what you name and prints a
# report. It writes nothing, changes nothing, sends no signal, asks no other host (unless you give
# --network) and needs no root. On a node that is half dead, start it without touching home or
# site-packages:
#
#   cd / && /usr/bin/python3 -I -S /dev/shm/trainwreck.py LOG ...
#
# This file is made from the modules of the project's `checker` folder, in the order of their
# imports; a banner names each. They and their functions stand in texts, unchanged: Python compiles
# the functions that a run calls (`checker/later.py`), since compiling all would take longer than
# reading a log, and modules one by one, since the syntax tree of all would take much memory.
# The catalogue of failures stands at the end, one entry a line.
# Code: Apache-2.0. Catalogue texts: CC BY 4.0.
"""


class AssemblyError(Exception):
    """A module breaks a rule of assembly: `path:line: problem`."""


class Module(NamedTuple):
    """One module of the package, read and parsed."""

    name: str
    path: str
    source: str
    tree: ast.Module


def assemble(folder: Path, rows: str, sha256: str, date: str, version: str) -> str:
    """Return the text of the script for the modules in *folder* and the catalogue *rows*.

    Raises AssemblyError where a module breaks a rule.
    """
    modules = _in_order(_read(folder))
    _check_names(modules)
    parts = [HEADER.format(version=version), _imports(modules)]
    after = {TYPING: _typing_names(modules), REFUSAL: "refuse_old_python(sys.version_info)\n"}
    for module in modules:
        parts += [_banner(module) + _body(module), after.get(module.name, "")]
    parts.append(_catalogue(rows, sha256, date))
    joined = "\n\n".join(part.strip("\n") + "\n" for part in parts if part)
    text = "\n".join(numbered(joined.split("\n")))
    if not text.isascii():
        raise AssemblyError("the script would not be ASCII")
    ast.parse(text, feature_version=(3, 7))
    return text


def _read(folder: Path) -> list[Module]:
    modules = []
    for path in sorted(folder.rglob("*.py")):
        if path.stem in ("__init__", "__main__"):
            continue
        relative = path.relative_to(folder.parent)
        source = path.read_text(encoding="utf-8")
        name = ".".join(relative.with_suffix("").parts)
        # Older Pythons read all of it, and refuse in a line of their own; see REFUSAL.
        tree = ast.parse(source, feature_version=(3, 7))
        module = Module(name, relative.as_posix(), source, tree)
        _check_module(module)
        modules.append(module)
    return modules


def _in_order(modules: list[Module]) -> list[Module]:
    """Sort so that every module follows those it imports, and all follow FIRST."""
    by_name = {module.name: module for module in modules}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for module in modules:
        needs = {node.module for node in _siblings(module) if node.module}
        unknown = sorted(needs - set(by_name))
        if unknown:
            raise AssemblyError(f"{module.path}: imports unknown module {unknown[0]}")
        sorter.add(module.name, *sorted(needs), *_before(module.name))
    try:
        sorter.prepare()
    except CycleError as error:
        raise AssemblyError("modules import each other: " + " -> ".join(error.args[1])) from error
    ordered = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        ordered.extend(ready)
        sorter.done(*ready)
    return [by_name[name] for name in ordered]


def _before(name: str) -> list[str]:
    """Name the modules that stand before this one though it does not import them."""
    return list(FIRST[: FIRST.index(name)] if name in FIRST else FIRST)


def _siblings(module: Module) -> list[ast.ImportFrom]:
    return [
        node
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE
    ]


def _check_module(module: Module) -> None:
    """Assert what the text of one module must hold to."""
    top = set(map(id, module.tree.body))
    for node in ast.walk(module.tree):
        where = f"{module.path}:{getattr(node, 'lineno', 1)}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            problem = _import_problem(node, id(node) in top)
            if problem:
                raise AssemblyError(f"{where}: {problem}")
        if isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES and module.name not in FIRST:
            raise AssemblyError(f"{where}: '{node.id}' has no meaning in the assembled file")
    if not module.source.isascii():
        raise AssemblyError(f"{module.path}: write other characters than ASCII as escapes")
    if not ast.get_docstring(module.tree):
        raise AssemblyError(f"{module.path}: the module says nothing about itself")


def _import_problem(node: ast.Import | ast.ImportFrom, at_top: bool) -> str | None:
    """Say why an import cannot be assembled; inside code only the standard library can."""
    if isinstance(node, ast.ImportFrom):
        if node.level or node.module == "__future__":
            return "relative and future imports cannot be assembled"
        if any(item.name == "*" or item.asname for item in node.names):
            return "import names without star or alias"
        packages = {(node.module or "").split(".")[0]}
    else:
        packages = {item.name.split(".")[0] for item in node.names}
        if PACKAGE in packages or any(item.asname for item in node.names):
            return f"use 'from {PACKAGE}.x import name', without alias"
    if not at_top and not packages <= sys.stdlib_module_names:
        return "an import stands inside code; move it to the top"
    return None


def _check_names(modules: list[Module]) -> None:
    """Assert that a top-level name, imported ones included, means one thing in all modules."""
    owners: dict[str, tuple[str, str]] = {}
    taken = []
    for module in modules:
        for name, meaning in _top_level_names(module):
            known = owners.setdefault(name, (meaning, module.path))
            if known[0] != meaning:
                taken.append(
                    f"{module.path}: '{name}' is already the name of something in {known[1]}"
                )
    if taken:
        raise AssemblyError("\n".join(taken))


def _top_level_names(module: Module) -> list[tuple[str, str]]:
    names: list[tuple[str, str]] = []
    own = f"own {module.name}"
    for node in module.tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append((node.name, own))
        elif isinstance(node, ast.Import):
            names.extend((item.name.split(".")[0], f"import {item.name}") for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").split(".")[0] != PACKAGE:
                names.extend((item.name, f"from {node.module}") for item in node.names)
        else:
            names.extend((name, own) for name in _stored_names(node))
    return names


def _stored_names(node: ast.AST) -> list[str]:
    """Name what a statement binds in the module; a comprehension binds its own."""
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda):
        return []
    own = [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []
    return own + [name for child in ast.iter_child_nodes(node) for name in _stored_names(child)]


def _imports(modules: list[Module]) -> str:
    """Gather the standard library's imports of all modules, once each, save those of `typing`."""
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.Import):
                plain.update(item.name for item in node.names)
            elif isinstance(node, ast.ImportFrom) and node not in _siblings(module):
                named.setdefault(node.module or "", set()).update(i.name for i in node.names)
    named.pop("typing", None)
    lines = [f"import {name}" for name in sorted(plain)]
    for source, names in sorted(named.items()):
        body = "".join(f"    {name},\n" for name in sorted(names))
        lines.append(f"from {source} import (\n{body})")
    return "\n".join(lines)


def _typing_names(modules: list[Module]) -> str:
    """Give every name of `typing` that the modules import what stands for it in the one file."""
    names = {
        item.name
        for module in modules
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        for item in node.names
    }
    hints = "".join(f"{name} = " for name in sorted(names - {"NamedTuple"}))
    return "NamedTuple = PlainTuple\n" + (f"{hints}PLAIN_HINT\n" if hints else "")


def _banner(module: Module) -> str:
    rule = "# " + "-" * 77
    docstring = ast.get_docstring(module.tree) or ""
    lines = [f"# {line}".rstrip() for line in docstring.splitlines()]
    return "\n".join([rule, f"# {module.path}", "#", *lines, rule, "", ""])


def _body(module: Module) -> str:
    """Return the module without its docstring and its imports, in texts."""
    dropped: set[int] = set()
    for position, node in enumerate(module.tree.body):
        is_docstring = position == 0 and isinstance(node, ast.Expr)
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
            dropped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = module.source.splitlines()
    openings, closings = _text_ends(module, lines)
    written: list[str] = []
    for number, line in enumerate(lines, start=1):
        written += openings.get(number, [])
        written += [line] if number not in dropped else []
        written += closings.get(number, [])
    body = "\n".join(written).strip("\n") + "\n"
    return body if module.name in FIRST else f"{MODULE_OPENING}\n{body}{MODULE_CLOSING}\n"


def _text_ends(
    module: Module, lines: list[str]
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Map the first and the last line of every text of functions to what encloses it there."""
    if module.name in FIRST:
        return {}, {}
    try:
        spans = function_texts(lines, module.tree)
    except DeferralError as error:
        raise AssemblyError(f"{module.path}:{error.line}: {error}") from error
    indents = {first: lines[first - 1][: lines[first - 1].index("def ")] for first, _ in spans}
    return (
        {first: [indents[first] + OPENING] for first, _ in spans},
        {last: [indents[first] + CLOSING] for first, last in spans},
    )


def _catalogue(rows: str, sha256: str, date: str) -> str:
    safe = rows.replace("'''", "\\u0027\\u0027\\u0027")
    return (
        "# The catalogue: one entry a line, as `checker/catalogue.py` describes.\n"
        f"CATALOGUE_SHA256 = {sha256!r}\n"
        f"CATALOGUE_DATE = {date!r}\n"
        f"CATALOGUE_ROWS = r'''\n{safe}'''\n\n"
        f'if __name__ == "__main__":\n'
        f"    try:\n"
        f"        known = read_catalogue(CATALOGUE_ROWS, CATALOGUE_SHA256, CATALOGUE_DATE)\n"
        f"        leave(main(sys.argv[1:], known))\n"
        f"    except KeyboardInterrupt:\n"
        f"        leave(INTERRUPTED)\n"
    )
