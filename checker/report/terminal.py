"""Text for a terminal: what a log printed enters, what is safe to show and fits leaves.

A log is foreign text: it may hold terminal commands, or characters that turn the reading
direction. Those are shown as escapes. Widths count terminal columns, not characters.
"""

import re
from typing import List, NamedTuple, Tuple

from checker.lazy_patterns import lazy_pattern

TERMINAL_WIDTH = 80
# By so much a quoted line may end early, at a blank.
FOLD_COLUMNS = 20
# One line of output before it is painted: the name of its style, and its text.
TextRow = Tuple[str, str]

_ANSI_STYLES = {
    "heading": "\x1b[1m",
    "alarm": "\x1b[1;31m",
    "caution": "\x1b[1;33m",
    "quote": "\x1b[36m",
    "plain": "",
}
# Controls, and the invisible characters that change the order or the look of their neighbors.
_UNSAFE_CHARACTERS = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_COMBINING_RANGES = ((0x0300, 0x036F), (0x1AB0, 0x1AFF), (0x20D0, 0x20FF), (0xFE0F, 0xFE2F))
_WIDE_RANGES = (
    (0x1100, 0x115F),
    (0x2E80, 0xA4CF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE6F),
    (0xFF00, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x3FFFD),
)
_CUT_MARK = "..."


class Excerpt(NamedTuple):
    """A line of a log, and which part of it matters."""

    text: str
    start: int
    end: int
    begin: int = 0
    """Where what the program printed begins, after the prefixes of launchers and loggers."""


def visible(text: str) -> str:
    """Show control and direction characters as escapes, a tab as blanks."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE_CHARACTERS.sub(_visible_escape, text)


def columns(text: str) -> int:
    """Count the columns that a visible text takes."""
    if text.isascii():
        return len(text)
    return sum(_character_columns(ord(character)) for character in text)


def wrap_text(text: str, first: str = "", rest: str = "") -> List[str]:
    """Break a text at blanks into lines of the terminal's width.

    *first* and *rest* begin the first and the other lines. A word longer than a line stays whole:
    it is a path, an address or a command, and has to be copied.
    """
    lines = []
    line, empty = first, True
    for word in visible(text).split():
        if not empty and columns(line) + 1 + columns(word) > TERMINAL_WIDTH:
            lines.append(line)
            line, empty = rest, True
        line = line + word if empty else line + " " + word
        empty = False
    lines.append(line)
    return lines


def clip(excerpt: Excerpt, width: int) -> str:
    """Show as much of a line as fits: from where it begins to speak, else around what matters."""
    # A line may be megabytes long; what lies farther away than a screen line is never shown.
    far = 4 * TERMINAL_WIDTH
    text, start, end, begin = excerpt
    end = min(end, start + far)
    nearby = max(0, start - far)
    before = visible(text[nearby:start])
    middle = visible(text[start:end])
    whole = before + middle + visible(text[end : end + far])
    cut_before, cut_after = nearby > 0, len(text) > end + far
    if not cut_before and not cut_after and columns(whole) <= width:
        return whole
    room = width - 2 * len(_CUT_MARK)
    left = len(visible(text[nearby:begin])) if begin > nearby else 0
    if cut_before or len(before) + len(middle) - left > room:
        middle_column = len(before) + min(len(middle), room) // 2
        left = min(max(0, middle_column - room // 2), max(0, len(whole) - room))
    if left <= len(_CUT_MARK) and not cut_before:
        left = 0
    lead = _CUT_MARK if cut_before or left else ""
    shown = whole[left:]
    if not cut_after and columns(shown) <= width - len(lead):
        return lead + shown
    return lead + _fitting_columns(shown, width - len(lead) - len(_CUT_MARK)) + _CUT_MARK


def fold(text: str, width: int) -> List[str]:
    """Break a text that is quoted: at the last blank of a line if it is near, else anywhere."""
    pieces = []
    while columns(text) > width:
        piece = _fitting_columns(text, width)
        blank = piece.rfind(" ") + 1
        if columns(piece[:blank]) >= width - FOLD_COLUMNS:
            piece = piece[:blank]
        pieces.append(piece.rstrip(" "))
        text = text[len(piece) :]
    return [*pieces, text]


def paint(rows: List[TextRow], color: bool) -> str:
    """Join the rows to a text, in colors if wanted."""
    lines = []
    for style, text in rows:
        code = _ANSI_STYLES[style] if color and text else ""
        lines.append(code + text + "\x1b[0m" if code else text)
    return "\n".join(lines) + "\n"


def _visible_escape(found: "re.Match[str]") -> str:
    code = ord(found.group())
    if code == 0x09:
        return "    "
    if code < 0x100:
        return "\\x{:02x}".format(code)
    return "\\u{:04x}".format(code) if code < 0x10000 else "\\U{:08x}".format(code)


def _character_columns(code: int) -> int:
    if any(low <= code <= high for low, high in _COMBINING_RANGES):
        return 0
    return 2 if any(low <= code <= high for low, high in _WIDE_RANGES) else 1


def _fitting_columns(text: str, width: int) -> str:
    """Return the longest beginning that fits."""
    used = 0
    for index, character in enumerate(text):
        used += _character_columns(ord(character))
        if used > width:
            return text[:index]
    return text[:]
