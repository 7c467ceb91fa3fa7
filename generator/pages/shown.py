"""The entries that have a page, and how they stand to each other."""

from collections.abc import Iterable
from typing import NamedTuple

from generator.load import Loaded
from generator.model import Entry, LeadsTo
from generator.pages.text import body, code, link, prose


class Shown(NamedTuple):
    """All entries that have a page, in the order of their titles."""

    items: tuple[Loaded, ...]
    listed: tuple[Loaded, ...]
    """What indexes and hubs list."""
    withdrawn: tuple[Loaded, ...]
    """The entries that turned out to be wrong; their pages say so."""
    by_id: dict[str, Loaded]
    titles: dict[str, str]
    """The title of every id, as Markdown."""
    causes: dict[str, list[tuple[str, LeadsTo]]]
    """The entries that lead to an id, and how."""
    exact: dict[str, list[str]]
    """The more exact entries of a general one."""

    def link(self, entry_id: str) -> str:
        """Link from one entry to another by its title; one without a page is named only."""
        title = self.titles.get(entry_id)
        return link(title, f"{entry_id}.md") if title else code(entry_id)


def choose(entries: Iterable[Loaded]) -> Shown:
    """Choose the entries that have a page: drafts have none."""
    items = sorted(
        (item for item in entries if item.entry.status != "draft"),
        key=lambda item: (item.entry.title.lower(), item.id),
    )
    listed = tuple(item for item in items if item.entry.status == "published")
    causes: dict[str, list[tuple[str, LeadsTo]]] = {}
    exact: dict[str, list[str]] = {}
    for item in listed:
        for relation in item.entry.relations.leads_to:
            causes.setdefault(relation.id, []).append((item.id, relation))
        for general in item.entry.relations.refines:
            exact.setdefault(general, []).append(item.id)
    return Shown(
        items=tuple(items),
        listed=listed,
        withdrawn=tuple(item for item in items if item.entry.status == "withdrawn"),
        by_id={item.id: item for item in items},
        titles={item.id: title_of(item.entry) for item in items},
        causes=causes,
        exact=exact,
    )


def title_of(entry: Entry) -> str:
    """Write an entry's title as Markdown."""
    return prose(entry.title, links=False)


class View(NamedTuple):
    """One entry among all others: what an answer on its page is made from."""

    item: Loaded
    shown: Shown
    repository: str | None = None
    """The address at which the sources can be read and changed."""

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.item.id

    @property
    def entry(self) -> Entry:
        """The entry's front matter."""
        return self.item.entry

    def section(self, heading: str) -> str:
        """Return a section of the body, ready for the page; empty where there is none."""
        section = self.item.sections.get(heading)
        return body(section.text) if section else ""
