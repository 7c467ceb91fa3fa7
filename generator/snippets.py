"""Snippets for VS Code: the parts of an entry that are written again and again."""

import json
from collections.abc import Iterable
from typing import Any, get_args

from generator.detection import FactSign, LogSign, Strength
from generator.model import Category, Effect, Example, Expected, Layer, Phase, Reference
from generator.part import Part


def _choice(place: int, part: type[Part], field: str) -> str:
    """Offer the words that a field of the model allows."""
    return _words(place, _literals(part.model_fields[field].annotation))


def _literals(annotation: Any) -> list[str]:
    """Collect the words of all closed lists in an annotation."""
    found: list[str] = []
    for argument in get_args(annotation):
        found += [argument] if isinstance(argument, str) else _literals(argument)
    return found


def _words(place: int, words: Iterable[str]) -> str:
    return f"${{{place}|{','.join(words)}|}}"


_REPEATED: dict[str, tuple[str, list[str]]] = {
    "sign-log": (
        "a sign: a line that the program prints",
        [
            '${1:name}: {log: "${2:the fixed words, with <n> for a number}", at: '
            + _choice(3, LogSign, "at")
            + "}"
        ],
    ),
    "sign-traceback": (
        "a sign: an exception",
        ['${1:name}: {traceback: ${2:RuntimeError}, message: "${3:fixed words of its message}"}'],
    ),
    "sign-exit": (
        "a sign: how a process ended",
        ["${1:name}: {exit: {" + _words(2, ("signal", "code")) + ": ${3:SIGKILL}}}"],
    ),
    "sign-fact": (
        "a sign: what the machine shows",
        [
            "${1:name}: {fact: ${2:checkpoint.fstype}, is: "
            + _choice(3, FactSign, "is_")
            + ", value: ${4:9p}}"
        ],
    ),
    "signature": (
        "a signature: signs that together prove so much",
        ["- {name: ${1:what they prove}, " + _words(2, get_args(Strength)) + ": [${3:sign}]}"],
    ),
    "reference": (
        "a source, and what it supports",
        [
            "- url: ${1:https://}",
            '  title: "${2:its title}"',
            f"  supports: [{_choice(3, Reference, 'supports')}]",
            "  says: ${4:What it says about this failure, in your own words.}",
        ],
    ),
    "example": (
        "an example: a log and what it must be diagnosed as",
        [
            "- name: ${1:what it shows}",
            f"  origin: {_choice(2, Example, 'origin')}",
            "  log: |",
            "    ${3:the lines}",
            f"  expect: {{confidence: {_choice(4, Expected, 'confidence')}, "
            f"role: {_choice(5, Expected, 'role')}}}",
        ],
    ),
    "confused": (
        "an entry that looks alike, and what tells the two apart",
        ["- id: ${1:its id}", '  tell: "${2:What tells the two apart.}"'],
    ),
}


def snippets_text() -> str:
    """Write the snippets of Markdown files, the same text for the same model."""
    made: dict[str, Any] = {
        f"Entry: {name}": {
            "scope": "markdown",
            "prefix": f"tw-{name}",
            "body": body,
            "description": says,
        }
        for name, (says, body) in {**_REPEATED, **_of_choices()}.items()
    }
    return json.dumps(made, indent=2) + "\n"


def _of_choices() -> dict[str, tuple[str, list[str]]]:
    """Offer the words of the closed lists."""
    lists = {"category": Category, "phase": Phase, "layer": Layer, "effect": Effect}
    return {
        key: (f"the words for '{key}'", [f"{key}: {_words(1, get_args(words))}"])
        for key, words in lists.items()
    }
