"""Logs that grow: paths enter; what is new in their files leaves, however they are rotated.

A path may not be there yet, may be a folder to which ranks add files, and a file may be cut or
replaced. Files are opened for each reading and closed again, since there may be thousands.
"""

import os
import stat
import time
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from checker.scan.contents import no_log_by_its_name

FILE_PIECE = 65536
TAIL = 262144
"""So much of the end of a file is read that was there before the watch began."""
_MOST_LOGS_FOLLOWED = 16384
_MOST_AT_ONCE = 64
_FOLDERS_EVERY = 5.0
_SHARE_OF_TIME = 50
"""Looking for files may take so small a part of the time."""


_Identity = Tuple[int, int]


class Grown(NamedTuple):
    """New bytes of one file."""

    path: str
    data: bytes
    age: float
    """How long ago they were written; 0 where they came while the watch looked."""
    first: bool
    """It is the end of what was there before."""


class LogFollower:
    """Reads what is new in files."""

    def __init__(self, paths: Sequence[str], begins: Mapping[str, int]) -> None:
        """Begin before the first look: of what is there then, only the end is of interest.

        *begins* tells of some files where they begin to be of this run.
        """
        self._begins = begins
        self._paths = tuple(paths)
        self._offsets: Dict[_Identity, int] = {}
        """How far each file was read, whatever it is called now."""
        self._last: Dict[str, _Identity] = {}
        self._binary: Set[_Identity] = set()
        self._names: List[str] = []
        self._walk_at = 0.0
        self._begun = False

    @property
    def files(self) -> int:
        """How many files are followed."""
        return len(self._offsets) - len(self._binary)

    def poll(self) -> Iterator[Grown]:
        """Look once at every file."""
        if time.monotonic() >= self._walk_at:
            began = time.monotonic()
            self._names = self._found()
            spent = time.monotonic() - began
            self._walk_at = began + max(_FOLDERS_EVERY, _SHARE_OF_TIME * spent)
        for path in self._names:
            yield from self._news_of(path)
        self._begun = True

    def _found(self) -> List[str]:
        names: List[str] = []
        for path in self._paths:
            names += _logs_below(path) if os.path.isdir(path) else [path]
        return list(dict.fromkeys(names))[:_MOST_LOGS_FOLLOWED]

    def _news_of(self, path: str) -> Iterator[Grown]:
        try:
            status = os.stat(path)
        except OSError:
            return
        if not stat.S_ISREG(status.st_mode):
            return
        identity = (status.st_dev, status.st_ino)
        before = self._last.get(path)
        self._last[path] = identity
        if before is not None and before != identity:
            older = _renamed(path, before)
            if older:
                yield from self._read(older, path, before, False, 0.0)
        known = self._offsets.get(identity)
        if identity in self._binary or known == status.st_size:
            return
        old = known is None and not self._begun
        if known is None or status.st_size < known:
            start = max(0, status.st_size - TAIL) if old else 0
            self._offsets[identity] = self._begins.get(path, start) if old else 0
        old = old and path not in self._begins
        age = max(0.0, time.time() - status.st_mtime) if old else 0.0
        yield from self._read(path, path, identity, old, age)

    def _read(
        self, name: str, path: str, identity: _Identity, old: bool, age: float
    ) -> Iterator[Grown]:
        """Read a file from where it was left to where it ends now."""
        begin = offset = self._offsets.get(identity, 0)
        data = bytearray()
        try:
            handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return
        try:
            for _ in range(_MOST_AT_ONCE):
                piece = os.pread(handle, FILE_PIECE, offset)
                offset += len(piece)
                data += piece
                if len(piece) < FILE_PIECE:
                    break
        except OSError:
            return
        finally:
            os.close(handle)
            self._offsets[identity] = offset
        if not begin and b"\0" in data[:4096]:
            self._binary.add(identity)
            return
        if old and begin:
            data = data[data.find(b"\n") + 1 :]
        if data:
            yield Grown(path, bytes(data), age, old)


def _logs_below(folder: str) -> List[str]:
    found: List[str] = []
    for place, inner, files in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith((".", "__pycache__")))
        names = [place.rstrip("/") + "/" + name for name in sorted(files) if name[:1] != "."]
        found += [name for name in names if no_log_by_its_name(name) is None]
        if len(found) > _MOST_LOGS_FOLLOWED:
            break
    return found


def _renamed(path: str, identity: _Identity) -> Optional[str]:
    """Find what a file is called now that was rotated, where it lies beside the new one."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as rows:
            for row in rows:
                if row.name.startswith(name[:4]) and row.inode() == identity[1]:
                    return row.path
    except OSError:
        pass
    return None
