"""Compression and encoding of inputs.

The first block and the following ones enter; blocks of UTF-8 text leave, or the reason why the
input cannot be read as text.
"""

import codecs
import itertools
from typing import Any, Callable, Iterator, List, Optional, Tuple

from checker.collective.dumps import is_flight_dump
from checker.lazy_patterns import lazy_pattern

Unpacked = Tuple[Optional[str], Iterator[bytes]]

_FOREIGN = (
    (b"\x7fELF", "binary: a program"),
    (b"PK\x03\x04", "binary: a zip archive"),
    (b"\x89PNG", "binary: an image"),
    (b"%PDF-", "binary: a PDF document"),
    (b"\x93NUMPY", "binary: an array"),
    (b"\x80\x02", "binary: a pickle"),
    (b"\x80\x04\x95", "binary: a pickle"),
    (b"\x28\xb5\x2f\xfd", "not read: compressed with zstd, decompress it first"),
)
_CONTROLS = bytes(code for code in range(1, 32) if code not in b"\t\n\r\x08\x0c\x1b\x07")

# What a machine that crashed, or a log truncated while it was written, leaves between the lines.
_HOLE = lazy_pattern(rb"\0{16,}")
# That of the blocks in which files are read.
_USUAL_SIZE = 98304
# Some gigabytes.
_MOST_EMPTY_BLOCKS = 65536


def decompressed(
    first: bytes, more: Iterator[bytes], remarks: List[str]
) -> Tuple[Optional[str], bytes, Iterator[bytes]]:
    """Find out by the first bytes what the blocks hold; hand over the first block and all."""
    for magic, reason in _FOREIGN:
        if first.startswith(magic) and not is_flight_dump(first):
            return reason, b"", iter(())
    blocks: Iterator[bytes] = itertools.chain([first], more)
    for magic, name, maker in _PACKERS:
        if first.startswith(magic):
            blocks = _of_usual_size(_unpacked(blocks, name, maker, remarks))
            first = next(blocks, b"")
            if not first:
                return "; ".join(remarks) or "empty", b"", iter(())
            blocks = itertools.chain([first], blocks)
            break
    return None, first, blocks


def as_text(first: bytes, blocks: Iterator[bytes], remarks: List[str]) -> Unpacked:
    """Decode blocks, of which the first is given besides."""
    if is_flight_dump(first):
        return None, blocks
    first, blocks = _without_hole(first, blocks)
    encoding = _encoding(_HOLE.sub(b"", first[:8192]))
    if encoding is None or not first.strip(b"\0"):
        return "binary", iter(())
    if encoding != "utf-8":
        return None, _decoded(blocks, encoding, remarks)
    return None, _checked(blocks, remarks)


def _without_hole(first: bytes, blocks: Iterator[bytes]) -> Tuple[bytes, Iterator[bytes]]:
    """Skip a long run of NULs at the head."""
    found = _HOLE.match(first)
    if found is None:
        return first, blocks
    # The first block is among the blocks.
    next(blocks)
    skipped = odd = 0
    while first and not first.strip(b"\0") and skipped < _MOST_EMPTY_BLOCKS:
        odd = (odd + len(first)) % 2
        skipped += 1
        first = next(blocks, b"")
    nuls = len(first) - len(first.lstrip(b"\0"))
    # The NUL that the first character of UTF-16 begins with is no part of the hole.
    first = first[nuls - (nuls + odd) % 2 :] if nuls else first
    return first, itertools.chain([first], blocks)


def _gzip() -> Any:
    import zlib  # noqa: PLC0415 - may be missing, and costs start-up

    return zlib.decompressobj(31)


def _bzip2() -> Any:
    import bz2  # noqa: PLC0415 - may be missing, and costs start-up

    return bz2.BZ2Decompressor()


def _xz() -> Any:
    import lzma  # noqa: PLC0415 - may be missing, and costs start-up

    return lzma.LZMADecompressor()


_PACKERS: Tuple[Tuple[bytes, str, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", "gzip", _gzip),
    (b"BZh", "bzip2", _bzip2),
    (b"\xfd7zXZ\x00", "xz", _xz),
)


def _unpacked(
    blocks: Iterator[bytes], name: str, maker: Callable[[], Any], remarks: List[str]
) -> Iterator[bytes]:
    """Decompress members one after another; keep what came before damage."""
    try:
        packer = maker()
    except ImportError:
        remarks.append("not read: this Python has no " + name)
        return
    began = False
    # Small pieces, so that what a well-packed archive grows to stays small.
    for block in (piece for whole in blocks for piece in _in_steps(whole, 8192)):
        packed = block
        while packed:
            try:
                data = packer.decompress(packed)
            except Exception:  # each library has its own class of error
                remarks.append("damaged " + name + " archive, read up to the damage")
                return
            yield data
            packed = packer.unused_data.lstrip(b"\0") if packer.eof else b""
            began = not packer.eof or bool(packed)
            if packer.eof:
                packer = maker()
            if packed and not packed.startswith(_magic(name)):
                remarks.append("something that is no " + name + " follows the archive")
                return
    if began:
        remarks.append("cut " + name + " archive, read to where it is cut")


def _magic(name: str) -> bytes:
    return next(magic for magic, known, _ in _PACKERS if known == name)


def _in_steps(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def _of_usual_size(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Cut what was unpacked as if it had been read, so that the same is found in it."""
    held: List[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size < _USUAL_SIZE:
            continue
        joined = b"".join(held)
        whole = size - size % _USUAL_SIZE
        yield from _in_steps(joined[:whole], _USUAL_SIZE)
        held, size = [joined[whole:]], size - whole
    if size:
        yield b"".join(held)


def _encoding(sample: bytes) -> Optional[str]:
    """Tell UTF-8, UTF-16 and binary apart by byte order marks and by where NULs stand."""
    if sample.startswith(b"\xff\xfe"):
        return "utf-16"
    if sample.startswith(b"\xfe\xff"):
        return "utf-16"
    nuls = sample.count(0)
    if nuls > len(sample) // 10:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if min(even, odd) * 8 < max(even, odd):
            return "utf-16-le" if odd > even else "utf-16-be"
        return None
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > len(sample) // 20:
        return None
    return "utf-8"


def _decoded(blocks: Iterator[bytes], encoding: str, remarks: List[str]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "replace")
    tail = decoder.getstate()[0]
    if tail:
        remarks.append("ends in the middle of a character")


def _checked(blocks: Iterator[bytes], remarks: List[str]) -> Iterator[bytes]:
    last = b""
    for block in blocks:
        text = block[3:] if not last and block.startswith(codecs.BOM_UTF8) else block
        last = (last + block[-4:])[-4:]
        if text:
            yield text
    if _cut_character(last[-4:]):
        remarks.append("ends in the middle of a character")


def _cut_character(tail: bytes) -> bool:
    for length in (1, 2, 3):
        byte = tail[-length] if length <= len(tail) else 0
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return length < needed
        if byte < 0x80:
            return False
    return False
