"""Inputs of the checker: paths enter; sources with blocks of bytes, or the reason why not, leave.

Nothing is waited for longer than `ANSWER_SECONDS` at its start, and no whole file is held.
"""

import itertools
import os
import select
import stat
from typing import Generator, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.scan.own_output import own_output
from checker.scan.unpack import unpacked

READ_SIZE = 98304
"""Just below the size from which allocations are mapped: faster than larger blocks."""
ANSWER_SECONDS = 5.0
_PROGRAM_TEXT = frozenset(
    [
        ".c",
        ".cc",
        ".cfg",
        ".cpp",
        ".css",
        ".cu",
        ".gitignore",
        ".h",
        ".html",
        ".ini",
        ".ipynb",
        ".js",
        ".md",
        ".py",
        ".pyi",
        ".rst",
        ".sh",
        ".svg",
        ".toml",
        ".ts",
        ".yaml",
        ".yml",
    ]
)
_NO_SUCH, _NO_LOGS, _EMPTY = "no such file or folder", "a folder without logs", "empty"
_NOTHING_TO_READ = (_NO_SUCH, _NO_LOGS, _EMPTY, "a socket", "a device", "binary", "cut", "damaged")
_KINDS = ((stat.S_ISSOCK, "a socket"), (stat.S_ISBLK, "a device"), (stat.S_ISCHR, "a device"))


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


def sources(paths: Sequence[str]) -> Iterator[Source]:
    """Walk the paths as given; every file is offered once."""
    met: Set[Tuple[int, int]] = set()
    for path in paths:
        if path == "-":
            yield _stream(0, path)
            continue
        try:
            status = os.stat(path)
        except OSError as error:
            yield _refused(path, _why(error))
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _folder(path, met)
        else:
            yield _one(path, status, True, met)


def was_refused(source: Source) -> bool:
    """Tell whether a named input refused to be read; having nothing to read is no refusal."""
    return (
        source.named
        and source.reason is not None
        and not source.reason.startswith(_NOTHING_TO_READ)
    )


def _refused(path: str, reason: str, named: bool = True) -> Source:
    return Source(path, named, reason, iter(()), [])


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return _NO_SUCH
    if isinstance(error, PermissionError):
        return "no right to read it"
    return (error.strerror or "cannot be read").lower()


def _folder(path: str, met: Set[Tuple[int, int]]) -> Iterator[Source]:
    troubles: List[Source] = []
    found = False
    for name in _walk(path, troubles):
        try:
            status = os.stat(name)
        except OSError as error:
            yield _refused(name, _why(error), named=False)
            continue
        if not stat.S_ISREG(status.st_mode):
            yield _refused(name, "not a file", named=False)
        elif os.path.splitext(name)[1].lower() in _PROGRAM_TEXT:
            yield _refused(name, "not a log by its name", named=False)
        else:
            source = _one(name, status, False, met)
            found = found or source.reason is None
            yield source
    yield from troubles
    if not found and not any(source.named for source in troubles):
        yield _refused(path, _NO_LOGS)


def _walk(path: str, troubles: List[Source]) -> List[str]:
    names: List[str] = []

    def note(error: OSError) -> None:
        named = str(error.filename) == path
        troubles.append(_refused(str(error.filename), _why(error), named))

    for folder, inner, files in os.walk(path, onerror=note):
        inner[:] = [name for name in inner if not name.startswith(".") and name != "__pycache__"]
        shown = folder.replace(os.sep, "/") if os.sep != "/" else folder
        names.extend(shown.rstrip("/") + "/" + name for name in files if not name.startswith("."))
    return sorted(names)


def _one(path: str, status: os.stat_result, named: bool, met: Set[Tuple[int, int]]) -> Source:
    for is_kind, words in _KINDS:
        if is_kind(status.st_mode):
            return _refused(path, words, named)
    fifo = stat.S_ISFIFO(status.st_mode)
    identity = (status.st_dev, status.st_ino)
    if status.st_ino and not fifo:
        if identity in met:
            return _refused(path, "already read", named=False)
        met.add(identity)
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        return _refused(path, _why(error), named)
    return _stream(handle, path, named, fifo)


def _stream(handle: int, path: str, named: bool = True, polled: bool = True) -> Source:
    blocks = _polled(handle) if polled else _read_on(handle)
    remarks: List[str] = []
    try:
        first = next(blocks, b"")
    except _NoAnswerError:
        return _refused(path, "did not answer", named)
    except OSError as error:
        return _refused(path, _why(error), named)
    if not first:
        return _refused(path, _EMPTY, named)
    reason, text = unpacked(first, blocks, remarks)
    if reason is not None:
        blocks.close()
        return _refused(path, reason, named)
    head = next(text, b"")
    own = own_output(head)
    if own is not None:
        blocks.close()
        return _refused(path, own, named=False)
    return Source(path, named, None, itertools.chain([head], text), remarks)


class _NoAnswerError(Exception):
    """Nothing came in time."""


def _read_on(handle: int) -> Generator[bytes, None, None]:
    try:
        while True:
            data = os.read(handle, READ_SIZE)
            if not data:
                return
            yield data
    finally:
        if handle:
            os.close(handle)


def _polled(handle: int) -> Generator[bytes, None, None]:
    """Read a pipe: silence counts as no answer only before it has begun."""
    wait: Optional[float] = ANSWER_SECONDS
    try:
        while True:
            if os.name == "posix" and not select.select([handle], [], [], wait)[0]:
                raise _NoAnswerError
            try:
                data = os.read(handle, READ_SIZE)
            except BlockingIOError:
                continue
            if not data:
                return
            wait = None
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
