"""The prose of an entry: every text that people read, with its place."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from generator.load import Loaded
from generator.nodes import Node, Step

# Texts that are looked for, run, shown as they are, or chosen from a list.
_NOT_PROSE = frozenset(
    {"detect", "examples", "tags", "frameworks", "aliases", "phase", "effect", "refines"}
    | {"id", "url", "source", "run", "before", "after", "language", "stack", "package", "range"}
    | {"fixed_in", "supports", "category", "layer", "status", "kind", "recovers", "safe", "level"}
    | {"leads_to", "where", "within"}
)
_CODE_BLOCK = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )")


class Prose(NamedTuple):
    """One text."""

    steps: tuple[Step, ...]
    """The way to it in the front matter; empty for the body."""
    heading: str
    """The heading above it; empty for the front matter."""
    line: int
    text: str


def prose_of(loaded: Loaded) -> Iterator[Prose]:
    """Give every text of the front matter, and every section without its code blocks."""
    yield from _texts(loaded.root, ())
    for section in loaded.body:
        text = _CODE_BLOCK.sub(lambda code: "\n" * code.group().count("\n"), section.text)
        yield Prose((), section.heading, section.text_line, text)


def sentences(prose: Prose) -> Iterator[tuple[str, int]]:
    """Split a text into sentences, each with the line where it begins."""
    start = 0
    for end in (*_SENTENCE_END.finditer(prose.text), None):
        piece = prose.text[start : end.start() if end else len(prose.text)]
        plain = " ".join(piece.split()).lstrip("-* ")
        if plain:
            before = prose.text[:start] + piece[: len(piece) - len(piece.lstrip())]
            yield plain, prose.line + before.count("\n")
        start = end.end() if end else 0


def _texts(node: Node, steps: tuple[Step, ...]) -> Iterator[Prose]:
    if isinstance(node.value, dict):
        for key, item in node.value.items():
            if key not in _NOT_PROSE:
                yield from _texts(item, (*steps, key))
    elif isinstance(node.value, list):
        for index, item in enumerate(node.value):
            yield from _texts(item, (*steps, index))
    elif isinstance(node.value, str):
        yield Prose(steps, "", node.line, node.value)
