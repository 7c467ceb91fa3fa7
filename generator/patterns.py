"""Turn the text of a wording into what the checker runs: a regular expression and a literal.

A text is literal except for typed placeholders, `<size>` or named `<size:tried>`. A run of blanks
matches any run of blanks, since programs pad. Every repetition is bounded, so that a search takes
time linear in the length of the line.
"""

import re
from typing import NamedTuple


class Compiled(NamedTuple):
    """A wording as the checker uses it."""

    regex: str
    literal: str
    """A fixed piece that every match contains; the scanner looks for it first."""
    types: dict[str, str]
    """Capture name to placeholder type."""


class PatternError(ValueError):
    """A wording that cannot be compiled; `help` says how to mend it."""

    def __init__(self, message: str, help: str) -> None:
        """Keep the message and the help apart, as the person sees them."""
        super().__init__(message)
        self.help = help


PLACEHOLDERS: dict[str, tuple[str, str]] = {
    "n": (r"-?\d{1,20}(?:[.,]\d{1,20}){0,6}(?:e[+-]?\d{1,4})?", "a number"),
    "size": (r"\d{1,20}(?:\.\d{1,6})? ?(?:bytes|[kKMGTP]?i?B)\b", "an amount of memory, with unit"),
    "dur": (
        r"(?:\d{1,3}:\d\d:\d\d|\d{1,20}(?:\.\d{1,9})? ?"
        r"(?:milliseconds|seconds|minutes|hours|secs?|mins?|ms|us|s|m|h)\b)",
        "a duration, with unit",
    ),
    "ms": (r"\d{1,20}(?:\.\d{1,9})?", "a bare number of milliseconds"),
    "s": (r"\d{1,20}(?:\.\d{1,9})?", "a bare number of seconds"),
    "pid": (r"\d{1,10}", "a process id"),
    "rank": (r"\d{1,7}", "a rank"),
    "bus": (r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?", "a PCI bus id"),
    "host": (r"[A-Za-z0-9_.-]{1,255}", "a host name or address"),
    "word": (r"[^\s,;]{1,256}?", "anything without a blank, comma or semicolon"),
    "path": (r"[^\s'\",;]{1,1024}", "a path without blanks"),
}

_PLACEHOLDER = re.compile(r"<([a-z]+)(?::([a-z][a-z0-9_]*))?>")
_BLANKS = re.compile(r"[ \t]+")


def compile_text(text: str) -> Compiled:
    """Compile a literal text with placeholders.

    Raises PatternError for an unknown placeholder or a text that is only placeholders. What stands
    in angle brackets and is no placeholder name with a colon or alone is an error, not literal
    text, since a misspelled placeholder would never match; a literal bracket is written `<<`.
    """
    pieces: list[str] = []
    literals: list[str] = []
    types: dict[str, str] = {}
    end = 0
    for found in _PLACEHOLDER.finditer(text):
        if text[found.start() - 1 : found.start()] == "<":
            continue
        _add_literal(text[end : found.start()], pieces, literals)
        pieces.append(_placeholder(found, types))
        end = found.end()
    _add_literal(text[end:], pieces, literals)
    literal = max(literals, key=fixed_letters, default="")
    if not literal.strip():
        raise PatternError(
            f"'{text}' has no fixed text", "add the words that the program always prints"
        )
    return Compiled("".join(pieces), literal.strip(), types)


def fixed_letters(literal: str) -> int:
    """Count the characters of a literal by which the scanner can find it: letters, not a to f."""
    return sum(
        character == "_" or "g" <= character <= "z" or "A" <= character <= "Z"
        for character in literal
    )


def _placeholder(found: "re.Match[str]", types: dict[str, str]) -> str:
    kind, name = found.group(1), found.group(2)
    if kind not in PLACEHOLDERS:
        raise PatternError(
            f"unknown placeholder '{found.group(0)}'",
            "placeholders are " + ", ".join(f"<{known}>" for known in PLACEHOLDERS),
        )
    expression = PLACEHOLDERS[kind][0]
    name = name or kind
    if name in types:
        if found.group(2):
            raise PatternError(f"the name '{name}' is used twice", "give each capture its own name")
        return f"(?:{expression})"
    types[name] = kind
    return f"(?P<{name}>{expression})"


def _add_literal(text: str, pieces: list[str], literals: list[str]) -> None:
    text = text.replace("<<", "<")
    if not text:
        return
    literals.append(text)
    words = _BLANKS.split(text)
    pieces.append(r"[ \t]{1,32}".join(re.escape(word).replace(r"\ ", " ") for word in words))
