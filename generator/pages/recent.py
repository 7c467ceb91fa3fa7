"""What changed last, as a page; the feed beside it says the same to programs."""

from collections.abc import Iterable
from datetime import date
from itertools import groupby

from generator.load import Loaded
from generator.pages.head import WIDE, front_matter
from generator.pages.markup import bullets, heading, paragraphs
from generator.pages.shown import Shown, title_of
from generator.pages.text import link, prose

_MOST = 100
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def latest(shown: Shown) -> list[Loaded]:
    """Sort the listed entries by their last change, the newest first."""
    by_title = sorted(shown.listed, key=lambda item: item.entry.title.lower())
    return sorted(by_title, key=lambda item: item.entry.updated, reverse=True)


def recent_pages(shown: Shown, has_feed: bool) -> dict[str, str]:
    """Write the page of recent changes; the feed is named where there is one."""
    feed = " A program follows them by the [Atom feed](feed.xml)." if has_feed else ""
    days = groupby(latest(shown)[:_MOST], key=lambda item: item.entry.updated)
    page = paragraphs(
        front_matter("Recent changes", "Which entries were added or changed last.", hide=WIDE),
        "# Recent changes",
        f"Entries that were added or changed last, up to {_MOST} of them.{feed}",
        *(_day(day, items) for day, items in days),
    )
    return {"recent.md": page}


def _day(day: date, items: Iterable[Loaded]) -> str:
    lines = [_line(item) for item in items]
    return paragraphs(heading(written(day), f"d{day.isoformat()}"), bullets(lines))


def written(day: date) -> str:
    """Write a date so that nobody takes the day for the month."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _line(item: Loaded) -> str:
    entry = item.entry
    kind = "New" if entry.created == entry.updated else "Changed"
    where = link(title_of(entry), f"entries/{item.id}.md")
    return paragraphs(f"**{kind}** {where}", prose(entry.summary.symptom, links=False))
