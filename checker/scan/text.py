"""Terminal traces in logs. Raw bytes of lines enter; the pieces a person would have seen leave."""

from typing import FrozenSet, List, Tuple

from checker.lazy_patterns import lazy_pattern

# Escape sequences: CSI, OSC (bounded, it may never be closed), charset choice, single characters.
_CODES = lazy_pattern(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\r\n]{0,512}(?:\x07|\x1b\\)?"
    rb"|[ -/][0-~]|[0-Z\\^-~])"
)
_BACKSPACES = lazy_pattern(rb"\x08\x08+")
_ERASED = lazy_pattern(rb"[^\x08\r\n]\x08")
_BAR_END = lazy_pattern(r"(?:it/s|s/it|B/s)\b[^\]\r]{0,200}\]|\?(?:it/s|s/it)\]")
_GLUED_PREFIX = lazy_pattern(r"(?<=[^\]:\s|])(?=\[(?:default|rank)\d{1,5}\]:)")

KEPT_TEXT = 65536
"""So many characters of one piece are looked at."""


def plain_bytes(block: bytes) -> bytes:
    """Remove terminal codes and what backspaces erased; line feeds stay where they are."""
    if b"\x1b" in block:
        block = _CODES.sub(b"", block)
    if b"\x08" in block:
        # A run of backspaces is how old progress bars redraw a line.
        block = _BACKSPACES.sub(b"\r", block)
        block = _ERASED.sub(b"", block).replace(b"\x08", b"")
    return block


def line_pieces(row: bytes, names: FrozenSet[str] = frozenset()) -> Tuple[str, ...]:
    """Decode one line (codes already removed) and split it where it was overwritten or glued.

    Of a line that was overwritten often, the last pieces are kept and those with one of *names*.
    """
    text = row[: KEPT_TEXT * 4].decode("utf-8", "replace").replace("\0", "")
    if "\r" not in text and "/s" not in text and "s/it" not in text and not _is_glued(text):
        return (text[:KEPT_TEXT],)
    parts = text.rstrip("\r").split("\r")
    if len(parts) > 8:
        kept = [part for part in parts[:-2] if any(holds_literal(part, name) for name in names)]
        parts = kept[:64] + parts[-2:]
    pieces: List[str] = []
    for part in parts:
        pieces.extend(_unglued(part[:KEPT_TEXT]))
    return tuple(piece for piece in pieces if piece) or ("",)


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
