"""The contributors' command line: `python -m generator COMMAND`.

Exit status: 0 done, 1 problems in the entries, 2 usage, 70 a defect of ours.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from generator.assemble import AssemblyError
from generator.build import products, published, site_address
from generator.documents import DOCUMENTS, with_output
from generator.errors import LOAD_CODES, Problem
from generator.examples import failing_examples
from generator.lint import check
from generator.load import Collection
from generator.pages import render
from generator.pages.write import read_pages, write_pages
from generator.products import write_products
from generator.runtime import PACKAGE, runtime_files
from generator.site import render_site

ROOT = Path(__file__).resolve().parent.parent

Command = Callable[[argparse.Namespace], int]
COMMANDS: dict[str, Command] = {}


def command(function: Command) -> Command:
    """Register a command under the name of its function; the docstring is its help."""
    COMMANDS[function.__name__] = function
    return function


@command
def build(arguments: argparse.Namespace) -> int:
    """Check the entries, then make the checker and the data (dist) and the site (site)."""
    collection, problems = check(Path(arguments.entries))
    if problems:
        return _report(problems)
    if _run_examples(collection):
        return 1
    address = site_address(os.environ)
    made = products(ROOT, collection, address)
    write_products(ROOT / "dist", made)
    print(f"dist: checker and data of {len(collection.entries)} entries")
    runtime = runtime_files(ROOT)
    if not runtime:
        print(f"skipped: {PACKAGE} is not there, so that no page diagnoses in the browser")
    hand_written = read_pages(ROOT / "site_overrides" / "pages")
    pages = render(collection, {**hand_written, **made}, bool(runtime), address)
    write_pages(ROOT / "build" / "docs", {**pages, **runtime})
    complaint = render_site(ROOT)
    if complaint:
        print(complaint.rstrip("\n"), file=sys.stderr)
        return 1
    print("site: built")
    return 0


@command
def lint(arguments: argparse.Namespace) -> int:
    """Check all entries, or check only the named files and run their examples too."""
    folder = Path(arguments.entries)
    chosen = {Path(name).resolve(): name for name in arguments.files}
    strangers = [
        name
        for path, name in chosen.items()
        if path.parent != folder.resolve() or not path.exists()
    ]
    if strangers:
        print(f"not a file of {folder.as_posix()}/: {', '.join(strangers)}", file=sys.stderr)
        print("  help: name a file of that folder; --entries names another", file=sys.stderr)
        return 2
    collection, problems = check(folder)
    if chosen:
        problems = [problem for problem in problems if Path(problem.path).resolve() in chosen]
    if problems:
        return _report(problems)
    named = {path.stem for path in chosen}
    print(f"{_counted(len(named or collection.entries), 'entry', 'entries')}: no problems")
    return _run_examples(collection, named) if named else 0


@command
def examples(arguments: argparse.Namespace) -> int:
    """Diagnose every example of every entry against all entries; say what is not as declared."""
    collection, problems = check(Path(arguments.entries))
    if problems:
        return _report(problems)
    return _run_examples(collection)


@command
def documents(arguments: argparse.Namespace) -> int:
    """Make the quoted output in the documents anew; with --check, only tell whether it is true."""
    stale = []
    for name in DOCUMENTS:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        made = with_output(ROOT, text)
        if made != text:
            stale.append(name)
            if not arguments.check:
                path.write_text(made, encoding="utf-8")
    if stale and arguments.check:
        print(f"not up to date: {', '.join(stale)}", file=sys.stderr)
        print("  help: run 'make build', then 'python -m generator documents'", file=sys.stderr)
        return 1
    print("documents: " + ("written: " + ", ".join(stale) if stale else "up to date"))
    return 0


def _run_examples(collection: Collection, named: AbstractSet[str] = frozenset()) -> int:
    """Run the examples of all published entries, or of the named ones; return the exit status."""
    failures = list(failing_examples(published(collection), named))
    for failure in failures:
        print(failure, file=sys.stderr)
    entries = [
        item.entry
        for item in collection.entries.values()
        if (item.id in named if named else item.entry.status == "published")
    ]
    run = sum(len(one.examples.diagnosed) + len(one.examples.not_diagnosed) for one in entries)
    outcome = _counted(len(failures), "failure") if failures else "no failures"
    whose = _counted(len(entries), "entry", "entries")
    print(f"{_counted(run, 'example')} of {whose}: {outcome}")
    return 1 if failures else 0


def _report(problems: Sequence[Problem]) -> int:
    for problem in problems:
        print(problem.render(), file=sys.stderr)
    # A file that could not be loaded was not shown to the checks that look deeper.
    halted = len({problem.path for problem in problems if problem.code in LOAD_CODES})
    later = ""
    if halted:
        later = f"; {_counted(halted, 'file')} not checked further until these are solved"
    print(f"{_counted(len(problems), 'problem')}{later}", file=sys.stderr)
    return 1


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def parser() -> argparse.ArgumentParser:
    """Make the parser of all registered commands."""
    top = argparse.ArgumentParser(prog="python -m generator", description=__doc__)
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, function in COMMANDS.items():
        purpose = (function.__doc__ or "").strip()
        sub = commands.add_parser(name, help=purpose, description=purpose)
        sub.add_argument("--entries", default="entries", help="the folder of entries")
        if function is lint:
            sub.add_argument("files", nargs="*", help="check only these, and run their examples")
        if function is documents:
            sub.add_argument("--check", action="store_true", help="write nothing")
        sub.set_defaults(function=function)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    chosen = parser().parse_args(arguments)
    function: Command = chosen.function
    try:
        return function(chosen)
    except AssemblyError as error:
        print(f"the checker cannot be assembled: {error}", file=sys.stderr)
        return 70
