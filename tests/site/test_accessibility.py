"""The site for who sees little, has no mouse, or reads on paper."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.needs import AXE, needs
from tests.site.building import served
from tests.site.test_browser import (
    DESKTOP,
    ENTRY,
    EVERY_KIND,
    LOWEST_CONTRAST,
    browser,
    open_page,
)

__all__ = ["browser"]
pytestmark = needs("chromium")
SERIOUS = {"serious", "critical"}
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
FOCUS = """() => {
  const one = document.activeElement;
  // What is drawn of a switch is the label beside it, and of tabs their row.
  const switched = one.type === 'radio' && document.querySelector(`#${one.id} + label`);
  const tabs = one.type === 'radio' && one.parentElement.querySelector('.tabbed-labels');
  const drawn = switched || tabs || one;
  const box = drawn.getBoundingClientRect();
  const marked = [drawn, drawn.closest('.find__field') ?? drawn].map((part) => getComputedStyle(part));
  return {
    name: (one.getAttribute('aria-label') || one.textContent || one.id).trim().slice(0, 60),
    tag: one.tagName,
    seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    marked: marked.some((style) => style.outlineStyle !== 'none' || style.boxShadow !== 'none'),
  };
}"""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site."""
    with served(site) as base:
        yield base


def findings(page: Page) -> list[str]:
    """Name what axe finds that is serious, each with the first element that has it."""
    page.evaluate(OPEN_ALL)
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations)"
    )
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in SERIOUS]


@needs("axe")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [ENTRY, *EVERY_KIND, "/404.html"])
def test_nothing_serious_is_found(browser: Browser, address: str, path: str, scheme: str) -> None:
    """Names, roles, contrasts and the order of headings are as screen readers need them."""
    page, _ = open_page(browser, address + path, DESKTOP, scheme)
    assert findings(page) == []
    page.close()


def test_the_first_key_skips_what_is_on_every_page(browser: Browser, address: str) -> None:
    """The first stop is a link to the content, which is seen once it has the focus."""
    page, trouble = open_page(browser, address + ENTRY, DESKTOP, "light")
    page.keyboard.press("Tab")
    focused = page.evaluate(FOCUS)
    assert (focused["name"], focused["seen"]) == ("Skip to content", True)
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector(':target').tagName") == "H1"
    assert trouble == []
    page.close()


def test_a_failure_is_found_without_a_mouse(browser: Browser, address: str) -> None:
    """From the first page to an example log at the end of an entry, by keys alone."""
    page, trouble = open_page(browser, address + "/", DESKTOP, "light")
    page.keyboard.press("/")
    page.keyboard.type("Saving model checkpoint to /data/run-7")
    expect(page.locator("a.hit").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(address + ENTRY + "*")
    folded = page.locator("details").first
    folded.locator("summary").focus()
    page.keyboard.press("Enter")
    assert folded.get_attribute("open") == ""
    assert trouble == []
    page.close()


def test_every_stop_of_the_keyboard_is_seen(browser: Browser, address: str) -> None:
    """Each element that takes the focus is in sight, and marked."""
    page, _ = open_page(browser, address + ENTRY, DESKTOP, "light")
    stops = []
    for _ in range(200):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUS)
        if stop["tag"] == "BODY":
            break
        stops.append(stop)
    assert len(stops) > 30
    assert [one for one in stops if not (one["seen"] and one["marked"])] == []
    page.close()


@pytest.mark.parametrize("path", [ENTRY, "/messages/", "/checker/"])
def test_paper_holds_all_of_a_page(browser: Browser, address: str, path: str) -> None:
    """What is folded is printed, dark on white in any scheme, without what only a screen can do."""
    page, _ = open_page(browser, address + path, (720, 1000), "dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.reload()
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    folded = "[...document.querySelectorAll('details pre, details p')]"
    assert page.evaluate(f"{folded}.filter((one) => !one.offsetHeight).length") == 0
    assert page.locator(".md-header, .md-tabs, .find, .headerlink").locator("visible=true").count() == 0
    ratio, element = page.evaluate(LOWEST_CONTRAST)
    assert ratio >= 4.5, element
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF-")
    page.close()
