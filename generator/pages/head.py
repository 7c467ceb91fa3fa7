"""The head of a page, as MkDocs reads it."""

import json
from html import escape
from typing import Any

from generator.pages.text import plain

ABOUT = "The encyclopedia of ML-training failures, and the offline checker made from it."
# What a page hides that needs the whole width.
WIDE = ["navigation", "toc"]


def front_matter(title: str, description: str = "", **more: Any) -> str:
    """Write the head of a page; JSON is YAML that says exactly what it says.

    The texts are HTML already, since the theme puts them into its pages as they are.
    """
    fields: dict[str, Any] = {"title": escape(plain(title))}
    if description:
        fields["description"] = escape(plain(description))
    # The site's parts stand in the tabs, so that the page has the room.
    fields |= {"hide": ["navigation"], **more}
    lines = [f"{name}: {_written(value)}" for name, value in fields.items()]
    return "\n".join(["---", *lines, "---"])


def _written(value: Any) -> str:
    """Write a value so that nothing in it can look like HTML to whoever reads the page's text."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")
