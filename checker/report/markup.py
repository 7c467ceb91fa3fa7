"""HTML that cannot be broken by what a log printed: nodes enter, ASCII text leaves.

A node is a text, which is always escaped, or a tuple of a tag, its attributes and its nodes.
Nothing else reaches the page, so there is no place at which escaping could be forgotten.
"""

from typing import Any, Dict, Iterable, List

from checker.report.terminal import visible

# A text, or (tag, attributes, child, ...).
Node = Any
_VOID_TAGS = ("meta", "link", "input")


def element(tag: str, attributes: Dict[str, str], *children: Node) -> Node:
    """Make a node; an empty child leaves nothing behind."""
    return (tag, attributes, *(child for child in children if child not in ("", None, ())))


def html_text(node: Node) -> str:
    """Write a node as HTML in ASCII; other characters become references by number."""
    pieces: List[str] = []
    _write(node, pieces)
    return "".join(pieces).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _write(node: Node, pieces: List[str]) -> None:
    if isinstance(node, str):
        pieces.append(escaped(node))
        return
    tag, attributes = node[:2]
    written = "".join(' {}="{}"'.format(k, escaped(v)) for k, v in attributes.items())
    pieces.append("<{}{}>".format(tag, written))
    if tag == "style":
        # The one raw text: a constant of this checker, whose digest the page's policy names.
        pieces.extend(node[2:])
    else:
        for child in node[2:]:
            _write(child, pieces)
    if tag not in _VOID_TAGS:
        pieces.append("</{}>".format(tag))


def escaped(text: str) -> str:
    """Write a text so that it is shown as it is; controls and turned directions as escapes."""
    # A line break is the only control that a quote may hold.
    text = "\n".join(visible(line) for line in text.split("\n"))
    for character, reference in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        text = text.replace(character, "&{};".format(reference))
    return text.replace("'", "&#39;")


def prose_nodes(text: str) -> List[Node]:
    """Show what stands in backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return [text]
    return [
        element("code", {}, part) if number % 2 else part
        for number, part in enumerate(parts)
        if part
    ]


def listed(tag: str, items: Iterable[List[Node]]) -> Node:
    """Make a list of its items, or nothing."""
    made = [element("li", {}, *item) for item in items]
    return element(tag, {}, *made) if made else ""


def section(heading: str, *content: Node) -> Node:
    """Make a section with a heading, or nothing where it would be empty."""
    kept = [node for node in content if node not in ("", None, ())]
    return element("section", {}, element("h2", {}, heading), *kept) if kept else ""


def folded(heading: str, *content: Node) -> Node:
    """Make a section that opens when asked, or nothing where it would be empty."""
    kept = [node for node in content if node not in ("", None, ())]
    summary = element("summary", {}, element("h2", {}, heading))
    return element("details", {}, summary, *kept) if kept else ""
