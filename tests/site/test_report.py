"""The HTML report in a real browser: nothing loaded, nothing broken, legible at every width."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from checker.catalogue import Catalogue
from checker.pipeline import diagnose_paths
from checker.report.render_html import render_html
from tests.needs import ROOT, needs
from tests.published import published_catalogue
from tests.site.test_browser import DESKTOP, LOWEST_CONTRAST, PHONE, browser

__all__ = ["browser"]
pytestmark = needs("chromium")
LOGS = ("host_oom_kill/busy_peers", "restart_stale_store/log_dir", "collective_timeout/log_dir_8")
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
