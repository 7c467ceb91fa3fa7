"""The page that diagnoses in the browser: the same report as on the command line, sent nowhere."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Worker, expect

from generator.build import products
from generator.lint import check
from tests.needs import ROOT, needs
from tests.site.building import build_site, served
from tests.site.test_accessibility import FOCUS, findings
from tests.site.test_browser import DESKTOP, LOWEST_CONTRAST, PHONE, browser, open_page

__all__ = ["browser"]
pytestmark = [needs("chromium"), needs("pyodide")]
COLLECTION = check(ROOT / "entries")[0]
EXAMPLES = [
    example.files or {"train.log": example.log}
    for item in COLLECTION.entries.values()
    for example in (*item.entry.examples.diagnosed, *item.entry.examples.not_diagnosed)
    if example.files or example.log
]
EXCEPTION = """\
[rank3]: Traceback (most recent call last):
[rank3]:   File "/workspace/train.py", line 117, in collate
[rank3]:     return batch["input_ids"]
[rank3]: KeyError: 'input_ids'
"""
PATIENCE = 180_000

# Work as the page does: a worker from a blob, which reads files and answers one question after another.
ANSWERS = """async ([base, questions]) => {
  const source = await (await fetch(base + '/scripts/paste_worker.js')).text();
  const address = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
  const worker = new Worker(address, {type: 'module'});
  const answers = [];
  for (const question of questions) {
    const files = Object.entries(question).map(([name, text]) => ({name, file: new Blob([text])}));
    answers.push(await new Promise((done, failed) => {
      worker.onmessage = ({data}) => {
        if (data.kind === 'failed') failed(new Error(data.text));
        if (data.kind === 'done') done([data.status, data.report]);
      };
      worker.postMessage({base: base + '/', files, format: 'json'});
    }));
  }
  worker.terminate();
  return answers;
}"""

# The same by the command line's main function, in one process.
ON_THE_MACHINE = """
import contextlib, io, json, os, runpy, sys

script = runpy.run_path(sys.argv[1])
rows = (script["CATALOGUE_ROWS"], script["CATALOGUE_SHA256"], script["CATALOGUE_DATE"])
catalogue = script["read_catalogue"](*rows)
answers = []
for number, files in enumerate(json.load(sys.stdin)):
    folder = os.path.join(sys.argv[2], str(number))
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    os.chdir(folder)
    words = ["check", "--format", "json", *sorted({name.split("/")[0] for name in files})]
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = script["main"](words, catalogue)
        out.flush()
    answers.append([status, out.buffer.getvalue().decode()])
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built checker."""
    script = tmp_path_factory.mktemp("dist") / "trainwreck.py"
    made = products(ROOT, COLLECTION, "https://trainwreck.example/")
    script.write_text(made["trainwreck.py"], encoding="utf-8")
    return script


@pytest.fixture(scope="module")
def address(checker: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The real site with the real checker, served."""
    site = build_site(tmp_path_factory.mktemp("whole"), COLLECTION, checker.read_text("utf-8"))
    with served(site) as base:
        yield base


def diagnosed(page: Page) -> str:
    """Wait for the end of a run; return what the page says about it."""
    expect(page.locator("#paste-run")).to_be_enabled(timeout=PATIENCE)
    return page.locator("#paste-status").inner_text()


def blob_workers(page: Page) -> list[Worker]:
    """Name the workers that the page made of a text; the search has one of its own."""
    return [worker for worker in page.workers if worker.url.startswith("blob:")]


def test_every_example_is_diagnosed_as_on_the_command_line(
    browser: Browser, address: str, checker: Path, tmp_path: Path
) -> None:
    """The same bytes come from the browser's Python and from that of the machine."""
    page, trouble = open_page(browser, address + "/paste/", DESKTOP, "light")
    page.set_default_timeout(PATIENCE)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ON_THE_MACHINE, str(checker), str(tmp_path)],
        input=json.dumps(EXAMPLES),
        capture_output=True,
        text=True,
        check=True,
    )

    answers = page.evaluate(ANSWERS, [address, EXAMPLES])

    for files, here, there in zip(EXAMPLES, json.loads(done.stdout), answers, strict=True):
        assert there == here, files
    assert len(EXAMPLES) > 150
    assert trouble == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_pasted_traceback_becomes_a_report(
    browser: Browser, address: str, size: tuple[int, int], scheme: Any
) -> None:
    """The report stands below the box, fits the screen, links to the page, and nothing is sent."""
    page, trouble = open_page(browser, address + "/paste/", size, scheme)
    page.get_by_label("Text of a log").fill(EXCEPTION)
    page.keyboard.press("Control+Enter")

    assert diagnosed(page) == "Something was recognized."
    report = page.frame_locator("#paste-page")
    assert report.locator("h1").inner_text() == "An exception in the training code"
    assert "rank 3" in report.locator("body").inner_text().lower()
    link = report.locator('a[href="https://trainwreck.example/entries/user-code-error/"]').first
    assert link.count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    ratio, element = page.evaluate(LOWEST_CONTRAST)
    assert ratio >= 4.5, element
    assert trouble == []
    page.close()


@needs("axe")
def test_nothing_serious_is_found_before_while_and_after_a_run(
    browser: Browser, address: str
) -> None:
    """Form, progress and result have names, roles and contrasts as screen readers need them."""
    page, trouble = open_page(browser, address + "/paste/", DESKTOP, "light")
    assert findings(page) == []
    page.get_by_label("Text of a log").fill(EXCEPTION)
    page.get_by_role("button", name="Diagnose").click()
    assert findings(page) == []
    diagnosed(page)
    assert findings(page) == []
    page.get_by_title("Switch to the dark scheme").click()
    assert findings(page) == []
    assert trouble == []
    page.close()


def test_a_log_is_diagnosed_without_a_mouse(browser: Browser, address: str) -> None:
    """From the first page over an entry to the report, by keys alone."""
    page, trouble = open_page(browser, address + "/", DESKTOP, "light")
    page.keyboard.press("/")
    page.keyboard.insert_text("Killed process 7290 (python3) total-vm:10488996kB")
    expect(page.locator("a.hit").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/entries/host-oom-killer/**")
    to_stop(page, "Paste the log")
    page.keyboard.press("Enter")
    page.wait_for_url("**/paste/")
    to_stop(page, "paste-text")
    page.keyboard.insert_text(EXCEPTION)
    page.keyboard.press("Control+Enter")
    assert diagnosed(page) == "Something was recognized."
    to_stop(page, "Save this report")
    assert trouble == []
    page.close()


def to_stop(page: Page, name: str) -> None:
    """Go on with the tabulator to the stop of this name, as far as a patient person goes."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUS)["name"] == name:
            return
    pytest.fail(f"no stop is {name}")


def test_nothing_can_be_sent_elsewhere(browser: Browser, address: str, tmp_path: Path) -> None:
    """Neither the page nor the worker reaches another port of the same machine."""
    page, _ = open_page(browser, address + "/paste/", DESKTOP, "light")
    page.get_by_label("Text of a log").fill(EXCEPTION)
    page.get_by_role("button", name="Diagnose").click()
    diagnosed(page)
    asked: list[str] = []
    with served(tmp_path) as elsewhere:
        page.context.on("request", lambda request: asked.append(request.url))
        fetched = f"fetch('{elsewhere}/x').then(() => 'sent', () => 'refused')"
        imported = f"import('{elsewhere}/x.mjs').then(() => 'sent', () => 'refused')"
        (worker,) = blob_workers(page)
        answers = [place.evaluate(what) for place in (page, worker) for what in (fetched, imported)]
    assert answers == ["refused"] * 4
    page.close()


def test_a_folder_and_files_are_read_by_their_names(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    """Names of ranks and folders reach the report; text for other programs can be chosen."""
    folder = tmp_path / "run" / "logs"
    folder.mkdir(parents=True)
    (folder / "rank_3.log").write_text(EXCEPTION.replace("[rank3]: ", ""))
    (folder / "rank_0.log").write_text("step 1 loss 2.5\nstep 2 loss 2.4\n")
    page, trouble = open_page(browser, address + "/paste/", DESKTOP, "light")
    page.locator("#paste-folder").set_input_files(tmp_path / "run")
    page.locator("#paste-format").select_option("json")
    assert page.locator("#paste-chosen li").all_inner_texts() == [
        "run/logs/rank_0.log (1 KB) remove",
        "run/logs/rank_3.log (1 KB) remove",
    ]
    page.get_by_role("button", name="Diagnose").click()
    diagnosed(page)

    first = json.loads(page.locator("#paste-plain").inner_text())["diagnoses"][0]
    assert (first["id"], first["rank"]) == ("user-code-error", 3)
    assert first["evidence"][0]["path"] == "run/logs/rank_3.log"
    page.get_by_role("button", name="Remove run/logs/rank_3.log").click()
    page.get_by_role("button", name="Diagnose").click()
    assert diagnosed(page) == "Looked at everything: nothing was recognized."
    assert trouble == []
    page.close()


LARGE = """([megabytes, end]) => {
  const line = new TextEncoder().encode('step 100 loss 2.31 lr 0.0001 tokens/s 1234\\n');
  const block = new Uint8Array(1e6 - (1e6 % line.length));
  for (let at = 0; at < block.length; at += line.length) block.set(line, at);
  const file = new File([...Array(megabytes).fill(block), end], 'train.log');
  const given = new DataTransfer();
  given.items.add(file);
  const drop = new DragEvent('drop', {dataTransfer: given, bubbles: true, cancelable: true});
  document.body.dispatchEvent(drop);
}"""


def test_a_hundred_megabytes_can_be_dropped_and_their_reading_canceled(
    browser: Browser, address: str
) -> None:
    """The page shows how far it is, gives up at once when asked, and can be used again."""
    page, trouble = open_page(browser, address + "/paste/", DESKTOP, "light")
    page.evaluate(LARGE, [100, EXCEPTION])
    assert page.locator("#paste-chosen li").all_inner_texts() == ["train.log (100 MB) remove"]
    page.get_by_role("button", name="Diagnose").click()
    expect(page.locator("#paste-status")).to_contain_text("of 100 MB", timeout=PATIENCE)
    page.get_by_role("button", name="Cancel").click()
    assert page.locator("#paste-status").inner_text() == "Canceled."
    ended = (page.wait_for_timeout(100) or blob_workers(page) == [] for _ in range(100))
    assert any(ended)

    page.get_by_role("button", name="Diagnose").click()
    assert diagnosed(page) == "Something was recognized."
    assert page.frame_locator("#paste-page").locator("h1").inner_text() == (
        "An exception in the training code"
    )
    assert trouble == []
    page.close()


def test_a_hostile_log_is_shown_as_text(browser: Browser, address: str) -> None:
    """What looks like HTML in a log or in its name runs neither in the report nor in the page."""
    script = "<img src=x onerror=\"alert('hit')\"><script>alert('hit')</script>"
    page, trouble = open_page(browser, address + "/paste/", DESKTOP, "light")
    name = "<img src=x onerror=alert(1)>.log"
    text = EXCEPTION.replace("'input_ids'", script)
    log = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.locator("#paste-files").set_input_files([log])
    assert page.locator("#paste-chosen li").all_inner_texts() == [f"{name} (1 KB) remove"]
    page.get_by_role("button", name="Diagnose").click()
    diagnosed(page)

    report = page.frame_locator("#paste-page")
    shown = report.locator("body").inner_text()
    assert script in shown
    assert name in shown
    assert page.locator("#paste img").count() == 0
    assert report.locator("img, script").count() == 0
    assert trouble == []
    page.close()


def test_a_sample_is_diagnosed_when_it_is_chosen(browser: Browser, address: str) -> None:
    """Who has no log at hand sees what a report looks like."""
    page, trouble = open_page(browser, address + "/paste/", DESKTOP, "light")
    samples = page.get_by_label("or try a real log")
    title = samples.locator("option").nth(1).inner_text()
    samples.select_option(label=title)

    expect(page.locator("#paste-status")).to_have_text(
        "Something was recognized.", timeout=PATIENCE
    )
    assert page.frame_locator("#paste-page").locator("h1").inner_text() == title
    assert trouble == []
    page.close()


def test_a_site_without_the_runtime_says_so(browser: Browser, site: Path) -> None:
    """It offers the checker instead, and no box that would do nothing."""
    with served(site) as base:
        page, trouble = open_page(browser, base + "/paste/", DESKTOP, "light")
        assert "built without the Python" in page.locator("article").inner_text()
        assert page.locator("#paste").count() == 0
        assert trouble == []
        page.close()
