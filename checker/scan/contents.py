"""What a file holds: its raw blocks enter; one log leaves, or the logs of an archive.

Archives are read as they come. Only where members are files of one rotated log they are read once
more, the older ones first.
"""

import itertools
import os
import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Set

from checker.lazy_patterns import lazy_pattern
from checker.scan.archive import ArchiveReader, Member, is_archive
from checker.scan.notebook import is_notebook, printed_by_cells
from checker.scan.own_output import own_output
from checker.scan.rotation import NO_TIE, Part, in_order, is_older_file, log_name
from checker.scan.unpack import as_text, decompressed
from checker.snapshot.parsing import KeptThing, kept_in, kept_name, snapshot_version

_PROGRAM_TEXT = lazy_pattern(
    r"\.(?:c|cc|cfg|cpp|css|cu|gitignore|h|html|ini|js|md|py|pyi|rst|sh|svg|toml|ts|yaml|yml)$",
    re.IGNORECASE,
)
_OF_WANDB = lazy_pattern(r"(?:^|/)wandb/(?:[^/]+/logs/)?debug[\w-]*\.log$")
EMPTY, NO_MEMBERS = "empty", "an archive without logs"
NO_OUTPUTS = "a notebook without outputs"
_MOST_ARCHIVES = 3
"""So many archives are opened that lie in each other."""
IN_ARCHIVE = "!/"
"""Stands between an archive and the name of its member."""
Opener = Callable[[], Iterator[bytes]]


class Source(NamedTuple):
    """One input: its blocks, or why there are none."""

    path: str
    named: bool
    """Named by the person, not found in a folder."""
    reason: Optional[str]
    """Why it is not read."""
    blocks: Iterator[bytes]
    """Decompressed, as UTF-8 where it was UTF-16."""
    remarks: List[str]
    """What was found wrong while the blocks were read."""
    tie: int = NO_TIE
    """What the names tell of the source before it."""
    again: Optional[Opener] = None
    """Reads it once more, from its beginning; None for a pipe."""
    instead: bool = False
    """Offered again, in its place in a rotated log; what was found before does not count."""
    kept: Optional[KeptThing] = None
    """What a snapshot holds of it; there are no blocks then."""


class Packed(NamedTuple):
    """A file or a member of which it is not known yet what it holds."""

    path: str
    named: bool
    opener: Optional[Opener]
    """Reads the raw blocks once more."""
    tie: int = NO_TIE
    instead: bool = False
    depth: int = 0
    """How many archives lie around it."""


def refused_source(path: str, reason: str, named: bool = True) -> Source:
    """Offer what is not read, with the reason."""
    return Source(path, named, reason, iter(()), [])


def no_log_by_its_name(name: str) -> Optional[str]:
    """Say why a file of this name is not read, if that is known."""
    if _PROGRAM_TEXT.search(os.path.basename(name)[1:]):
        return "not a log by its name"
    return "what wandb logs of itself" if _OF_WANDB.search(name) else None


def lacking_source(path: str) -> Source:
    """Tell of a file of a rotated log that is not there, though older and newer ones are."""
    reason = "not there, between older and newer files of its log, which are read apart"
    return refused_source(path, reason, named=False)


def contents(packed: Packed, first: bytes, more: Iterator[bytes]) -> Iterator[Source]:
    """Offer what the blocks hold: one log, or the logs of an archive."""
    remarks: List[str] = []
    reason, first, blocks = decompressed(first, more, remarks)
    if reason is None and packed.depth < _MOST_ARCHIVES and is_archive(first):
        yield from _members(packed, blocks, remarks)
        return
    if reason is None and snapshot_version(first) is not None:
        yield from _in_snapshot(packed, blocks, remarks)
        return
    text: Iterator[bytes] = iter(())
    if reason is None:
        reason, text = as_text(first, blocks, remarks)
    if reason is not None:
        yield refused_source(packed.path, reason, packed.named)
        return
    head = next(text, b"")
    if is_notebook(head):
        text = printed_by_cells(itertools.chain([head], text))
        head = next(text, b"")
        if not head:
            yield refused_source(packed.path, NO_OUTPUTS, packed.named)
            return
    own = own_output(head)
    if own is not None:
        yield refused_source(packed.path, own, named=False)
    else:
        yield _log_of(packed, itertools.chain([head], text), remarks)


def _log_of(packed: Packed, blocks: Iterator[bytes], remarks: List[str]) -> Source:
    opener = packed.opener

    def again() -> Iterator[bytes]:
        raw = iter(()) if opener is None else opener()
        source = next(contents(packed, next(raw, b""), raw), None)
        return iter(()) if source is None else source.blocks

    known = None if opener is None else again
    return Source(
        packed.path, packed.named, None, blocks, remarks, packed.tie, known, packed.instead
    )


def _members(packed: Packed, blocks: Iterator[bytes], remarks: List[str]) -> Iterator[Source]:
    archive = ArchiveReader(blocks)
    found = False
    places: Dict[str, int] = {}
    waiting: Set[str] = set()
    for index, member in enumerate(archive.members()):
        if any(part[:1] == "." and part != ".." for part in member.name.split("/")):
            continue
        places[member.name] = index
        if packed.opener is not None and is_older_file(member.name):
            waiting.add(member.name)
            continue
        for source in _member(packed, member, Part(member.name, NO_TIE, ()), index, False):
            found = found or source.reason is None
            yield source
    for source in _in_their_order(packed, places, waiting) if waiting else ():
        found = found or source.reason is None
        yield source
    trouble = [archive.remark] if archive.remark else []
    if trouble or remarks or not found:
        yield refused_source(packed.path, "; ".join(trouble + remarks) or NO_MEMBERS, packed.named)


def _in_snapshot(packed: Packed, blocks: Iterator[bytes], remarks: List[str]) -> Iterator[Source]:
    """Offer what a snapshot holds, each thing named by its machine and its path there."""
    for kept in kept_in(blocks, remarks):
        label = kept.section.label
        inside = packed.path + IN_ARCHIVE + (label + ":" if label else "")
        yield Source(inside + kept_name(kept), False, None, iter(()), [], kept=kept)
    if remarks:
        yield refused_source(packed.path, "; ".join(remarks), packed.named)


def _member(
    packed: Packed, member: Member, part: Part, index: int, instead: bool
) -> Iterator[Source]:
    name = packed.path + IN_ARCHIVE + part.path
    reason = no_log_by_its_name(name)
    first = b"" if reason else next(member.blocks, b"")
    if not first:
        yield refused_source(name, reason or EMPTY, named=False)
        return
    opener = None if packed.opener is None else _opener_of(packed.opener, index)
    inside = Packed(name, False, opener, part.tie, instead, packed.depth + 1)
    yield from contents(inside, first, member.blocks)


def _in_their_order(packed: Packed, places: Dict[str, int], waiting: Set[str]) -> Iterator[Source]:
    """Walk the archive again for the files of rotated logs; newest files may have been offered."""
    logs = {log_name(name) for name in waiting}
    walk = _Rewalk(packed.opener or _nothing)
    for part in in_order(sorted(waiting.union(logs.intersection(places)))):
        for path in part.lacking:
            yield lacking_source(packed.path + IN_ARCHIVE + path)
        index = places[part.path]
        instead = part.path not in waiting
        member = Member(part.path, walk.content(index))
        yield from _member(packed, member, part, index, instead)


def _opener_of(opener: Opener, index: int) -> Opener:
    return lambda: _Rewalk(opener).content(index)


def _nothing() -> Iterator[bytes]:
    return iter(())


class _Rewalk:
    """Walks an archive once more, from its beginning whenever an earlier member is asked for."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._members: Iterator[Member] = iter(())
        self._next = 0

    def content(self, index: int) -> Iterator[bytes]:
        """Hand over a member's blocks, to be read before the next is asked for."""
        if index < self._next or not self._next:
            raw = self._opener()
            _, _, blocks = decompressed(next(raw, b""), raw, [])
            self._members, self._next = ArchiveReader(blocks).members(), 0
        for member in self._members:
            self._next += 1
            if self._next > index:
                return member.blocks
        return iter(())
