"""The references for contributors, made from the model and from the registry of checks."""

import re

import pytest

from checker.facts import fact_kinds
from checker.probe.registry import job_probes, probes
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


def test_every_probe_and_every_fact_is_told() -> None:
    """Each fact once, below the probe that gives it, with its unit and how long it holds."""
    page = reference_pages()["reference/probe.md"]
    told = re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE)
    given = [name for probe in (*probes(), *job_probes()) for name in probe.gives.split()]

    assert told[: len(given)] == given
    assert sorted(told) == sorted(fact_kinds())
    assert (
        "### Clock { #clock }\n\n"
        "Whether the clock follows a time server, and how far off it says that it is.\n\n"
        "Times of several hosts can be compared only where it does.\n\n"
        "Can block, and is asked in a child process with a time limit.\n\n"
    ) in page
    assert (
        "| `clock.offset` | number, in s | How far off the clock is, as its time service says. "
        "Holds while it runs. |\n"
    ) in page
    assert "As root it tells more: the log, where the kernel shows it to root only" in page
