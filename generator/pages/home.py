"""The first page: what this is, and the ways in."""

from generator.load import Loaded
from generator.pages.head import UNSEARCHED, WIDE, front_matter
from generator.pages.hubs import counted, frameworks, in_category, in_framework
from generator.pages.labels import CATEGORIES, framework
from generator.pages.markup import bullets, paragraphs, wrapped
from generator.pages.shown import Shown, title_of
from generator.pages.text import escape, fenced, link, prose

_RECENT = 6

_OPENING = """\
# What failed first?

When a training run dies or hangs, every rank prints something, and almost all of it is noise from
ranks that waited for the one that failed. This is an encyclopedia of those failures: what each
looks like, what really happens, how to be sure, and how to get the run back.
{ .lead }"""

_CHECK = """\
The [checker](checker.md) is one file. It needs Python, no network and no root; it says which rank
failed first, of what, and [how sure that is](diagnosis.md)."""

_SEARCH = """\
Type the part of the message that is no number and no path into the search above (key `/`).
Every page has the messages of its failure, and the way to be sure that it is the one."""


def home_page(shown: Shown) -> str:
    """Write the first page."""
    by_log = paragraphs(fenced("python3 trainwreck.py LOG", "bash"), _CHECK)
    return paragraphs(
        front_matter(
            "Trainwreck",
            "The encyclopedia of ML-training failures, and the offline checker made from it.",
            hide=WIDE,
            search=UNSEARCHED,
        ),
        _OPENING,
        "## Begin with what you have",
        wrapped(
            "ways",
            paragraphs(_way("You have the log", by_log), _way("You have a message", _SEARCH)),
        ),
        "## Look it up",
        _look_up(shown),
        "## Lately updated",
        bullets(_recent(item) for item in _latest(shown)),
    )


def _look_up(shown: Shown) -> str:
    categories = [
        f"{link(label.name, f'categories/{name}.md')} ({len(in_category(name, shown))})"
        for name, label in CATEGORIES.items()
        if in_category(name, shown)
    ]
    stacks = [
        f"{link(escape(framework(name)), f'frameworks/{name}.md')}"
        f" ({len(in_framework(name, shown))})"
        for name in frameworks(shown)
        if in_framework(name, shown)
    ]
    ways = paragraphs(
        _way("By what you see", bullets(categories)), _way("By framework", bullets(stacks))
    )
    return paragraphs(
        wrapped("ways", ways),
        link(f"All {counted(shown.listed)}", "entries/index.md"),
    )


def _way(title: str, content: str) -> str:
    return wrapped("way", paragraphs(f"### {title}", content))


def _latest(shown: Shown) -> list[Loaded]:
    by_date = sorted(shown.listed, key=lambda item: item.entry.updated, reverse=True)
    return by_date[:_RECENT]


def _recent(item: Loaded) -> str:
    where = link(title_of(item.entry), f"entries/{item.id}.md")
    return f"{where}\n\n{prose(item.entry.summary.symptom, links=False)}"
