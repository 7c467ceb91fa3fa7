"""The site as one file: unpacked on a disk it works as it does on a server, and asks for nothing."""

import io
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from generator.offline import offline_site
from generator.pages import render
from generator.pages.write import read_pages
from tests.generator.pages.rendering import parse_html, sample_collection
from tests.needs import needs
from tests.site.building import ROOT, STAND_IN
from tests.site.test_browser import browser

__all__ = ["browser"]
DATA = ("catalogue.json", "entry.schema.json", "report.schema.json")


def packed(folder: Path) -> bytes:
    """Pack the site of the sample entries."""
    made = {"trainwreck.py": STAND_IN, **dict.fromkeys(DATA, "{}\n")}
    beside = {**read_pages(ROOT / "site_overrides" / "pages"), **made}
    address = {"SITE_URL": "https://trainwreck.example"}
    archive = offline_site(folder, render(sample_collection(), beside), {**os.environ, **address})
    assert isinstance(archive, bytes), archive
    return archive


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Pack the site once."""
    return packed(tmp_path_factory.mktemp("packed"))


@pytest.fixture(scope="module")
def unpacked(archive: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack it, as a person does."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        opened.extractall(folder)
    return folder / "trainwreck-site"


def test_the_same_site_is_the_same_bytes(archive: bytes, tmp_path: Path) -> None:
    """Neither the clock nor the folder is in it, so that its checksum can be told beforehand."""
    assert packed(tmp_path) == archive


def test_every_link_names_a_file(unpacked: Path) -> None:
    """A file system opens no folder: each link of each page leads to a file that is there."""
    pages = sorted(unpacked.rglob("*.html"))
    assert len(pages) > 20
    lost = []
    for page in pages:
        for _, attributes in parse_html(page.read_text("utf-8")).elements:
            for name in ("href", "src"):
                target = re.split("[#?]", attributes.get(name, ""))[0]
                if target and ":" not in target and not (page.parent / target).is_file():
                    lost.append((page.relative_to(unpacked).as_posix(), target))
    assert lost == []


def test_a_former_id_names_the_file(unpacked: Path) -> None:
    """The page under a former id leads on to a page, not to a folder."""
    page = (unpacked / "entries/sample-save-hangs/index.html").read_text("utf-8")
    assert 'content="0; url=../sample-writer-stalls/index.html"' in page


def test_what_only_a_server_needs_is_left_out(unpacked: Path) -> None:
    """The checker goes along; no address, no map for search engines, no page for wrong addresses."""
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
    assert {"index.html", "trainwreck.py", "catalogue.json", "search/data.js"} <= names
    assert names & {"404.html", "sitemap.xml", "sitemap.xml.gz", "feed.xml"} == set()
    assert "trainwreck.example" not in (unpacked / "index.html").read_text("utf-8")


@pytest.fixture
def page(browser: Browser, unpacked: Path) -> Iterator[Page]:
    """Open the first page from the disk; nothing else may be asked for, and nothing fail."""
    opened = browser.new_page()
    trouble: list[str] = []
    root = unpacked.as_uri()
    opened.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.on("request", lambda r: None if r.url.startswith(root) else trouble.append(r.url))
    opened.goto((unpacked / "index.html").as_uri())
    yield opened
    opened.wait_for_load_state("networkidle")
    assert trouble == []
    opened.close()


@needs("chromium")
def test_a_message_is_found_and_its_page_opened(page: Page, unpacked: Path) -> None:
    """The search works without a server, and what it finds is a page on the disk."""
    page.keyboard.press("/")
    page.keyboard.type("Saving model checkpoint to /data/run-7")
    page.locator("a.hit").first.click()
    entry = unpacked / "entries/sample-writer-stalls/index.html"
    page.wait_for_url(entry.as_uri() + "*")
    page.get_by_role("link", name="PyTorch").first.click()
    page.wait_for_url((unpacked / "frameworks/pytorch/index.html").as_uri())


@needs("chromium")
def test_the_page_for_logs_points_to_the_checker(page: Page, unpacked: Path) -> None:
    """A browser runs no Python from a disk; the checker lies beside the page."""
    page.get_by_role("link", name="Paste your log").first.click()
    page.wait_for_url((unpacked / "paste/index.html").as_uri())
    assert "built without the Python" in page.locator("article").inner_text()
    page.get_by_role("link", name="trainwreck.py").first.click()
    page.wait_for_url((unpacked / "trainwreck.py").as_uri())
