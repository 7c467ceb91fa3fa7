"""The drawing of what leads to an entry and where it leads."""

import re

from generator.model import LeadsTo
from generator.pages.chain import drawn
from generator.pages.shown import View, choose
from generator.pages.surroundings import causes
from tests.generator.pages.rendering import sample_collection

TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


def view_of(name: str, **titles: str) -> View:
    """Look at a sample, with other titles for some."""
    collection = sample_collection()
    entries = {
        key: loaded._replace(
            entry=loaded.entry.model_copy(update={"title": titles[key.replace("-", "_")]})
        )
        if key.replace("-", "_") in titles
        else loaded
        for key, loaded in collection.entries.items()
    }
    return View(entries[name], choose(entries.values()))


def test_causes_stand_before_and_consequences_behind() -> None:
    """Each box is a link to its page, with where it happens; the entry itself is none."""
    drawing = drawn(view_of("sample-writer-stalls", sample_peer_waits="Peers wait"))
    wide = drawing.split('<svg class="narrow"')[0]
    assert TEXT.findall(wide)[-2:] == ["Peers wait", "on other ranks"]
    assert re.findall(r'<a href="([^"]+)">', wide) == ["../sample-peer-waits/"]
    assert wide.count('class="edge"') == 1
    other = drawn(view_of("sample-peer-waits"))
    assert re.findall(r'<a href="([^"]+)">', other) == ["../sample-writer-stalls/"] * 2


def test_a_narrow_page_has_a_drawing_of_its_own() -> None:
    """The same boxes stand one below the other, no wider than a phone."""
    drawing = drawn(view_of("sample-writer-stalls"))
    narrow = drawing[drawing.index('<svg class="narrow"') :]
    width = re.search(r'width="(\d+)"', narrow)
    assert width
    assert int(width[1]) <= 350
    assert narrow.count("<rect") == drawing.count("<rect") / 2


def test_long_titles_are_wrapped_and_nothing_in_them_is_markup() -> None:
    """A title fits its box, and shows as it was typed."""
    long = "<b>word</b> & `code` " * 12
    lines = TEXT.findall(drawn(view_of("sample-writer-stalls", sample_writer_stalls=long)))
    assert max(map(len, lines)) < 80
    assert lines[0].startswith("&lt;b&gt;word&lt;/b&gt; &amp; code")
    assert any(line.endswith(" …") for line in lines)


def test_of_many_causes_some_are_drawn_and_the_others_counted() -> None:
    """The last box leads to the list of all, which parts them by where they lie."""
    collection = sample_collection()
    stalls = collection.entries["sample-writer-stalls"]
    copies = [stalls._replace(id=f"sample-cause-{number}") for number in range(9)]
    entries = {**collection.entries, **{one.id: one for one in copies}}
    view = View(entries["sample-peer-waits"], choose(entries.values()))

    wide = drawn(view).split('<svg class="narrow"')[0]
    assert wide.count("<rect") == 7
    assert re.findall(r'<a href="(#[^"]+)">.*?>([^<]+)</text>', wide) == [("#causes", "and 5 more")]
    parted = causes(view)
    assert "\nIn the storage\n:   -   [Sample trainer: a save" in parted
    assert parted.count(", on other ranks") == 10


def test_an_entry_alone_is_not_drawn() -> None:
    """Without causes and consequences there is nothing to show; what has no page is no box."""
    view = view_of("sample-writer-stalls")
    relations = view.entry.relations.model_copy(update={"leads_to": [LeadsTo(id="no-such-entry")]})
    entry = view.entry.model_copy(update={"relations": relations})
    assert drawn(View(view.item._replace(entry=entry), view.shown)) == ""
