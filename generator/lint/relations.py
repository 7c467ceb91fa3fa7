"""Checks of how entries stand to each other."""

from collections.abc import Iterator

from generator.detection import AnySign, Signature
from generator.errors import suggestion
from generator.lint.registry import Finding, collection_check, entry_check
from generator.load import RESERVED_IDS, Collection, Loaded
from generator.nodes import Step

Steps = tuple[Step, ...]


@collection_check
def unknown_id(collection: Collection) -> Iterator[Finding]:
    """Every id that an entry names is that of an entry."""
    former = _former(collection)
    known = set(collection.entries) | collection.broken
    for loaded, steps, name in _named(collection):
        if name not in known and name not in former:
            advice = "an id is the stem of a file beside this one; write that entry first"
            yield Finding(
                loaded, steps, f"no entry is called '{name}'", suggestion(name, known, advice)
            )


@collection_check
def former_id(collection: Collection) -> Iterator[Finding]:
    """Entries name each other by the present ids; former ones are for links from outside."""
    former = _former(collection)
    for loaded, steps, name in _named(collection):
        if name in former and name not in collection.entries:
            yield Finding(
                loaded,
                steps,
                f"'{name}' is a former id of '{former[name]}'",
                f"write '{former[name]}'",
            )


@entry_check
def self_relation(loaded: Loaded) -> Iterator[Finding]:
    """An entry is not related to itself."""
    for steps, name in _ids(loaded):
        if name == loaded.id:
            yield Finding(loaded, steps, "the entry names itself", "remove it, or name another")


@entry_check
def repeated_relation(loaded: Loaded) -> Iterator[Finding]:
    """A relation to the same entry is said once."""
    seen: set[tuple[Steps, str]] = set()
    for steps, name in _ids(loaded):
        # A list of ids is one place; its own index, the last one, tells nothing.
        last = max(at for at, step in enumerate(steps) if isinstance(step, int))
        key = (steps[:last] + steps[last + 1 :], name)
        if key in seen:
            yield Finding(
                loaded, steps, f"'{name}' is named twice here", "keep one of the two, or join them"
            )
        seen.add(key)


@collection_check
def duplicate_alias(collection: Collection) -> Iterator[Finding]:
    """A former id leads to one entry: no other entry has it as its id or as a former one."""
    owner = dict.fromkeys(RESERVED_IDS, "a page of the site")
    owner.update(dict.fromkeys(collection.broken, "another entry"))
    owner.update({name: f"the id of '{name}'" for name in collection.entries})
    for loaded in collection.entries.values():
        for index, alias in enumerate(loaded.entry.aliases):
            if alias in owner:
                yield Finding(
                    loaded,
                    ("aliases", index),
                    f"'{alias}' is also {owner[alias]}",
                    "keep it where its links should lead, and remove it from the other",
                )
            owner[alias] = f"a former id of '{loaded.id}'"


@collection_check
def circular_refines(collection: Collection) -> Iterator[Finding]:
    """Following `refines` from exact to general comes to an end."""
    reported: set[str] = set()
    for loaded in collection.entries.values():
        circle = _circle(collection, loaded.id)
        if circle and not reported & set(circle):
            reported.update(circle)
            way = " -> ".join(f"'{name}'" for name in (*circle, circle[0]))
            yield Finding(
                loaded,
                ("relations", "refines"),
                f"the entries refine each other in a circle: {way}",
                "keep 'refines' only in the more exact entry",
            )


@collection_check
def one_sided_confusion(collection: Collection) -> Iterator[Finding]:
    """Whoever reads either of two entries that look alike learns how to tell them apart."""
    for loaded in collection.entries.values():
        for index, other in enumerate(loaded.entry.relations.confused_with):
            rival = collection.entries.get(other.id)
            if rival is None or rival.id == loaded.id:
                continue
            if loaded.id not in (back.id for back in rival.entry.relations.confused_with):
                yield Finding(
                    loaded,
                    ("relations", "confused_with", index, "id"),
                    f"'{other.id}' does not name '{loaded.id}' in turn",
                    f"add to {rival.path} under 'confused_with': {{id: {loaded.id}, tell: ...}}",
                )


@entry_check
def chain_across_attempts(loaded: Loaded) -> Iterator[Finding]:
    """What only leaves damage behind causes failures in the next attempt, and nothing else does.

    A relation across attempts is `where: next_attempt`.
    """
    effects = loaded.entry.effect
    for index, chain in enumerate(loaded.entry.relations.leads_to):
        later = chain.where == "next_attempt"
        steps = ("relations", "leads_to", index)
        if effects == ["damages"] and not later:
            yield Finding(
                loaded,
                steps,
                f"an entry that only damages cannot lead to '{chain.id}' in the same attempt",
                f"write {{id: {chain.id}, where: next_attempt}}, or add to 'effect' what it does"
                " at once",
            )
        if later and "damages" not in effects:
            yield Finding(
                loaded,
                (*steps, "where"),
                f"nothing of it is left that could lead to '{chain.id}' in the next attempt",
                "add damages to 'effect', or name a place of the same attempt",
            )


@collection_check
def refines_without_sign(collection: Collection) -> Iterator[Finding]:
    """Every signature of an exact entry has a sign of its own: never the shared text alone."""
    for loaded in collection.entries.values():
        for general in loaded.entry.relations.refines:
            if general not in collection.entries or general == loaded.id:
                continue
            shared = collection.entries[general].entry.detect.signs.values()
            for index, signature in enumerate(loaded.entry.detect.signatures):
                if not _own(signature, loaded.entry.detect.signs, list(shared)):
                    yield Finding(
                        loaded,
                        ("detect", "signatures", index),
                        f"it asks for nothing that '{general}' does not ask for",
                        "add the sign or the condition that tells this mechanism apart",
                    )


def _own(signature: Signature, signs: dict[str, AnySign], shared: list[AnySign]) -> bool:
    for condition in (*signature.all, *signature.any, *signature.none):
        if not isinstance(condition, str):
            return True
        if condition not in signs or signs[condition] not in shared:
            return True
    return False


def _named(collection: Collection) -> Iterator[tuple[Loaded, Steps, str]]:
    for loaded in collection.entries.values():
        for steps, name in _ids(loaded):
            yield loaded, steps, name


def _ids(loaded: Loaded) -> Iterator[tuple[Steps, str]]:
    relations, examples = loaded.entry.relations, loaded.entry.examples
    for index, chain in enumerate(relations.leads_to):
        yield ("relations", "leads_to", index, "id"), chain.id
    for index, general in enumerate(relations.refines):
        yield ("relations", "refines", index), general
    for index, rival in enumerate(relations.confused_with):
        yield ("relations", "confused_with", index, "id"), rival.id
    for key in ("diagnosed", "not_diagnosed"):
        for number, example in enumerate(getattr(examples, key)):
            for index, other in enumerate(example.also):
                yield ("examples", key, number, "also", index), other


def _former(collection: Collection) -> dict[str, str]:
    return {
        alias: loaded.id for loaded in collection.entries.values() for alias in loaded.entry.aliases
    }


def _circle(collection: Collection, start: str) -> list[str]:
    """Find a way along `refines` from an entry back to it."""
    ways = [[start]]
    seen = set()
    while ways:
        way = ways.pop()
        loaded = collection.entries.get(way[-1])
        for general in loaded.entry.relations.refines if loaded else ():
            if general == start and len(way) > 1:
                return way
            if general not in seen and general != start:
                seen.add(general)
                ways.append([*way, general])
    return []
