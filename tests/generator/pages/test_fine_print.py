"""What else changes a diagnosis is told with it."""

from typing import Any

import pytest

from generator.pages.fine_print import fine_print
from tests.generator.entries import make_entry
from tests.generator.pages.rendering import parse_html, to_html

RECOVERED = "It counts as recovered if the same process counts two more steps afterwards, or ends"
DETAILS = "When it happened, and values beside a message"


def _words(signs: dict[str, Any], **fields: Any) -> str:
    detect = {"signs": signs, "signatures": [{"weak": [next(iter(signs))]}]}
    page = to_html(fine_print(make_entry(detect, **fields)))
    return " ".join(parse_html(page).text.split())


def test_of_what_is_told_at_once_only_the_end_is_said() -> None:
    """A plain entry needs one sentence: what shows that the failure passed."""
    assert _words({"a": "one"}) == f"{RECOVERED} well."


def test_what_happened_at_another_time_is_told() -> None:
    """Exit codes are told late, a wait began before, and surroundings are no failure."""
    signs = {
        "end": {"exit": {"code": 1}, "onset": "earlier"},
        "wait": {"log": "waited <dur:took>", "onset": "minus took"},
        "around": {"log": "step <n>", "onset": "context"},
        "plain": "one",
    }
    assert _words(signs) == (
        f"{RECOVERED} well. {DETAILS} "
        "Printed late, it happened at some time before: a process ends with exit code 1 "
        "Printed at the end of a wait that began <took> before: waited <dur:took> "
        "Shows what went on before, and not when the failure happened: step <n>"
    )


def test_where_all_is_told_late_one_sentence_says_so() -> None:
    """The signs are not listed once more."""
    signs = {"a": {"log": "one", "onset": "earlier"}, "b": {"log": "two", "onset": "earlier"}}
    assert _words(signs) == (
        f"{RECOVERED} well. {DETAILS} All of this is printed late; it happened at some time before."
    )


def test_pieces_that_give_values_are_told() -> None:
    """Comparisons and places rest on values that the wording itself may not have."""
    signs = {"a": {"log": "no room", "capture": ["wanted <size:wanted>", "of <path>"]}}
    assert _words(signs) == (
        f"{RECOVERED} well. {DETAILS} Values are also read from these, in the line or in the next "
        "two; none of them must be: with no room: wanted <size:wanted> and of <path>"
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"recovers": "never"}, "Nothing afterwards makes it count as recovered."),
        ({"recovers": "a"}, "It counts as recovered if this is seen afterwards: one."),
        ({"recovers": "series"}, "It counts as recovered if its values are good again afterwards."),
        (
            {"kind": "benign", "recovers": "never"},
            "Nothing afterwards makes it count as recovered. "
            "Because it is harmless, it is never called more than possible.",
        ),
    ],
)
def test_what_takes_it_back_and_what_caps_it_is_told(fields: dict[str, Any], words: str) -> None:
    """An entry says what shows that it passed, and its kind how sure it can be."""
    assert _words({"a": "one"}, **fields) == words
