"""What search engines read of every published entry, held against the vocabulary of schema.org."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from generator.load import load
from generator.pages.structured import structured
from tests.needs import ROOT


def _is_date(value: Any) -> bool:
    return date.fromisoformat(value).isoformat() == value


KINDS: dict[str, Callable[[Any], bool]] = {
    "Text": lambda value: isinstance(value, str) and bool(value.strip()),
    "URL": lambda value: value.startswith("https://"),
    "Date": _is_date,
}
# The properties that are used, by the types that may have them, each with what it may hold: from
# the vocabulary of schema.org, release 30.0.
VOCABULARY = {
    "TechArticle": {
        **{"headline": "Text", "description": "Text", "keywords": "Text", "inLanguage": "Text"},
        **{"license": "URL", "datePublished": "Date", "dateModified": "Date", "about": "Thing"},
    },
    "FAQPage": {"mainEntity": "Question"},
    "Question": {"name": "Text", "acceptedAnswer": "Answer"},
    "Answer": {"text": "Text"},
    "Thing": {"name": "Text"},
}
# Without these, a search engine drops what it reads.
REQUIRED = {
    "TechArticle": {"headline", "datePublished", "dateModified"},
    "FAQPage": {"mainEntity"},
    "Question": {"name", "acceptedAnswer"},
    "Answer": {"text"},
    "Thing": {"name"},
}


def problems(node: dict[str, Any]) -> Iterator[str]:
    """Name what of a node, and of the nodes in it, the vocabulary does not know."""
    kind = node["@type"]
    yield from (f"{kind} lacks {name}" for name in sorted(REQUIRED[kind] - node.keys()))
    for name, given in node.items():
        if name == "@type":
            continue
        expected = VOCABULARY[kind].get(name)
        for value in given if isinstance(given, list) else [given]:
            if expected is None:
                yield f"{kind} has no {name}"
            elif expected in KINDS:
                if not KINDS[expected](value):
                    yield f"{name} of {kind} is no {expected}: {value!r}"
            elif not isinstance(value, dict) or value["@type"] != expected:
                yield f"{name} of {kind} is no {expected}: {value!r}"
            else:
                yield from problems(value)


def test_every_entry_is_valid_structured_data() -> None:
    """Each has an article and its questions, of known types with all that they need."""
    collection = load(ROOT / "entries")
    assert len(collection.entries) > 100
    for entry_id, item in collection.entries.items():
        document = structured(item.entry)
        assert document["@context"] == "https://schema.org"
        article, page = document["@graph"]
        assert (article["@type"], page["@type"]) == ("TechArticle", "FAQPage")
        assert [*problems(article), *problems(page)] == [], entry_id


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ({"@type": "Question", "name": "Why?"}, "Question lacks acceptedAnswer"),
        ({"@type": "Answer", "text": " "}, "text of Answer is no Text: ' '"),
        ({"@type": "Thing", "name": "x", "headline": "y"}, "Thing has no headline"),
        ({"@type": "FAQPage", "mainEntity": ["x"]}, "mainEntity of FAQPage is no Question: 'x'"),
    ],
)
def test_what_is_not_valid_is_found(node: dict[str, Any], said: str) -> None:
    """The validator is no rubber stamp."""
    assert list(problems(node)) == [said]
