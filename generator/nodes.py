"""The nodes of a front matter: values that know their place in the file."""

from collections.abc import Sequence
from typing import Any, NamedTuple

Step = str | int


class Node(NamedTuple):
    """A YAML node: a scalar, a list of nodes, or a mapping of names to nodes."""

    value: Any
    line: int
    column: int
    source: str = ""
    """A scalar's text as written, before YAML gives it a type."""
    quoted: bool = False
    keys: dict[str, tuple[int, int]] = {}
    """Line and column of each key of a mapping."""


class Place(NamedTuple):
    """Where in a file a part of the entry stands."""

    node: Node
    line: int
    column: int
    field: str


# The short form of a signature writes its strength where the long one has `all`.
_SHORT_FORMS = {"all": ("decisive", "strong", "weak")}


def plain(node: Node) -> Any:
    """Give the node's value without places."""
    if isinstance(node.value, dict):
        return {key: plain(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [plain(item) for item in node.value]
    return node.value


def locate(root: Node, steps: Sequence[Step]) -> Place:
    """Follow *steps* of the long form through what was written, as far as it goes.

    Steps that the short form does not write (the index of a list of one, the key that a bare
    string stands for, the tag of a union) stay where they are.
    """
    node, field = root, ""
    line, column = root.line, root.column
    for step in steps:
        if isinstance(step, str) and step.startswith("[") and isinstance(node.value, dict):
            continue
        found = _child(node, step)
        if found is None:
            continue
        key, node = found
        line, column = node.line, node.column
        field += f"[{key}]" if isinstance(key, int) else f".{key}"
    return Place(node, line, column, field.removeprefix("."))


def locate_key(root: Node, steps: Sequence[Step]) -> Place:
    """Find the key that the last of *steps* names, rather than its value."""
    parent, place = locate(root, steps[:-1]), locate(root, steps)
    line, column = parent.node.keys.get(str(steps[-1]), (place.line, place.column))
    return place._replace(line=line, column=column)


def _child(node: Node, step: Step) -> tuple[Step, Node] | None:
    if isinstance(node.value, dict):
        for key in (step, *_SHORT_FORMS.get(str(step), ())):
            if key in node.value:
                return key, node.value[key]
    if isinstance(node.value, list) and isinstance(step, int) and step < len(node.value):
        return step, node.value[step]
    return None
