"""Commands that find what grew stale by itself: links, and messages of newer programs."""

import argparse
import sys
from pathlib import Path

from generator.build import published
from generator.commands.checking import checked
from generator.commands.registry import command
from generator.links import ask, referenced
from generator.reporting import counted
from generator.roots import ROOT
from generator.upstream import BASELINE, baseline_text, look_up, messages_of, read_baseline


def _link_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write what is gone to FILE")


@command("trainwreck-dev links", _link_arguments)
def links(arguments: argparse.Namespace) -> int:
    """Ask for every address that entries refer to, over the network; name those that are gone."""
    collection = checked(arguments)
    if collection is None:
        return 1
    gone: list[str] = []
    unanswered = 0
    named = referenced(published(collection))
    for url, entries in named.items():
        answer = ask(url)
        if answer.gone:
            gone.append(f"{url}: {answer.said} (named by {', '.join(entries)})")
        elif answer.said:
            unanswered += 1
            print(f"{url}: {answer.said}", file=sys.stderr)
    _tell(arguments.output, "Links that are gone", gone)
    print(f"{counted(len(named), 'link')}: {len(gone)} gone, {unanswered} could not be asked")
    return 1 if gone else 0


def _upstream_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the site-packages to look in")
    parser.add_argument("--update", action="store_true", help="keep what is found as the baseline")
    parser.add_argument("-o", "--output", metavar="FILE", help="write what is gone to FILE")


@command("trainwreck-dev upstream .venv-torch/lib/python3.11/site-packages", _upstream_arguments)
def upstream(arguments: argparse.Namespace) -> int:
    """Look for the entries' messages in installed packages; name those that were there and are not.

    What was found before is kept in tests/repro/upstream.json. A message that a program makes of
    pieces, or that comes from elsewhere than a Python package, is not found and not in there.
    """
    collection = checked(arguments)
    if collection is None:
        return 1
    folder = Path(arguments.folder)
    if not folder.is_dir():
        print(f"{folder}: no such folder\n  help: make .venv-torch/.ready", file=sys.stderr)
        return 2
    messages = messages_of(published(collection))
    found = look_up({text for texts in messages.values() for text in texts}, folder)
    baseline = ROOT / BASELINE
    if arguments.update:
        baseline.write_text(baseline_text(messages, found), encoding="utf-8")
    known = read_baseline(baseline.read_text(encoding="utf-8")) if baseline.exists() else set()
    present = {(entry, text) for entry, texts in messages.items() for text in texts}
    gone = [f"{entry}: {text}" for entry, text in sorted(known & present) if text not in found]
    _tell(arguments.output, "Messages that are gone", gone)
    total = len({text for _, text in present})
    print(f"{counted(total, 'message')}: {len(found)} found in {folder}, {len(gone)} gone")
    return 1 if gone else 0


def _tell(output: str | None, title: str, gone: list[str]) -> None:
    for line in gone:
        print(line, file=sys.stderr)
    if output and gone:
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(f"### {title}\n\n" + "".join(f"    {line}\n" for line in gone) + "\n")
