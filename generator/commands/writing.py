"""Commands that write entries: a new one, a tidy layout, another name."""

import argparse
import datetime
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from checker.catalogue import read_catalogue
from checker.check import report_status, trouble_lines
from checker.diagnose.first_failure import FirstFailure, explaining, first_failure
from checker.model import CONFIDENCE
from checker.pipeline import diagnose_paths, diagnose_texts
from checker.report.draft import draft_entry
from generator.build import published
from generator.catalogue import compile_catalogue
from generator.commands.registry import command
from generator.drafting import Chosen, filled_in
from generator.errors import nearest
from generator.layout import laid_out
from generator.load import ID_SHAPE, RESERVED_IDS
from generator.model import Category, Layer, Phase
from generator.renaming import renamed_texts
from generator.roots import ROOT
from generator.sources import EntrySource, load_sources

_NOTHING_FAILED = FirstFailure(None, None, (), None)
_LISTS = {"category": Category, "phase": Phase, "layer": Layer}


def _new_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="names the mechanism: lower-case-words")
    parser.add_argument("--from-log", metavar="FILE", help="fill in what this log or folder tells")
    parser.add_argument("--title", help="the mechanism, and what people search for")
    for name, words in _LISTS.items():
        parser.add_argument(
            f"--{name}",
            choices=get_args(words),
            metavar=name.upper(),
            help=f"one of {', '.join(get_args(words))}",
        )
    parser.add_argument("--frameworks", nargs="+", metavar="NAME", help="where people meet it")


@command("trainwreck-dev new spool-folder-full --from-log run/ --category storage", _new_arguments)
def new(arguments: argparse.Namespace) -> int:
    """Begin an entry; a log fills in messages, versions, frames and a neutral example.

    In a terminal it asks for what is not given as an option.
    """
    target = _place_of(arguments)
    if target is None:
        return 2
    text = _draft(arguments)
    if text is None:
        return 1
    chosen = Chosen(
        arguments.title or _asked(arguments, "title", ()),
        arguments.category or _asked(arguments, "category", get_args(Category)),
        arguments.phase or _asked(arguments, "phase", get_args(Phase)),
        arguments.layer or _asked(arguments, "layer", get_args(Layer)),
        tuple(arguments.frameworks or ()),
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(laid_out(filled_in(text, chosen)), encoding="utf-8")
    print(f"{target.as_posix()}: written")
    print(f"next: fill in what says TODO, then 'trainwreck-dev lint {target.as_posix()}'")
    return 0


def _place_of(arguments: argparse.Namespace) -> Path | None:
    """Choose the file of a new entry; None, after telling, where there can be none."""
    name: str = arguments.id
    complaint = ""
    sources: list[EntrySource] = arguments.named or [EntrySource(Path("entries"))]
    source = next((one for one in sources if one.owns(name)), sources[0])
    target = source.folder / f"{name}.md"
    known = load_sources(arguments.entries).entries
    former = next((one.id for one in known.values() if name in one.entry.aliases), None)
    if not ID_SHAPE.fullmatch(name) or name in RESERVED_IDS:
        complaint = f"'{name}' is no id\n  help: write lower-case words with single hyphens"
    elif source.prefix and not source.owns(name):
        complaint = f"'{name}' has not the prefix\n  help: call it {source.prefix}-{name}"
    elif former:
        complaint = f"'{name}' was an id of {former}\n  help: choose another"
    elif target.exists():
        complaint = f"{target.as_posix()} is there already\n  help: edit it, or choose another id"
    if complaint:
        print(complaint, file=sys.stderr)
        return None
    return target


def _draft(arguments: argparse.Namespace) -> str | None:
    """Draft an entry from the named log, or from nothing."""
    collection = load_sources(arguments.entries)
    catalogue = read_catalogue(*compile_catalogue(published(collection)))
    today = datetime.date.today().isoformat()
    if arguments.from_log is None:
        nothing = diagnose_texts(catalogue, {}, {}, {})
        return draft_entry(_NOTHING_FAILED, nothing.observations, today)
    report = diagnose_paths(catalogue, [arguments.from_log], None)
    for line in trouble_lines(report, (arguments.from_log,), report_status(report)):
        print(line, file=sys.stderr)
    known, first = explaining(report), first_failure(report)
    if first is None:
        print("no exception and no error line is left unexplained there", file=sys.stderr)
        print("  help: leave --from-log out, and write the signs yourself", file=sys.stderr)
        return None
    if known is not None:
        name, sure = known.rule["id"], CONFIDENCE[known.confidence]
        print(f"note: {name} explains this log already ({sure}); see its page", file=sys.stderr)
    return draft_entry(first, report.observations, today)


def _asked(arguments: argparse.Namespace, what: str, words: Sequence[str]) -> str | None:
    """Ask in a terminal; nothing typed leaves it as drafted."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    if words:
        print(f"{what}: {', '.join(words)}")
    while True:
        answer = input(f"{what} (Enter leaves it open): ").strip()
        if not answer or not words or answer in words:
            return answer or None
        near = nearest(answer, words)
        print(f"not one of them; did you mean '{near}'?" if near else "not one of them")


def _fmt_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="only these (all entries)")
    parser.add_argument("--check", action="store_true", help="only name what would change")


@command("trainwreck-dev fmt entries/host-oom-killer.md", _fmt_arguments)
def fmt(arguments: argparse.Namespace) -> int:
    """Put the keys of front matter in the order of the model, with blank lines where parts begin.

    Texts are moved and never changed; a file that cannot be read as YAML stays as it is.
    """
    files = [Path(name) for name in arguments.files] or _entry_files(arguments.entries)
    changed: dict[Path, str] = {}
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            print(f"{file.as_posix()}: cannot read: {error}", file=sys.stderr)
            return 2
        made = laid_out(text)
        if made != text:
            changed[file] = made
    for file, made in changed.items():
        print(f"{file.as_posix()}: {'would be laid out anew' if arguments.check else 'laid out'}")
        if not arguments.check:
            file.write_text(made, encoding="utf-8")
    if not changed:
        print("the layout of all is right")
    elif arguments.check:
        print("  help: run 'trainwreck-dev fmt'", file=sys.stderr)
    return 1 if changed and arguments.check else 0


def _entry_files(sources: Sequence[EntrySource]) -> list[Path]:
    return [file for one in sources for file in sorted(one.folder.glob("*.md"))]


def _rename_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="the id that it has")
    parser.add_argument("new", metavar="NEW", help="the id that it gets")


@command("trainwreck-dev rename spool-full spool-folder-full", _rename_arguments)
def rename(arguments: argparse.Namespace) -> int:
    """Give an entry another id; the old one becomes an alias, by which links keep working.

    What names it in other entries and in the documents is changed with it.
    """
    old, new_name = arguments.old, arguments.new
    source = next((one for one in arguments.entries if (one.folder / f"{old}.md").is_file()), None)
    if source is None:
        known = load_sources(arguments.entries).entries
        near = nearest(old, known)
        print(f"there is no entry '{old}'", file=sys.stderr)
        print(f"  help: {f'did you mean {near}?' if near else 'see entries/'}", file=sys.stderr)
        return 2
    named = argparse.Namespace(**{**vars(arguments), "id": new_name})
    target = _place_of(named)
    if target is None:
        return 2
    file = source.folder / f"{old}.md"
    texts = {path: path.read_text(encoding="utf-8") for path in _naming_files(arguments.entries)}
    changed = renamed_texts(texts, file, old, new_name)
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    file.rename(target)
    others = [path.as_posix() for path in changed if path != file]
    print(f"{file.as_posix()} is {target.as_posix()} now, with the alias {old}")
    for path_name in others:
        print(f"{path_name}: changed")
    return 0


def _naming_files(sources: Sequence[EntrySource]) -> list[Path]:
    """List what may name an entry: all entries, the hand-written pages and documents."""
    pages = sorted((ROOT / "site_overrides" / "pages").glob("*.md"))
    documents = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
    return [*_entry_files(sources), *pages, *(one for one in documents if one.is_file())]
