"""Terminal traces in logs. Raw bytes of lines enter; the pieces a person would have seen leave."""

import re
from typing import FrozenSet, Iterable, List, Tuple

from checker.lazy_patterns import lazy_pattern

# Escape sequences: CSI, OSC (bounded, it may never be closed), charset choice, single characters.
_CODES = lazy_pattern(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\r\n]{0,512}(?:\x07|\x1b\\)?"
    rb"|[ -/][0-~]|[0-Z\\^-~])"
)
# Those that put the cursor elsewhere: what follows is written over something, or somewhere else.
_MOVES = lazy_pattern(rb"\x1b\[(?:[0-9;]{0,16}[ABEFHfd]|[01]?G|2K)")
# Columns that are skipped look like blanks.
_SKIPS = lazy_pattern(rb"\x1b\[\d{0,4}C")
_BACKSPACES = lazy_pattern(rb"\x08\x08+")
_ERASED = lazy_pattern(rb"[^\x08\r\n]\x08")
_BAR_END = lazy_pattern(r"(?:it/s|s/it|B/s)\b[^\]\r]{0,200}\]|\?(?:it/s|s/it)\]")
_GLUED_PREFIX = lazy_pattern(r"(?<=[^\]:\s|])(?=\[(?:default|rank)\d{1,5}\]:)")

_BYTES_OF_MESSAGE = lazy_pattern(rb'"MESSAGE" ?: ?\[([\d, ]{1,262144})\]')
_ESCAPES = {
    b'"': b'"',
    b"/": b"/",
    b"\\": b"\\",
    b"n": b" ",
    b"r": b" ",
    b"t": b"\t",
    b"u003c": b"<",
    b"u003e": b">",
    b"u0026": b"&",
    b"u001b": b"\x1b",
}
_ESCAPED = lazy_pattern(rb'\\(["/\\nrt]|u00(?:3[ce]|26|1b))')

_JSON_RECORD = lazy_pattern(rb'\{"(?:log|stream|time|[A-Z_]{2,64})"')
_RECORD_BEGINS = 320
# So many records are opened that stand in each other.
_MOST_RECORDS = 4

# So many parts of a line that was overwritten are kept in any case.
_PARTS_KEPT = 8
KEPT_TEXT = 65536
"""So many characters of one piece are looked at."""


def plain_bytes(block: bytes) -> bytes:
    """Remove terminal codes and what backspaces erased; line feeds stay where they are."""
    if b"\x1b" in block:
        block = _SKIPS.sub(b" ", _MOVES.sub(b"\r", block))
        block = _CODES.sub(b"", block)
    if b"\x08" in block:
        # A run of backspaces is how old progress bars redraw a line.
        block = _BACKSPACES.sub(b"\r", block)
        block = _ERASED.sub(b"", block).replace(b"\x08", b"")
    return block


def opened_records(block: bytes) -> bytes:
    """Show what JSON records hold as a program printed it; line feeds stay where they are."""
    for _ in range(_MOST_RECORDS):
        before = block
        if b"MESSAGE" in block:
            block = _BYTES_OF_MESSAGE.sub(_message_of_bytes, block)
        if b"\\" in block:
            block = _ESCAPED.sub(lambda found: _ESCAPES[found.group(1)], block)
        if block == before:
            break
    return plain_bytes(block)


def _message_of_bytes(found: "re.Match[bytes]") -> bytes:
    numbers = [part.strip() for part in found.group(1).split(b",")]
    codes = bytes(min(int(number), 255) for number in numbers if 0 < len(number) < 4)
    return b'"MESSAGE":"' + codes.replace(b"\n", b" ") + b'"'


def line_pieces(row: bytes, names: FrozenSet[str] = frozenset()) -> Tuple[str, ...]:
    """Decode one line (codes already removed) and split it where it was overwritten or glued.

    Of a line that was overwritten often, the last pieces are kept and those with one of *names*.
    """
    row, ends_record = row[: KEPT_TEXT * 4], row.endswith((b"}", b"}\r"))
    if ends_record and _JSON_RECORD.search(row[:_RECORD_BEGINS]):
        # What it holds is cut when it is opened.
        text = row.decode("utf-8", "replace").replace("\0", "")
        return (text[:KEPT_TEXT].rstrip("\r"),)
    if not names and row.count(b"\r") >= _PARTS_KEPT:
        parts_of_row = row.rstrip(b"\r").split(b"\r")
        if len(parts_of_row) > _PARTS_KEPT:
            row = b"\r".join(parts_of_row[-2:])
    text = row.decode("utf-8", "replace").replace("\0", "")
    if "\r" not in text and "/s" not in text and "s/it" not in text and not _is_glued(text):
        return (text[:KEPT_TEXT],)
    parts = text.rstrip("\r").split("\r")
    if len(parts) > _PARTS_KEPT:
        kept = [part for part in parts[:-2] if any(holds_literal(part, name) for name in names)]
        parts = kept[:64] + parts[-2:]
    pieces: List[str] = []
    for part in parts:
        pieces.extend(_unglued(part[:KEPT_TEXT]))
    return tuple(piece for piece in pieces if piece) or ("",)


def holds_any(text: str, literals: Iterable[str]) -> bool:
    """Tell whether one of the literals stands in the text as it is; a loop is what is fast."""
    for literal in literals:  # noqa: SIM110
        if literal in text:
            return True
    return False


def holds_literal(text: str, literal: str) -> bool:
    """Tell whether the text holds the literal, a run of blanks being like any other."""
    if literal in text:
        return True
    if " " not in literal and "\t" not in literal:
        return False
    return " ".join(literal.split()) in " ".join(text.split())


def _unglued(piece: str) -> List[str]:
    found = []
    if "it/s" in piece or "s/it" in piece or "B/s" in piece:
        start = 0
        for bar in _BAR_END.finditer(piece):
            found.append(piece[start : bar.end()])
            start = bar.end()
        rest = piece[start:]
        if rest.strip():
            found.append(rest)
    else:
        found.append(piece)
    split: List[str] = []
    for part in found:
        split.extend(_split_prefixes(part))
    return split


def _is_glued(text: str) -> bool:
    """Tell whether a prefix of a rank stands elsewhere than at the start."""
    return text.find("[default", 1) >= 0 or text.find("[rank", 1) >= 0


def _split_prefixes(part: str) -> List[str]:
    if not _is_glued(part):
        return [part]
    starts = [0] + [found.start() for found in _GLUED_PREFIX.finditer(part)] + [len(part)]
    return [part[begin:end] for begin, end in zip(starts, starts[1:]) if begin < end]
