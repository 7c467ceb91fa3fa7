"""A site that was built of the very same stays; anything else is built anew."""

import shutil
from pathlib import Path

import pytest

from generator.site import render_site
from tests.site.building import ROOT

PAGES = {"index.md": "# Home\n\n[A failure](entries/index.md)\n", "entries/index.md": "# A failure\n"}
ADDRESS = {"PATH": "/usr/bin:/bin", "SITE_URL": "https://trainwreck.example"}
CONFIG = """\
site_name: Trainwreck
site_url: !ENV [SITE_URL, ""]
docs_dir: build/docs
strict: true
theme: {name: material, custom_dir: site_overrides, font: false}
nav: [index.md, entries/index.md]
"""
MARK = "<!-- this page was built before -->"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Build a small site, and mark one of its pages."""
    for path, text in PAGES.items():
        (tmp_path / "build/docs" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "build/docs" / path).write_text(text, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    shutil.copytree(ROOT / "site_overrides", tmp_path / "site_overrides")
    assert render_site(tmp_path, ADDRESS) == ""
    with (tmp_path / "site/index.html").open("a", encoding="utf-8") as page:
        page.write(MARK)
    return tmp_path


def stays(folder: Path, environment: dict[str, str]) -> bool:
    """Build again; tell whether the page is still the marked one."""
    assert render_site(folder, environment) == ""
    return MARK in (folder / "site/index.html").read_text(encoding="utf-8")


def test_what_was_built_of_the_same_stays(folder: Path) -> None:
    """With neither page, theme nor address changed, nothing is rendered."""
    assert stays(folder, ADDRESS)


@pytest.mark.parametrize("changed", ["build/docs/entries/index.md", "site_overrides/main.html"])
def test_a_change_is_rendered(folder: Path, changed: str) -> None:
    """Any page and any template counts."""
    with (folder / changed).open("a", encoding="utf-8") as file:
        file.write("\nMore.\n")
    assert not stays(folder, ADDRESS)


def test_another_address_is_rendered(folder: Path) -> None:
    """A site names its address in every page."""
    assert not stays(folder, {"PATH": ADDRESS["PATH"]})


def test_what_is_complained_of_is_not_taken_for_built(folder: Path) -> None:
    """A link to a page that is not there ends the build, and the next one too."""
    page = folder / "build/docs/index.md"
    page.write_text("# Home\n\n[Gone](gone.md)\n", encoding="utf-8")
    complaint = (
        "WARNING -  Doc file 'index.md' contains a link 'gone.md', but the target is not found "
        "among documentation files."
    )
    assert [render_site(folder, ADDRESS) for _ in range(2)] == [complaint, complaint]
    page.write_text(PAGES["index.md"], encoding="utf-8")
    assert not stays(folder, ADDRESS)
