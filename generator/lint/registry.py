"""The registry of lint checks: a check is one decorated function in a module of this package.

Its name, with hyphens, is the code of the problems it finds; its docstring is their reference text.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from generator.errors import Problem
from generator.load import Collection, Loaded
from generator.nodes import Step


class Finding(NamedTuple):
    """What a check found, and in which part of which entry."""

    loaded: Loaded
    steps: Sequence[Step]
    """The way to the value in the long form of the model."""
    message: str
    help: str
    line: int | None = None
    """The line, where the place is in the body instead."""
    field: str | None = None
    """What to call a place in the body."""


EntryCheck = Callable[[Loaded], Iterable[Finding]]
CollectionCheck = Callable[[Collection], Iterable[Finding]]


class Check(NamedTuple):
    """One lint check."""

    code: str
    text: str
    """Its reference: the rule, and why."""
    run: CollectionCheck
    of_all: bool
    """It looks at all entries together, not at one after the other."""


_CHECKS: dict[str, Check] = {}


def entry_check(function: EntryCheck) -> EntryCheck:
    """Register a check that looks at one entry at a time."""

    def run(collection: Collection) -> Iterable[Finding]:
        for loaded in collection.entries.values():
            yield from function(loaded)

    _register(function, run, of_all=False)
    return function


def collection_check(function: CollectionCheck) -> CollectionCheck:
    """Register a check that looks at all entries together."""
    _register(function, function, of_all=True)
    return function


def checks() -> dict[str, Check]:
    """Find every check, by code."""
    package = importlib.import_module("generator.lint")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"generator.lint.{module.name}")
    return dict(sorted(_CHECKS.items()))


def findings(collection: Collection) -> list[Problem]:
    """Run every check."""
    return [
        _problem(check.code, found)
        for check in checks().values()
        for found in check.run(collection)
    ]


def findings_of(loaded: Loaded, collection: Collection) -> list[Problem]:
    """Run every check for one entry among the others."""
    alone = collection._replace(entries={loaded.id: loaded})
    return [
        _problem(check.code, found)
        for check in checks().values()
        for found in check.run(collection if check.of_all else alone)
        if found.loaded.path == loaded.path
    ]


def _register(function: Callable[..., object], run: CollectionCheck, of_all: bool) -> None:
    code = function.__name__.replace("_", "-")
    if code in _CHECKS:
        raise RuntimeError(f"two checks are called {code}")
    _CHECKS[code] = Check(code, inspect.cleandoc(function.__doc__ or ""), run, of_all)


def _problem(code: str, found: Finding) -> Problem:
    loaded = found.loaded
    if found.line is not None:
        field = found.field or "body"
        return Problem(loaded.path, found.line, 1, code, field, found.message, found.help)
    place = loaded.place(found.steps)
    return Problem(
        loaded.path, place.line, place.column, code, place.field, found.message, found.help
    )
