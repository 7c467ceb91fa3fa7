"""Inputs of the checker: paths enter; sources with blocks of bytes, or the reason why not, leave.

All inputs together are waited for no longer than `ANSWER_SECONDS` at their start, and no whole
file is held.
"""

import itertools
import os
import select
import stat
import time
from typing import Dict, Generator, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.archive import ArchiveReader, is_archive
from checker.scan.copies import WHOLE_JOB, whole_jobs
from checker.scan.notebook import is_notebook, printed_by_cells
from checker.scan.own_output import own_output
from checker.scan.rotation import reading_order
from checker.scan.unpack import as_text, decompressed

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
_OF_WANDB = lazy_pattern(r"(?:^|/)wandb/(?:[^/]+/logs/)?debug[\w-]*\.log$")
_NO_SUCH, _EMPTY = "no such file or folder", "empty"
_NO_LOGS, _NO_MEMBERS = "a folder without logs", "an archive without logs"
_NO_OUTPUTS = "a notebook without outputs"
_NOTHING_TO_READ = (
    _NO_SUCH,
    _NO_LOGS,
    _NO_MEMBERS,
    _NO_OUTPUTS,
    _EMPTY,
    "a socket",
    "a device",
    "a tar archive with more members",
    "binary",
    "cut",
    "damaged",
)
_MOST_PIPES = 64
_MOST_ARCHIVES = 3
"""So many archives are opened that lie in each other."""
IN_ARCHIVE = "!/"
"""Stands between an archive and the name of its member."""
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


class _Walk:
    """What one walk over the inputs shares."""

    def __init__(self) -> None:
        self.met: Set[Tuple[int, int]] = set()
        """Files that were offered already."""
        self.pipes: Dict[str, List[int]] = {}
        """Named pipes, opened before any is read, so that all writers can begin."""
        self.patience = ANSWER_SECONDS
        """How long a pipe may still be waited for."""

    def open_pipes(self, paths: Sequence[str]) -> None:
        """Open the named pipes; waiting for one is then waiting for all."""
        for path in paths[:_MOST_PIPES]:
            handle = None if path == "-" else _opened_pipe(path)
            if handle is not None:
                self.pipes.setdefault(path, []).append(handle)

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


def _opened_pipe(path: str) -> Optional[int]:
    try:
        return os.open(path, _FLAGS) if stat.S_ISFIFO(os.stat(path).st_mode) else None
    except OSError:
        return None


def _is_ready(handle: int, seconds: Optional[float]) -> bool:
    if hasattr(select, "poll"):
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        return bool(poller.poll(None if seconds is None else seconds * 1000))
    # Elsewhere only sockets can be waited for.
    return True


def sources(paths: Sequence[str]) -> Iterator[Source]:
    """Walk the paths as given; every file is offered once."""
    walk = _Walk()
    walk.open_pipes(paths)
    try:
        for path in paths:
            yield from _offered(path, walk)
    finally:
        walk.close_pipes()


def _offered(path: str, walk: _Walk) -> Iterator[Source]:
    if path == "-":
        yield from _stream(0, path, True, walk, True)
        return
    try:
        status = os.stat(path)
    except OSError as error:
        yield _refused(path, _why(error))
        return
    if stat.S_ISDIR(status.st_mode):
        yield from _folder(path, walk)
    else:
        yield from _one(path, status, True, walk)


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


def _folder(path: str, walk: _Walk) -> Iterator[Source]:
    troubles: List[Source] = []
    found = False
    names = _files_below(path, troubles)
    copies = whole_jobs(names)
    for name in names:
        try:
            status = os.stat(name)
        except OSError as error:
            yield _refused(name, _why(error), named=False)
            continue
        reason = None if stat.S_ISREG(status.st_mode) else "not a file"
        reason = reason or (WHOLE_JOB if name in copies else _no_log_by_its_name(name))
        if reason is not None:
            yield _refused(name, reason, named=False)
            continue
        for source in _one(name, status, False, walk):
            found = found or source.reason is None
            yield source
    yield from troubles
    if not found and not any(source.named for source in troubles):
        yield _refused(path, _NO_LOGS)


def _no_log_by_its_name(name: str) -> Optional[str]:
    if os.path.splitext(name)[1].lower() in _PROGRAM_TEXT:
        return "not a log by its name"
    return "what wandb logs of itself" if _OF_WANDB.search(name) else None


def _files_below(path: str, troubles: List[Source]) -> List[str]:
    names: List[str] = []

    def note(error: OSError) -> None:
        named = str(error.filename) == path
        troubles.append(_refused(str(error.filename), _why(error), named))

    for folder, inner, files in os.walk(path, onerror=note):
        inner[:] = [name for name in inner if not name.startswith(".") and name != "__pycache__"]
        shown = folder.replace(os.sep, "/") if os.sep != "/" else folder
        names.extend(shown.rstrip("/") + "/" + name for name in files if not name.startswith("."))
    return sorted(names, key=reading_order(names))


def _one(path: str, status: os.stat_result, named: bool, walk: _Walk) -> Iterator[Source]:
    for is_kind, words in _KINDS:
        if is_kind(status.st_mode):
            yield _refused(path, words, named)
            return
    fifo = stat.S_ISFIFO(status.st_mode)
    identity = (status.st_dev, status.st_ino)
    if status.st_ino and not fifo:
        if identity in walk.met:
            yield _refused(path, "already read", named=False)
            return
        walk.met.add(identity)
    try:
        opened = walk.pipes.get(path)
        handle = opened.pop(0) if opened else os.open(path, _FLAGS)
    except OSError as error:
        yield _refused(path, _why(error), named)
        return
    yield from _stream(handle, path, named, walk, fifo)


def _stream(handle: int, path: str, named: bool, walk: _Walk, polled: bool) -> Iterator[Source]:
    blocks = _polled(handle, walk) if polled else _read_on(handle)
    try:
        first = next(blocks, b"")
        if first:
            yield from _contents(path, named, first, blocks, 0)
        else:
            yield _refused(path, _EMPTY, named)
    except _NoAnswerError:
        yield _refused(path, "did not answer", named)
    except OSError as error:
        yield _refused(path, _why(error), named)
    finally:
        blocks.close()


def _contents(
    path: str, named: bool, first: bytes, more: Iterator[bytes], depth: int
) -> Iterator[Source]:
    """Offer what the blocks hold: one log, or the logs of an archive."""
    remarks: List[str] = []
    reason, first, blocks = decompressed(first, more, remarks)
    if reason is None and depth < _MOST_ARCHIVES and is_archive(first):
        yield from _members(path, named, blocks, remarks, depth)
        return
    text: Iterator[bytes] = iter(())
    if reason is None:
        reason, text = as_text(first, blocks, remarks)
    if reason is not None:
        yield _refused(path, reason, named)
        return
    head = next(text, b"")
    if is_notebook(head):
        text = printed_by_cells(itertools.chain([head], text))
        head = next(text, b"")
        if not head:
            yield _refused(path, _NO_OUTPUTS, named)
            return
    own = own_output(head)
    if own is not None:
        yield _refused(path, own, named=False)
    else:
        yield Source(path, named, None, itertools.chain([head], text), remarks)


def _members(
    path: str, named: bool, blocks: Iterator[bytes], remarks: List[str], depth: int
) -> Iterator[Source]:
    archive = ArchiveReader(blocks)
    found = False
    for member in archive.members():
        name = path + IN_ARCHIVE + member.name
        if any(part[:1] == "." and part != ".." for part in member.name.split("/")):
            continue
        reason = _no_log_by_its_name(name)
        first = b"" if reason else next(member.blocks, b"")
        if not first:
            yield _refused(name, reason or _EMPTY, named=False)
            continue
        for source in _contents(name, False, first, member.blocks, depth + 1):
            found = found or source.reason is None
            yield source
    trouble = [archive.remark] if archive.remark else []
    if trouble or remarks or not found:
        yield _refused(path, "; ".join(trouble + remarks) or _NO_MEMBERS, named)


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


def _polled(handle: int, walk: _Walk) -> Generator[bytes, None, None]:
    """Read a pipe: silence counts as no answer only before it has begun."""
    try:
        if not walk.answers(handle):
            raise _NoAnswerError
        while True:
            try:
                data = os.read(handle, READ_SIZE)
            except BlockingIOError:
                _is_ready(handle, None)
                continue
            if not data:
                return
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
