"""Snapshots of many machines, found and joined: paths enter; files, blocks and records leave."""

import os
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from checker.arguments import UsageError
from checker.model import Input
from checker.scan.read import READ_SIZE
from checker.scan.unpack import decompressed
from checker.snapshot.form import (
    fact_record,
    head_record,
    input_record,
    log_record,
    row_records,
)
from checker.snapshot.parsing import KeptInput, KeptMachine, KeptThing, kept_in, snapshot_version
from checker.snapshot.writing import compressed

_GZIP = b"\x1f\x8b"
_MOST_FILES_JOINED = 65536


def snapshot_files(words: Sequence[str]) -> Tuple[List[str], Tuple[Input, ...]]:
    """List the snapshots among paths and in folders, and the named paths that are none.

    Raise UsageError if there is no snapshot at all: of a node that did not answer an empty file
    is left, and those of the others count.
    """
    found: Dict[str, None] = {}
    others: Dict[str, str] = {}
    for word in words:
        if os.path.isdir(word):
            below = [path for path in _files_in(word) if is_snapshot_file(path)]
            found.update(dict.fromkeys(below))
        elif is_snapshot_file(word):
            found[word] = None
        else:
            others[word] = _why_none(word)
    for word, reason in others.items() if not found else ():
        raise UsageError(
            "'{}' is {}".format(word, reason),
            "merge joins what the command 'snapshot' wrote; check reads logs",
        )
    if not found:
        raise UsageError("there is no snapshot to join", "name snapshots, or a folder of them")
    refused = tuple(
        Input(word, "unreadable", reason, None, None, None, None, None, True)
        for word, reason in others.items()
    )
    return list(found)[:_MOST_FILES_JOINED], refused


def _why_none(word: str) -> str:
    try:
        return "no snapshot" if os.path.getsize(word) else "empty"
    except OSError:
        return "no snapshot" if os.path.lexists(word) else "not there"


def _files_in(folder: str) -> List[str]:
    return sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if not name.startswith(".")
    )


def is_snapshot_file(path: str) -> bool:
    """Tell by the beginning of a file."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            _, first, _ = decompressed(file.read(4096), iter(()), [])
    except OSError:
        return False
    return snapshot_version(first) is not None


def joined_blocks(paths: Sequence[str]) -> Iterator[bytes]:
    """Put snapshots behind each other, as they are."""
    for path in paths:
        blocks = _blocks_of_file(path)
        first = next(blocks, b"")
        if first.startswith(_GZIP):
            yield first
            yield from blocks
        else:
            yield from compressed([first])
            yield from compressed(blocks)


def records_of_snapshots(paths: Sequence[str]) -> Iterator[Dict[str, Any]]:
    """List the records of snapshots, one after another; what is damaged ends its snapshot."""
    for path in paths:
        for kept in kept_in_file(path):
            yield from _records_of(kept)


def _records_of(kept: KeptThing) -> Iterator[Dict[str, Any]]:
    """Write anew what was read."""
    if isinstance(kept, KeptMachine):
        section = kept.section
        more = {"world_size": section.world_size}
        clock = dict(section.clock)
        yield head_record(section.host, section.boot, section.taken, clock, more)
        yield from map(fact_record, kept.facts)
        yield from ({"process": pid, "rank": rank} for pid, rank in kept.processes)
    elif isinstance(kept, KeptInput):
        yield {"input": input_record(kept.given)}
    else:
        yield log_record(kept.log, kept.files, kept.probed)
        yield from row_records(kept.log.rows)


def hosts_of(paths: Sequence[str]) -> List[str]:
    """List the machines that snapshots are of."""
    kept = (thing for path in paths for thing in kept_in_file(path))
    return sorted({thing.section.host for thing in kept if thing.section.host is not None})


def kept_in_file(path: str) -> Iterator[KeptThing]:
    """List what the sections of a snapshot hold."""
    blocks = _blocks_of_file(path)
    _, _, plain = decompressed(next(blocks, b""), blocks, [])
    return kept_in(plain, [])


def _blocks_of_file(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from iter(lambda: file.read(READ_SIZE), b"")
