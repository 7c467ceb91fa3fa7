"""The site in a real browser: nothing foreign, nothing broken, legible at every width."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.generator.pages.hostile import hostile_collection
from tests.generator.pages.rendering import sample_collection
from tests.needs import find_chromium, needs
from tests.site.building import build_site, served

pytestmark = needs("chromium")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What a page had asked for when the browser went on to another one.
ABORTED = "net::ERR_ABORTED"
DESKTOP, PHONE = (1440, 900), (390, 844)
ENTRY = "/entries/sample-writer-stalls/"
EVERY_KIND = [
    *("/", "/paste/", "/guide/", "/messages/", "/map/", "/recent/", "/about/", "/entries/", "/categories/", "/phases/save/"),
    *("/frameworks/pytorch/", "/checker/", "/diagnosis/", "/data/"),
    *("/reference/", "/reference/entry/", "/reference/lint/"),
]

# The lowest contrast of all text that is seen, against the nearest background below it.
LOWEST_CONTRAST = """() => {
  const channels = (color) => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const cover = (above, below) => {
    const share = above[3] / 255;
    return [0, 1, 2].map((i) => above[i] * share + below[i] * (1 - share)).concat(255);
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    if (!element) return [255, 255, 255, 255];
    const own = channels(getComputedStyle(element).backgroundColor);
    return own[3] === 255 ? own : cover(own, background(element.parentElement));
  };
  let lowest = [99, ''];
  for (const element of document.querySelectorAll('.md-content__inner *')) {
    const text = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!text || !element.checkVisibility({opacityProperty: true})) continue;
    if (element.closest('.headerlink, .highlight')) continue;
    const below = background(element);
    const ink = cover(channels(getComputedStyle(element).color), below);
    const [light, dark] = [luminance(ink), luminance(below)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < lowest[0]) lowest = [ratio, element.outerHTML.slice(0, 120)];
  }
  return lowest;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site."""
    with served(site) as base:
        yield base


def open_page(browser: Browser, url: str, size: tuple[int, int], scheme: Any) -> tuple[Page, list[str]]:
    """Open a page; what it complains of, and what it asks of others, is collected."""
    width, height = size
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    trouble: list[str] = []
    origin = "/".join(url.split("/")[:3])
    page.on("console", lambda m: trouble.append(m.text) if m.type in ("error", "warning") else None)
    page.on("dialog", lambda dialog: trouble.append(dialog.message))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("requestfailed", lambda r: None if r.failure == ABORTED else trouble.append(r.url))
    own = (origin, f"blob:{origin}")
    page.on("request", lambda r: None if r.url.startswith(own) else trouble.append(r.url))
    page.goto(url)
    return page, trouble


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [ENTRY, *EVERY_KIND])
def test_a_page_is_sound(browser: Browser, address: str, path: str, scheme: str) -> None:
    """It has no error, asks nothing of other servers, and is legible at every width."""
    page, trouble = open_page(browser, address + path, DESKTOP, scheme)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width, height in (DESKTOP, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ratio, element = page.evaluate(LOWEST_CONTRAST)
        assert ratio >= 4.5, element
    assert trouble == []
    page.close()


@pytest.mark.parametrize("path", [ENTRY, *EVERY_KIND])
def test_headings_go_down_one_level_at_a_time(browser: Browser, address: str, path: str) -> None:
    """A page has one highest heading, and none below it skips a level."""
    page, _ = open_page(browser, address + path, DESKTOP, "light")
    levels = page.evaluate(
        "[...document.querySelectorAll('.md-content :is(h1,h2,h3,h4)')].map((h) => +h.tagName[1])"
    )
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []
    page.close()


def test_a_former_id_arrives_at_the_entry(browser: Browser, address: str) -> None:
    """A browser that opens the page of a former id ends on the entry's page."""
    page, trouble = open_page(browser, address + "/entries/sample-save-hangs/", DESKTOP, "light")
    page.wait_for_url(address + ENTRY)
    assert trouble == []
    page.close()


def test_the_site_works_below_a_path(browser: Browser, site: Path) -> None:
    """Every file is found where the site does not lie at the root of its server."""
    with served(site, below="/some/where") as base:
        page, trouble = open_page(browser, base + ENTRY, DESKTOP, "light")
        page.get_by_role("link", name="PyTorch").first.click()
        page.wait_for_url(base + "/frameworks/pytorch/")
        assert trouble == []
        page.close()


@pytest.mark.parametrize("below", ["", "/some/where"])
def test_a_wrong_address_leads_on(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, below: str
) -> None:
    """However deep the address, the page has its style, its search finds, and its links lead on."""
    folder = tmp_path_factory.mktemp("below")
    address = f"https://trainwreck.example{below}/"
    site = build_site(folder, sample_collection(), SITE_URL=address)
    with served(site, below=below) as base:
        page, trouble = open_page(browser, base + "/entries/no/such/page/", DESKTOP, "light")
        assert trouble == ["Failed to load resource: the server responded with a status of 404 (Not Found)"]
        assert page.title() == "There is no such page - Trainwreck"
        assert page.evaluate("getComputedStyle(document.querySelector('.find')).maxWidth") != "none"
        page.keyboard.press("/")
        page.keyboard.type("Saving model checkpoint to /data/run-7")
        page.locator("a.hit").first.wait_for()
        assert page.locator("a.hit").first.get_attribute("href") == base + ENTRY
        page.get_by_role("link", name="all failures", exact=True).click()
        page.wait_for_url(base + "/entries/")
        assert len(trouble) == 1
        page.close()


def test_the_scheme_can_be_switched(browser: Browser, address: str) -> None:
    """The switch in the header turns the light page dark."""
    page, _ = open_page(browser, address + ENTRY, DESKTOP, "light")
    scheme = "document.body.getAttribute('data-md-color-scheme')"
    assert page.evaluate(scheme) == "default"
    page.get_by_title("Switch to the dark scheme").click()
    assert page.evaluate(scheme) == "slate"
    page.close()


SCRIPT = "</title><img src=x onerror=\"alert('hit')\"><script>alert('hit')</script> <b>bold</b>"


def test_a_hostile_entry_is_shown_as_text(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What looks like HTML in any field runs nowhere: page, hubs, title, search results."""
    site = build_site(tmp_path_factory.mktemp("hostile"), hostile_collection(SCRIPT))
    with served(site) as base:
        for path in [ENTRY, *EVERY_KIND]:
            page, trouble = open_page(browser, base + path, DESKTOP, "light")
            page.keyboard.press("/")
            page.keyboard.type("onerror alert bold")
            page.locator("a.hit").first.wait_for()
            assert page.locator("img[src=x], .hit b b, .md-content :not(.hit__says) > b").count() == 0
            assert trouble == []
            page.close()
        page, _ = open_page(browser, base + ENTRY, DESKTOP, "light")
        assert page.title() == f"{SCRIPT} - Trainwreck"
        assert page.locator("h1").inner_text().removesuffix("¶") == SCRIPT
        page.close()
