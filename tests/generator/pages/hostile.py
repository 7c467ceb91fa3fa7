"""Texts that try to become more than text, and entries that are full of them."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from generator.load import Collection
from generator.model import Entry
from tests.generator.pages.rendering import parse_html, sample_collection

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</code></pre><svg/onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](https://example.org){ onclick=alert(1) }",
    "![x](https://example.org/x.png)",
    "see !![x](https://example.org/x.png) and ![`y`](other.md)",
    "{: onclick=alert(1) }",
    "`a`{ onclick=alert(1) }",
    "[ref]: javascript:alert(1)\n[ref][ref]",
    "`unclosed <b>bold</b>",
    "``a ` <b> ` b``",
    "<https://example.org/auto>",
    "<!-- comment --> <![CDATA[x]]> <?php ?>",
    "&lt;b&gt; &#60;b&#62;",
    "\\`<b>\\` \\<b>",
    "a | b | <i>c</i>",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "~~~ {.x onclick=alert(1)}\n<b>\n~~~",
    "   ```text\n<b>dedented</b>\n  ```",
    "<div markdown=1>\n\n**x**\n\n</div>",
    '=== "<b>tab</b>"\n\n    <i>in</i>',
    '!!! note "<b>box</b>"\n\n    <i>in</i>',
    "*[HTML]: <b>abbr</b>",
    "[^1]: <b>note</b>",
    "term\n:   <b>said</b>",
    "# <b>heading</b> { onclick=alert(1) }",
    "---\ntitle: <b>\n---",
    "\u202egnissim\u202c \u200b \x1b[31m",
    "klzzwxh:0001 \x02wzxhzdk:0\x03",
    '[a](https://example.org/"onmouseover=alert(1) x)',
    "[a](https://example.org/%22><b>)",
    "[a <b>](other-entry.md)",
    "--8<-- 'mkdocs.yml'",
]
ALLOWED_TAGS = {
    *("p", "code", "a", "em", "strong", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th"),
    *("td", "pre", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br", "blockquote"),
    *("dl", "dt", "dd", "input", "label", "details", "summary"),
    *("svg", "defs", "marker", "path", "g", "rect", "text"),
}
ALLOWED_ATTRIBUTES = {
    *("href", "class", "id", "style", "title", "type", "name", "checked", "for", "data-tabs"),
    "start",
    # Of the drawing: numbers, and names that are ours.
    *("viewbox", "width", "height", "x", "y", "rx", "d", "role", "aria-label", "marker-end"),
    *("refx", "refy", "markerwidth", "markerheight", "orient", "markerunits"),
}
ALLOWED_STYLES = {"", "text-align: left;", "text-align: right;", "text-align: center;"}


def assert_harmless(html: str) -> None:
    """Fail on an element, attribute or address that no page of ours has."""
    for tag, attributes in parse_html(html).elements:
        assert tag in ALLOWED_TAGS, html
        assert attributes.keys() <= ALLOWED_ATTRIBUTES, html
        href = attributes.get("href", "#")
        assert re.match(
            r"https://|#|(\.\./)*[a-z0-9/-]+(\.md(#[a-z-]+)?|\.json)$|\.\./[a-z0-9-]+/$", href
        ), html
        assert attributes.get("style", "") in ALLOWED_STYLES, html


def hostile_entry(entry: Entry, text: str) -> Entry:
    """Put *text* into every field of an entry that takes any text."""
    dumped = entry.model_dump(by_alias=True)
    for path in list(_texts(dumped)):
        before = _get(dumped, path)
        _set(dumped, path, text)
        try:
            Entry.model_validate(dumped)
        except ValidationError:
            _set(dumped, path, before)
    return Entry.model_validate(dumped)


def hostile_collection(text: str) -> Collection:
    """Put *text* into every field and section of the sample with every field."""
    collection = sample_collection()
    full = collection.entries["sample-writer-stalls"]
    body = tuple(section._replace(text=text) for section in full.body)
    full = full._replace(entry=hostile_entry(full.entry, text), body=body)
    return collection._replace(entries={**collection.entries, full.id: full})


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, str):
        yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*path, key))


def _get(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _set(value: Any, path: tuple[Any, ...], text: str) -> None:
    _get(value, path[:-1])[path[-1]] = text
