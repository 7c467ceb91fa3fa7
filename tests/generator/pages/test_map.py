"""The map of causes: every entry of a chain is drawn once, linked, and listed too."""

import re

from generator.pages.map import map_pages
from generator.pages.shown import choose
from tests.generator.pages.hostile import hostile_collection
from tests.generator.pages.rendering import parse_html, sample_collection, to_html
from tests.generator.pages.test_causes import shown


def test_every_entry_of_a_chain_is_drawn_and_listed() -> None:
    """A box links to its page; what brings an entry about is under its name."""
    page = map_pages(shown(a="end", b="mid", mid="end", end="", alone=""))["map.md"]
    assert sorted(re.findall(r'<a href="\.\./entries/(\w+)/">', page)) == ["a", "b", "end", "mid"]
    assert "1 failure of 5 stand in no chain" in page
    assert '??? phase "end (2)"' in page
    assert page.index("](entries/a.md)") < page.index("](entries/mid.md)")


def test_lines_to_one_entry_share_their_way() -> None:
    """Over a column between them, all lines to an entry pass in one lane."""
    page = map_pages(shown(a="mid low", b="mid other low", mid="end", other="end", end="", low=""))
    drawing = page["map.md"]
    assert len(re.findall(r'<path class="edge" d="M\d+ \d+h236"/>', drawing)) == 1
    assert drawing.count('marker-end="url(#map-end)"') == 6


def test_without_chains_there_is_no_map() -> None:
    """A collection in which nothing leads to anything has no such page."""
    assert map_pages(shown(a="", b="")) == {}


def test_a_hostile_title_is_text_on_the_map() -> None:
    """Nothing in a title becomes an element."""
    text = '</title></svg><script>alert(1)</script>"><b>'
    page = map_pages(choose(hostile_collection(text).entries.values()))["map.md"]
    tags = {tag for tag, _ in parse_html(to_html(page.partition("\n---\n")[2])).elements}
    assert tags & {"script", "b", "img"} == set()
    assert sample_collection().entries
