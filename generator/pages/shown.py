"""The entries that have a page, and how they stand to each other."""

from collections.abc import Iterable
from typing import NamedTuple

from generator.load import Loaded
from generator.model import Entry, LeadsTo
from generator.pages.text import body, code, link, prose


class Shown(NamedTuple):
    """All entries that have a page, in the order of their titles."""

    items: tuple[Loaded, ...]

    def listed(self) -> tuple[Loaded, ...]:
        """Return what indexes and hubs list."""
        return tuple(item for item in self.items if item.entry.status == "published")

    def withdrawn(self) -> tuple[Loaded, ...]:
        """Return the entries that turned out to be wrong; their pages say so."""
        return tuple(item for item in self.items if item.entry.status == "withdrawn")

    def link(self, entry_id: str, folder: str = "") -> str:
        """Link to an entry by its title; an entry without a page is named only."""
        for item in self.items:
            if item.id == entry_id:
                return link(title_of(item.entry), f"{folder}{entry_id}.md")
        return code(entry_id)

    def causes_of(self, entry_id: str) -> list[tuple[str, LeadsTo]]:
        """Find the entries that lead to this one, and how."""
        return [
            (item.id, relation)
            for item in self.listed()
            for relation in item.entry.relations.leads_to
            if relation.id == entry_id
        ]

    def refined_by(self, entry_id: str) -> list[str]:
        """Find the more exact entries of a general one."""
        return [item.id for item in self.listed() if entry_id in item.entry.relations.refines]


def choose(items: Iterable[Loaded]) -> Shown:
    """Choose the entries that have a page: drafts have none."""
    chosen = [item for item in items if item.entry.status != "draft"]
    return Shown(tuple(sorted(chosen, key=lambda item: (item.entry.title.lower(), item.id))))


def title_of(entry: Entry) -> str:
    """Write an entry's title as Markdown."""
    return prose(entry.title, links=False)


class View(NamedTuple):
    """One entry among all others: what an answer on its page is made from."""

    item: Loaded
    shown: Shown

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
