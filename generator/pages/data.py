"""What other programs read: every entry as data, an index for language models, a feed."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from generator.load import Loaded
from generator.pages.head import ABOUT
from generator.pages.labels import CATEGORIES
from generator.pages.shown import Shown
from generator.pages.text import plain

_FEED_ENTRIES = 40
_ATOM = "http://www.w3.org/2005/Atom"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_NAME = "Trainwreck"


def data_files(shown: Shown, address: str | None) -> dict[str, str]:
    """Write the data beside the pages; what needs the address of the site only where it is known.

    *address* ends in a slash.
    """
    known = {"feed.xml": _feed, "opensearch.xml": _opensearch} if address else {}
    return {
        "api/v1/entries.json": _json(_index(shown, address)),
        **{f"api/v1/entries/{i.id}.json": _json(_whole(i, address)) for i in shown.items},
        "llms.txt": _for_language_models(shown, address),
        **{path: write(shown, address or "") for path, write in known.items()},
    }


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def _page(entry_id: str, address: str | None) -> str:
    """Return where the page of an entry is, below the site where its address is not known."""
    return f"{address or ''}entries/{entry_id}/"


def _index(shown: Shown, address: str | None) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "license": "CC-BY-4.0",
        "entries": [_brief(item, address) for item in shown.items],
    }


def _brief(item: Loaded, address: str | None) -> dict[str, Any]:
    """Say what a list of entries needs to know of one."""
    entry = item.entry
    return {
        "id": item.id,
        "title": plain(entry.title),
        "status": entry.status,
        "kind": entry.kind,
        "category": entry.category,
        "effect": entry.effect,
        "phase": entry.phase,
        "layer": entry.layer,
        "frameworks": entry.frameworks,
        "tags": entry.tags,
        "aliases": entry.aliases,
        "summary": entry.summary.model_dump(),
        "proof": entry.proof.level,
        "created": entry.created.isoformat(),
        "updated": entry.updated.isoformat(),
        "page": _page(item.id, address),
        "data": f"{address or ''}api/v1/entries/{item.id}.json",
    }


def _whole(item: Loaded, address: str | None) -> dict[str, Any]:
    """Give all that an entry says, its body included; example logs stand in the catalogue."""
    fields = item.entry.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"examples"}
    )
    body = [
        {"heading": section.heading, "text": section.text.strip()}
        for section in item.body
        if section.heading
    ]
    page = _page(item.id, address)
    return {"schema_version": 1, "id": item.id, "page": page, **fields, "body": body}


def _for_language_models(shown: Shown, address: str | None) -> str:
    """Write the index that language models read: one line for each failure."""
    groups = [
        f"## {label.name}\n\n" + "\n".join(_line(item, address) for item in items)
        for name, label in CATEGORIES.items()
        if (items := [item for item in shown.listed if item.entry.category == name])
    ]
    data = f"Each entry as data: {address or ''}api/v1/entries.json"
    return "\n\n".join([f"# {_NAME}", f"> {ABOUT}", data, *groups]) + "\n"


def _line(item: Loaded, address: str | None) -> str:
    summary = item.entry.summary
    title = plain(item.entry.title).replace("[", "(").replace("]", ")")
    said = " ".join(map(plain, (summary.symptom, summary.cause, summary.fix)))
    return f"- [{title}]({_page(item.id, address)}): {said}"


def _feed(shown: Shown, address: str) -> str:
    """Write what changed last, as an Atom feed."""
    latest = sorted(shown.listed, key=lambda item: (item.entry.updated, item.id), reverse=True)
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    newest = latest[0].entry.updated.isoformat() if latest else "1970-01-01"
    about = [("id", address), ("title", _NAME), ("subtitle", ABOUT), ("updated", _at(newest))]
    _texts(feed, about)
    ElementTree.SubElement(feed, "link", rel="self", href=f"{address}feed.xml")
    ElementTree.SubElement(feed, "link", href=address)
    _texts(ElementTree.SubElement(feed, "author"), [("name", _NAME)])
    for item in latest[:_FEED_ENTRIES]:
        page = _page(item.id, address)
        entry = ElementTree.SubElement(feed, "entry")
        _texts(
            entry,
            [
                ("id", page),
                ("title", plain(item.entry.title)),
                ("updated", _at(item.entry.updated.isoformat())),
                ("published", _at(item.entry.created.isoformat())),
                ("summary", plain(item.entry.summary.symptom)),
            ],
        )
        ElementTree.SubElement(entry, "link", href=page)
    return _xml(feed)


def _at(day: str) -> str:
    return datetime.fromisoformat(day).replace(tzinfo=UTC).isoformat()


def _opensearch(shown: Shown, address: str) -> str:
    """Let a browser offer the search of this site."""
    document = ElementTree.Element("OpenSearchDescription", xmlns=_OPENSEARCH)
    _texts(document, [("ShortName", _NAME), ("Description", ABOUT)])
    ElementTree.SubElement(
        document, "Url", type="text/html", template=f"{address}?q={{searchTerms}}"
    )
    ElementTree.SubElement(
        document, "Image", type="image/svg+xml"
    ).text = f"{address}images/favicon.svg"
    return _xml(document)


def _texts(parent: ElementTree.Element, pairs: Iterable[tuple[str, str]]) -> None:
    for name, text in pairs:
        ElementTree.SubElement(parent, name).text = text


def _xml(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
