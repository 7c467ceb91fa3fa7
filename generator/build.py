"""Build everything from the entries: the script, the data, the pages, and the site."""

from collections.abc import Mapping
from pathlib import Path

from checker.identity import VERSION
from generator.assemble import assemble
from generator.catalogue import CompiledCatalogue, Published, compile_catalogue
from generator.load import Collection
from generator.products import catalogue_json
from generator.schema import json_text, report_schema, schema_text


def published(collection: Collection) -> list[Published]:
    """Hand the entries over as the catalogue needs them."""
    return [
        Published(
            loaded.id,
            loaded.entry,
            tuple((section.heading, section.text) for section in loaded.body if section.heading),
        )
        for loaded in collection.entries.values()
    ]


def site_address(environment: Mapping[str, str]) -> str | None:
    """Return the address that the site is deployed at, ending in a slash; None where none is."""
    address = environment.get("SITE_URL", "").strip()
    return address.rstrip("/") + "/" if address else None


def repository_address(environment: Mapping[str, str]) -> str | None:
    """Return where the sources can be read and changed, without a slash at the end, or None."""
    address = environment.get("REPOSITORY_URL", "").strip().rstrip("/")
    return address if address.startswith("https://") else None


def products(root: Path, collection: Collection, site_url: str | None = None) -> dict[str, str]:
    """Return what goes into `dist`: file name to text, the same bytes for the same sources.

    With the address of a site, reports name the page of an entry.
    """
    pages = {entry: f"{site_url}entries/{entry}/" for entry in collection.entries if site_url}
    catalogue: CompiledCatalogue = compile_catalogue(published(collection), pages)
    rows, sha256, date = catalogue
    return {
        "trainwreck.py": assemble(root / "checker", rows, sha256, date, VERSION),
        "catalogue.json": catalogue_json(rows, sha256, date),
        "entry.schema.json": schema_text(list(collection.entries)),
        "report.schema.json": json_text(report_schema()),
    }
