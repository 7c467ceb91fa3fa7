"""What else changes a diagnosis: times, values read beside a message, what takes it back."""

import re
from collections.abc import Iterable, Iterator

from generator import detection as d
from generator.catalogue import recovery
from generator.model import Entry
from generator.pages.labels import listing
from generator.pages.markup import bullets, folded, paragraphs
from generator.pages.signs import describe_sign, wording
from generator.pages.text import code

_MINUS = "minus "
_RECOVERS = {
    "progress": "if the same process counts two more steps afterwards, or ends well.",
    "series": "if its values are good again afterwards.",
}


def fine_print(entry: Entry) -> str:
    """Say what else a diagnosis depends on; what is long opens on a click."""
    details = paragraphs(*_times(entry.detect.signs), _beside(entry.detect.signs))
    return paragraphs(
        " ".join(_limits(entry)),
        folded("note", "When it happened, and values beside a message", details) if details else "",
    )


def _limits(entry: Entry) -> Iterator[str]:
    yield _recovered(entry)
    if any(affected.source and affected.range for affected in entry.affects):
        yield "A printed version outside [the affected ones](#versions) rules it out."
    if entry.proof.level == "reported":
        yield "Because this failure is only reported so far, it is never called certain."
    if entry.kind == "benign":
        yield "Because it is harmless, it is never called more than possible."


def _recovered(entry: Entry) -> str:
    by = recovery(entry)
    if by == "never":
        return "Nothing afterwards makes it count as [recovered](../detection.md#recovery)."
    seen = _RECOVERS.get(by) or f"if this is seen afterwards: {_named(by, entry.detect.signs)}."
    return f"It counts as [recovered](../detection.md#recovery) {seen}"


def _times(signs: dict[str, d.AnySign]) -> Iterator[str]:
    """Say of which signs it is known that they are not told when they happen."""
    ways: dict[str, list[str]] = {}
    for name, sign in signs.items():
        ways.setdefault(sign.onset, []).append(name)
    context = ways.pop("context", [])
    if list(ways) == ["earlier"]:
        yield "All of this is printed late; it happened at some time before."
    elif "earlier" in ways:
        yield _listed("Printed late, it happened at some time before:", ways["earlier"], signs)
    for onset, names in ways.items():
        if onset.startswith(_MINUS):
            value = code(f"<{onset[len(_MINUS) :]}>")
            yield _listed(f"Printed at the end of a wait that began {value} before:", names, signs)
    if context:
        lead = "Shows what went on before, and not when the failure happened:"
        yield _listed(lead, context, signs)


def _beside(signs: dict[str, d.AnySign]) -> str:
    """List the pieces that give values where the message has them."""
    pieces = {
        wording(sign.log[0]): [wording(d.Wording(text=text)) for text in sign.capture]
        for sign in signs.values()
        if isinstance(sign, d.LogSign) and sign.capture
    }
    lead = "Values are also read from these, in the line or in the next two; none of them must be:"
    return _list(lead, (f"with {told}: {listing(found)}" for told, found in pieces.items()))


def _listed(lead: str, names: list[str], signs: dict[str, d.AnySign]) -> str:
    return _list(lead, dict.fromkeys(_named(name, signs) for name in names))


def _named(name: str, signs: dict[str, d.AnySign]) -> str:
    return re.sub(r"^a line holds ", "", describe_sign(name, signs))


def _list(lead: str, items: Iterable[str]) -> str:
    written = bullets(items)
    return paragraphs(lead, written) if written else ""
