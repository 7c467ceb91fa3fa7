"""The site's search: a line pasted from a log leads to its entry."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from generator.load import load
from generator.pages import render
from generator.pages.search import LARGEST, PATH
from generator.pages.write import read_pages
from tests.generator.pages.hostile import hostile_collection
from tests.generator.pages.rendering import parse_html
from tests.needs import find_chromium, needs
from tests.site.building import ROOT, build_site, served

pytestmark = needs("chromium")

FINDER = (ROOT / "site_overrides" / "scripts" / "find.js").read_text("utf-8")
FILLED = {
    "n": "-9",
    "size": "23.54 GiB",
    "dur": "30 minutes",
    "ms": "600012",
    "s": "12.5",
    "pid": "48213",
    "rank": "3",
    "peer": "2",
    "bus": "0000:3b:00",
    "host": "node-17",
    "word": "ALLREDUCE",
    "path": "/data/run-7/checkpoint.pt",
}
# What launchers, loggers and kernels put around a message; the numbers and paths are noise.
AROUND = {
    "alone": "{}",
    "of a rank": "2024-05-17 03:12:48,917 [rank3]:[E517 03:12:48.917 ProcessGroupNCCL.cpp:616] {} "
    "(at /opt/venv/lib/python3.11/site-packages/torch/distributed/run.py:918)",
    "of a job": "May 17 03:12:48 gpu-node-17 train[48213]: 7: {}, exit code 1, step 4100/20000 "
    "loss=2.31",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def data() -> str:
    """Write what the search knows of all entries and hand-written pages."""
    beside = read_pages(ROOT / "site_overrides" / "pages")
    return render(load(ROOT / "entries"), beside)[PATH]


@pytest.fixture(scope="module")
def finder(browser: Browser, data: str) -> Page:
    """Bring the search and its data into an empty page."""
    page = browser.new_page()
    for script in (FINDER, data, "var find = trainwreckFinder(trainwreckSearch)"):
        page.add_script_tag(content=script)
    return page


def records(data: str) -> list[dict[str, Any]]:
    """Read the records out of the script that holds them."""
    document = data.partition("=")[2].rstrip().rstrip(";")
    found: list[dict[str, Any]] = json.loads(document)["pages"]
    return found


def found(finder: Page, queries: list[str]) -> list[list[str]]:
    """Search for each; name the pages found, in their order."""
    pages: list[list[str]] = finder.evaluate(
        "(queries) => queries.map((one) => find(one).map((hit) => hit.page.at))", queries
    )
    return pages


@pytest.mark.parametrize("form", AROUND)
def test_every_message_finds_its_entry(finder: Page, data: str, form: str) -> None:
    """Filled, alone and with what a log puts around it, it leads there among the first three."""
    asked = [
        (record["at"], AROUND[form].format(filled(text)))
        for record in records(data)
        for text, _ in record["messages"]
    ]
    results = found(finder, [query for _, query in asked])
    assert len(asked) > 400
    missed = [
        (at, query, pages[:4])
        for (at, query), pages in zip(asked, results, strict=True)
        if at not in pages[:3]
    ]
    assert missed == []


def filled(text: str) -> str:
    """Put a value where a placeholder stands."""
    text = re.sub(rf"<({'|'.join(FILLED)})>", lambda one: FILLED[one[1]], text)
    return text.replace(": ... ", ": Error(s) of another layer: ")


@pytest.mark.parametrize(
    ("query", "entry_id"),
    [
        ("exitcode: -9", "host-oom-killer"),
        ("failed (exitcode: -9)", "host-oom-killer"),
        ("KeyError", "user-code-error"),
        ("[rank0]: KeyError: 'input_ids'", "user-code-error"),
        ('OSError: "No space left on device"', "torch-save-disk-full"),
        ("text: CUDA out of mem", "cuda-oom-working-set"),
        ("nccl   TIMEOUT", "nccl-watchdog-collective-timeout"),
        ("master-port-address-in-use", "master-port-address-in-use"),
    ],
)
def test_what_looks_like_an_operator_is_text(finder: Page, query: str, entry_id: str) -> None:
    """A minus excludes nothing, a colon names no field, and the last word may be unfinished."""
    # Several failures print some of these.
    assert f"entries/{entry_id}/" in found(finder, [query])[0][:3]


def test_what_is_known_of_an_entry_is_small(data: str) -> None:
    """Each record stays within what a thousand entries may take."""
    sizes = {
        record["at"]: len(line.encode("utf-8"))
        for line, record in zip(data.split("\n")[1:], records(data), strict=False)
        if record["at"].startswith("entries/")
    }
    assert {at: size for at, size in sizes.items() if size > LARGEST} == {}


def test_a_megabyte_is_searched_at_once(finder: Page) -> None:
    """A line without end neither hangs the page nor finds anything by accident."""
    assert found(finder, ["\u202e<" * 500_000, "", "   ", "\x1b[;", "))))"]) == [[]] * 5


@pytest.fixture(scope="module")
def address(site: Any) -> Iterator[str]:
    """Serve the site of the sample entries."""
    with served(site) as base:
        yield base


def test_what_the_search_names_is_there(site: Any, address: str) -> None:
    """Every page and every anchor that the data name exists in the built site."""
    missing = []
    for record in records((site / PATH).read_text("utf-8")):
        path, _, anchor = record["at"].partition("#")
        page = parse_html((site / path / "index.html").read_text("utf-8"))
        if anchor and anchor not in {attributes.get("id") for _, attributes in page.elements}:
            missing.append(record["at"])
    assert missing == []


def test_a_person_searches_by_keyboard(browser: Browser, address: str) -> None:
    """A slash begins, results are told, arrows lead through them, Escape ends, Enter opens."""
    page = browser.new_page()
    page.goto(address + "/checker/")
    page.keyboard.press("/")
    page.keyboard.insert_text("03:12 [rank3]: Saving model checkpoint to /data/run-7")
    page.locator("a.hit").first.wait_for()
    assert page.locator(".find__status").inner_text() == "1 page"
    assert page.locator("a.hit .hit__message").inner_text() == "Saving model checkpoint to <path>"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('a.hit')")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    assert not page.locator("a.hit").first.is_visible()
    page.keyboard.press("/")
    page.locator("a.hit").first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(address + "/entries/sample-writer-stalls/")
    page.close()


def test_an_address_may_hold_the_query(browser: Browser, address: str) -> None:
    """A browser that offers the site's search opens the first page with the words in it."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(address + "/?q=Saving+model+checkpoint")
    page.locator("a.hit").first.wait_for()
    assert page.locator(".find__box").input_value() == "Saving model checkpoint"
    page.locator(".find__clear").click()
    page.locator("a.hit").first.wait_for(state="detached")
    page.close()


def test_a_phone_has_the_search_behind_a_button(browser: Browser, address: str) -> None:
    """The button of the header shows the box and puts the cursor in it."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(address + "/guide/")
    page.get_by_role("button", name="Search", exact=True).click()
    page.keyboard.insert_text("nothingofthekind")
    page.get_by_text("Nothing has these words.").wait_for()
    assert page.locator(".find__status a").get_attribute("href") == address + "/paste/"
    page.close()


HOSTILE = "</script><img src=x onerror=\"alert('hit')\"> \u202egnissim [x](javascript:alert(1)) <b>"


def test_a_hostile_entry_is_text_in_the_results(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Neither its title nor its symptom nor what was typed becomes markup."""
    site = build_site(tmp_path_factory.mktemp("hostile"), hostile_collection(HOSTILE))
    with served(site) as base:
        page = browser.new_page()
        trouble: list[str] = []
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(base + "/")
        page.keyboard.press("/")
        page.keyboard.insert_text(HOSTILE)
        page.locator("a.hit").first.wait_for()
        title = page.locator(".hit__title").first.inner_text()
        assert title == HOSTILE.replace("\u202e", "<U+202E>").replace("[x](javascript:alert(1))", title[title.index("[x]") : title.index(" <b>")])
        assert page.locator(".find__list :is(img, script)").count() == 0
        assert page.locator(".find__list b b").count() == 0
        assert trouble == []
        page.close()
