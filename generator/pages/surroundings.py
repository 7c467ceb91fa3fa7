"""Answers about what lies around the failure: causes, likenesses, versions, readers, sources."""

from collections.abc import Sequence

from generator.model import Affected, Impact, LeadsTo, Reference
from generator.pages.labels import LAYERS, PLACES, SUPPORTS, listing
from generator.pages.markup import bullets, definitions, paragraphs, table, tabs, wrapped
from generator.pages.shown import View
from generator.pages.text import code, escape, link, prose

_MANY = 8


def by_reader(view: View) -> str:
    """Tell the same for three readers."""
    said = view.entry.perspectives
    if said is None:
        return ""
    return tabs(
        [
            ("On call", prose(said.on_call)),
            ("Engineer", prose(said.engineer)),
            ("Lead", prose(said.lead)),
        ]
    )


def hardware_or_software(view: View) -> str:
    """Return the body's answer."""
    return view.section("Is it hardware or software")


def why(view: View) -> str:
    """Return the mechanism."""
    return view.section("Why it happens")


def only_sometimes(view: View) -> str:
    """Tell what must coincide, and why earlier runs worked."""
    conditions = view.entry.conditions
    together = bullets(prose(one) for one in conditions.coincide) if conditions else ""
    earlier = conditions.earlier_runs if conditions else None
    return paragraphs(
        view.section("Why only sometimes"),
        "It happens only when all of these are true:" if together else "",
        together,
        f"**Earlier runs:** {prose(earlier)}" if earlier else "",
    )


def look_alikes(view: View) -> str:
    """Tell the entry from those it is confused with."""
    relations = view.entry.relations
    general = listing([view.shown.link(name) for name in relations.refines])
    exact = listing([view.shown.link(name) for name in view.shown.exact.get(view.id, [])])
    known = view.shown.by_id
    alike = [
        (
            view.shown.link(one.id),
            prose(known[one.id].entry.summary.symptom, links=False) if one.id in known else "",
            prose(one.tell),
        )
        for one in relations.confused_with
    ]
    this = ("**This one**", prose(view.entry.summary.symptom, links=False), "")
    header = ("Failure", "What you see", "What tells it apart")
    return paragraphs(
        wrapped("comparison alike", table(header, [this, *alike])) if alike else "",
        f"This is a special case of {general}." if general else "",
        f"Special cases of this one: {exact}." if exact else "",
    )


def consequences(view: View) -> str:
    """List what this failure causes."""
    return bullets(_chain(view.shown.link(one.id), one) for one in view.entry.relations.leads_to)


def causes(view: View) -> str:
    """List what causes this failure; many are parted by where they lie."""
    found = view.shown.causes.get(view.id, [])
    if len(found) <= _MANY:
        return _causes(view, found)
    layers = {item.id: item.entry.layer for item in view.shown.items}
    parts = [
        (f"In {label}", _causes(view, those))
        for name, label in LAYERS.items()
        if (those := [one for one in found if layers[one[0]] == name])
    ]
    return wrapped("phases", definitions(parts))


def _causes(view: View, found: Sequence[tuple[str, LeadsTo]]) -> str:
    return bullets(_chain(view.shown.link(entry_id), relation) for entry_id, relation in found)


def _chain(entry: str, relation: LeadsTo) -> str:
    within = f", within {prose(relation.within, links=False)}" if relation.within else ""
    return f"{entry}, {PLACES[relation.where]}{within}"


def impact(view: View) -> str:
    """Tell what else is touched."""
    found = view.entry.impact
    return definitions(_impact(found)) if found else ""


def _impact(found: Impact) -> list[tuple[str, str]]:
    said = [
        ("Training", found.training),
        ("Evaluation", found.evaluation),
        ("Serving", found.serving),
    ]
    return [(what, prose(text)) for what, text in said if text]


def at_scale(view: View) -> str:
    """Return the body's answer."""
    return view.section("From one GPU to a thousand")


def time_to_fix(view: View) -> str:
    """Tell the usual time to fix, with its source."""
    found = view.entry.impact and view.entry.impact.time_to_fix
    return f"{prose(found.time)} ({link('source', found.source)})" if found else ""


def versions(view: View) -> str:
    """List what is affected, with the sources that say so."""
    return bullets(_affected(one) for one in view.entry.affects)


def _affected(affected: Affected) -> str:
    fixed = f"; fixed in {code(affected.fixed_in)}" if affected.fixed_in else ""
    source = f" ({link('source', affected.source)})" if affected.source else ""
    note = f". {prose(affected.note)}" if affected.note else ""
    return f"{version_range(affected)}{fixed}{source}{note}"


def version_range(affected: Affected) -> str:
    """Name a package and its affected versions."""
    which = code(affected.range) if affected.range else "all versions"
    return f"**{escape(affected.package)}** {which}"


def other_accounts(view: View) -> str:
    """Return the body's answer."""
    return view.section("What other accounts get wrong")


def references(view: View) -> str:
    """List the sources, what each supports, and what it says."""
    return bullets(_reference(one) for one in view.entry.references)


def _reference(one: Reference) -> str:
    supports = listing([SUPPORTS[what] for what in one.supports])
    return paragraphs(link(escape(one.title), one.url), f"{prose(one.says)} *Supports {supports}.*")
