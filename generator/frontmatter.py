"""Read an entry's bytes: a front matter of YAML nodes with their places, and the body behind it.

Only plain YAML passes: whatever a reader of the file and a YAML program would understand
differently is refused where it stands.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import yaml

from generator.errors import Problem
from generator.framing import split_file
from generator.nodes import Node
from generator.scalars import read_plain
from generator.yaml_errors import explain_syntax

_DEPTH = 24
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_HALF = re.compile("[\ud800-\udfff]")
_FRAMING = (
    yaml.StreamStartEvent,
    yaml.StreamEndEvent,
    yaml.DocumentStartEvent,
    yaml.DocumentEndEvent,
)


class Read(NamedTuple):
    """A file's front matter and body."""

    root: Node | None
    """None where the front matter could not be read as a whole."""
    body: str
    body_line: int
    problems: tuple[Problem, ...]


def read_entry(path: str, data: bytes) -> Read:
    """Split the bytes of a file into front matter and body."""
    parts = split_file(path, data)
    if isinstance(parts, Problem):
        return Read(None, "", 1, (parts,))
    reader = _Reader(path, parts.front_matter)
    root = reader.read()
    return Read(root, parts.body, parts.body_line, tuple(reader.problems))


def _limited(events: Iterable[Any]) -> list[Any]:
    """Collect events up to the first mapping or list that is nested too deeply."""
    depth, collected = 0, []
    for event in events:
        collected.append(event)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEPTH:
            break
    return collected


class _Reader:
    """Build the nodes of one front matter from the events of the YAML parser."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.problems: list[Problem] = []
        self.broken = False
        self.texts: list[tuple[int, int]] = []
        """First and last line of every quoted or block text; tabs are content there."""

    def read(self) -> Node | None:
        events = self._events()
        if events is None or self._too_deep(events):
            return None
        if not events:
            self._refuse(
                "empty-file",
                (2, 1),
                "",
                "the front matter is empty",
                "write the keys of tests/lint_samples/good.md, which is a complete sample",
            )
            return None
        stream = iter(events)
        root = self._node(next(stream), stream, "")
        self._tabs()
        if self.broken:
            # What else was found there rests on a structure that is not known.
            self.problems = [p for p in self.problems if p.code in ("yaml-anchor", "yaml-syntax")]
            return None
        if isinstance(root.value, dict):
            return root
        self._refuse(
            "wrong-type",
            (root.line, root.column),
            "",
            "the front matter is not a mapping",
            "write lines of the form 'key: value', as 'title: Training hangs at a checkpoint'",
        )
        return None

    def _events(self) -> list[Any] | None:
        try:
            events = _limited(yaml.parse(self.text, Loader=_FAST))
        except yaml.YAMLError:
            # The places that the readers name differ, so that only one of them explains.
            try:
                events = _limited(yaml.parse(self.text, Loader=yaml.SafeLoader))
            except yaml.YAMLError as error:
                self.problems.append(explain_syntax(self.path, self.text, error))
                return None
        return [event for event in events if not isinstance(event, _FRAMING)]

    def _too_deep(self, events: list[Any]) -> bool:
        if not events or not isinstance(events[-1], yaml.CollectionStartEvent):
            return False
        mark: Any = events[-1].start_mark
        place = (mark.line + 2, mark.column + 1)
        self._refuse("yaml-syntax", place, "", "the nesting is too deep", "use fewer levels")
        return True

    def _node(self, event: Any, stream: Iterator[Any], field: str) -> Node:
        line, column = event.start_mark.line + 2, event.start_mark.column + 1
        self._unplain(event, line, column, field)
        if isinstance(event, yaml.AliasEvent):
            return Node("", line, column)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, line, column, field)
        if isinstance(event, yaml.SequenceStartEvent):
            return Node(self._items(stream, field), line, column)
        return self._mapping(stream, line, column, field)

    def _scalar(self, event: Any, line: int, column: int, field: str) -> Node:
        if event.style:
            self.texts.append((line, event.end_mark.line + 2))
            if _HALF.search(event.value):
                self._refuse(
                    "yaml-syntax",
                    (line, column),
                    field,
                    "an escape stands for half a character",
                    "write the character itself",
                )
            return Node(event.value, line, column, event.value, True)
        value, trap = read_plain(event.value)
        if trap:
            self._refuse(trap.code, (line, column), field, trap.message, trap.help)
        return Node(value, line, column, event.value)

    def _items(self, stream: Iterator[Any], field: str) -> list[Node]:
        items: list[Node] = []
        for event in stream:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._node(event, stream, f"{field}[{len(items)}]"))
        return items

    def _mapping(self, stream: Iterator[Any], line: int, column: int, field: str) -> Node:
        values: dict[str, Node] = {}
        keys: dict[str, tuple[int, int]] = {}
        for event in stream:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key, key_place = self._key(event, stream, field)
            inner = f"{field}.{key}".removeprefix(".")
            node = self._node(next(stream), stream, inner)
            if key in keys:
                self._refuse(
                    "duplicate-key",
                    key_place,
                    inner,
                    f"the key '{key}' is already in line {keys[key][0]}",
                    "keep one of the two, or join their values under one key",
                )
                continue
            keys[key], values[key] = key_place, node
        return Node(values, line, column, keys=keys)

    def _key(self, event: Any, stream: Iterator[Any], field: str) -> tuple[str, tuple[int, int]]:
        line, column = event.start_mark.line + 2, event.start_mark.column + 1
        if not isinstance(event, yaml.ScalarEvent):
            self._node(event, stream, field)
            self._refuse(
                "yaml-syntax",
                (line, column),
                field,
                "a key is a single word",
                "put a text that begins with '{', '[', '&' or '*' in quotes",
            )
            self.broken = True
            return "", (line, column)
        self._unplain(event, line, column, field)
        if event.value == "<<" and not event.style:
            self._refuse_anchor(line, column, field, "the key '<<' merges another mapping")
        return event.value, (line, column)

    def _unplain(self, event: Any, line: int, column: int, field: str) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._refuse_anchor(line, column, field, f"'*{event.anchor}' is an alias")
        elif event.anchor is not None:
            self._refuse_anchor(line, column, field, f"'&{event.anchor}' is an anchor")
        elif event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._refuse_anchor(line, column, field, f"'{tag}' is a tag")

    def _refuse_anchor(self, line: int, column: int, field: str, message: str) -> None:
        self.broken = True
        self._refuse(
            "yaml-anchor",
            (line, column),
            field,
            message,
            "write the value out; if it is meant as text, put all of it in quotes",
        )

    def _tabs(self) -> None:
        for number, line in enumerate(self.text.split("\n"), start=2):
            column = line.find("\t") + 1
            if column and not any(first <= number <= last for first, last in self.texts):
                self._refuse(
                    "yaml-tab",
                    (number, column),
                    "",
                    "there is a tab outside of quotes",
                    "use blanks; where the tab is meant, put the text in double quotes and write"
                    " \\t",
                )

    def _refuse(
        self, code: str, place: tuple[int, int], field: str, message: str, help: str
    ) -> None:
        self.problems.append(Problem(self.path, *place, code, field, message, help))
