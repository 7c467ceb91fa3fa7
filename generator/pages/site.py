"""All pages of the site: the collection enters, path and Markdown text of every page leave."""

import hashlib
from collections.abc import Mapping, Sequence

from generator.load import Collection
from generator.matrix import Outcome
from generator.pages.about import about_pages
from generator.pages.data import data_files
from generator.pages.entry import entry_page
from generator.pages.guide import guide_pages
from generator.pages.home import home_page
from generator.pages.hubs import hub_pages
from generator.pages.map import map_pages
from generator.pages.matrix import matrix_pages
from generator.pages.paste import paste_pages
from generator.pages.recent import recent_pages
from generator.pages.redirects import redirect_pages
from generator.pages.reference import reference_pages
from generator.pages.search import search_data
from generator.pages.shown import Shown, View, choose

CHECKER = "trainwreck.py"


def render(
    collection: Collection,
    beside: Mapping[str, str] | None = None,
    runs_python: bool = False,
    address: str | None = None,
    *,
    results: Sequence[Outcome] = (),
    repository: str | None = None,
) -> dict[str, str]:
    """Write every page, by its path below the folder of pages.

    *beside* holds the texts that are not made from entries: the hand-written pages, and the
    checker, which pages offer for download. *runs_python* says that the site serves what runs the
    checker in a browser, and *address*, which ends in a slash, where the site will be found;
    *results* is what became of all examples, and *repository* the address at which the sources can
    be read and changed. Raises ValueError where two pages have one path.
    """
    shown = choose(collection.entries.values())
    beside = beside or {}
    digest = hashlib.sha256(beside.get(CHECKER, "").encode("utf-8")).hexdigest()
    reference = reference_pages(bool(results))
    hand_written = {path: text for path, text in beside.items() if path.endswith(".md")}
    return _joined(
        {"index.md": home_page(shown)},
        hub_pages(shown),
        guide_pages(shown),
        map_pages(shown),
        recent_pages(shown, address is not None),
        about_pages(shown, results, repository),
        redirect_pages(shown),
        reference,
        matrix_pages(shown, results),
        paste_pages(shown, runs_python, digest),
        _entry_pages(shown, repository),
        data_files(shown, address),
        search_data(shown, {**hand_written, **reference}),
        beside,
    )


def _entry_pages(shown: Shown, repository: str | None) -> dict[str, str]:
    return {
        f"entries/{item.id}.md": entry_page(View(item, shown, repository)) for item in shown.items
    }


def _joined(*groups: Mapping[str, str]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for group in groups:
        twice = sorted(joined.keys() & group.keys())
        if twice:
            raise ValueError(f"two pages have one path: {', '.join(twice)}")
        joined.update({path: text.rstrip("\n") + "\n" for path, text in group.items()})
    return dict(sorted(joined.items()))
