"""Commands that keep the generated files of the repository true."""

import argparse
import sys

from generator.commands.registry import command
from generator.generated import stale_files
from generator.quotations import CHECKER
from generator.roots import ROOT


@command("make build && trainwreck-dev update")
def update(arguments: argparse.Namespace) -> int:
    """Make all generated files of the repository anew, as the quoted output in the documents."""
    if not _is_built():
        return 1
    stale = stale_files(ROOT)
    for name, text in stale.items():
        (ROOT / name).parent.mkdir(exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8")
    print("generated files: " + ("written: " + ", ".join(stale) if stale else "up to date"))
    return 0


@command("make build && trainwreck-dev check")
def check(arguments: argparse.Namespace) -> int:
    """Tell whether all generated files of the repository are up to date; write nothing."""
    if not _is_built():
        return 1
    stale = stale_files(ROOT)
    if stale:
        print(f"not up to date: {', '.join(stale)}", file=sys.stderr)
        print("  help: run 'make build', then 'trainwreck-dev update'", file=sys.stderr)
        return 1
    print("generated files: up to date")
    return 0


def _is_built() -> bool:
    if (ROOT / CHECKER).exists():
        return True
    print(f"{CHECKER} is not built yet, and the documents quote what it prints", file=sys.stderr)
    print("  help: run 'make build' first", file=sys.stderr)
    return False
