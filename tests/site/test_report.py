"""The HTML report in a real browser: nothing loaded, nothing broken, legible at every width."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from checker.catalogue import Catalogue
from checker.model import Moment, RankState
from checker.pipeline import diagnose_paths
from checker.report.render_html import render_html
from tests.checker.report_records import (
    EXIT,
    KILL_CATALOGUE,
    KILL_DIAGNOSIS,
    KILLED_AT,
    observations,
    read_input,
    report,
)
from tests.needs import ROOT, needs
from tests.published import published_catalogue
from tests.site.test_accessibility import findings
from tests.site.test_browser import DESKTOP, LOWEST_CONTRAST, PHONE, browser

__all__ = ["browser"]
pytestmark = needs("chromium")
LOGS = (
    "host_oom_kill/busy_peers",
    "restart_stale_store/log_dir",
    "collective_timeout/log_dir_8",
    "save_disk_full/restarted",
    "user_exception_one_rank/log_dir",
)
HOSTILE = (
    "</pre></title></style><script>document.title='hit'</script>"
    "<img src=x onerror=\"document.title='hit'\"><a href=javascript:alert(1)>\x1b[2J\u202e"
)
CONTRAST = LOWEST_CONTRAST.replace(".md-content__inner *", "body *")
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def written(folder: Path, catalogue: Catalogue, *logs: str) -> str:
    """Write the report of logs; return its address."""
    path = folder / "report.html"
    path.write_text(render_html(diagnose_paths(catalogue, logs, None), catalogue), "ascii")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("log", LOGS)
def test_a_report_is_sound(browser: Browser, tmp_path: Path, log: str, scheme: Any) -> None:
    """It asks for nothing, complains of nothing, and is legible on a desktop and a phone."""
    address = written(tmp_path, published_catalogue(), str(ROOT / "tests/logs" / log))
    for width, height in (DESKTOP, PHONE):
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        trouble: list[str] = []
        page.on("console", lambda message, kept=trouble: kept.append(message.text))
        page.on("pageerror", lambda error, kept=trouble: kept.append(str(error)))
        page.on("request", lambda request, kept=trouble: kept.append(request.url))
        page.goto(address)
        in_sight = page.locator("h1").bounding_box()
        assert in_sight is not None
        assert in_sight["y"] + in_sight["height"] < height / 2
        page.evaluate(OPEN_ALL)
        page.get_by_text("16 times").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ratio, element = page.evaluate(CONTRAST)
        assert ratio >= 4.5, element
        assert trouble in ([address], [address, "data:,"])
        page.close()


@needs("axe")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("log", LOGS)
def test_nothing_serious_is_found_in_a_report(
    browser: Browser, tmp_path: Path, log: str, scheme: Any
) -> None:
    """Names, roles and contrasts are as screen readers need them, folded parts included."""
    page = browser.new_page(color_scheme=scheme)
    page.goto(written(tmp_path, published_catalogue(), str(ROOT / "tests/logs" / log)))
    assert findings(page) == []
    page.close()


@pytest.mark.parametrize("log", LOGS)
def test_what_failed_first_is_seen_at_a_glance(browser: Browser, tmp_path: Path, log: str) -> None:
    """Verdict, place and what to do are above the fold of a desktop, the first two of a phone."""
    address = written(tmp_path, published_catalogue(), str(ROOT / "tests/logs" / log))
    for (width, height), seen in ((DESKTOP, (".label", ".place", ".do")), (PHONE, (".place",))):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(address)
        for part in seen:
            box = page.locator(part).first.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= height
        page.close()


@pytest.mark.parametrize("log", LOGS)
def test_paper_shows_all_that_is_folded(browser: Browser, tmp_path: Path, log: str) -> None:
    """Everything is printed in full width, black on white, without what only a screen can do."""
    address = written(tmp_path, published_catalogue(), str(ROOT / "tests/logs" / log))
    page = browser.new_page(viewport={"width": 720, "height": 1000}, color_scheme="dark")
    page.goto(address)
    page.get_by_text("16 times").click()
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    chart = page.locator("svg.chart").bounding_box()
    assert chart is not None
    assert chart["width"] <= 720
    hidden = "[...document.querySelectorAll('details pre, details td')]"
    assert page.evaluate(f"{hidden}.length > 0 && {hidden}.every((one) => one.offsetHeight > 0)")
    assert not page.get_by_text("Go to the first failure").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(CONTRAST)[0] >= 4.5
    assert page.pdf(format="A4").startswith(b"%PDF-")
    page.close()


def test_a_hostile_log_does_nothing_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    """Its markup is text, and nothing of it runs, loads or leads anywhere."""
    log = tmp_path / "rank0.log"
    log.write_text(f"[rank0]: RuntimeError: {HOSTILE}\n[rank0]: {HOSTILE}\n", encoding="utf-8")
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    address = written(tmp_path, published_catalogue(), str(log))
    page.goto(address)
    page.evaluate(OPEN_ALL)
    assert page.get_by_text("<script>document.title='hit'</script>").first.is_visible()
    assert page.title() == "Trainwreck report"
    assert page.locator("script, img, a[href^=javascript]").count() == 0
    assert set(asked) <= {address, "data:,"}
    page.close()


def test_all_can_be_reached_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    """The zoom, the chart and what is folded in take the focus in their order."""
    log = str(ROOT / "tests/logs/host_oom_kill/busy_peers")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(written(tmp_path, published_catalogue(), log))
    focused = "document.activeElement.id || document.activeElement.className"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "z1"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "z4"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Go to the first failure"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "scroll"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("details").first.get_attribute("open") == ""
    page.close()


def test_8192_ranks_are_drawn_at_once(browser: Browser, tmp_path: Path) -> None:
    """The first failure is in the first row, and the page has no more than a browser draws."""
    states = tuple(
        RankState(
            rank,
            f"node-{rank // 8}",
            None,
            rank % 7,
            Moment(KILLED_AT.seconds - rank % 97, "local", 0.001),
            EXIT._replace(rank=rank, moment=Moment(KILLED_AT.seconds + rank % 89, "local", 0.001)),
        )
        for rank in range(8192)
    )
    seen = observations(read_input("a.log"), ranks=states)
    path = tmp_path / "report.html"
    path.write_text(render_html(report(seen, KILL_DIAGNOSIS), KILL_CATALOGUE), "ascii")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(path.as_uri())
    assert page.locator(".names li:not(.host)").count() <= 81
    assert page.locator("#first").count() == 1
    assert page.locator(".names li:not(.host)").first.inner_text().startswith("rank 1\n")
    assert page.evaluate("document.querySelectorAll('*').length") < 6000
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_the_first_failure_is_brought_into_sight(browser: Browser, tmp_path: Path) -> None:
    """In a stretched timeline a link leads to it, without a script."""
    log = str(ROOT / "tests/logs/restart_stale_store/log_dir")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(written(tmp_path, published_catalogue(), log))
    page.get_by_text("16 times").click()
    scrolled = "document.querySelector('.scroll').scrollLeft"
    assert page.evaluate(scrolled) == 0
    page.get_by_text("Go to the first failure").click()
    assert page.evaluate(scrolled) > 0
    page.close()
