"""What leads to what among all entries: groups of entries that lead to the same, and their order.

Of a chain only its steps are kept: where A leads to B and B to C, that A leads to C is told by the
two. Entries that lead to the same and that nothing leads to are one group, since the drawing of
every single one would hide the few roads that all of them take.
"""

from collections.abc import Mapping
from typing import NamedTuple

from generator.pages.shown import Shown

Graph = Mapping[str, frozenset[str]]


class Group(NamedTuple):
    """Entries that stand at one place of the map."""

    ids: tuple[str, ...]
    column: int
    """How many steps it is from the end, at most; the last of a chain has 0."""
    leads_to: tuple[str, ...]
    """The entries that each of them brings about."""
    refines: tuple[str, ...]
    """The general entries that each of them is a case of."""


def groups(shown: Shown) -> list[Group]:
    """Group all entries that cause, follow from or refine another, in the order of their ids."""
    known = {item.id: item.entry.relations for item in shown.listed}
    leads = _steps(
        {
            name: frozenset(one.id for one in relations.leads_to if one.id in known)
            for name, relations in known.items()
        }
    )
    refines = {
        name: frozenset(one for one in relations.refines if one in known)
        for name, relations in known.items()
    }
    named = frozenset().union(*leads.values(), *refines.values())
    columns = _columns({name: leads[name] | refines[name] for name in known})
    together: dict[tuple[str, frozenset[str], frozenset[str]], list[str]] = {}
    for name in sorted(known):
        if name in named or leads[name] or refines[name]:
            alone = name if name in named or refines[name] else ""
            together.setdefault((alone, leads[name], refines[name]), []).append(name)
    return [
        Group(tuple(ids), columns[ids[0]], tuple(sorted(after)), tuple(sorted(general)))
        for (_, after, general), ids in together.items()
    ]


def _steps(graph: Graph) -> Graph:
    """Leave out what a longer way says already."""
    behind = {name: _behind(name, graph) for name in graph}
    return {
        name: frozenset(
            one
            for one in after
            if not any(one in behind[other] for other in after if other != one)
            # Where two bring about each other, both are kept.
            or name in behind[one]
        )
        for name, after in graph.items()
    }


def _behind(name: str, graph: Graph) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph[name])
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting.extend(graph[one])
    return seen


def _columns(graph: Graph) -> dict[str, int]:
    """Count the steps from each entry to the end of its longest chain; a circle ends once."""
    columns: dict[str, int] = {}
    for first in graph:
        way = [(first, iter(sorted(graph[first])))]
        on_way = {first}
        while way:
            name, after = way[-1]
            following = next(
                (one for one in after if one not in columns and one not in on_way), None
            )
            if following is not None:
                way.append((following, iter(sorted(graph[following]))))
                on_way.add(following)
                continue
            way.pop()
            on_way.discard(name)
            if name not in columns:
                columns[name] = 1 + max((columns.get(one, -1) for one in graph[name]), default=-1)
    return columns
