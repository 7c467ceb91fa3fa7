"""The built site: strict, complete, and made of nothing from elsewhere."""

import re
from collections import Counter
from pathlib import Path

import pytest

from generator.pages.entry import QUESTIONS
from tests.generator.pages.rendering import Parsed, parse_html, sample_collection
from tests.site.building import build_site

LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
}
# What a link element names only for machines to know, and does not load.
NAMING = {"canonical", "alternate", "next", "prev"}


@pytest.fixture(scope="module")
def documents(site: Path) -> dict[str, Parsed]:
    """Parse every page of the site."""
    return {
        path.relative_to(site).as_posix(): parse_html(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }


def test_every_page_is_built(documents: dict[str, Parsed]) -> None:
    """Pages made from entries and pages written by hand are there, at stable addresses."""
    assert {
        "index.html",
        "404.html",
        "checker/index.html",
        "diagnosis/index.html",
        "entries/index.html",
        "entries/sample-writer-stalls/index.html",
        "entries/sample-save-hangs/index.html",
        "categories/hang/index.html",
        "frameworks/sample-trainer/index.html",
    } <= set(documents)


def test_pages_load_nothing_from_elsewhere(documents: dict[str, Parsed]) -> None:
    """No script, style, font or picture comes from another server."""
    loaded = []
    for document in documents.values():
        for tag, attributes in document.elements:
            if tag == "link" and not set(attributes.get("rel", "").split()) <= NAMING:
                loaded.append(attributes["href"])
            if tag in LOADING:
                loaded.append(attributes.get(LOADING[tag], ""))
            loaded.extend(re.findall(r"url\(([^)]*)\)", attributes.get("style", "")))
    assert [url for url in loaded if re.match(r"(https?:)?//", url)] == []


def test_styles_load_nothing_from_elsewhere(site: Path) -> None:
    """Style sheets name no file of another server."""
    loaded = [
        url
        for path in site.rglob("*.css")
        for url in re.findall(
            r"(?:url\(|@import)\s*[\"']?([^\"')]*)", path.read_text(encoding="utf-8")
        )
    ]
    assert [url for url in loaded if re.match(r"(https?:)?//", url)] == []


def test_anchors_are_unique(documents: dict[str, Parsed]) -> None:
    """No page has one id twice."""
    for path, document in documents.items():
        ids = Counter(attributes["id"] for _, attributes in document.elements if "id" in attributes)
        assert [name for name, times in ids.items() if times > 1] == [], path


def test_questions_keep_their_anchors(documents: dict[str, Parsed]) -> None:
    """The anchor of a question is its own id, not one made of its words."""
    document = documents["entries/sample-writer-stalls/index.html"]
    ids = [attributes.get("id") for tag, attributes in document.elements if tag == "h2"]
    assert ids == [question.anchor for question in QUESTIONS if question.anchor != "causes"]


def test_entries_stay_out_of_the_navigation(documents: dict[str, Parsed]) -> None:
    """No page lists all entries in its menu, or the site would grow with their square."""
    document = documents["checker/index.html"]
    targets = [attributes.get("href", "") for tag, attributes in document.elements if tag == "a"]
    assert [target for target in targets if "sample-" in target] == []


def test_a_former_id_leads_on_without_a_script(site: Path, documents: dict[str, Parsed]) -> None:
    """The page under a former id sends a browser to the entry, by an address that moves along."""
    path = "entries/sample-save-hangs/index.html"
    metas = [attributes for _, attributes in documents[path].elements]
    assert {"http-equiv": "refresh", "content": "0; url=../sample-writer-stalls/"} in metas
    (title,) = re.findall("<title>(.*?)</title>", (site / path).read_text("utf-8"))
    assert title == "Sample trainer: a save to a shared folder never returns from write()"


def test_entry_text_is_text(site: Path) -> None:
    """What a message holds in angle brackets is shown, not swallowed as HTML."""
    html = (site / "entries/sample-writer-stalls/index.html").read_text(encoding="utf-8")
    assert "Saving model checkpoint to &lt;path&gt;" in html
    assert "Sample trainer: save [never] returns" in parse_html(html).text


def test_the_address_of_the_site_comes_from_the_environment(
    site: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Pages name their own address only where the deploy gave one."""
    page = "entries/sample-hang/index.html"
    assert _canonical(site / page) == []
    folder = tmp_path_factory.mktemp("deployed")
    address = "https://example.org/some/where/"
    deployed = build_site(folder, sample_collection(), SITE_URL=address)
    assert _canonical(deployed / page) == [address + "entries/sample-hang/"]


def _canonical(path: Path) -> list[str]:
    elements = parse_html(path.read_text(encoding="utf-8")).elements
    return [
        attributes["href"] for _, attributes in elements if attributes.get("rel") == "canonical"
    ]
