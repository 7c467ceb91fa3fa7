"""Tar archives among the inputs: blocks of bytes enter; their members with blocks leave.

Nothing is written to disk, members are read one after another, and nothing is kept of the
archive but the member at hand. Names are only shown, never opened.
"""

from typing import Iterator, NamedTuple, Optional

_BLOCK = 512
_MOST_MEMBERS = 32768
_LONGEST_NAMES = 65536
_FILES = (b"0", b"\0", b"7")


class Member(NamedTuple):
    """One file of an archive."""

    name: str
    blocks: Iterator[bytes]
    """To be read before the next member is asked for; what is left is skipped."""


def is_archive(first: bytes) -> bool:
    """Tell by the header of the first member."""
    return first[257:262] == b"ustar" and _sum_is_right(first[:_BLOCK])


class ArchiveReader:
    """Reads a tar archive as it comes."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        """Begin before the first member."""
        self.remark: Optional[str] = None
        """Why the archive was not read to its end."""
        self._blocks = blocks
        self._rest = b""
        self._left = 0

    def members(self) -> Iterator[Member]:
        """Offer the regular files, in the order of the archive."""
        longer: Optional[str] = None
        for _ in range(_MOST_MEMBERS):
            header = self._taken(_BLOCK)
            size = _number(header[124:136])
            if not header.strip(b"\0"):
                return
            if len(header) < _BLOCK or size is None or not _sum_is_right(header):
                self.remark = "damaged tar archive, read up to the damage"
                return
            kind, self._left = header[156:157], size
            if kind in (b"L", b"x"):
                longer = _long_name(kind, self._taken(min(size, _LONGEST_NAMES)))
                self._left = size - min(size, _LONGEST_NAMES)
            elif kind in _FILES:
                yield Member(longer or _name_of(header), self._content())
            if kind not in (b"L", b"x"):
                longer = None
            self._left += -size % _BLOCK
            for _skipped in self._content():
                pass
            if self.remark:
                return
        self.remark = "a tar archive with more members than are read"

    def _taken(self, size: int) -> bytes:
        """Take so many bytes, or what is left."""
        parts, wanted = [], size
        while wanted > 0:
            if not self._rest:
                self._rest = next(self._blocks, b"")
                if not self._rest:
                    break
            parts.append(self._rest[:wanted])
            self._rest = self._rest[wanted:]
            wanted -= len(parts[-1])
        return b"".join(parts)

    def _content(self) -> Iterator[bytes]:
        while self._left > 0:
            block = self._rest or next(self._blocks, b"")
            if not block:
                self.remark = "cut tar archive, read to where it is cut"
                self._left = 0
                return
            part, self._rest = block[: self._left], block[self._left :]
            self._left -= len(part)
            yield part


def _sum_is_right(header: bytes) -> bool:
    told = _number(header[148:156])
    return told == sum(header[:148]) + 8 * 32 + sum(header[156:512])


def _number(field: bytes) -> Optional[int]:
    """Read a number in octal digits, or in binary where it is large."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    if not digits.isdigit() or set(digits) & set(b"89"):
        return 0 if not digits else None
    return int(digits, 8)


def _name_of(header: bytes) -> str:
    name, before = header[:100].split(b"\0")[0], b""
    if header[257:263] == b"ustar\0":
        before = header[345:500].split(b"\0")[0]
    return _shown_name(before + b"/" + name if before else name)


def _long_name(kind: bytes, content: bytes) -> Optional[str]:
    """Read a name that did not fit into the header."""
    if kind == b"L":
        return _shown_name(content.split(b"\0")[0])
    for record in content.split(b"\n"):
        key, found, value = record.partition(b"=")
        if found and key.endswith(b" path"):
            return _shown_name(value)
    return None


def _shown_name(name: bytes) -> str:
    """Make a name that can be shown: without what a terminal would obey, and not too long."""
    text = name.decode("utf-8", "replace")[:4096]
    parts = [part for part in text.split("/") if part not in ("", ".")]
    return "".join(sign if sign.isprintable() else "?" for sign in "/".join(parts)) or "?"
