"""The layout of an entry: keys in the order of the model, blank lines where a part begins.

The text is moved, never written anew, so that quotes, comments and line breaks stay as they are.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, get_args

from generator.frontmatter import read_entry
from generator.model import Entry
from generator.nodes import plain
from generator.part import Part

_KEY = re.compile(r"([\w.-]+|\"[^\"]*\"|'[^']*'):(\s|$)")
_OPENS_TEXT = re.compile(r":\s+[|>][-+0-9]*\s*(#.*)?$|^\s*-\s+[|>][-+0-9]*\s*$")


class _Block(NamedTuple):
    key: str
    lines: list[str]
    """With the comments above the key; without blank lines around."""


def laid_out(text: str) -> str:
    """Return the text of an entry in the layout of all; unchanged where that is not possible.

    It is not where the front matter cannot be read, or would no longer mean the same.
    """
    lines = text.split("\n")
    if lines[0] != "---" or "---" not in lines[1:]:
        return text
    end = lines.index("---", 1)
    front = list(_front_matter(lines[1:end]))
    body = re.sub(r"\n{3,}(?=#)", "\n\n", "\n".join(lines[end + 1 :]).strip("\n"))
    made = "\n".join(["---", *front, "---", *(["", body] if body else []), ""])
    return made if _meaning(made) == _meaning(text) is not None else text


def _meaning(text: str) -> Any:
    root = read_entry("", text.encode()).root
    return None if root is None else plain(root)


def _front_matter(lines: Sequence[str]) -> Iterator[str]:
    """Give the lines of all keys; a key with lines of its own begins a paragraph."""
    before_long = True
    for number, block in enumerate(_ordered(_blocks(lines, 0), Entry)):
        long = sum(not line.startswith("#") for line in block.lines) > 1
        if number and (long or before_long):
            yield ""
        yield from block.lines
        before_long = long


def _ordered(blocks: Sequence[_Block], part: type[Part]) -> list[_Block]:
    """Put blocks in the order of the model, each with its own parts in order."""
    fields = {field.alias or name.rstrip("_"): field for name, field in part.model_fields.items()}
    place = {name: number for number, name in enumerate(fields)}
    ordered = sorted(blocks, key=lambda block: place.get(block.key, len(place)))
    return [
        _Block(block.key, _within(block.lines, _part_of(fields[block.key].annotation)))
        if block.key in fields
        else block
        for block in ordered
    ]


def _part_of(annotation: Any) -> type[Part] | None:
    """Find the part that a field holds, alone or in a list; None where it is none or several."""
    found = {one for one in _classes(annotation) if issubclass(one, Part)}
    return found.pop() if len(found) == 1 else None


def _classes(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type) and not get_args(annotation):
        yield annotation
    for argument in get_args(annotation):
        yield from _classes(argument)


def _within(lines: list[str], part: type[Part] | None) -> list[str]:
    """Order the keys below a key, whether they are a mapping or a list of mappings."""
    head = next(number for number, line in enumerate(lines) if not line.lstrip().startswith("#"))
    below = lines[head + 1 :]
    first = next((line for line in below if line.strip()), "")
    if part is None or _OPENS_TEXT.search(lines[head]) or not first:
        return lines
    indent = len(first) - len(first.lstrip())
    if first.lstrip().startswith("- "):
        return [*lines[: head + 1], *_items(below, indent, part)]
    blocks = _blocks(below, indent)
    return [*lines[: head + 1], *(line for one in _ordered(blocks, part) for line in one.lines)]


def _items(lines: Sequence[str], indent: int, part: type[Part]) -> Iterator[str]:
    mark = " " * indent + "- "
    starts = [number for number, line in enumerate(lines) if line.startswith(mark)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        item = lines[start:end]
        opened = [" " * len(mark) + item[0][len(mark) :], *item[1:]]
        if not _KEY.match(opened[0].lstrip()) or "{" in opened[0].lstrip()[:1]:
            yield from item
            continue
        made = [line for one in _ordered(_blocks(opened, len(mark)), part) for line in one.lines]
        yield from [mark + made[0][len(mark) :], *made[1:]]


def _blocks(lines: Sequence[str], indent: int) -> list[_Block]:
    """Split lines at the keys that stand at this indent."""
    blocks: list[_Block] = []
    waiting: list[str] = []
    for line in lines:
        found = _KEY.match(line[indent:]) if line[:indent].strip() == "" else None
        if found and len(line) - len(line.lstrip()) == indent:
            blocks.append(_Block(found[1].strip("\"'"), [*waiting, line.rstrip()]))
            waiting = []
        elif line.startswith(" " * indent + "#") or (not line.strip() and waiting):
            waiting.append(line.rstrip())
        elif blocks:
            blocks[-1].lines.extend([*waiting, line.rstrip()])
            waiting = []
    if blocks:
        blocks[-1].lines.extend(waiting)
    return [_Block(one.key, _trimmed(one.lines)) for one in blocks]


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Remove the blank lines around a block."""
    numbers = [number for number, line in enumerate(lines) if line.strip()]
    return list(lines[numbers[0] : numbers[-1] + 1])
