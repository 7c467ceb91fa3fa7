"""The command that counts what the collection holds."""

import argparse
import json
from collections import Counter

from generator.commands.checking import checked
from generator.commands.registry import command
from generator.statistics import statistics


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how the counts are shown"
    )


@command("trainwreck-dev stats --format json", _arguments)
def stats(arguments: argparse.Namespace) -> int:
    """Count entries, signs, messages, examples and references, and say how well they are proven."""
    collection = checked(arguments)
    if collection is None:
        return 1
    counts = statistics(collection)
    if arguments.format == "json":
        print(json.dumps(counts, indent=2))
        return 0
    for name, value in counts.items():
        print(f"{name:16} {_listed(value) if isinstance(value, Counter) else value}")
    return 0


def _listed(counter: "Counter[str]") -> str:
    return ", ".join(f"{name} {number}" for name, number in counter.most_common())
