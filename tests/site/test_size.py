"""What an entry adds to the site: bytes, by the part in which they stand."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.needs import ROOT

SITE = ROOT / "site"
ENTRIES = len([*(ROOT / "entries").glob("*.md")])
# A thousand entries are to stay below 60 MB. What these parts allow together is what is reached.
MOST = {
    "its page": 41_000,
    "its data below api/": 12_500,
    "its rows in hubs and lists": 10_700,
    "what the search knows of it": 2_048,
}
LISTS = re.compile(r"(?:frameworks|categories|phases|layers|messages|guide|map|recent)/|entries/index")
ARTICLE = re.compile(r"<article.*</article>", re.DOTALL)


@pytest.mark.skipif(
    not (SITE / "index.html").exists() and not os.environ.get("TRAINWRECK_REQUIRE_ALL"),
    reason="the site is not built: make build",
)
def test_an_entry_adds_no_more_to_the_site_than_its_share() -> None:
    """The parts that have grown are named, with what an entry has there on average."""
    found = measured(SITE)
    grown = [
        f"{part}: {found[part]:,} bytes an entry, more than {most:,}"
        for part, most in MOST.items()
        if found[part] > most
    ]
    assert not grown, "; ".join(grown)
    assert all(found[part] > 0 for part in MOST)


def measured(site: Path) -> Counter[str]:
    """Tell how many bytes an entry has in each part; the theme around a list is not its doing."""
    sums: Counter[str] = Counter()
    for path in site.rglob("*"):
        name = path.relative_to(site).as_posix()
        if LISTS.match(name) and path.suffix == ".html":
            article = ARTICLE.search(path.read_text(encoding="utf-8"))
            sums["its rows in hubs and lists"] += len(article[0].encode()) if article else 0
        elif path.is_file() and name != "llms.txt":
            sums[_part(name)] += path.stat().st_size
    sums["its rows in hubs and lists"] += (site / "llms.txt").stat().st_size
    return Counter({part: size // ENTRIES for part, size in sums.items()})


def _part(name: str) -> str:
    if re.fullmatch(r"entries/[^/]+/index\.html", name):
        return "its page"
    return {"api": "its data below api/", "search": "what the search knows of it"}.get(
        name.partition("/")[0], "beside entries"
    )
