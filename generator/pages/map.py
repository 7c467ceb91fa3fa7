"""The map of causes: all groups of entries drawn as one picture, and the same as a list."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import accumulate, groupby, pairwise
from textwrap import wrap
from typing import NamedTuple

from generator.pages.causes import Group, groups
from generator.pages.head import WIDE, front_matter
from generator.pages.hubs import counted
from generator.pages.labels import LAYERS
from generator.pages.markup import bullets, folded, heading, paragraphs
from generator.pages.shown import Shown
from generator.pages.text import link, plain

_WIDTH = 236
_APART = 54
_PAD = 8
_LINE = 16
_GAP = 14
_LANE = 2
_CHARACTER = 6.5
"""Width that a character takes at most on average, at 12 pixels."""
_ROUNDS = 4
"""How often the boxes of a column are put near those that they are joined with."""


class _Row(NamedTuple):
    text: str
    target: str
    """The page to go to; empty for a heading."""
    whole: str
    """The title, where the text is only its beginning."""


class _Lane(NamedTuple):
    """Where all lines to one entry pass a column."""

    target: str
    kind: str
    column: int


_Item = Group | _Lane


class _Placed(NamedTuple):
    item: _Item
    rows: tuple[_Row, ...]
    x: int
    y: int

    @property
    def height(self) -> int:
        return _height(self.rows)

    @property
    def middle(self) -> int:
        return self.y + self.height // 2


def map_pages(shown: Shown) -> dict[str, str]:
    """Write the page; none where no entry leads to another."""
    found = groups(shown)
    if not found:
        return {}
    joined = {name for group in found for name in group.ids}
    title = "What leads to what"
    single = [item for item in shown.listed if item.id not in joined]
    page = paragraphs(
        front_matter(title, "All failures, and which of them brings about which.", hide=WIDE),
        f"# {title}",
        "A log ends with the loudest message, and that is mostly the last of a chain. Find it on "
        "the right, and go left to what may have brought it about.\n{ .lead }",
        f"A line leads from what fails to what follows from it; a dashed one from a special case "
        f"to the general one. {counted(single)} of {len(shown.listed)} stand in no chain and are "
        f"not drawn; {link('all of them', 'entries/index.md')} are in a table.",
        '<div class="map" tabindex="0" role="region" aria-label="The map">'
        f"{_drawn(found, shown)}</div>",
        heading("The same as a list", "list"),
        *_listed(found, shown),
    )
    return {"map.md": page}


def _listed(found: Sequence[Group], shown: Shown) -> Iterable[str]:
    """Fold what brings about each failure that follows from others, the most common first."""
    causes: dict[str, list[str]] = {}
    for group in found:
        for name in group.leads_to:
            causes.setdefault(name, []).extend(group.ids)
    for name, before in sorted(causes.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        where = link(shown.titles[name], f"entries/{name}.md")
        lines = sorted(before, key=lambda one: shown.titles[one].lower())
        yield folded(
            "phase",
            f"{shown.titles[name]} ({len(before)})",
            paragraphs(
                f"{where} may follow from:",
                bullets(link(shown.titles[one], f"entries/{one}.md") for one in lines),
            ),
        )


def _drawn(found: Sequence[Group], shown: Shown) -> str:
    titles = {item.id: plain(item.entry.title) for item in shown.listed}
    layers = {item.id: item.entry.layer for item in shown.listed}
    rows: dict[_Item, tuple[_Row, ...]] = {
        group: tuple(_rows(group, titles, layers)) for group in found
    }
    ways = list(_ways(found))
    columns = _ordered(found, ways)
    height = max(sum(_height(rows.get(one, ())) + _GAP for one in column) for column in columns)
    placed: dict[_Item, _Placed] = {}
    for number, column in enumerate(columns):
        y = 0
        for item in column:
            x = (len(columns) - 1 - number) * (_WIDTH + _APART)
            placed[item] = _Placed(item, rows.get(item, ()), x, y)
            y += placed[item].height + _GAP
    # Lines that share a piece of their way share the piece in the drawing.
    pieces = dict.fromkeys((kind, *pair) for kind, way in ways for pair in pairwise(way))
    edges = [_edge(placed[start], placed[end], kind) for kind, start, end in pieces]
    width = len(columns) * (_WIDTH + _APART) - _APART
    arrow = (
        '<defs><marker id="map-end" viewBox="0 0 6 6" refX="0" refY="3" markerWidth="6" '
        'markerHeight="6" orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0L6 3L0 6z"/>'
        "</marker></defs>"
    )
    drawn = "".join(_drawn_item(one) for one in placed.values())
    return (
        f'<svg viewBox="-1 -1 {width + 2} {height + 2}" width="{width + 2}" height="{height + 2}" '
        f'role="group" aria-label="Causes on the left, consequences on the right">'
        f"{arrow}{''.join(edges)}{drawn}</svg>"
    )


def _ways(found: Sequence[Group]) -> Iterable[tuple[str, list[_Item]]]:
    """Lead each group to what it brings about or refines, over a lane in every column between."""
    home = {name: group for group in found for name in group.ids}
    for group in found:
        for kind, names in (("edge", group.leads_to), ("edge case", group.refines)):
            for name in names:
                between = range(group.column - 1, home[name].column, -1)
                lanes = [_Lane(name, kind, column) for column in between]
                yield kind, [group, *lanes, home[name]]


def _rows(group: Group, titles: Mapping[str, str], layers: Mapping[str, str]) -> Iterable[_Row]:
    """Give the lines of a box: one title over several, or many of a line each, by their layers."""
    columns = int((_WIDTH - 2 * _PAD) / _CHARACTER)
    if len(group.ids) == 1:
        name = group.ids[0]
        lines = wrap(titles[name], columns, max_lines=3, placeholder=" …")
        for line in lines:
            yield _Row(line, name, titles[name])
        return
    order = {layer: at for at, layer in enumerate(LAYERS)}
    ids = sorted(group.ids, key=lambda name: (order[layers[name]], titles[name].lower()))
    for layer, names in groupby(ids, key=lambda name: layers[name]):
        yield _Row(f"in {LAYERS[layer]}", "", "")
        for name in names:
            yield _Row(_shortened(titles[name], columns), name, titles[name])


def _shortened(text: str, columns: int) -> str:
    """Cut a text to the width of so many usual characters; capitals are wider."""
    widths = list(accumulate(1.3 if one.isupper() or one == "_" else 1.0 for one in text))
    if not widths or widths[-1] <= columns:
        return text
    return text[: sum(width <= columns - 1 for width in widths)].rstrip() + "…"


def _height(rows: Sequence[_Row]) -> int:
    return 2 * _PAD + _LINE * len(rows) if rows else _LANE


def _ordered(found: Sequence[Group], ways: Iterable[tuple[str, list[_Item]]]) -> list[list[_Item]]:
    """Put all into columns, each near what it is joined with, the end of chains first."""
    items: dict[_Item, list[_Item]] = {group: [] for group in found}
    for _, way in ways:
        for one, other in pairwise(way):
            items.setdefault(one, []).append(other)
            items.setdefault(other, []).append(one)
    last = max(item.column for item in items)
    columns = [[one for one in items if one.column == number] for number in range(last + 1)]
    place: dict[_Item, float] = {}

    def near(item: _Item) -> float:
        beside = [place[one] for one in items[item] if one in place]
        return sum(beside) / len(beside) if beside else 0.5

    for number in range(_ROUNDS):
        for column in columns if number % 2 == 0 else reversed(columns):
            column.sort(key=near)
            for at, item in enumerate(column):
                place[item] = (at + 1) / (len(column) + 1)
    return [column for column in columns if column]


def _edge(start: _Placed, end: _Placed, kind: str) -> str:
    arrives = isinstance(end.item, Group)
    x1, y1 = start.x + _WIDTH, start.middle
    x2, y2 = end.x - (7 if arrives else 0), end.middle
    bend = max((x2 - x1) // 2, 20)
    mark = ' marker-end="url(#map-end)"' if arrives else ""
    return (
        f'<path class="{kind}" d="M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"{mark}/>'
    )


def _drawn_item(placed: _Placed) -> str:
    if isinstance(placed.item, _Lane):
        return f'<path class="{placed.item.kind}" d="M{placed.x} {placed.middle}h{_WIDTH}"/>'
    return _drawn_box(placed, placed.item)


def _drawn_box(box: _Placed, group: Group) -> str:
    kind = "entry" if group.leads_to or group.refines else "entry own"
    rectangle = f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{box.height}" rx="4"/>'
    written: list[str] = []
    at = 0
    for target, lines in groupby(box.rows, key=lambda row: row.target):
        texts = []
        for row in lines:
            y = box.y + _PAD + 12 + at * _LINE
            style = "" if row.target else ' class="note"'
            texts.append(f'<text x="{box.x + _PAD}" y="{y}"{style}>{escape(row.text)}</text>')
            at += 1
        whole = escape(next(row.whole for row in box.rows if row.target == target))
        inner = "".join(texts)
        written.append(
            f'<a href="../entries/{target}/"><title>{whole}</title>{inner}</a>' if target else inner
        )
    return f'<g class="{kind}">{rectangle}{"".join(written)}</g>'
