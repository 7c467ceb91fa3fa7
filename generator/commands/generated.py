"""Commands that keep the generated files of the repository true."""

import argparse
import sys

from generator.commands.registry import command
from generator.generated import stale_files
from generator.roots import ROOT


@command("make build && trainwreck-dev update")
def update(arguments: argparse.Namespace) -> int:
    """Make all generated files of the repository anew, as the quoted output in the documents."""
    stale = stale_files(ROOT)
    for name, text in stale.items():
        (ROOT / name).parent.mkdir(exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8")
    print("generated files: " + ("written: " + ", ".join(stale) if stale else "up to date"))
    return 0


@command("make build && trainwreck-dev check")
def check(arguments: argparse.Namespace) -> int:
    """Tell whether all generated files of the repository are up to date; write nothing."""
    stale = stale_files(ROOT)
    if stale:
        print(f"not up to date: {', '.join(stale)}", file=sys.stderr)
        print("  help: run 'make build', then 'trainwreck-dev update'", file=sys.stderr)
        return 1
    print("generated files: up to date")
    return 0
