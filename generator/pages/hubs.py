"""The pages that lead to entries: the index, and a hub per category, framework, phase and layer."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from generator.load import Loaded
from generator.pages.comparison import by_first_phase, comparison
from generator.pages.head import WIDE, front_matter
from generator.pages.labels import CATEGORIES, LAYERS, PHASES, framework, listing
from generator.pages.markup import bullets, definitions, folded, heading, paragraphs, wrapped
from generator.pages.openings import (
    CATEGORY_OPENINGS,
    FRAMEWORK_OPENINGS,
    LAYER_OPENINGS,
    PHASE_OPENINGS,
)
from generator.pages.shown import Shown, title_of
from generator.pages.text import escape, link

_CATEGORY_NAMES = {name: label.name for name, label in CATEGORIES.items()}
_A_SCREEN = 20
"""Failures whose titles are seen at once."""


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
    withdrawn = bullets(link(title_of(i.entry), f"{i.id}.md") for i in shown.withdrawn)
    return paragraphs(
        front_matter(
            "All failures", "Every failure of this encyclopedia, side by side.", hide=WIDE
        ),
        "# All failures",
        f"{counted(shown.listed)}. [What do you see?](../guide.md) leads from what a run does to "
        "the failure, [all messages](../messages.md) are in one list, and [a map](../map.md) shows "
        "what leads to what.",
        wrapped(
            "phases",
            definitions(
                (
                    ("By category", _ways(_CATEGORY_NAMES, in_category, "categories", shown)),
                    ("By phase", _ways(PHASES, _in_phase, "phases", shown)),
                    ("By where the cause lies", _ways(LAYERS, _in_layer, "layers", shown)),
                )
            ),
        ),
        comparison(shown.listed, ""),
        heading("Withdrawn", "withdrawn") if withdrawn else "",
        withdrawn,
    )


def _ways(labels: dict[str, str], among: Among, folder: str, shown: Shown) -> str:
    links = [
        f"{link(labels[name], f'../{folder}/{name}.md')} ({len(among(name, shown))})"
        for name in _used(labels, among, shown)
    ]
    return " · ".join(links)


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
    opening = f"{label.says} {CATEGORY_OPENINGS[name]}"
    return _hub(label.name, opening, in_category(name, shown))


def _framework(name: str, shown: Shown) -> str:
    title = framework(name)
    return _hub(title, FRAMEWORK_OPENINGS.get(name, ""), in_framework(name, shown))


def _phase(name: str, shown: Shown) -> str:
    return _hub(f"Failures {PHASES[name]}", PHASE_OPENINGS[name], _in_phase(name, shown))


def _layer(name: str, shown: Shown) -> str:
    return _hub(f"Failures of {LAYERS[name]}", LAYER_OPENINGS[name], _in_layer(name, shown))


def _hub(title: str, opening: str, items: Sequence[Loaded]) -> str:
    about = opening or f"Failures that happen with {title}."
    return paragraphs(
        front_matter(title, about, hide=WIDE),
        f"# {escape(title)}",
        f"{opening}\n{{ .lead }}" if opening else "",
        _in_numbers(items),
        _by_phase(items),
        heading("Side by side", "table") if items else "",
        comparison(items),
    )


def _in_numbers(items: Sequence[Loaded]) -> str:
    """Say how many there are, and where their causes mostly lie."""
    layers = Counter(item.entry.layer for item in items).most_common(3)
    where = listing([f"{LAYERS[name]} ({count})" for name, count in layers])
    lies = f" The cause lies most often in {where}." if len(layers) > 1 else ""
    return f"{counted(items)}.{lies}"


def _by_phase(items: Sequence[Loaded]) -> str:
    """Group what happens by when it first can; each stands once."""
    groups = by_first_phase(items)
    if len(groups) < 2:
        return ""
    listed = [
        (
            _sentence(PHASES[phase]),
            bullets(link(title_of(one.entry), f"../entries/{one.id}.md") for one in found),
            len(found),
        )
        for phase, found in groups.items()
    ]
    if len(items) > _A_SCREEN:
        # The table, which finds faster, stands below them.
        shown = paragraphs(
            *(folded("phase", f"{phase} ({count})", found) for phase, found, count in listed)
        )
    else:
        shown = wrapped("phases", definitions((phase, found) for phase, found, _ in listed))
    return paragraphs(heading("By phase", "by-phase"), shown)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
