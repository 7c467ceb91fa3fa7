"""Failures side by side: a table that a script lets a person sort and filter."""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from generator.load import Loaded
from generator.pages.labels import CATEGORIES, PHASES
from generator.pages.markup import table, wrapped
from generator.pages.shown import title_of
from generator.pages.text import link, prose

# One or two words, by which a column can be sorted and filtered.
_EFFECTS = {
    "dies": "ends",
    "hangs": "hangs",
    "slows": "slows down",
    "wrong": "wrong numbers",
    "damages": "damaged files",
}
_PHASES = {
    "import": "import",
    "launch": "launch",
    "first-step": "first step",
    "training": "training",
    "evaluation": "evaluation",
    "save": "save",
    "resume": "resume",
    "shutdown": "shutdown",
}
_LAYERS = {
    "user-code": "your code",
    "data": "data",
    "framework": "framework",
    "dependency": "dependency",
    "host": "host",
    "storage": "storage",
    "scheduler": "scheduler",
    "gpu": "GPU",
    "interconnect": "interconnect",
    "network": "network",
    "external": "outside",
}
_PROOFS = {
    "reproduced": "reproduced",
    "source": "source",
    "maintainer": "maintainer",
    "reported": "reported",
}
_CATEGORIES = {name: label.name for name, label in CATEGORIES.items()}


def comparison(items: Sequence[Loaded], to_entries: str = "../entries/") -> str:
    """Compare entries: what each looks like and does, when, where its cause lies, its proof."""
    if not items:
        return ""
    header = ("Failure", "What you see", "Kind", "The run", "When", "Cause in", "Proof")
    order = {
        2: _CATEGORIES.values(),
        3: _EFFECTS.values(),
        4: _PHASES.values(),
        5: _LAYERS.values(),
        6: _PROOFS.values(),
    }
    return sortable(header, (_row(item, to_entries) for item in items), order, "entries-table")


def _row(item: Loaded, to_entries: str) -> Sequence[str]:
    entry = item.entry
    return (
        link(title_of(entry), f"{to_entries}{item.id}.md"),
        prose(entry.summary.symptom, links=False),
        _CATEGORIES[entry.category],
        ", ".join(_EFFECTS[name] for name in entry.effect),
        ", ".join(_PHASES[name] for name in PHASES if name in entry.phase),
        _LAYERS[entry.layer],
        _PROOFS[entry.proof.level],
    )


def sortable(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    order: Mapping[int, Iterable[str]],
    kind: str = "",
) -> str:
    """Write a table that can be sorted and filtered; without a script it is a plain one.

    *order* gives the values of a column, in the order in which they are sorted and offered; a cell
    may hold several, separated by commas. The texts are ours.
    """
    values = escape(json.dumps({str(column): list(names) for column, names in order.items()}))
    classes = " ".join(filter(None, ("comparison", kind)))
    # The style sheet makes a list of this table on a narrow screen.
    return wrapped(classes, table(header, rows), f'data-table="{values}"')


def by_first_phase(items: Sequence[Loaded]) -> dict[str, list[Loaded]]:
    """Group entries by the first phase in which each can happen."""
    waiting = list(items)
    groups: dict[str, list[Loaded]] = {}
    for phase in PHASES:
        found = [item for item in waiting if phase in item.entry.phase]
        waiting = [item for item in waiting if item not in found]
        if found:
            groups[phase] = found
    return groups
