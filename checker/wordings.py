"""Turn the text of a wording into what the scan and the signs use: an expression and a literal.

A text is literal except for typed placeholders, `<size>` or named `<size:tried>`. A run of blanks
matches any run of blanks, since programs pad. Every repetition is bounded, so that a search takes
time linear in the length of the line.
"""

import re
from typing import Any, Dict, List, NamedTuple, Tuple

from checker.lazy_patterns import lazy_pattern


class CompiledWording(NamedTuple):
    """A wording as the checker uses it."""

    regex: str
    literal: str
    """A fixed piece that every match contains, but for the length of runs of blanks; the scanner
    looks for it first."""
    types: Dict[str, str]
    """Capture name to placeholder type."""


class PatternError(ValueError):
    """A wording that cannot be compiled; `help` says how to mend it."""

    def __init__(self, message: str, help: str) -> None:
        """Keep the message and the help apart, as the person sees them."""
        super().__init__(message)
        self.help = help


PLACEHOLDERS: Dict[str, Tuple[str, str]] = {
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
    "peer": (r"\d{1,7}", "another rank than the one that tells of it"),
    "bus": (r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?", "a PCI bus id"),
    "host": (r"[A-Za-z0-9_.-]{1,255}", "a host name or address"),
    "word": (r"[^\s,;]{1,256}", "anything without a blank, comma or semicolon"),
    "path": (r"[^\s'\",;]{1,1024}", "a path without blanks"),
}

_PLACEHOLDER = lazy_pattern(r"<([a-z]+)(?::([a-z][a-z0-9_]*))?>")
_MISSPELLED = lazy_pattern(r"(?<!<)<([A-Za-z]+:[^<>]*)>")


def compile_text(text: str) -> CompiledWording:
    """Compile a literal text with placeholders.

    Raises PatternError for an unknown placeholder or a text that is only placeholders. A lower-case
    word in angle brackets that is no placeholder is an error, not literal text, since a misspelled
    placeholder would never match; a literal bracket is written `<<`.
    """
    misspelled = _MISSPELLED.search(_PLACEHOLDER.sub("", text))
    if misspelled:
        raise PatternError(
            "'{}' is no placeholder".format(misspelled.group(0)),
            "write <kind:name> with a name of lower-case letters, digits and _",
        )
    pieces: List[str] = []
    literals: List[str] = []
    types: Dict[str, str] = {}
    end = 0
    for found in _PLACEHOLDER.finditer(text):
        if text[max(found.start() - 1, 0) : found.start()] == "<":
            continue
        _add_fixed_text(text[end : found.start()], pieces, literals)
        pieces.append(_placeholder_regex(found, types, last=found.end() == len(text)))
        end = found.end()
    _add_fixed_text(text[end:], pieces, literals)
    return CompiledWording("".join(pieces), best_literal(literals, text), types)


def full_wording(written: Any) -> Dict[str, Any]:
    """Write a wording of the catalogue in full; a text alone is compiled, the rest is complete."""
    if isinstance(written, str):
        written = {"text": written}
    if "regex" in written:
        return dict(written)
    compiled = compile_text(written["text"])
    return {
        "since": None,
        "until": None,
        **written,
        "regex": compiled.regex,
        "literal": compiled.literal,
        "types": compiled.types,
    }


def fixed_letters(literal: str) -> int:
    """Count the characters of a literal by which the scanner can find it: letters, not a to f."""
    return sum(
        character == "_" or "g" <= character <= "z" or "A" <= character <= "Z"
        for character in literal
    )


def best_literal(literals: List[str], wording: str) -> str:
    """Choose the literal that the scanner finds fastest; blanks at its ends tell nothing."""
    literal = max((text.strip() for text in literals), key=_literal_worth, default="")
    if not literal:
        raise PatternError(
            "'{}' has no fixed text".format(wording), "add the words that the program always prints"
        )
    return literal


def _literal_worth(literal: str) -> Tuple[int, int]:
    return fixed_letters(literal), len(literal)


def _placeholder_regex(found: "re.Match[str]", types: Dict[str, str], last: bool) -> str:
    kind, name = found.group(1), found.group(2)
    if kind not in PLACEHOLDERS:
        raise PatternError(
            "unknown placeholder '{}'".format(found.group(0)),
            "placeholders are " + ", ".join("<{}>".format(known) for known in PLACEHOLDERS),
        )
    expression = PLACEHOLDERS[kind][0]
    if kind == "word" and not last:
        expression += "?"  # up to the text that follows, not beyond it
    name = name or kind
    if name in types:
        if found.group(2):
            raise PatternError(
                "the name '{}' is used twice".format(name), "give each capture its own name"
            )
        return "(?:{})".format(expression)
    types[name] = kind
    return "(?P<{}>{})".format(name, expression)


def _add_fixed_text(text: str, pieces: List[str], literals: List[str]) -> None:
    text = text.replace("<<", "<")
    if not text:
        return
    literals.append(text)
    words = re.split(r"[ \t]+", text)
    pieces.append(r"[ \t]{1,32}".join(re.escape(word) for word in words))
