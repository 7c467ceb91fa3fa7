"""The drawing of what leads to an entry and where it leads: a view enters, an SVG leaves.

It is drawn twice, side by side for a wide page and one below the other for a narrow one; the style
sheet shows one of the two.
"""

import textwrap
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from generator.pages.labels import PLACES
from generator.pages.shown import View
from generator.pages.text import plain

_MOST = 6
"""Boxes that are drawn on one side; the last of them leads to the list of all."""
_LINE = 18
_PAD = 9
_GAP = 12
_CHARACTER = 7.0
"""Width that a character takes at most on average, at 13 pixels."""


_Side = Sequence[tuple[str, str]]
"""Ids of entries, each with a note."""


class _Box(NamedTuple):
    """An entry in the drawing."""

    lines: tuple[str, ...]
    note: str
    """Where it happens."""
    target: str
    """The page to go to; empty for the entry itself."""

    @property
    def height(self) -> int:
        return 2 * _PAD + _LINE * (len(self.lines) + bool(self.note))


class _Placed(NamedTuple):
    box: _Box
    x: int
    y: int
    width: int


def drawn(view: View) -> str:
    """Draw the entry between its causes and its consequences; nothing where it has neither."""
    before = [(name, "") for name, _ in view.shown.causes.get(view.id, [])]
    after = [(one.id, PLACES[one.where]) for one in view.entry.relations.leads_to]
    sides = [
        ([(name, note) for name, note in side if name in view.shown.titles], anchor)
        for side, anchor in ((before, "#causes"), (after, "#consequences"))
    ]
    if not any(side for side, _ in sides):
        return ""
    return f'<div class="chain">{_wide(view, sides)}{_narrow(view, sides)}</div>'


def _columns(view: View, sides: Sequence[tuple[_Side, str]], width: int) -> list[list[_Box]]:
    before, after = (_boxes(view, side, anchor, width) for side, anchor in sides)
    return [column for column in (before, [_own(view, width)], after) if column]


def _wide(view: View, sides: Sequence[tuple[_Side, str]]) -> str:
    width, apart = 270, 75
    shown = _columns(view, sides, width)
    height = max(map(_stacked, shown))
    placed = [
        _stack(column, number * (width + apart), (height - _stacked(column)) // 2, width)
        for number, column in enumerate(shown)
    ]
    edges = [
        _across(left, right)
        for left_column, right_column in pairwise(placed)
        for left in left_column
        for right in right_column
    ]
    total = len(shown) * width + (len(shown) - 1) * apart
    return _svg("wide", total, height, edges, [one for column in placed for one in column])


def _narrow(view: View, sides: Sequence[tuple[_Side, str]]) -> str:
    width, apart, rail = 330, 26, 14
    placed: list[list[_Placed]] = []
    y = 0
    for group in _columns(view, sides, width):
        placed.append(_stack(group, rail, y, width))
        y += _stacked(group) + apart
    edges = [
        _down(upper, lower, rail)
        for uppers, lowers in pairwise(placed)
        for upper in uppers
        for lower in lowers
    ]
    boxes = [one for group in placed for one in group]
    return _svg("narrow", rail + width, y - apart, edges, boxes)


def _boxes(view: View, side: _Side, all_of_them: str, width: int) -> list[_Box]:
    boxes = [_Box(_title(view, name, width), note, f"../{name}/") for name, note in side]
    if len(boxes) <= _MOST:
        return boxes
    drawn = boxes[: _MOST - 1]
    return [*drawn, _Box((f"and {len(boxes) - len(drawn)} more",), "", all_of_them)]


def _own(view: View, width: int) -> _Box:
    return _Box(_title(view, view.id, width), "", "")


def _title(view: View, name: str, width: int) -> tuple[str, ...]:
    """Wrap the title of an entry into the lines of its box."""
    title = view.shown.by_id[name].entry.title
    columns = int((width - 2 * _PAD) / _CHARACTER)
    return tuple(textwrap.wrap(plain(title), columns, max_lines=4, placeholder=" …"))


def _stacked(boxes: Sequence[_Box]) -> int:
    return sum(one.height for one in boxes) + _GAP * (len(boxes) - 1)


def _stack(boxes: Sequence[_Box], x: int, y: int, width: int) -> list[_Placed]:
    placed = []
    for box in boxes:
        placed.append(_Placed(box, x, y, width))
        y += box.height + _GAP
    return placed


def _across(left: _Placed, right: _Placed) -> str:
    x1, y1 = left.x + left.width, left.y + left.box.height // 2
    x2, y2 = right.x - 6, right.y + right.box.height // 2
    middle = (x1 + x2) // 2
    return f"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}"


def _down(upper: _Placed, lower: _Placed, rail: int) -> str:
    """Lead from the side of one box along the rail to the side of another."""
    y1, y2 = upper.y + upper.box.height // 2, lower.y + lower.box.height // 2
    return f"M{rail} {y1}H4V{y2}H{rail - 6}"


def _svg(name: str, width: int, height: int, edges: Sequence[str], boxes: Sequence[_Placed]) -> str:
    arrow = f"chain-{name}"
    head = (
        f'<defs><marker id="{arrow}" viewBox="0 0 6 6" refX="0" refY="3" markerWidth="6" '
        f'markerHeight="6" orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0L6 3L0 6z"/>'
        "</marker></defs>"
    )
    lines = "".join(f'<path class="edge" d="{d}" marker-end="url(#{arrow})"/>' for d in edges)
    return (
        f'<svg class="{name}" viewBox="-1 -2 {width + 2} {height + 4}" width="{width + 2}" '
        'role="group" aria-label="Causes and consequences">'
        f"{head}{lines}{''.join(map(_drawn_box, boxes))}</svg>"
    )


def _drawn_box(placed: _Placed) -> str:
    box, x, y, width = placed
    kind = "entry" if box.target else "entry own"
    rectangle = f'<rect x="{x}" y="{y}" width="{width}" height="{box.height}" rx="4"/>'
    texts = [(line, "") for line in box.lines]
    if box.note:
        texts.append((box.note, ' class="note"'))
    written = "".join(
        f'<text x="{x + _PAD}" y="{y + _PAD + 13 + number * _LINE}"{style}>{escape(line)}</text>'
        for number, (line, style) in enumerate(texts)
    )
    inner = f'<g class="{kind}">{rectangle}{written}</g>'
    return f'<a href="{escape(box.target)}">{inner}</a>' if box.target else inner
