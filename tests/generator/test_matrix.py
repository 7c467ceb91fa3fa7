"""The matrix of examples, and the page that shows it."""

from generator.build import published
from generator.matrix import Found, Outcome, failures, outcomes
from generator.pages.matrix import matrix_pages
from generator.pages.shown import choose
from tests.generator.pages.rendering import sample_collection

RIGHT = Outcome(
    "sample-writer-stalls",
    "a hang",
    True,
    (
        Found("sample-writer-stalls", "certain", "initiating"),
        Found("sample-peer-waits", "likely", "consequence"),
        Found("sample-hang", "possible", "independent"),
    ),
    (),
)
WRONG = Outcome(
    "sample-writer-stalls", "a near miss", False, (), ("is diagnosed (likely), and must not be",)
)


def test_examples_are_run_against_all_entries() -> None:
    """Each outcome names what was diagnosed; named entries alone have theirs run."""
    collection = sample_collection()
    every = list(outcomes(published(collection)))
    named = list(outcomes(published(collection), {"sample-writer-stalls"}))
    assert {one.id for one in named} == {"sample-writer-stalls"}
    assert named == [one for one in every if one.id == "sample-writer-stalls"]


def test_only_what_is_certain_or_likely_counts_beside_an_entry() -> None:
    """A mere possibility is no second diagnosis."""
    assert RIGHT.others == (Found("sample-peer-waits", "likely", "consequence"),)


def test_failures_name_entry_and_example() -> None:
    """A line tells whose example it is, and what is wrong."""
    assert failures([RIGHT, WRONG]) == [
        "sample-writer-stalls: a near miss: is diagnosed (likely), and must not be"
    ]


def test_the_page_counts_and_links() -> None:
    """Each entry has a row with its examples and what else was found in them."""
    page = matrix_pages(choose(sample_collection().entries.values()), [RIGHT])[
        "reference/matrix.md"
    ]
    assert "| diagnosed as their own entry | 1 |\n" in page
    assert "| in which another entry is certain or likely too, as declared | 1 |\n" in page
    assert "| 1 | 0 | [`sample-peer-waits`](../entries/sample-peer-waits.md) |\n" in page
    assert matrix_pages(choose([]), []) == {}
