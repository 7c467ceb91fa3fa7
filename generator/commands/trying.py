"""The command that shows how entries judge a log while they are written."""

import argparse
import sys
from pathlib import Path

from checker.arguments import Request, UsageError
from checker.model import CONFIDENCE
from checker.pipeline import diagnose_paths
from checker.why import run_why
from generator.build import published
from generator.commands.registry import command
from generator.errors import suggestion
from generator.lint import check
from generator.matrix import tried_catalogue
from generator.reporting import as_text, closing_line, counted, is_about_signs


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("entry", metavar="ENTRY", help="its file or its id; a draft will do")
    parser.add_argument("logs", nargs="+", metavar="LOG", help="logs or folders of logs")


@command("trainwreck-dev try entries/spool-folder-full.md run/", _arguments)
def try_(arguments: argparse.Namespace) -> int:
    """Show which signs of an entry logs show and where, which are missing, and what else fires."""
    name = Path(arguments.entry).stem if arguments.entry.endswith(".md") else arguments.entry
    collection, problems = check(*arguments.entries)
    own = [one for one in problems if Path(one.path).stem == name]
    if any(map(is_about_signs, own)):
        print(f"{as_text(own)}{closing_line(own)}", file=sys.stderr)
        return 1
    if name not in collection.entries:
        print(f"there is no entry '{name}'", file=sys.stderr)
        near = suggestion(name, collection.entries, "name a file of the folder of entries")
        print(f"  help: {near}", file=sys.stderr)
        return 2
    catalogue = tried_catalogue(published(collection), {name})
    request = Request("why", True, (name, *arguments.logs), {}, sys.stdout.isatty())
    try:
        outcome = run_why(request, catalogue)
    except UsageError as error:
        print(f"{error}\n  help: {error.remedy}", file=sys.stderr)
        return 2
    print(outcome.text, end="")
    for line in outcome.trouble:
        print(line, file=sys.stderr)
    report = diagnose_paths(catalogue, arguments.logs, None)
    others = [one for one in report.diagnoses if one.rule["id"] != name]
    print("\nWhat else these logs show:" if others else "\nNo other entry is diagnosed here.")
    for other in others:
        print(f"  {other.rule['id']} ({CONFIDENCE[other.confidence]}, {other.role})")
    if own:
        shows = "shows it" if len(own) == 1 else "shows them"
        told = f"'trainwreck-dev lint {own[0].path}' {shows}"
        print(f"\nThe entry has {counted(len(own), 'problem')}: {told}.")
    return 0
