"""The site's search: a line pasted from a log leads to its entry."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from checker.wordings import PLACEHOLDERS
from generator import detection as d
from generator.load import Collection, Loaded, load
from tests.needs import find_chromium, needs
from tests.site.building import ROOT, build_site, served

pytestmark = needs("chromium")

CROWDED = {
    "master-port-address-in-use": "failed to listen on any local network address EADDRINUSE "
    "address already in use",
    "rank0-long-work-outlasts-collective-timeout": "rank 0 prepares data while others wait in a "
    "barrier that timed out",
    "state-dict-wrapper-prefix": 'Missing key(s) in state_dict: "module.layer.weight"',
}
"""Entries that share their fixed words with others, with a line that tells them apart."""
FILLED = {
    "n": "-9",
    "size": "23.54 GiB",
    "dur": "30 minutes",
    "ms": "600012",
    "s": "12.5",
    "pid": "48213",
    "rank": "3",
    "bus": "0000:3b:00",
    "host": "node-17",
    "word": "ALLREDUCE",
    "path": "/data/run-7/checkpoint.pt",
}


def real_entries() -> Collection:
    """Load the published entries of this repository."""
    return load(ROOT / "entries")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Open the first page of the site of all entries."""
    site = build_site(tmp_path_factory.mktemp("searched"), real_entries())
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        opened = browser.new_page()
        opened.goto(address + "/")
        opened.keyboard.press("/")
        yield opened
        browser.close()


def found(page: Page, query: str) -> list[str]:
    """Type a query; name the pages found, in their order."""
    results = page.locator(".md-search-result__item > a")
    box = page.locator("[data-md-component=search-query]")
    box.fill("qqqqqq")
    box.press("Shift")
    page.get_by_text("No matching documents").wait_for()
    box.fill(query)
    box.press("Shift")
    results.first.wait_for()
    targets = results.evaluate_all("all => all.map((one) => new URL(one.href).pathname)")
    pages = [target.strip("/").removeprefix("entries/") for target in targets]
    return list(dict.fromkeys(pages))


@pytest.mark.parametrize(
    ("query", "entry_id"),
    [
        ("exitcode: -9", "host-oom-killer"),
        ("failed (exitcode: -9)", "host-oom-killer"),
        ("KeyError", "user-code-error"),
        ("[rank0]: KeyError: 'input_ids'", "user-code-error"),
        ('OSError: "No space left on device"', "torch-save-disk-full"),
        ("text: CUDA out of mem", "cuda-oom-working-set"),
    ],
)
def test_what_looks_like_an_operator_is_text(page: Page, query: str, entry_id: str) -> None:
    """A minus excludes nothing, a colon names no field, and the last word may be unfinished."""
    # Several failures print some of these.
    assert entry_id in found(page, query)[:3]


def test_the_box_shows_what_was_typed(page: Page) -> None:
    """The words for the search do not replace the person's own."""
    found(page, "failed (exitcode: -9)")
    native = (
        "(box) => Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')"
        ".get.call(box)"
    )
    box = page.locator("[data-md-component=search-query]")
    assert box.evaluate(native) == "failed (exitcode: -9)"


def test_pages_that_only_lead_to_entries_are_not_found(page: Page) -> None:
    """Neither the first page nor an index or a hub stands before the entries."""
    pages = found(page, "failure category framework checker")
    known = {*real_entries().entries, "checker", "diagnosis", "detection"}
    known |= {"reference/entry", "reference/lint"}
    assert [one for one in pages if one not in known] == []


def pasted_line(loaded: Loaded) -> str | None:
    """Fill the first wording of the strongest signature that has one, as a program prints it."""
    detect = loaded.entry.detect
    names = [name for one in detect.signatures for name in one.all if isinstance(name, str)]
    for name in names:
        sign = detect.signs[name]
        if isinstance(sign, d.LogSign) and sign.log[0].text:
            return filled(sign.log[0].text)
        if isinstance(sign, d.TracebackSign) and sign.message and sign.message[0].text:
            return f"[rank3]: {sign.traceback}: {filled(sign.message[0].text)}"
    return None


def filled(text: str) -> str:
    """Put a value where a placeholder stands."""
    kinds = "|".join(PLACEHOLDERS)
    text = re.sub(rf"(?<!<)<({kinds})(?::[a-z0-9_]+)?>", lambda one: FILLED[one.group(1)], text)
    return text.replace("<<", "<")


def test_a_pasted_line_finds_its_entry(page: Page) -> None:
    """For each entry, a line as its program prints it finds it among the first three.

    Of what only stands behind others, the fixed words alone are those of several failures.
    """
    lines = {item.id: pasted_line(item) for item in real_entries().entries.values()}
    missed = {
        entry_id: (line, results[:4])
        for entry_id, line in lines.items()
        if line and entry_id not in (results := found(page, line))[:3]
    }
    assert set(missed) <= set(CROWDED), str(missed)


@pytest.mark.parametrize("entry_id", CROWDED)
def test_a_whole_line_finds_what_its_fixed_words_share(page: Page, entry_id: str) -> None:
    """With what stands around them, the words lead to the entry."""
    assert entry_id in found(page, CROWDED[entry_id])[:3]
