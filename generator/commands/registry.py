"""The registry of commands: a command is one decorated function in a module of this package.

Its name is the command, its docstring the help.
"""

import argparse
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import NamedTuple

Run = Callable[[argparse.Namespace], int]
"""Does the work and returns the exit status: 0 done, 1 problems, 2 usage."""
AddArguments = Callable[[argparse.ArgumentParser], None]


class Command(NamedTuple):
    """One command of the contributors' command line."""

    name: str
    help: str
    example: str
    """A command line to start from."""
    run: Run
    add_arguments: AddArguments


_COMMANDS: dict[str, Command] = {}


def command(example: str, arguments: AddArguments = lambda parser: None) -> Callable[[Run], Run]:
    """Register a function under its own name; *arguments* adds what only this command takes."""

    def register(function: Run) -> Run:
        # A trailing underscore keeps a function's name apart from a word of Python.
        name = function.__name__.rstrip("_")
        if name in _COMMANDS:
            raise RuntimeError(f"two commands are called {name}")
        text = inspect.cleandoc(function.__doc__ or "")
        _COMMANDS[name] = Command(name, text, example, function, arguments)
        return function

    return register


def commands() -> dict[str, Command]:
    """Find every command, by name."""
    package = importlib.import_module("generator.commands")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"generator.commands.{module.name}")
    return dict(sorted(_COMMANDS.items()))
