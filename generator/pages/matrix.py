"""The page that shows what all entries made of all examples when the site was built."""

from collections.abc import Iterable, Sequence

from generator.matrix import Outcome
from generator.pages.comparison import sortable
from generator.pages.head import front_matter
from generator.pages.markup import heading, paragraphs, table, wrapped
from generator.pages.shown import Shown
from generator.pages.text import code, link, prose


def matrix_pages(shown: Shown, results: Sequence[Outcome]) -> dict[str, str]:
    """Write the page; none where the examples were not run."""
    return {"reference/matrix.md": _page(shown, results)} if results else {}


def _page(shown: Shown, results: Sequence[Outcome]) -> str:
    title = "The matrix: every example against every entry"
    diagnosed = [one for one in results if one.diagnosed]
    misses = [one for one in results if not one.diagnosed]
    entries = len({one.id for one in results})
    beside = sum(bool(one.others) for one in results)
    return paragraphs(
        front_matter(title, "What the checker makes of every example of every entry."),
        f"# {title}",
        f"When this site was built, the checker read all {len(results)} examples, each with all "
        f"{entries} entries: {len(diagnosed)} logs that must be diagnosed, and {len(misses)} near "
        "misses that look alike and must not be. A build in which one of them came out otherwise "
        "than its entry says is refused, so that this page has no failures to show.",
        wrapped(
            "counts",
            table(
                ("What", "Examples"),
                (
                    ("diagnosed as their own entry", str(len(diagnosed))),
                    ("near misses in which their own entry stays silent", str(len(misses))),
                    ("in which another entry is certain or likely too, as declared", str(beside)),
                    ("in which another entry is certain or likely, undeclared", "0"),
                ),
            ),
        ),
        "An entry is declared beside another where one causes or refines the other, or where the "
        "example names it: a rank that the kernel killed leaves peers that lost it, and both are "
        "told.",
        heading("By entry", "entries"),
        sortable(
            ("Entry", "Diagnosed", "Near misses", "Also found in its examples"),
            (_row(shown, item.id, results) for item in shown.listed),
            {},
            "examples-table",
        ),
    )


def _row(shown: Shown, name: str, results: Iterable[Outcome]) -> tuple[str, str, str, str]:
    own = [one for one in results if one.id == name]
    others = sorted({other.id for one in own for other in one.others})
    return (
        link(shown.titles[name], f"../entries/{name}.md"),
        str(sum(one.diagnosed for one in own)),
        str(sum(not one.diagnosed for one in own)),
        ", ".join(_named(shown, other) for other in others) or prose("nothing else"),
    )


def _named(shown: Shown, name: str) -> str:
    return link(code(name), f"../entries/{name}.md") if name in shown.titles else code(name)
