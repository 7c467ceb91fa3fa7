"""The scan: paths or texts enter, `Observations` leave. Every file is read once, in blocks."""

import itertools
from typing import (
    Any,
    Container,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
)

from checker.model import Observations
from checker.packed import reordered, room_beside
from checker.scan.chaining import LogReader
from checker.scan.contents import IN_ARCHIVE, Opener, Source, lacking_source
from checker.scan.gathering import gathered
from checker.scan.interests import AskedLine, Interests, interests_of
from checker.scan.read import ReadingNote, sources, unwatched
from checker.scan.rotation import in_order, reading_order
from checker.snapshot.excerpts import ExcerptShelf
from checker.snapshot.parsing import KeptMachine


def observe(
    paths: Sequence[str],
    keys: FrozenSet[str],
    asked: Optional[AskedLine] = None,
    texts: Optional[Mapping[str, str]] = None,
    reading: ReadingNote = unwatched,
    *,
    shelf: Optional[ExcerptShelf] = None,
    members: Optional[Container[str]] = None,
    far: Any = None,
) -> Observations:
    """Read the paths as given on the command line; what was read before Ctrl-C counts.

    *asked* is a line of which all is kept that was read; *texts* were got otherwise, by name;
    *reading* is told how far it is; *shelf* takes excerpts of the logs; of archives and snapshots
    only *members* are read, where they are given; *far* reaches files on mounts that may stop to
    answer.
    """
    every = itertools.chain(sources(paths, reading, far), _sources_of(texts or {}))
    given = (
        source
        for source in every
        if members is None or IN_ARCHIVE not in source.path or _is_among(source, members)
    )
    return _observed(given, interests_of(keys)._replace(asked=asked, shelf=shelf), {}, {})


def _is_among(source: Source, members: Container[str]) -> bool:
    """Tell what of a container is asked for; what a machine showed is of all its runs."""
    return isinstance(source.kept, KeptMachine) or source.path in members


def _members_in_order(paths: Sequence[str]) -> List[int]:
    """Sort the members of each archive, which keeps them in any order."""
    order = reading_order([path for path in paths if IN_ARCHIVE in path])
    groups = itertools.groupby(
        range(len(paths)), lambda index: paths[index].partition(IN_ARCHIVE)[0]
    )
    return [
        one for _, group in groups for one in sorted(group, key=lambda index: order(paths[index]))
    ]


def observe_texts(
    files: Mapping[str, str],
    keys: FrozenSet[str],
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Observations:
    """Read texts by file name, with facts and versions as if probed."""
    return _observed(_sources_of(files), interests_of(keys), facts, versions)


def _sources_of(files: Mapping[str, str]) -> Iterator[Source]:
    for part in in_order(sorted(files)):
        yield from map(lacking_source, part.lacking)
        again = _opener_of_text(files[part.path])
        yield Source(part.path, True, None, again(), [], part.tie, again)


def _opener_of_text(text: str) -> Opener:
    data = text.encode("utf-8", "replace")
    return lambda: (data[start : start + 98304] for start in range(0, len(data), 98304))


def _observed(
    given: Iterable[Source],
    interests: Interests,
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Observations:
    reader = LogReader(interests)
    for source in given:
        if not reader.read(source):
            break
    found, paths = reader.handed_over()
    inputs = reader.inputs_handed_over()
    ordered = reordered(inputs, _members_in_order([given.path for given in inputs]))
    with room_beside(len(ordered)):
        seen = gathered(reordered(found, _members_in_order(paths)), ordered, facts, versions)
    return reader.seen.added_to(seen)
