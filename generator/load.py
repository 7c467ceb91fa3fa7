"""Load a folder of entries: files enter, a collection and every problem of every file leave."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from generator.body import Section, split_body
from generator.errors import Problem
from generator.frontmatter import read_entry
from generator.model import Entry
from generator.nodes import Node, Place, Step, locate, locate_key, plain
from generator.translate import translate

ID_SHAPE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""What the id of an entry looks like: the whole of it matches."""


RESERVED_IDS = frozenset({"index"})
"""Pages of the site that are no entry's."""


class Loaded(NamedTuple):
    """An entry with its id and the places of its parts."""

    id: str
    """The file's stem."""
    path: str
    entry: Entry
    body: tuple[Section, ...]
    """The sections in their order; text before the first heading has the heading ''."""
    root: Node
    """The front matter with the line and column of every node."""

    @property
    def sections(self) -> dict[str, Section]:
        """The sections by their headings."""
        return {section.heading: section for section in self.body if section.heading}

    def place(self, steps: Sequence[Step]) -> Place:
        """Find a value by its steps in the long form of the model."""
        return locate(self.root, steps)

    def place_of_key(self, steps: Sequence[Step]) -> Place:
        """Find the key that the last step names."""
        return locate_key(self.root, steps)


class Collection(NamedTuple):
    """All entries of a folder."""

    entries: dict[str, Loaded]
    """The entries that could be read, in the order of their ids."""
    problems: list[Problem]
    """What is wrong, by path, line and column."""
    broken: frozenset[str]
    """Ids, and former ids as far as they can be read, of the entries that have problems."""


def load(folder: Path) -> Collection:
    """Load all entries of a folder."""
    entries: dict[str, Loaded] = {}
    problems: list[Problem] = []
    broken: set[str] = set()
    for file in _files(folder):
        path = f"{folder.as_posix()}/{file.name}"
        if not _is_entry_name(file):
            problems.append(_bad_name(path, file))
            continue
        loaded, root, found = load_file(path, file)
        problems.extend(found)
        if loaded is None:
            broken.update((file.stem, *_former_ids(root)))
        else:
            entries[file.stem] = loaded
    if not entries and not problems:
        problems.append(_no_entries(folder))
    return Collection(entries, sorted(problems), frozenset(broken))


def _is_entry_name(file: Path) -> bool:
    """Tell whether a file may be read as an entry: a pipe would be waited for without end."""
    if file.suffix != ".md" or not ID_SHAPE.fullmatch(file.stem) or file.stem in RESERVED_IDS:
        return False
    return file.is_file() or (file.is_symlink() and not file.exists())


def load_file(path: str, file: Path) -> tuple[Loaded | None, Node | None, list[Problem]]:
    """Load one entry; *path* is how messages name the file."""
    try:
        data = file.read_bytes()
    except OSError as error:
        reason = (error.strerror or "input failed").lower()
        advice = "check that the file exists and may be read"
        return None, None, [Problem(path, 1, 1, "unreadable", "", f"cannot read: {reason}", advice)]
    read = read_entry(path, data)
    if read.root is None:
        return None, None, list(read.problems)
    entry, refused = _validate(path, read.root)
    known = {(problem.line, problem.column) for problem in read.problems}
    problems = [*read.problems, *(p for p in refused if (p.line, p.column) not in known)]
    if entry is None or problems:
        return None, read.root, problems
    body = split_body(read.body, read.body_line)
    return Loaded(file.stem, path, entry, body, read.root), read.root, []


def _validate(path: str, root: Node) -> tuple[Entry | None, list[Problem]]:
    try:
        return Entry.model_validate(plain(root)), []
    except ValidationError as error:
        return None, translate(path, root, error)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(file for file in folder.iterdir() if not file.name.startswith("."))


def _former_ids(root: Node | None) -> Iterator[str]:
    aliases = root.value.get("aliases") if root else None
    if aliases is not None and isinstance(aliases.value, list):
        yield from (item.value for item in aliases.value if isinstance(item.value, str))


def _bad_name(path: str, file: Path) -> Problem:
    words = re.findall(r"[a-z0-9]+", file.stem.lower())
    if file.is_dir():
        message = "a folder lies among the entries"
        advice = "move the entries out of it: each is one file beside the others"
    elif file.stem in RESERVED_IDS:
        message = f"the id '{file.stem}' is reserved: the site has a page of that name"
        advice = f"rename it, as 'some-failure-{file.stem}.md'"
    elif file.exists() and not file.is_file():
        message = "this is no regular file"
        advice = "put a file with the text of the entry there"
    else:
        message = f"'{file.name}' is not the name of an entry"
        advice = f"rename it to '{'-'.join(words) or 'some-failure'}.md', or move it elsewhere"
    return Problem(path, 1, 1, "bad-file-name", "", message, advice)


def _no_entries(folder: Path) -> Problem:
    where = folder.as_posix()
    message = "the folder has no entry" if folder.is_dir() else "there is no such folder"
    advice = f"put at least one entry into it, as {where}/rank-killed.md"
    return Problem(where, 1, 1, "no-entries", "", message, advice)
