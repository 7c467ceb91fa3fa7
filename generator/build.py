"""Build everything from the entries: the script, the data, the pages, and the site."""

from pathlib import Path

from checker.identity import VERSION
from generator.assemble import assemble
from generator.catalogue import CompiledCatalogue, Published, compile_catalogue
from generator.load import Collection
from generator.products import catalogue_json
from generator.schema import schema_text


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


def products(root: Path, collection: Collection) -> dict[str, str]:
    """Return what goes into `dist`: file name to text, the same bytes for the same sources."""
    catalogue: CompiledCatalogue = compile_catalogue(published(collection))
    rows, sha256, date = catalogue
    return {
        "trainwreck.py": assemble(root / "checker", rows, sha256, date, VERSION),
        "catalogue.json": catalogue_json(rows, sha256, date),
        "entry.schema.json": schema_text(),
    }
