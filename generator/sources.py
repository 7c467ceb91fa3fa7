"""Where entries come from: one folder of public ones, and folders of somebody's own beside it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from generator.errors import Problem
from generator.load import Collection, Loaded, load
from generator.roots import ROOT

_PREFIX = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class SourceError(ValueError):
    """A folder of entries is named in a way that cannot be meant."""


class EntrySource(NamedTuple):
    """A folder of entries."""

    folder: Path
    prefix: str = ""
    """With what every id of the folder begins, and no id of any other; a hyphen follows it."""

    @classmethod
    def read(cls, text: str) -> "EntrySource":
        """Read `DIR` or `PREFIX=DIR`; raise SourceError for anything else."""
        prefix, equals, folder = text.rpartition("=")
        if equals and not _PREFIX.fullmatch(prefix):
            raise SourceError(
                f"'{prefix}' is no prefix of ids: write lower-case words, as acme={folder}"
            )
        if not folder:
            raise SourceError("the name of the folder is empty")
        return cls(Path(folder), prefix)

    def owns(self, name: str) -> bool:
        """Tell whether an id belongs here by its prefix."""
        return bool(self.prefix) and name.startswith(self.prefix + "-")


def with_public(named: Sequence[EntrySource]) -> list[EntrySource]:
    """Put the folder of public entries first where none is named: the one here, or our own."""
    if any(not one.prefix for one in named):
        return list(named)
    here = Path("entries")
    return [EntrySource(here if here.is_dir() else ROOT / "entries"), *named]


def load_sources(sources: Sequence[EntrySource]) -> Collection:
    """Load all folders as one collection, in which every id belongs to the folder of its prefix."""
    entries: dict[str, Loaded] = {}
    problems: list[Problem] = []
    broken: set[str] = set()
    for source in sources:
        collection = load(source.folder)
        problems += collection.problems
        broken |= collection.broken
        for name, loaded in collection.entries.items():
            stranger = _stranger(source, sources, loaded)
            if stranger is None:
                entries[name] = loaded
            else:
                problems.append(stranger)
                broken.add(name)
    return Collection(dict(sorted(entries.items())), sorted(problems), frozenset(broken))


def _stranger(
    source: EntrySource, sources: Sequence[EntrySource], loaded: Loaded
) -> Problem | None:
    """Say why an entry may not have its id in this folder, if it may not."""
    for name in (loaded.id, *loaded.entry.aliases):
        if source.prefix and not source.owns(name):
            message = f"the id '{name}' does not begin with '{source.prefix}-'"
            advice = f"rename it to '{source.prefix}-{name}': its folder keeps ids apart so"
            return Problem(loaded.path, 1, 1, "wrong-prefix", "", message, advice)
        other = next((one for one in sources if one != source and one.owns(name)), None)
        if other is not None and not source.prefix:
            message = (
                f"the id '{name}' begins with '{other.prefix}-', as those of {other.folder} do"
            )
            advice = "rename it, or give that folder another prefix"
            return Problem(loaded.path, 1, 1, "wrong-prefix", "", message, advice)
    return None
