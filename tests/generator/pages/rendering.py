"""What the tests of the pages share: sample entries, and Markdown rendered as the site does."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import markdown
from mkdocs.config import load_config

from generator.load import Collection, load

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = Path(__file__).resolve().parent / "samples"


def sample_collection() -> Collection:
    """Load the sample entries: one with every field, one with few, one withdrawn."""
    collection = load(SAMPLES)
    assert collection.problems == []
    return collection


@cache
def site_config() -> Any:
    """Read mkdocs.yml as MkDocs does; the folder of pages need not be there."""
    return load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(SAMPLES))


def to_html(text: str) -> str:
    """Render Markdown with the extensions of the site."""
    config = site_config()
    return markdown.markdown(
        text, extensions=config.markdown_extensions, extension_configs=config.mdx_configs
    )


class Parsed(HTMLParser):
    """Collects the elements of a document, with their attributes and the text."""

    def __init__(self) -> None:
        """Start with nothing collected."""
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


def parse_html(html: str) -> Parsed:
    """Parse a document or a piece of one."""
    parser = Parsed()
    parser.feed(html)
    parser.close()
    return parser
