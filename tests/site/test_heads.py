"""What search engines, feeds and browsers read of the built site, where it knows its address and where not."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.generator.pages.hostile import hostile_collection
from tests.generator.pages.rendering import parse_html, sample_collection
from tests.site.building import build_site

ENTRY = "entries/sample-writer-stalls/index.html"
ADDRESS = "https://trainwreck.example/"
SITEMAP = {"sitemap": "http://www.sitemaps.org/schemas/sitemap/0.9"}
STRUCTURED = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that knows its address."""
    folder = tmp_path_factory.mktemp("deployed")
    return build_site(folder, sample_collection(), SITE_URL=ADDRESS)


def test_a_link_to_a_page_shows_its_title_and_symptom(deployed: Path) -> None:
    """Chats and forums read these from the head."""
    head = (deployed / ENTRY).read_text("utf-8").partition("</head>")[0]

    title = "Sample trainer: a save to a shared folder never returns from write()"
    assert f'<meta property="og:title" content="{title}">' in head
    assert '<meta name="description" property="og:description" content="The progress bar stands still' in head
    address = "https://trainwreck.example/entries/sample-writer-stalls/"
    assert f'<meta property="og:url" content="{address}">' in head


def test_search_engines_find_data_that_holds_what_the_page_says(deployed: Path) -> None:
    """The data in the head is whole, and stands once."""
    (data,) = STRUCTURED.findall((deployed / ENTRY).read_text("utf-8"))

    article, questions = json.loads(data)["@graph"]
    assert (article["@type"], questions["@type"]) == ("TechArticle", "FAQPage")
    assert STRUCTURED.findall((deployed / "index.html").read_text("utf-8")) == []


def test_search_engines_find_every_page_once(deployed: Path) -> None:
    """Each page stands with its whole address; those that only lead on do not."""
    pages = {
        path.parent.relative_to(deployed).as_posix()
        for path in deployed.rglob("index.html")
        if 'http-equiv="refresh"' not in path.read_text("utf-8")
    }
    urls = ElementTree.parse(deployed / "sitemap.xml").getroot().findall("sitemap:url", SITEMAP)
    found = [one.findtext("sitemap:loc", "", SITEMAP) for one in urls]
    assert len(pages) > 20
    assert sorted(found) == sorted(ADDRESS + f"{page}/".removeprefix("./") for page in pages)


def test_search_engines_learn_when_an_entry_was_changed(deployed: Path) -> None:
    """The day is that of the entry; a page whose text has no day of its own tells none."""
    urls = ElementTree.parse(deployed / "sitemap.xml").getroot().findall("sitemap:url", SITEMAP)
    told = {
        one.findtext("sitemap:loc", "", SITEMAP): one.findtext("sitemap:lastmod", None, SITEMAP)
        for one in urls
    }
    entries = sample_collection().entries
    assert {page: day for page, day in told.items() if day} == {
        f"{ADDRESS}entries/{entry_id}/": item.entry.updated.isoformat()
        for entry_id, item in entries.items()
        if f"{ADDRESS}entries/{entry_id}/" in told
    }
    assert told[f"{ADDRESS}about/"] is None


def test_what_needs_an_address_is_offered_only_where_there_is_one(
    deployed: Path, site: Path
) -> None:
    """Without an address nothing points to files that are not made."""
    for folder, is_there in ((deployed, True), (site, False)):
        head = (folder / ENTRY).read_text("utf-8")
        for name in ("feed.xml", "opensearch.xml"):
            assert ((folder / name).exists(), name in head) == (is_there, is_there)


HOSTILE = "</script><script>alert(1)</script> \"'> \u202egnissim \x1b[31m"
SHOWN = "</script><script>alert(1)</script> \"'> <U+202E>gnissim <U+001B>[31m"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of an entry that is hostile in every field."""
    folder = tmp_path_factory.mktemp("hostile")
    return build_site(folder, hostile_collection(HOSTILE), SITE_URL=ADDRESS)


def test_hostile_texts_stay_data_in_the_head(hostile: Path) -> None:
    """Nothing of an entry can end the element that holds the data."""
    page = (hostile / ENTRY).read_text("utf-8")
    (data,) = STRUCTURED.findall(page)
    assert json.loads(data)["@graph"][0]["headline"] == SHOWN
    assert "<script>alert" not in page


def test_hostile_texts_stay_text_where_a_link_is_shown(hostile: Path) -> None:
    """Chats and forums are given the text as it was written, and so are those who read its source."""
    page = parse_html((hostile / ENTRY).read_text("utf-8"))
    told = {
        attributes.get(key): attributes.get("content")
        for tag, attributes in page.elements
        if tag == "meta"
        for key in ("property", "name")
    }
    assert told["og:title"] == SHOWN
    assert told["og:description"] == told["description"] == SHOWN


def test_a_hostile_title_is_text_on_the_page_of_a_former_id(hostile: Path) -> None:
    """What leads on shows the title once, as it was written, and has nothing that could run."""
    page = parse_html((hostile / "entries/sample-save-hangs/index.html").read_text("utf-8"))
    title = " ".join(page.text.split())
    assert title.startswith(f"{SHOWN} {SHOWN}")
    assert {tag for tag, _ in page.elements} & {"script", "img"} == set()
    assert not {"\x1b", "\u202e"} & set(page.text)


def test_the_files_for_programs_are_valid_where_entries_are_hostile(hostile: Path) -> None:
    """Map and feed are XML whose addresses are all of this site."""
    for name in ("sitemap.xml", "feed.xml", "opensearch.xml"):
        text = (hostile / name).read_text("utf-8")
        ElementTree.fromstring(text)
        assert not {"\x1b", "\u202e"} & set(text)
    locations = re.findall("<loc>(.*?)</loc>", (hostile / "sitemap.xml").read_text("utf-8"))
    assert [one for one in locations if not one.startswith(ADDRESS)] == []
