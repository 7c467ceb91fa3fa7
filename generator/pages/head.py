"""The head of a page, as MkDocs reads it."""

import json
from typing import Any

from generator.pages.text import plain

# What a page hides that needs the whole width.
WIDE = ["navigation", "toc"]


def front_matter(title: str, description: str = "", **more: Any) -> str:
    """Write the head of a page; JSON is YAML that says exactly what it says."""
    fields: dict[str, Any] = {"title": plain(title)}
    if description:
        fields["description"] = plain(description)
    # The site's parts stand in the tabs, so that the page has the room.
    fields |= {"hide": ["navigation"], **more}
    lines = [f"{name}: {json.dumps(value)}" for name, value in fields.items()]
    return "\n".join(["---", *lines, "---"])
