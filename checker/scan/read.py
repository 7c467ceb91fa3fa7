"""Inputs of the checker: paths enter; sources with blocks of bytes, or the reason why not, leave.

All inputs together are waited for no longer than `ANSWER_SECONDS` at their start, and no whole
file is held.
"""

import os
import select
import stat
import time
from typing import Any, Callable, Dict, Generator, Iterator, List, Optional, Sequence, Set, Tuple

from checker.scan.contents import (
    EMPTY,
    NO_MEMBERS,
    NO_OUTPUTS,
    Opener,
    Packed,
    Source,
    contents,
    lacking_source,
    no_log_by_its_name,
    refused_source,
)
from checker.scan.copies import WHOLE_JOB, whole_jobs
from checker.scan.rotation import Part, in_order

READ_SIZE = 98304
"""Just below the size from which allocations are mapped: faster than larger blocks."""
ANSWER_SECONDS = 5.0
_NO_SUCH, _NO_LOGS = "no such file or folder", "a folder without logs"
_NOTHING_TO_READ = (
    _NO_SUCH,
    _NO_LOGS,
    NO_MEMBERS,
    NO_OUTPUTS,
    EMPTY,
    "a socket",
    "a device",
    "a tar archive with more members",
    "binary",
    "cut",
    "damaged",
)
_MOST_PIPES = 64
ReadingNote = Callable[[str, int], None]
_KINDS = ((stat.S_ISSOCK, "a socket"), (stat.S_ISBLK, "a device"), (stat.S_ISCHR, "a device"))


class _Walk:
    """What one walk over the inputs shares."""

    def __init__(self, reading: ReadingNote, far: Any) -> None:
        self.reading = reading
        self.far = far
        """Reaches files on mounts that may stop to answer; None where there are none."""
        self.met: Set[Tuple[int, int]] = set()
        """Files that were offered already."""
        self.pipes: Dict[str, List[int]] = {}
        """Named pipes, opened before any is read, so that all writers can begin."""
        self.patience = ANSWER_SECONDS
        """How long a pipe may still be waited for."""

    def open_pipes(self, paths: Sequence[str]) -> None:
        """Open the named pipes; waiting for one is then waiting for all."""
        for path in paths[:_MOST_PIPES]:
            handle = None if path == "-" else self._opened_pipe(path)
            if handle is not None:
                self.pipes.setdefault(path, []).append(handle)

    def _opened_pipe(self, path: str) -> Optional[int]:
        try:
            is_pipe = stat.S_ISFIFO(self.status(path).st_mode)
            return os.open(path, _FLAGS) if is_pipe else None
        except OSError:
            return None

    def status(self, path: str) -> Any:
        """Ask what a path is; raise OSError."""
        return self.far.status(path) if self.is_far(path) else os.stat(path)

    def is_far(self, path: str) -> bool:
        """Tell whether nobody but a child that can be left behind may touch a path."""
        return self.far is not None and bool(self.far.holds(path))

    def close_pipes(self) -> None:
        """Close what was opened and not read."""
        for handles in self.pipes.values():
            for handle in handles:
                os.close(handle)
        self.pipes.clear()

    def answers(self, handle: int) -> bool:
        """Wait until there is something to read, while there is patience left."""
        began = time.monotonic()
        ready = _is_ready(handle, max(0.0, self.patience))
        self.patience -= time.monotonic() - began
        return ready


_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def _is_ready(handle: int, seconds: Optional[float]) -> bool:
    if hasattr(select, "poll"):
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        return bool(poller.poll(None if seconds is None else seconds * 1000))
    # Elsewhere only sockets can be waited for.
    return True


def never_far(path: str) -> bool:
    """Take every path for one of this machine."""
    return False


def unwatched(path: str, size: int) -> None:
    """Keep no count of what is read."""


def sources(
    paths: Sequence[str], reading: ReadingNote = unwatched, far: Any = None
) -> Iterator[Source]:
    """Walk the paths as given, the files of a rotated log in their order; each is offered once.

    *reading* is told of each file as it is opened, with no size, and of the size of each block;
    *far* reaches files on mounts that may stop to answer (`checker.probe.far_files`).
    """
    walk = _Walk(reading, far)
    walk.open_pipes(paths)
    try:
        for part in in_order(paths):
            yield from map(lacking_source, part.lacking)
            yield from _offered(part, walk)
    finally:
        walk.close_pipes()


def _offered(part: Part, walk: _Walk) -> Iterator[Source]:
    path = part.path
    if path == "-":
        yield from _stream(0, Packed(path, True, None), walk, True)
        return
    try:
        status = walk.status(path)
    except OSError as error:
        yield refused_source(path, why_unread(error))
        return
    if stat.S_ISDIR(status.st_mode):
        yield from _folder(path, walk)
    else:
        yield from _one(part, status, True, walk)


def was_refused(source: Source) -> bool:
    """Tell whether a named input refused to be read; having nothing to read is no refusal."""
    return (
        source.named
        and source.reason is not None
        and not source.reason.startswith(_NOTHING_TO_READ)
    )


def why_unread(error: OSError, unsaid: str = "cannot be read") -> str:
    """Say why something is not read."""
    if isinstance(error, FileNotFoundError):
        return _NO_SUCH
    if isinstance(error, PermissionError):
        return "no right to read it"
    if isinstance(error, TimeoutError):
        return error.strerror or unsaid
    return (error.strerror or unsaid).lower()


def _folder(path: str, walk: _Walk) -> Iterator[Source]:
    troubles: List[Source] = []
    names: List[str] = []
    found = silent = False
    for error in _files_added(path, walk, names):
        named = str(error.filename) == path or isinstance(error, TimeoutError)
        troubles.append(refused_source(str(error.filename), why_unread(error), named))
    copies = whole_jobs(names)
    for part in in_order(sorted(names)):
        name = part.path
        yield from map(lacking_source, part.lacking)
        try:
            status = walk.status(name)
        except TimeoutError as error:
            if walk.is_far(path):
                yield refused_source(path, why_unread(error))
                return
            yield refused_source(name, why_unread(error), named=not silent)
            silent = True
            continue
        except OSError as error:
            yield refused_source(name, why_unread(error), named=False)
            continue
        if stat.S_ISDIR(status.st_mode):
            # A link, which may lead round in a circle.
            continue
        reason = None if stat.S_ISREG(status.st_mode) else "not a file"
        reason = reason or (WHOLE_JOB if name in copies else no_log_by_its_name(name))
        if reason is not None:
            yield refused_source(name, reason, named=False)
            continue
        for source in _one(part, status, False, walk):
            found = found or source.reason is None
            yield source
    yield from troubles
    if not found and not silent and not any(source.named for source in troubles):
        yield refused_source(path, _NO_LOGS)


def _files_added(path: str, walk: _Walk, names: List[str]) -> List[OSError]:
    """Add the files of a folder and of those in it; return what could not be listed."""
    troubles: List[OSError] = []
    for name in files_below(path, troubles, walk.is_far):
        if not name.endswith("/"):
            names.append(name)
            continue
        try:
            found, more = walk.far.below(name[:-1])
        except OSError as error:
            troubles.append(error)
            continue
        names += found
        troubles += more
    return troubles


def files_below(
    path: str, troubles: List[OSError], is_far: Callable[[str], bool] = never_far
) -> Iterator[str]:
    """List the files of a folder and of those in it; *troubles* takes what cannot be listed.

    A folder that *is_far* is named with a slash behind it, and not listed.
    """
    folders = [path]
    while folders:
        folder = folders.pop()
        if is_far(folder):
            yield folder + "/"
            continue
        names: List[str] = []
        folders += _listed_folder(folder, names, troubles)
        yield from names


def _listed_folder(path: str, names: List[str], troubles: List[OSError]) -> List[str]:
    """Add the files and links in a folder; return the folders in it.

    No link is followed here: it may lead onto a mount that does not answer.
    """
    inner: List[str] = []
    shown = (path.replace(os.sep, "/") if os.sep != "/" else path).rstrip("/") + "/"
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    names.append(shown + entry.name)
                elif entry.name != "__pycache__":
                    inner.append(shown + entry.name)
    except OSError as error:
        troubles.append(error)
    return inner


def _one(part: Part, status: Any, named: bool, walk: _Walk) -> Iterator[Source]:
    path = part.path
    for is_kind, words in _KINDS:
        if is_kind(status.st_mode):
            yield refused_source(path, words, named)
            return
    fifo = stat.S_ISFIFO(status.st_mode)
    identity = (status.st_dev, status.st_ino)
    if status.st_ino and not fifo:
        if identity in walk.met:
            yield refused_source(path, "already read", named=False)
            return
        walk.met.add(identity)
    if not fifo and walk.is_far(path):
        opener = _opener_of_far_file(path, walk)
        yield from _offered_blocks(opener(), Packed(path, named, opener, part.tie))
        return
    try:
        opened = walk.pipes.get(path)
        handle = opened.pop(0) if opened else os.open(path, _FLAGS)
    except OSError as error:
        yield refused_source(path, why_unread(error), named)
        return
    again = None if fifo else _opener_of_file(path, walk)
    yield from _stream(handle, Packed(path, named, again, part.tie), walk, fifo)


def _opener_of_file(path: str, walk: _Walk) -> Opener:
    return lambda: _blocks_of(os.open(path, _FLAGS), path, walk, False)


def _opener_of_far_file(path: str, walk: _Walk) -> Callable[[], Generator[bytes, None, None]]:
    def _blocks() -> Generator[bytes, None, None]:
        walk.reading(path, 0)
        for data in walk.far.blocks(path):
            walk.reading(path, len(data))
            yield data

    return _blocks


def _stream(handle: int, packed: Packed, walk: _Walk, polled: bool) -> Iterator[Source]:
    return _offered_blocks(_blocks_of(handle, packed.path, walk, polled), packed)


def _offered_blocks(blocks: Generator[bytes, None, None], packed: Packed) -> Iterator[Source]:
    try:
        first = next(blocks, b"")
        if first:
            yield from contents(packed, first, blocks)
        else:
            yield refused_source(packed.path, EMPTY, packed.named)
    except _NoAnswerError:
        yield refused_source(packed.path, "did not answer", packed.named)
    except OSError as error:
        named = packed.named or isinstance(error, TimeoutError)
        yield refused_source(packed.path, why_unread(error), named)
    finally:
        blocks.close()


class _NoAnswerError(Exception):
    """Nothing came in time."""


def _blocks_of(handle: int, path: str, walk: _Walk, polled: bool) -> Generator[bytes, None, None]:
    """Read a file, or a pipe that is waited for: its silence is no answer before it has begun."""
    try:
        walk.reading(path, 0)
        if polled and not walk.answers(handle):
            raise _NoAnswerError
        while True:
            try:
                data = os.read(handle, READ_SIZE)
            except BlockingIOError:
                _is_ready(handle, None)
                continue
            if not data:
                return
            walk.reading(path, len(data))
            yield data
    finally:
        if handle:
            os.close(handle)


def whole_lines(blocks: Iterator[bytes]) -> Iterator[Tuple[bytes, bool]]:
    """Cut a stream into blocks of whole lines; the flag tells that the last line goes on.

    A line beyond `READ_SIZE` is cut at a carriage return, else anywhere with some overlap.
    """
    rest = b""
    for block in blocks:
        data = rest + block if rest else block
        cut = data.rfind(b"\n") + 1
        if cut:
            yield data[: cut - 1], False
            rest = data[cut:]
        elif len(data) > 65536:
            cut = data.rfind(b"\r") + 1
            yield data[: cut or len(data)], True
            rest = data[cut:] if cut else data[-1024:]
        else:
            rest = data
    if rest:
        yield rest, False
