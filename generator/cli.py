"""The contributors' command line: `trainwreck-dev COMMAND`, or `python -m generator COMMAND`.

Exit status: 0 done, 1 problems in the entries, 2 usage, 70 a defect of ours, 141 nobody read on.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from generator.assemble import AssemblyError
from generator.commands.registry import Command, commands
from generator.sources import EntrySource, SourceError, with_public

PROGRAM = "trainwreck-dev"


def parser() -> argparse.ArgumentParser:
    """Make the parser of all registered commands."""
    top = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    listed = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for one in commands().values():
        sub = listed.add_parser(
            one.name,
            help=one.help.split("\n", maxsplit=1)[0],
            description=one.help,
            epilog=f"example: {one.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.add_argument(
            "--entries",
            action="append",
            type=_entry_source,
            metavar="[PREFIX=]DIR",
            help="the folder of entries (entries, or else those of this installation); "
            "PREFIX=DIR adds a folder whose ids all begin with PREFIX-",
        )
        one.add_arguments(sub)
        sub.set_defaults(command=one)
    return top


def _entry_source(text: str) -> EntrySource:
    try:
        return EntrySource.read(text)
    except SourceError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    chosen = parser().parse_args(arguments)
    chosen.named = chosen.entries or []
    chosen.entries = with_public(chosen.named)
    one: Command = chosen.command
    try:
        status = one.run(chosen)
        sys.stdout.flush()
        return status
    except AssemblyError as error:
        print(f"the checker cannot be assembled: {error}", file=sys.stderr)
        return 70
    except BrokenPipeError:
        # A reader such as `head` has enough; Python would complain when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
