"""The first page: what this is, and the ways in."""

from generator.load import Loaded
from generator.pages.head import ABOUT, UNSEARCHED, WIDE, front_matter
from generator.pages.hubs import counted, frameworks, in_category, in_framework
from generator.pages.labels import CATEGORIES, framework
from generator.pages.markup import bullets, paragraphs, wrapped
from generator.pages.shown import Shown, title_of
from generator.pages.text import escape, fenced, link, prose

_RECENT = 6

_OPENING = """\
# What failed first?

When a training run dies or hangs, every rank prints something, and most of it comes from ranks that
were waiting for the one that failed. This encyclopedia describes those failures: what each one
looks like, why it happens, how to confirm it, and how to get the run going again.
{ .lead }"""

_CHECK = """\
The [checker](checker.md) is one file. It needs only Python: no network, no root, no packages. It
tells you which rank failed first, why, and [how sure it is](diagnosis.md)."""

_PASTE = """\
Or [paste it](paste.md): the same checker runs in your browser, and nothing leaves your machine."""

# A piece of a line in tests/logs/host_oom_kill.
_MESSAGE = "failed (exitcode: -9) local_rank: 2 (pid: 9701)"

_SEARCH = """\
Paste the error line into the search above (press `/`). Process ids, paths and other values in it do
no harm. Every page lists the messages of its failure, and how to confirm that it is the one."""


def home_page(shown: Shown) -> str:
    """Write the first page."""
    by_message = paragraphs(fenced(_MESSAGE), _SEARCH)
    by_log = paragraphs(fenced("python3 trainwreck.py LOG", "bash"), _CHECK, _PASTE)
    return paragraphs(
        front_matter(
            "Trainwreck",
            ABOUT,
            hide=WIDE,
            search=UNSEARCHED,
        ),
        _OPENING,
        "## Start with what you have",
        wrapped(
            "ways",
            paragraphs(_way("You have the log", by_log), _way("You have a message", by_message)),
        ),
        "## Browse",
        _look_up(shown),
        "## Recently updated",
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
        _way("By symptom", bullets(categories)), _way("By framework", bullets(stacks))
    )
    return paragraphs(
        wrapped("shelves", ways),
        f"{link('What do you see?', 'guide.md')} leads from what the run does to the failure; "
        f"{link(f'all {counted(shown.listed)}', 'entries/index.md')} and "
        f"{link('all messages', 'messages.md')} are lists.",
    )


def _way(title: str, content: str) -> str:
    return wrapped("way", paragraphs(f"### {title}", content))


def _latest(shown: Shown) -> list[Loaded]:
    by_date = sorted(shown.listed, key=lambda item: item.entry.updated, reverse=True)
    return by_date[:_RECENT]


def _recent(item: Loaded) -> str:
    where = link(title_of(item.entry), f"entries/{item.id}.md")
    return f"{where}\n\n{prose(item.entry.summary.symptom, links=False)}"
