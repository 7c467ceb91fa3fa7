"""The first page: what this is, and the ways in."""

from generator.load import Loaded
from generator.pages.guide import SIGHTS
from generator.pages.head import ABOUT, WIDE, front_matter
from generator.pages.hubs import counted, frameworks, in_category, in_framework
from generator.pages.labels import CATEGORIES, framework
from generator.pages.markup import bullets, paragraphs, wrapped
from generator.pages.recent import latest
from generator.pages.shown import Shown, title_of
from generator.pages.text import escape, fenced, link, prose

_RECENT = 6
_FEW = 3
"""A framework of fewer failures stands in the list of all."""

_OPENING = """\
# What failed first?

When a training run dies or hangs, every rank prints something, and most of it comes from ranks that
were waiting for the one that failed. Find that one: what it looks like, why it happens, how to
confirm it, and how to get the run going again.
{ .lead }"""

# The template puts the search where this stands.
_SEARCH = """\
<!-- search -->

Paste the line as it stands in the log: times, paths, ranks and numbers in it do no harm.
{ .beside-search }"""

_PASTE = """\
[Paste it, or drop the files](paste.md). The checker reads them in your browser, and nothing leaves
your machine."""

_CHECK = """\
Or run the same [checker](checker.md) where the log is. It is one file that needs only Python: no
network, no root, no packages. It tells which rank failed first, why, and
[how sure it is](diagnosis.md)."""


def home_page(shown: Shown) -> str:
    """Write the first page."""
    by_log = paragraphs(_PASTE, fenced("python3 trainwreck.py LOG", "bash"), _CHECK)
    seen = [
        link(f"{sight.title}", f"guide.md#{sight.anchor}")
        for sight in SIGHTS
        if any(sight.fits(item.entry) for item in shown.listed)
    ]
    no_message = paragraphs("What does the run do?", bullets(seen))
    return paragraphs(
        front_matter("Trainwreck", ABOUT, hide=WIDE, template="home.html", search_box=True),
        _OPENING,
        _SEARCH,
        "## No line to paste?",
        wrapped(
            "ways",
            paragraphs(_way("You have the log", by_log), _way("You have no message", no_message)),
        ),
        "## Browse",
        _look_up(shown),
        "## Recently updated",
        bullets(_recent(item) for item in latest(shown)[:_RECENT]),
        f"{link('Recent changes', 'recent.md')} has more, and {link('about', 'about.md')} tells "
        "how entries are written and proven.",
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
        if len(in_framework(name, shown)) >= _FEW
    ]
    stacks.append(link("All frameworks", "frameworks/index.md"))
    ways = paragraphs(
        _way("By symptom", bullets(categories)), _way("By framework", bullets(stacks))
    )
    return paragraphs(
        wrapped("shelves", ways),
        f"{link('What do you see?', 'guide.md')} leads from what the run does to the failure, "
        f"{link('the map', 'map.md')} shows which failure leads to which; "
        f"{link(f'all {counted(shown.listed)}', 'entries/index.md')} and "
        f"{link('all messages', 'messages.md')} are lists.",
    )


def _way(title: str, content: str) -> str:
    return wrapped("way", paragraphs(f"### {title}", content))


def _recent(item: Loaded) -> str:
    where = link(title_of(item.entry), f"entries/{item.id}.md")
    return f"{where}\n\n{prose(item.entry.summary.symptom, links=False)}"
