"""What a collection of entries holds, in numbers."""

from collections import Counter
from collections.abc import Mapping

from generator.detection import LogSign
from generator.load import Collection
from generator.model import Entry


def statistics(collection: Collection) -> dict[str, "int | Counter[str]"]:
    """Count the published entries by their words, and what stands in them."""
    everything = [loaded.entry for loaded in collection.entries.values()]
    entries = [entry for entry in everything if entry.status == "published"]
    return {
        "entries": len(everything),
        "status": Counter(entry.status for entry in everything),
        "kind": Counter(entry.kind for entry in entries),
        "proof": Counter(entry.proof.level for entry in entries),
        "category": Counter(entry.category for entry in entries),
        "phase": Counter(phase for entry in entries for phase in entry.phase),
        "layer": Counter(entry.layer for entry in entries),
        "strength": Counter(
            signature.strength for entry in entries for signature in entry.detect.signatures
        ),
        "signs": sum(len(entry.detect.signs) for entry in entries),
        "messages": sum(map(_wordings, entries)),
        "examples": sum(len(entry.examples.diagnosed) for entry in entries),
        "near misses": sum(len(entry.examples.not_diagnosed) for entry in entries),
        "origin": Counter(
            example.origin
            for entry in entries
            for example in (*entry.examples.diagnosed, *entry.examples.not_diagnosed)
        ),
        "relations": sum(
            len(entry.relations.leads_to)
            + len(entry.relations.refines)
            + len(entry.relations.confused_with)
            for entry in entries
        ),
        "references": sum(len(entry.references) for entry in entries),
    }


def _wordings(entry: Entry) -> int:
    signs: Mapping[str, object] = entry.detect.signs
    return sum(len(sign.log) for sign in signs.values() if isinstance(sign, LogSign))
