"""The outputs of a Jupyter notebook. Its JSON enters in blocks; what its cells printed leaves.

IPython's own form of a traceback is told again in Python's, so that it is read like any other.
"""

import json
import re
from typing import Iterator, List, Optional, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.text import plain_bytes

_NOTEBOOK = lazy_pattern(rb'\s{0,64}\{\s{0,64}"(?:cells"\s{0,64}:\s{0,64}\[|nbformat)')
# A string, which may not have ended yet, or a sign between strings.
_JSON_TOKEN = lazy_pattern(rb'"[^"\\]*(?:\\.[^"\\]*)*("|\\?\Z)|[{}\[\],:]', re.DOTALL)
_LONGEST_STRING = 262144
_MOST_TRACEBACK_ROWS = 4096
_DEEPEST = 64

_CELL_RULE = lazy_pattern(r"-{20,}$")
_CELL_HEAD = lazy_pattern(r"[A-Za-z_][\w.]* +Traceback \(most recent call last\):?$")
# The arguments of a call may follow the name of its function.
_IN_CALL = r" in ([\w.<>]{1,200})(?:\(.{0,400}\))?$"
_CELL_FRAME = lazy_pattern(
    r"(?:Cell |Input )In ?\[(\d{1,9}|\*)\],(?: line \d{1,9}| in <cell[^>]{1,100}>\(\))"
    r"(?:," + _IN_CALL[:-1] + r")?$"
)
_CELL_FILE = lazy_pattern(r"File (\S.{0,1000}?):\d{1,9}," + _IN_CALL)
_OLD_CELL_FILE = lazy_pattern(r"((?:<ipython-|[/~.]|[A-Z]:)[^:]{1,1000}?)" + _IN_CALL)
_CELL_ARROW = lazy_pattern(r"-{1,9}> (\d{1,9})(?: (.*))?$")


def is_notebook(head: bytes) -> bool:
    """Tell by its beginning."""
    return _NOTEBOOK.match(head) is not None


def printed_by_cells(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Read the outputs one after another."""
    reader = _NotebookReader()
    for block in blocks:
        found = "".join(reader.feed(block))
        if found:
            yield found.encode("utf-8", "replace")


class _NotebookReader:
    """Follows the JSON from string to string, and keeps little more than where it is."""

    def __init__(self) -> None:
        self._rest = b""
        self._opened: List[str] = []
        """The keys under which the objects and lists around were opened."""
        self._deeper = 0
        self._key = ""
        self._string: Optional[bytes] = None
        """A string of which it is not known yet whether it is a key."""
        self._error: Tuple[str, str] = ("", "")
        self._rows: List[str] = []

    def feed(self, block: bytes) -> Iterator[str]:
        """Read a block, and hand over what was printed."""
        data, self._rest = self._rest + block, b""
        for token in _JSON_TOKEN.finditer(data):
            text = token.group()
            if text[:1] == b'"':
                if token.group(1) != b'"':
                    self._rest = text
                    break
                self._string = text
            elif text == b":":
                self._key, self._string = _decoded_string(self._string), None
            else:
                yield from self._value()
                yield from self._moved(text)
        if len(self._rest) > _LONGEST_STRING:
            # An image, or the like: only its end matters.
            slashes = len(self._rest) - len(self._rest.rstrip(b"\\"))
            self._rest = b'"' + b"\\" * (slashes % 2)

    def _value(self) -> Iterator[str]:
        string, self._string = self._string, None
        if string is None or "outputs" not in self._opened:
            return
        name = self._key or self._opened[-1]
        if name == "text":
            yield _decoded_string(string)
        elif name == "ename":
            self._error = (_decoded_string(string), self._error[1])
        elif name == "evalue":
            self._error = (self._error[0], _decoded_string(string))
        elif name == "traceback" and len(self._rows) < _MOST_TRACEBACK_ROWS:
            self._rows += _plain(_decoded_string(string)).split("\n")

    def _moved(self, sign: bytes) -> Iterator[str]:
        if sign in b"{[":
            if len(self._opened) < _DEEPEST:
                self._opened.append(self._key)
            else:
                self._deeper += 1
        elif sign in b"}]":
            if self._deeper:
                self._deeper -= 1
            elif self._opened:
                self._opened.pop()
            if sign == b"}" and self._opened[-1:] == ["outputs"]:
                yield from self._printed_error()
        self._key = ""

    def _printed_error(self) -> Iterator[str]:
        (name, said), rows = self._error, self._rows
        self._error, self._rows = ("", ""), []
        if not rows and name:
            rows = [name + ": " + said]
        if rows:
            yield "\n".join(python_form(rows)) + "\n"


def _decoded_string(token: Optional[bytes]) -> str:
    if token is None:
        return ""
    try:
        return str(json.loads(token.decode("utf-8", "replace"), strict=False))
    except ValueError:
        return ""


def _plain(text: str) -> str:
    return plain_bytes(text.encode("utf-8", "replace")).decode("utf-8", "replace")


def python_form(rows: List[str]) -> List[str]:
    """Tell a traceback of IPython as Python would have printed it."""
    told: List[str] = []
    place: Optional[Tuple[str, str]] = None
    """File and function of the frame at hand, inside a traceback."""
    for row in rows:
        if _CELL_RULE.match(row):
            continue
        if _CELL_HEAD.match(row):
            told.append("Traceback (most recent call last):")
            place = ("<ipython-input>", "<module>")
        elif place is None:
            told.append(row)
        else:
            arrow = _CELL_ARROW.match(row)
            if arrow:
                number, code = arrow.groups()
                told.append('  File "{}", line {}, in {}'.format(place[0], number, place[1]))
                told.append("    " + (code or "").strip())
            elif row[:1] not in ("", " "):
                met = _place_of(row)
                if met is None:
                    told.append(row)
                place = met
    return told


def _place_of(row: str) -> Optional[Tuple[str, str]]:
    """Read the head of a frame; None where the exception itself is told."""
    cell = _CELL_FRAME.match(row)
    if cell:
        return "<ipython-input-{}>".format(cell.group(1)), cell.group(2) or "<module>"
    found = _CELL_FILE.match(row) or _OLD_CELL_FILE.match(row)
    return (found.group(1), found.group(2)) if found else None
