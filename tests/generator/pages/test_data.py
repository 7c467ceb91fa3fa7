"""The files that other programs read."""

import json
from datetime import datetime
from xml.etree import ElementTree

from generator.pages import render
from generator.pages.structured import structured
from tests.generator.pages.rendering import sample_collection

ADDRESS = "https://trainwreck.example/"
ATOM = {"atom": "http://www.w3.org/2005/Atom"}


def test_the_index_lists_every_entry_with_its_page_and_its_data() -> None:
    """A program finds all that it can ask for in one file."""
    pages = render(sample_collection(), address=ADDRESS)
    index = json.loads(pages["api/v1/entries.json"])

    assert (index["schema_version"], index["license"]) == (1, "CC-BY-4.0")
    for entry in index["entries"]:
        assert entry["page"] == f"{ADDRESS}entries/{entry['id']}/"
        path = entry["data"].removeprefix(ADDRESS)
        assert json.loads(pages[path])["title"] == entry["title"].replace("write()", "`write()`")
        assert f"entries/{entry['id']}.md" in pages
    ids = [entry["id"] for entry in index["entries"]]
    assert sorted(ids) == ["sample-hang", "sample-peer-waits", "sample-writer-stalls"]


def test_an_entry_as_data_holds_all_that_its_file_says() -> None:
    """Front matter and body, without what was left at its default; logs are in the catalogue."""
    sample = sample_collection().entries["sample-writer-stalls"]
    data = json.loads(render(sample_collection())["api/v1/entries/sample-writer-stalls.json"])

    assert (data["id"], data["page"]) == (sample.id, "entries/sample-writer-stalls/")
    assert data["summary"] == sample.entry.summary.model_dump()
    assert data["updated"] == sample.entry.updated.isoformat()
    assert [one["heading"] for one in data["body"]] == [s.heading for s in sample.body if s.heading]
    given = {key: value for key, value in data.items() if key not in OWN}
    assert "examples" not in given
    examples = sample.entry.examples.model_dump(by_alias=True)
    read = sample.entry.model_validate({**given, "examples": examples}, strict=False)
    assert read == sample.entry


OWN = ("schema_version", "id", "page", "body")


def test_the_index_for_language_models_has_a_line_for_each_failure() -> None:
    """Title, page, symptom, cause and fix stand in one line."""
    text = render(sample_collection(), address=ADDRESS)["llms.txt"]

    assert text.startswith(
        "# Trainwreck\n\n> The encyclopedia of ML-training failures, and the offline checker made "
        "from it.\n\nEach entry as data: https://trainwreck.example/api/v1/entries.json\n\n## Hang"
    )
    sample = sample_collection().entries["sample-writer-stalls"].entry.summary
    line = next(line for line in text.splitlines() if "sample-writer-stalls" in line)
    title = "Sample trainer: a save to a shared folder never returns from write()"
    page = f"{ADDRESS}entries/sample-writer-stalls/"
    said = f"{sample.symptom} {sample.cause} {sample.fix}".replace("`", "")
    assert line == f"- [{title}]({page}): {said}"


def test_the_feed_begins_with_what_changed_last() -> None:
    """Readers of feeds see each entry with its page, newest first."""
    pages = render(sample_collection(), address=ADDRESS)
    feed = ElementTree.fromstring(pages["feed.xml"])

    updated = [one.text or "" for one in feed.findall("atom:entry/atom:updated", ATOM)]
    assert updated == sorted(updated, reverse=True)
    assert updated[0] == feed.findtext("atom:updated", namespaces=ATOM)
    assert updated[0].endswith("T00:00:00+00:00")
    links = [one.attrib["href"] for one in feed.findall("atom:entry/atom:link", ATOM)]
    assert f"{ADDRESS}entries/sample-writer-stalls/" in links


def test_the_feed_has_what_atom_asks_for() -> None:
    """Feed and entries have one id, title and time each, an author stands above them all."""
    feed = ElementTree.fromstring(render(sample_collection(), address=ADDRESS)["feed.xml"])
    entries = feed.findall("atom:entry", ATOM)
    ids = [one.findtext("atom:id", "", ATOM) for one in (feed, *entries)]

    assert len(entries) == 2
    assert len(set(ids)) == len(ids)
    for one in (feed, *entries):
        for name in ("id", "title", "updated"):
            (found,) = one.findall(f"atom:{name}", ATOM)
            assert found.text
        assert (one.findtext("atom:id", "", ATOM) or "").startswith(ADDRESS)
        assert datetime.fromisoformat(one.findtext("atom:updated", "", ATOM)).tzinfo is not None
    assert feed.findtext("atom:author/atom:name", "", ATOM) == "Trainwreck"
    links = {
        one.get("rel", "alternate"): one.get("href") for one in feed.findall("atom:link", ATOM)
    }
    assert links == {"self": f"{ADDRESS}feed.xml", "alternate": ADDRESS}


def test_a_browser_learns_how_to_search_the_site() -> None:
    """The description has what OpenSearch 1.1 asks for; the words go into the address."""
    text = render(sample_collection(), address=ADDRESS)["opensearch.xml"]

    document = ElementTree.fromstring(text)
    assert document.tag == "{http://a9.com/-/spec/opensearch/1.1/}OpenSearchDescription"
    said = {one.tag.partition("}")[2]: one for one in document}
    assert said.keys() == {"ShortName", "Description", "Url", "Image"}
    assert len(said["ShortName"].text or "") <= 16
    assert len(said["Description"].text or "") <= 1024
    assert said["Url"].attrib == {
        "type": "text/html",
        "template": "https://trainwreck.example/?q={searchTerms}",
    }


def test_what_needs_an_address_is_not_made_without_one() -> None:
    """A copy that lies nowhere has no feed, and its data names pages below the site."""
    pages = render(sample_collection())

    assert not {"feed.xml", "opensearch.xml"} & pages.keys()
    assert "(entries/sample-writer-stalls/)" in pages["llms.txt"]


def test_search_engines_are_told_of_an_article_and_of_answers() -> None:
    """The terms are those of schema.org, the answers those of the page."""
    entry = sample_collection().entries["sample-writer-stalls"].entry
    article, questions = structured(entry)["@graph"]

    assert (article["@type"], questions["@type"]) == ("TechArticle", "FAQPage")
    assert article["headline"] == (
        "Sample trainer: a save to a shared folder never returns from write()"
    )
    assert article["dateModified"] == entry.updated.isoformat()
    answers = {one["name"]: one["acceptedAnswer"]["text"] for one in questions["mainEntity"]}
    assert answers["Why does it happen?"] == entry.summary.cause
    assert all(answers.values())
