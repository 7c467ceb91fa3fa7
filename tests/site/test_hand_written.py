"""The hand-written pages say what the checker does."""

import ast
import re

import pytest

from checker.diagnose.roles import CONSEQUENCE, INDEPENDENT, INITIATING
from checker.model import CONFIDENCE
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


@pytest.fixture(scope="module")
def diagnosis_page() -> str:
    """Read the page about diagnoses."""
    return (PAGES / "diagnosis.md").read_text(encoding="utf-8")


def constants(module: str) -> set[str]:
    """Give the texts that a module of the report holds."""
    tree = ast.parse((ROOT / "checker" / "report" / module).read_text(encoding="utf-8"))
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {text.strip() for text in texts if isinstance(text, str)}


def test_every_label_of_a_report_is_explained(diagnosis_page: str) -> None:
    """The page has each label in capitals that the first line of a diagnosis can have."""
    texts = [text.partition(" {")[0] for text in constants("accounts.py")]
    labels = {text for text in texts if text.isupper() and len(text) > 4}
    explained = set(re.findall(r"^\*\*([A-Z, ]+)\*\*$", diagnosis_page, re.MULTILINE))
    assert explained == labels


def test_every_section_that_is_explained_is_one_of_the_report(diagnosis_page: str) -> None:
    """The page quotes headings as the report prints them."""
    quoted = re.findall(r"^\| `(.*)` \|", diagnosis_page, re.MULTILINE)
    assert len(quoted) == 11
    assert [one for one in quoted if one not in constants("render_text.py")] == []


def test_confidences_and_roles_are_those_of_the_checker(diagnosis_page: str) -> None:
    """Each confidence and role is a term, and there is no other term in small letters there."""
    terms = re.findall(r"^\*\*([a-z]+)\*\*(?:\{.*\})?$", diagnosis_page, re.MULTILINE)
    assert terms[:6] == [*CONFIDENCE.values(), INITIATING, CONSEQUENCE, INDEPENDENT]


def test_every_proof_level_is_explained() -> None:
    """Each level that an entry can have is a term of the page that entries link to."""
    page = (PAGES / "diagnosis.md").read_text(encoding="utf-8")
    proof = page[page.index("{ #proof }") :]
    assert re.findall(r"^\*\*(.*)\*\*$", proof, re.MULTILINE) == list(PROOFS.values())
