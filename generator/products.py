"""The files that the build makes in `dist` besides the pages: script, data and checksums."""

import hashlib
import json
from pathlib import Path
from typing import Any

from checker.catalogue import read_catalogue


def catalogue_json(rows: str, sha256: str, date: str) -> str:
    """Return the whole catalogue as one JSON document, for other programs; a line is an entry."""
    entries: list[dict[str, Any]] = [
        {"id": entry.id, "keys": list(entry.keys), **entry.rule()}
        for entry in read_catalogue(rows, sha256, date).entries
    ]
    lines = ",\n".join(
        json.dumps(one, sort_keys=True, ensure_ascii=True, separators=(",", ":")) for one in entries
    )
    return (
        f'{{"date": {json.dumps(date)}, "entries": [\n{lines}\n], '
        f'"schema_version": 1, "sha256": {json.dumps(sha256)}}}\n'
    )


def checksums(files: dict[str, bytes]) -> str:
    """Return the lines of a SHA256SUMS file, as `sha256sum --check` reads them."""
    return "".join(
        f"{hashlib.sha256(content).hexdigest()}  {name}\n"
        for name, content in sorted(files.items())
    )


def write_products(folder: Path, files: dict[str, str]) -> None:
    """Write *files* and their checksums into *folder*; a file that did not change is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    encoded = {name: text.encode("utf-8") for name, text in files.items()}
    encoded["SHA256SUMS"] = checksums(encoded).encode("ascii")
    for name, content in encoded.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        path.chmod(0o755 if name.endswith(".py") else 0o644)
