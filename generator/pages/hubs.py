"""The pages that lead to entries: the index, one hub per category and one per framework."""

from collections.abc import Callable, Iterable, Sequence

from generator.load import Loaded
from generator.pages.head import WIDE, front_matter
from generator.pages.labels import (
    CATEGORIES,
    LAYERS,
    PHASES,
    PROOFS,
    effects,
    framework,
    listing,
    phases,
)
from generator.pages.markup import bullets, definitions, heading, paragraphs, table, wrapped
from generator.pages.shown import Shown, title_of
from generator.pages.text import escape, link, prose


def hub_pages(shown: Shown) -> dict[str, str]:
    """Write the index, the hubs and the lists of hubs."""
    return {
        "entries/index.md": _index(shown),
        "categories/index.md": _category_list(shown),
        "frameworks/index.md": _framework_list(shown),
        **{f"categories/{name}.md": _category(name, shown) for name in _categories(shown)},
        **{f"frameworks/{name}.md": _framework(name, shown) for name in frameworks(shown)},
        **{f"phases/{name}.md": _phase(name, shown) for name in _used(PHASES, _in_phase, shown)},
        **{f"layers/{name}.md": _layer(name, shown) for name in _used(LAYERS, _in_layer, shown)},
    }


Among = Callable[[str, Shown], tuple[Loaded, ...]]


def _used(names: Iterable[str], among: Among, shown: Shown) -> list[str]:
    return [name for name in names if among(name, shown)]


def _in_phase(name: str, shown: Shown) -> tuple[Loaded, ...]:
    return tuple(item for item in shown.listed if name in item.entry.phase)


def _in_layer(name: str, shown: Shown) -> tuple[Loaded, ...]:
    return tuple(item for item in shown.listed if item.entry.layer == name)


def _categories(shown: Shown) -> list[str]:
    used = {item.entry.category for item in shown.items}
    return [name for name in CATEGORIES if name in used]


def frameworks(shown: Shown) -> list[str]:
    """List the frameworks of all entries by their names."""
    used = {name for item in shown.items for name in item.entry.frameworks}
    return sorted(used, key=lambda name: framework(name).lower())


def in_category(name: str, shown: Shown) -> tuple[Loaded, ...]:
    """Return the listed entries of a category."""
    return tuple(item for item in shown.listed if item.entry.category == name)


def in_framework(name: str, shown: Shown) -> tuple[Loaded, ...]:
    """Return the listed entries of a framework."""
    return tuple(item for item in shown.listed if name in item.entry.frameworks)


def _index(shown: Shown) -> str:
    groups = [
        paragraphs(
            heading(CATEGORIES[name].name, name),
            CATEGORIES[name].says,
            bullets(_line(item) for item in in_category(name, shown)),
        )
        for name in _categories(shown)
        if in_category(name, shown)
    ]
    withdrawn = bullets(link(title_of(i.entry), f"{i.id}.md") for i in shown.withdrawn)
    return paragraphs(
        front_matter(
            "All failures",
            "Every failure of this encyclopedia, by category.",
        ),
        "# All failures",
        f"{counted(shown.listed)}, grouped by what you see first. [What do you see?](../guide.md) "
        "leads from there to the failure, and [all messages](../messages.md) are in one list.",
        definitions(
            (
                ("By phase", _ways(PHASES, _in_phase, "phases", shown)),
                ("By where the cause lies", _ways(LAYERS, _in_layer, "layers", shown)),
            )
        ),
        *groups,
        heading("Withdrawn", "withdrawn") if withdrawn else "",
        withdrawn,
    )


def _ways(labels: dict[str, str], among: Among, folder: str, shown: Shown) -> str:
    links = [
        f"{link(labels[name], f'../{folder}/{name}.md')} ({len(among(name, shown))})"
        for name in _used(labels, among, shown)
    ]
    return " · ".join(links)


def _line(item: Loaded) -> str:
    where = link(title_of(item.entry), f"{item.id}.md")
    return paragraphs(where, prose(item.entry.summary.symptom, links=False))


def counted(items: Sequence[Loaded]) -> str:
    """Say how many entries these are."""
    return "1 failure" if len(items) == 1 else f"{len(items)} failures"


def _category_list(shown: Shown) -> str:
    return paragraphs(
        front_matter(
            "Categories",
            "All failures, grouped by what you see first.",
            hide=WIDE,
        ),
        "# By category",
        definitions(
            (
                f"{link(CATEGORIES[name].name, f'{name}.md')} ({len(in_category(name, shown))})",
                CATEGORIES[name].says,
            )
            for name in _categories(shown)
        ),
    )


def _framework_list(shown: Shown) -> str:
    return paragraphs(
        front_matter(
            "Frameworks",
            "All failures, grouped by the framework or system in which they happen.",
            hide=WIDE,
        ),
        "# By framework",
        definitions(
            (
                f"{link(escape(framework(name)), f'{name}.md')} ({len(in_framework(name, shown))})",
                _in_categories(in_framework(name, shown)),
            )
            for name in frameworks(shown)
        ),
    )


def _in_categories(items: Iterable[Loaded]) -> str:
    used = {item.entry.category for item in items}
    names = [label.name.lower() for name, label in CATEGORIES.items() if name in used]
    return listing(names).capitalize() or "Withdrawn entries only"


def _category(name: str, shown: Shown) -> str:
    label = CATEGORIES[name]
    return _hub(label.name, label.says, in_category(name, shown))


def _framework(name: str, shown: Shown) -> str:
    title = framework(name)
    return paragraphs(
        front_matter(title, f"Failures that happen with {title}.", hide=WIDE),
        f"# {escape(title)}",
        f"{counted(in_framework(name, shown))} that can happen with {escape(title)}.",
        _comparison(in_framework(name, shown)),
    )


def _phase(name: str, shown: Shown) -> str:
    says = f"Failures that happen {PHASES[name]}, whatever part of the run they lie in."
    return _hub(f"Failures {PHASES[name]}", says, _in_phase(name, shown))


def _layer(name: str, shown: Shown) -> str:
    says = f"Failures whose cause lies in {LAYERS[name]}, whatever they look like."
    return _hub(f"Failures of {LAYERS[name]}", says, _in_layer(name, shown))


def _hub(title: str, says: str, items: Sequence[Loaded]) -> str:
    return paragraphs(
        front_matter(title, says, hide=WIDE),
        f"# {title}",
        says,
        _comparison(items),
    )


def _comparison(items: Sequence[Loaded]) -> str:
    if not items:
        return ""
    header = ("Failure", "What you see", "What it does", "When", "Proof")
    # The style sheet makes a list of this table on a narrow screen.
    return wrapped("comparison", table(header, (_row(item) for item in items)))


def _row(item: Loaded) -> Sequence[str]:
    entry = item.entry
    return (
        link(title_of(entry), f"../entries/{item.id}.md"),
        prose(entry.summary.symptom, links=False),
        _sentence(effects(entry.effect)),
        _sentence(phases(entry.phase)),
        _sentence(PROOFS[entry.proof.level]),
    )


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
