"""The references for contributors, made from the model and from the registry of checks."""

import re

import pytest

from generator.body import HEADINGS
from generator.errors import LOAD_CODES
from generator.lint.registry import checks
from generator.model import Entry
from generator.pages.reference import reference_pages


@pytest.fixture(scope="module")
def entry_page() -> str:
    """Write the reference of entries."""
    return reference_pages()["reference/entry.md"]


def test_every_field_of_an_entry_is_told_with_its_values(entry_page: str) -> None:
    """The first table has the fields in the order of the model, each with what it may be."""
    below = entry_page[entry_page.index("{ #entry }") :]
    table = below[: below.index("</div>")]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(Entry.model_fields)
    assert (
        "| `status` | `draft`, `published` or `withdrawn`, **required** | A draft has no page and "
        "is in no checker; a withdrawn entry keeps its page. |\n"
    ) in table
    assert (
        "| `confirm` | a list of at least one: [Confirmation](#confirmation), **required** |"
        in (table)
    )
    assert (
        "| `effect` | a list of at least one: `dies`, `hangs`, `slows`, `wrong` or `damages` (one "
        "alone needs no list), **required** | What it does to the run. |\n"
    ) in table
    assert "| `title` | text of at most 110 characters, **required** |" in table


def test_parts_are_linked_and_there(entry_page: str) -> None:
    """Each part that a field may hold has its own table on the page."""
    linked = set(re.findall(r"\]\(#(\w+)\)", entry_page))
    assert {"wording", "logsign", "signature", "compare", "example"} <= linked
    assert [name for name in linked if f"{{ #{name} }}" not in entry_page] == []


def test_every_heading_of_the_body_is_told(entry_page: str) -> None:
    """A contributor sees which sections there are, and which are required."""
    told = re.findall(r"^-   \*\*(.*?)\*\*( \(required\))?:", entry_page, re.MULTILINE)
    assert told == [(one.title, " (required)" if one.required else "") for one in HEADINGS]


def test_every_code_of_lint_is_told() -> None:
    """Each code that lint prints is a term of its reference, those of the loader first."""
    page = reference_pages()["reference/lint.md"]
    assert re.findall(r"^`(.*)`$", page, re.MULTILINE) == [*LOAD_CODES, *checks()]
