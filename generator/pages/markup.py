"""Blocks of Markdown, from texts that are Markdown already."""

from collections.abc import Iterable, Sequence

from generator.pages.text import indent


def paragraphs(*blocks: str) -> str:
    """Join blocks by blank lines; empty ones are left out."""
    return "\n\n".join(block for block in blocks if block)


def heading(text: str, anchor: str, level: int = 2, label: str = "") -> str:
    """Write a heading with a fixed anchor; *label* is its name in the list of the headings."""
    listed = f' data-toc-label="{label}"' if label else ""
    return f"{'#' * level} {text} {{ #{anchor}{listed} }}"


def bullets(items: Iterable[str]) -> str:
    """Write a list; an item may be several blocks."""
    return _list("-   ", items)


def numbered(items: Iterable[str]) -> str:
    """Write a list of steps; an item may be several blocks."""
    return _list("1.  ", items)


def _list(mark: str, items: Iterable[str]) -> str:
    written = [mark + indent(item).lstrip(" ") for item in items]
    # Items of several blocks need blank lines between them; one-line items read better without.
    gap = "\n\n" if any("\n" in item for item in written) else "\n"
    return gap.join(written)


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Write pairs of a term and what is said of it."""
    return "\n\n".join(f"{term}\n:   {indent(said).lstrip(' ')}" for term, said in pairs)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; cells are single lines without a bare pipe."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def box(kind: str, title: str, content: str) -> str:
    """Write an admonition; *title* is ours, or escaped and without quotes."""
    return f'!!! {kind} "{title}"\n\n{indent(content)}'


def folded(kind: str, title: str, content: str) -> str:
    """Write a block that opens on a click; *title* is ours, or escaped and without quotes."""
    return f'??? {kind} "{title}"\n\n{indent(content)}'


def tabs(pages: Iterable[tuple[str, str]]) -> str:
    """Write tabs; titles are ours, or escaped and without quotes."""
    return "\n\n".join(f'=== "{title}"\n\n{indent(content)}' for title, content in pages)


def marked(text: str, name: str) -> str:
    """Write a strong word with a class, for color that is never the only carrier."""
    return f"**{text}**{{ .{name} }}"


def wrapped(name: str, content: str, *attributes: str) -> str:
    """Put blocks into an element with a class, and further attributes."""
    written = " ".join((f'class="{name}"', *attributes, 'markdown="1"'))
    return f"<div {written}>\n\n{content}\n\n</div>"
