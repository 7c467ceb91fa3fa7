"""Commands that judge entries, and what other commands need of it."""

import argparse
import sys
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from pathlib import Path

from generator.build import published
from generator.commands.registry import command
from generator.errors import LOAD_CODES, Problem, suggestion
from generator.lint import check
from generator.lint.registry import checks
from generator.load import Collection
from generator.matrix import Outcome, failures, outcomes
from generator.reporting import FORMS, as_text, closing_line, counted, is_about_signs
from generator.roots import ROOT

SAMPLES = ROOT / "tests/lint_samples"


def checked(arguments: argparse.Namespace) -> Collection | None:
    """Return the collection that the person named; None, after telling, where it has problems."""
    collection, problems = check(*arguments.entries)
    if problems:
        print(f"{as_text(problems)}{closing_line(problems)}", file=sys.stderr)
        return None
    return collection


def run_examples(
    collection: Collection, named: AbstractSet[str] = frozenset()
) -> tuple[Outcome, ...] | None:
    """Run the examples of all published entries, or of the named ones, and tell how it went.

    Returns what became of each; None where one is not as its entry says.
    """
    results = tuple(outcomes(published(collection), named))
    wrong = failures(results)
    for line in wrong:
        print(line, file=sys.stderr)
    entries = len({one.id for one in results})
    outcome = counted(len(wrong), "failure") if wrong else "no failures"
    whose = counted(entries, "entry", "entries")
    print(f"{counted(len(results), 'example')} of {whose}: {outcome}")
    return None if wrong else results


def _lint_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", help="check only these, and run their examples; or: explain CODE"
    )
    parser.add_argument(
        "--format", choices=sorted(FORMS), default="text", help="how problems are shown"
    )


@command("trainwreck-dev lint entries/host-oom-killer.md", _lint_arguments)
def lint(arguments: argparse.Namespace) -> int:
    """Check all entries, or check only the named files and run their examples too.

    With --entries and no file, the examples of all entries of that folder are run, drafts too.

    `lint explain CODE` tells what a code means, and shows an entry that has the problem.
    """
    if arguments.files[:1] == ["explain"]:
        return _explain(arguments.files[1:])
    strangers = _strangers(arguments)
    if strangers:
        folders = " or ".join(f"{one.folder.as_posix()}/" for one in arguments.entries)
        print(f"not a file of {folders}: {', '.join(strangers)}", file=sys.stderr)
        print("  help: name a file of that folder; --entries names another", file=sys.stderr)
        return 2
    chosen = {Path(name).resolve() for name in arguments.files}
    collection, problems = check(*arguments.entries)
    if chosen:
        problems = [problem for problem in problems if Path(problem.path).resolve() in chosen]
    named = {path.stem for path in chosen} or _of_named_folders(arguments, collection)
    return _tell(arguments, collection, problems, named)


def _of_named_folders(arguments: argparse.Namespace, collection: Collection) -> set[str]:
    folders = {one.folder.resolve() for one in arguments.named}
    return {
        name
        for name, entry in collection.entries.items()
        if Path(entry.path).resolve().parent in folders
    }


def _tell(
    arguments: argparse.Namespace,
    collection: Collection,
    problems: list[Problem],
    named: AbstractSet[str],
) -> int:
    form = FORMS[arguments.format]
    if arguments.format in ("github", "json"):
        print(form(problems), end="")
    elif problems:
        print(form(problems), end="", file=sys.stderr)
    tried = bool(named) and arguments.format != "json"
    halted = tried and any(map(is_about_signs, problems))
    if problems:
        closing = closing_line(problems)
        if halted and ";" not in closing:
            closing += "; examples not run until its signs are right"
        print(closing, file=sys.stderr)
    elif arguments.format != "json":
        print(f"{counted(len(named or collection.entries), 'entry', 'entries')}: no problems")
    failed = tried and not halted and run_examples(collection, named) is None
    return 1 if problems or failed else 0


def _strangers(arguments: argparse.Namespace) -> list[str]:
    folders = {one.folder.resolve() for one in arguments.entries}
    return [
        name
        for name in arguments.files
        if Path(name).resolve().parent not in folders or not Path(name).exists()
    ]


def _explain(codes: list[str]) -> int:
    """Tell what codes mean; without one, list them all."""
    texts = lint_codes()
    if not codes:
        width = max(map(len, texts))
        for code, text in texts.items():
            print(f"{code:{width}}  {_first_sentence(text)}")
        return 0
    unknown = [code for code in codes if code not in texts]
    for code in unknown:
        print(f"there is no code '{code}'", file=sys.stderr)
        near = suggestion(code, texts, "'lint explain' lists them all")
        print(f"  help: {near}", file=sys.stderr)
    if unknown:
        return 2
    for code in codes:
        print("\n".join((code, "", texts[code], *_sample(code))))
    return 0


def lint_codes() -> dict[str, str]:
    """Give the meaning of every code, of the loader and of the checks."""
    return dict(sorted({**LOAD_CODES, **{one.code: one.text for one in checks().values()}}.items()))


def _first_sentence(text: str) -> str:
    return text.replace("\n", " ").split(". ")[0].rstrip(".") + "."


def _sample(code: str) -> Iterable[str]:
    for file in (SAMPLES / f"{code}.txt", SAMPLES / code / "expected.txt"):
        if file.is_file():
            yield from ("", "It looks like this:", "")
            yield from (f"    {line}" for line in file.read_text("utf-8").rstrip().split("\n"))


@command("trainwreck-dev examples")
def examples(arguments: argparse.Namespace) -> int:
    """Diagnose every example of every entry against all entries; say what is not as declared."""
    collection = checked(arguments)
    return 1 if collection is None or run_examples(collection) is None else 0
