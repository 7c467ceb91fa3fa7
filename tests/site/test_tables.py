"""Tables that compare, in a browser: sorted, filtered, and whole without a script."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.generator.pages.rendering import sample_collection
from tests.needs import find_chromium, needs
from tests.site.building import build_site, served

pytestmark = needs("chromium")


def collection() -> Any:
    """Give a collection with rows enough to sort: the sample under several titles and phases."""
    samples = sample_collection()
    hang = samples.entries["sample-peer-waits"]
    made = {
        f"sample-row-{number}": hang._replace(
            id=f"sample-row-{number}",
            entry=hang.entry.model_copy(
                update={
                    "title": title,
                    "phase": phase,
                    "effect": effect,
                    "aliases": [],
                    "proof": hang.entry.proof.model_copy(update={"level": level}),
                }
            ),
        )
        for number, (title, phase, effect, level) in enumerate(
            (
                ("Row 10", ["save"], ["hangs"], "reported"),
                ("Row 9", ["import", "save"], ["dies"], "source"),
                ("Row 8", ["launch"], ["hangs", "dies"], "reproduced"),
            )
        )
    }
    return samples._replace(entries={**samples.entries, **made})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a site with rows enough."""
    return build_site(tmp_path_factory.mktemp("tables"), collection())


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


def rows(page: Page) -> list[str]:
    """Name the rows that are seen and made by this test, in their order."""
    titles = page.locator(".entries-table tbody tr:visible td:first-child").all_inner_texts()
    return [title for title in titles if title.startswith("Row")]


def test_a_table_is_sorted_and_filtered_by_keyboard(site: Path, browser: Browser) -> None:
    """Heads are buttons that tell the order; phases have theirs; a filter says how many are left."""
    with served(site) as base:
        page = browser.new_page()
        page.goto(base + "/entries/")
        assert rows(page) == ["Row 10", "Row 8", "Row 9"]
        head = page.get_by_role("columnheader", name="Failure")
        assert head.get_attribute("aria-sort") == "none"
        head.get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert (head.get_attribute("aria-sort"), rows(page)) == (
            "ascending",
            ["Row 8", "Row 9", "Row 10"],
        )
        page.keyboard.press("Space")
        assert (head.get_attribute("aria-sort"), rows(page)) == (
            "descending",
            ["Row 10", "Row 9", "Row 8"],
        )
        page.get_by_role("button", name="When").click()
        assert rows(page) == ["Row 9", "Row 8", "Row 10"]
        assert head.get_attribute("aria-sort") == "none"

        page.get_by_label("The run", exact=True).select_option("hangs")
        page.get_by_label("Rows with").fill("row")
        assert rows(page) == ["Row 8", "Row 10"]
        assert page.locator(".table__status").inner_text() == "2 of 5 rows"
        page.get_by_label("When", exact=True).select_option("save")
        assert rows(page) == ["Row 10"]
        page.set_viewport_size({"width": 390, "height": 844})
        assert rows(page) == ["Row 10"]
        page.close()


def test_without_a_script_the_table_is_whole(site: Path, browser: Browser) -> None:
    """Every row is there, in the order of the page, and nothing that cannot work is offered."""
    with served(site) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(base + "/entries/")
        assert rows(page) == ["Row 10", "Row 8", "Row 9"]
        assert page.locator(".entries-table :is(button, select, input)").count() == 0
        assert page.locator(".find").count() == 0 or not page.locator(".find").is_visible()
        context.close()
