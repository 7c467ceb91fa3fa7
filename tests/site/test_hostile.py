"""A hostile entry is text in whatever is made of it: the feed, the data, the checker's reports."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from generator.build import products
from generator.detection import Detect
from generator.pages.data import data_files
from generator.pages.shown import choose
from tests.generator.pages.hostile import HOSTILE, hostile_collection
from tests.generator.pages.rendering import parse_html
from tests.needs import ROOT

ATOM = "{http://www.w3.org/2005/Atom}"
TEXT = "\x1b[31m</script><img src=x onerror=alert(1)> \u202egnissim [x](javascript:alert(1))"
ID = "sample-writer-stalls"


@pytest.mark.parametrize("text", HOSTILE)
def test_the_feed_and_the_data_hold_it_as_text(text: str) -> None:
    """The feed stays well-formed XML of known elements, and the data JSON, whatever a field says."""
    files = data_files(choose(hostile_collection(text).entries.values()), "https://example.org/")
    feed = ElementTree.fromstring(files["feed.xml"])
    assert {one.tag.removeprefix(ATOM) for one in feed.iter()} == {
        *("feed", "id", "title", "subtitle", "updated", "link", "author", "name"),
        *("entry", "published", "summary"),
    }
    addresses = [one.get("href", "") for one in feed.iter(f"{ATOM}link")]
    assert [one for one in addresses if not one.startswith("https://example.org/")] == []
    assert not {"\x1b", "\u202e"} & set(files["feed.xml"] + files["llms.txt"])
    assert json.loads(files[f"api/v1/entries/{ID}.json"])["id"] == ID


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a checker of an entry that says hostile things of a log that it recognizes."""
    hostile = hostile_collection(TEXT)
    detect = Detect.model_validate(
        {
            "signs": {"saves": "Saving model checkpoint to <path>"},
            "signatures": [{"name": TEXT, "decisive": ["saves"]}],
        }
    )
    entry = hostile.entries[ID].entry.model_copy(update={"detect": detect})
    entries = {ID: hostile.entries[ID]._replace(entry=entry)}
    path = tmp_path_factory.mktemp("hostile") / "trainwreck.py"
    made = products(ROOT, hostile._replace(entries={**hostile.entries, **entries}))
    path.write_text(made["trainwreck.py"], encoding="ascii")
    return path


@pytest.fixture
def log(tmp_path: Path) -> str:
    """Write a log that the entry recognizes, with a hostile line of its own."""
    path = tmp_path / "train.log"
    path.write_text(f"Saving model checkpoint to /data/run\n{TEXT}\n", encoding="utf-8")
    return str(path)


def said(checker: Path, *arguments: str) -> str:
    """Run the checker; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(checker), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert not {"\x1b", "\u202e"} & set(done.stdout + done.stderr)
    return done.stdout


def test_a_terminal_is_not_commanded_by_an_entry(checker: Path, log: str) -> None:
    """What would color, turn or clear the screen is named instead, in the page and the report."""
    assert "gnissim" in said(checker, "explain", ID)
    assert "gnissim" in said(checker, log)


def test_a_report_shows_an_entry_as_text(checker: Path, log: str) -> None:
    """No field of an entry becomes an element or a link that runs."""
    page = parse_html(said(checker, "--format", "html", log))
    assert "onerror=alert(1)" in page.text
    assert [one for one, _ in page.elements if one in ("img", "iframe", "object")] == []
    links = [attributes.get("href", "") for _, attributes in page.elements]
    assert [one for one in links if one.lower().startswith("javascript:")] == []
