"""The command that tells a reviewer what a change of entries does."""

import argparse
import subprocess
import sys
from pathlib import Path

from checker.catalogue import Catalogue
from checker.model import CONFIDENCE
from checker.pipeline import diagnose_paths
from generator.build import published
from generator.commands.registry import command
from generator.lint import check
from generator.matrix import Found, outcomes, tried_catalogue
from generator.review import Healthy, review_text
from generator.roots import ROOT

_HEALTHY = ROOT / "tests" / "logs" / "healthy"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base", default="origin/main", help="what the change is compared with")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the text to FILE")


@command("trainwreck-dev review --base origin/main", _arguments)
def review(arguments: argparse.Namespace) -> int:
    """Write for a reviewer what changed entries do: lint, their examples, healthy logs.

    The text is Markdown, made to be a comment of a pull request.
    """
    changed = _changed_ids(arguments)
    if changed is None:
        return 2
    collection, problems = check(*arguments.entries)
    own = [one for one in problems if Path(one.path).stem in changed]
    known = changed & set(collection.entries)
    entries = published(collection)
    results = tuple(outcomes(entries, known)) if known else ()
    catalogue = tried_catalogue(entries, known)
    healthy = [
        Healthy(log.parent.relative_to(_HEALTHY).as_posix(), _found(catalogue, log, known))
        for log in sorted(_HEALTHY.rglob("*.log"))
        if known
    ]
    text = review_text(sorted(changed), own, results, healthy)
    if arguments.output:
        Path(arguments.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    wrong = own or any(one.problems for one in results) or any(one.found for one in healthy)
    return 1 if wrong else 0


def _changed_ids(arguments: argparse.Namespace) -> set[str] | None:
    """List the ids of entries that differ from the base; None, after telling, without git."""
    folders = [one.folder.as_posix() for one in arguments.entries]
    asked = ["git", "diff", "--name-only", "--diff-filter=d", f"{arguments.base}...HEAD", "--"]
    done = subprocess.run([*asked, *folders], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"cannot compare with {arguments.base}: {done.stderr.strip()}", file=sys.stderr)
        print("  help: fetch it, or name another with --base", file=sys.stderr)
        return None
    return {Path(line).stem for line in done.stdout.splitlines() if line.endswith(".md")}


def _found(catalogue: Catalogue, log: Path, ids: set[str]) -> tuple[Found, ...]:
    report = diagnose_paths(catalogue, [str(log)], None)
    return tuple(
        Found(one.rule["id"], CONFIDENCE[one.confidence], one.role)
        for one in (*report.diagnoses, *report.recovered)
        if one.rule["id"] in ids
    )
