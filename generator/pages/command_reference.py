"""The references of both command lines: what the checker takes, and what contributors type."""

import argparse
import re
from collections.abc import Iterator

from checker.arguments import OPTIONS, Option
from checker.commands import COMMANDS
from checker.outcome import EXIT_STATUSES
from generator.commands.registry import commands
from generator.pages.head import front_matter
from generator.pages.markup import definitions, heading, paragraphs, table, wrapped
from generator.pages.text import code, prose

_CHECKER = "python3 trainwreck.py"


def command_pages() -> dict[str, str]:
    """Write both references."""
    return {
        "reference/commands.md": _checker_reference(),
        "reference/contributing.md": _contributors_reference(),
    }


def _checker_reference() -> str:
    title = "The checker's command line"
    return paragraphs(
        front_matter(title, "Commands, options and exit statuses."),
        f"# {title}",
        f"    {_CHECKER} [PATH ...]\n    {_CHECKER} COMMAND [OPTION ...] [WORD ...]",
        "Without a command it checks the paths, and without a path the training that runs on this "
        "machine. A path that is called like a command is written `./check`.",
        heading("Commands", "commands"),
        definitions(
            (code(f"{one.name} {one.words}".strip()), prose(_sentence(one.help)))
            for one in COMMANDS
        ),
        heading("Options", "options"),
        _option_table(OPTIONS),
        heading("Exit statuses", "exit-status"),
        wrapped(
            "comparison keys",
            table(
                ("Status", "Meaning"),
                [(code(str(status)), prose(text)) for status, text in EXIT_STATUSES],
            ),
        ),
    )


def _option_table(options: tuple[Option, ...]) -> str:
    rows = [
        (
            code(f"{', '.join(one.names)} {one.value}".strip()),
            prose(one.help),
            prose(", ".join(f"`{name}`" for name in one.commands) or "all"),
        )
        for one in options
    ]
    return wrapped("comparison keys", table(("Option", "Meaning", "Commands"), rows))


def _contributors_reference() -> str:
    title = "The contributors' command line"
    return paragraphs(
        front_matter(title, "What trainwreck-dev does for who writes entries."),
        f"# {title}",
        "`make` installs `trainwreck-dev` into `.venv/bin`; `python -m generator` is the same. "
        "Every command takes `--entries DIR` for another folder of entries, and `--entries "
        "PREFIX=DIR` for a folder of your own beside it, whose ids all begin so. Exit "
        "statuses: 0 done, 1 problems in the entries, 2 usage, 70 a defect of ours.",
        *_commands(),
    )


def _commands() -> Iterator[str]:
    for one in commands().values():
        yield heading(one.name, one.name)
        yield from (prose(" ".join(text.split())) for text in one.help.split("\n\n"))
        parser = argparse.ArgumentParser(add_help=False)
        one.add_arguments(parser)
        rows = list(_arguments(parser))
        if rows:
            yield wrapped("comparison keys", table(("Argument", "Meaning"), rows))
        yield f"    {one.example}"


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    # argparse has no other way to be asked for what was added to it.
    for action in parser._actions:
        name = action.option_strings[-1] if action.option_strings else _shown(action)
        value = f" {_shown(action)}" if action.option_strings and action.nargs != 0 else ""
        words = f": {', '.join(action.choices)}" if action.choices else ""
        yield code(name + value), prose(f"{action.help}{words}")


def _shown(action: argparse.Action) -> str:
    return str(action.metavar or action.dest).upper()


def _sentence(text: str) -> str:
    text = text[0].upper() + text[1:]
    return text if re.search(r"[.)]$", text) else f"{text}."
