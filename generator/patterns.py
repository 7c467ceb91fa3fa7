"""Turn a wording into what the checker runs: a regular expression and a literal.

A text is literal except for typed placeholders, `<size>` or named `<size:tried>`. A run of blanks
matches any run of blanks, since programs pad. Every repetition is bounded, so that a search takes
time linear in the length of the line. A wording that is itself a regular expression keeps its
text; its literal is found in its syntax tree, and the type of a capture is the placeholder whose
name the group's name begins with: `(?P<pid>...)`, `(?P<size_tried>...)`.
"""

import re
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple


class Compiled(NamedTuple):
    """A wording as the checker uses it."""

    regex: str
    literal: str
    """A fixed piece that every match contains, but for the length of runs of blanks; the scanner
    looks for it first."""
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
    "word": (r"[^\s,;]{1,256}", "anything without a blank, comma or semicolon"),
    "path": (r"[^\s'\",;]{1,1024}", "a path without blanks"),
}

_PLACEHOLDER = re.compile(r"<([a-z]+)(?::([a-z][a-z0-9_]*))?>")
_MISSPELLED = re.compile(r"(?<!<)<([A-Za-z]+:[^<>]*)>")
_BLANKS = re.compile(r"[ \t]+")


def compile_text(text: str) -> Compiled:
    """Compile a literal text with placeholders.

    Raises PatternError for an unknown placeholder or a text that is only placeholders. A lower-case
    word in angle brackets that is no placeholder is an error, not literal text, since a misspelled
    placeholder would never match; a literal bracket is written `<<`.
    """
    misspelled = _MISSPELLED.search(_PLACEHOLDER.sub("", text))
    if misspelled:
        raise PatternError(
            f"'{misspelled.group(0)}' is no placeholder",
            "write <kind:name> with a name of lower-case letters, digits and _",
        )
    pieces: list[str] = []
    literals: list[str] = []
    types: dict[str, str] = {}
    end = 0
    for found in _PLACEHOLDER.finditer(text):
        if text[max(found.start() - 1, 0) : found.start()] == "<":
            continue
        _add_literal(text[end : found.start()], pieces, literals)
        pieces.append(_placeholder(found, types, last=found.end() == len(text)))
        end = found.end()
    _add_literal(text[end:], pieces, literals)
    return Compiled("".join(pieces), _best(literals, text), types)


def compile_regex(regex: str) -> Compiled:
    """Compile a wording that is a regular expression.

    Raises PatternError for one that cannot be parsed, ignores case, or has no text that every
    match contains.
    """
    try:
        tree = _parser.parse(regex, re.ASCII)
    except re.error as problem:
        raise PatternError(
            f"'{regex}' is no regular expression: {problem}", "mend it, or use 'text'"
        ) from problem
    if tree.state.flags & re.IGNORECASE:
        raise PatternError(
            f"'{regex}' ignores case", "programs print a message in one case; write that"
        )
    literals = _required(tree)
    types = {name: _type_of(name) for name in sorted(tree.state.groupdict)}
    return Compiled(regex, _best(literals, regex), types)


def fixed_letters(literal: str) -> int:
    """Count the characters of a literal by which the scanner can find it: letters, not a to f."""
    return sum(
        character == "_" or "g" <= character <= "z" or "A" <= character <= "Z"
        for character in literal
    )


def _best(literals: list[str], wording: str) -> str:
    """Choose the literal that the scanner finds fastest; blanks at its ends tell nothing."""
    literal = max((text.strip() for text in literals), key=_worth, default="")
    if not literal:
        raise PatternError(
            f"'{wording}' has no fixed text", "add the words that the program always prints"
        )
    return literal


def _worth(literal: str) -> tuple[int, int]:
    return fixed_letters(literal), len(literal)


def _required(tree: Any) -> list[str]:
    """List the pieces of literal text that every match of a syntax tree contains."""
    pieces = [""]
    for operation, argument in tree:
        if operation is _constants.LITERAL:
            pieces[-1] += chr(argument)
        elif operation is _constants.SUBPATTERN and not argument[1] & re.IGNORECASE:
            inner = _required(argument[3])
            pieces[-1] += inner[0]
            pieces.extend(inner[1:])
        elif operation in _REPEATS:
            if argument[0] > 0:
                pieces.extend(_required(argument[2]))
            pieces.append("")
        elif operation is not _constants.AT:
            pieces.append("")
    return pieces


_REPEATS = (
    _constants.MAX_REPEAT,
    _constants.MIN_REPEAT,
    _constants.POSSESSIVE_REPEAT,
)


def _type_of(group: str) -> str:
    kind = group.partition("_")[0]
    return kind if kind in PLACEHOLDERS else "word"


def _placeholder(found: "re.Match[str]", types: dict[str, str], last: bool) -> str:
    kind, name = found.group(1), found.group(2)
    if kind not in PLACEHOLDERS:
        raise PatternError(
            f"unknown placeholder '{found.group(0)}'",
            "placeholders are " + ", ".join(f"<{known}>" for known in PLACEHOLDERS),
        )
    expression = PLACEHOLDERS[kind][0]
    if kind == "word" and not last:
        expression += "?"  # up to the text that follows, not beyond it
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
