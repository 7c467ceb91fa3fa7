"""Fill a drafted entry in with what its writer has chosen."""

import json
from collections.abc import Mapping
from typing import NamedTuple

_EDITOR = "# yaml-language-server: $schema=../dist/entry.schema.json"


class Chosen(NamedTuple):
    """What the writer of a new entry has said; None leaves it as drafted."""

    title: str | None
    category: str | None
    phase: str | None
    layer: str | None
    frameworks: tuple[str, ...]


def filled_in(draft: str, chosen: Chosen) -> str:
    """Return the draft with the chosen values, and the line by which editors know its schema."""
    text = draft.replace("---\n", f"---\n{_EDITOR}\n", 1)
    values = {
        "title": json.dumps(chosen.title, ensure_ascii=False) if chosen.title else None,
        "category": chosen.category,
        "phase": chosen.phase,
        "layer": chosen.layer,
        "frameworks": f"[{', '.join(chosen.frameworks)}]" if chosen.frameworks else None,
    }
    return "\n".join(_line(line, values) for line in text.split("\n"))


def _line(line: str, values: Mapping[str, str | None]) -> str:
    key, colon, _ = line.partition(": ")
    value = values.get(key) if colon else None
    return line if value is None else f"{key}: {value}"
