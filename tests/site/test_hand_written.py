"""The hand-written pages say what the checker does."""

import re

import pytest

from checker.outcome import EXIT_STATUSES
from generator.pages.labels import PROOFS
from tests.site.building import ROOT

PAGES = ROOT / "site_overrides" / "pages"


@pytest.fixture(scope="module")
def checker_page() -> str:
    """Read the page about the checker."""
    return (PAGES / "checker.md").read_text(encoding="utf-8")


def test_exit_statuses_are_those_of_the_checker(checker_page: str) -> None:
    """The table has every exit status with the meaning that help shows."""
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", checker_page, re.MULTILINE)
    assert rows == [(str(status), meaning) for status, meaning in EXIT_STATUSES]


def test_every_proof_level_is_explained() -> None:
    """Each level that an entry can have is a term of the page that entries link to."""
    page = (PAGES / "diagnosis.md").read_text(encoding="utf-8")
    proof = page[page.index("{ #proof }") :]
    assert re.findall(r"^\*\*(.*)\*\*$", proof, re.MULTILINE) == list(PROOFS.values())
