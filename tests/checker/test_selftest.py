"""The judgment of the self-test on one example."""

from typing import Any

import pytest

from checker.judgement import Nearest
from checker.model import Diagnosis
from checker.selftest import example_problems
from tests.checker.report_records import diagnosis, observations, report, rule

OWN = rule("own", leads_to=[{"id": "after", "where": "run", "within": None}], refines=["general"])
FOUND = diagnosis(OWN, confidence=2, rank=1)


def problems(example: dict[str, Any], *found: Diagnosis) -> list[str]:
    """Judge an example of OWN whose diagnosis is *found*."""
    whole = {"name": "n", "diagnosed": True, "expect": {}, "also": [], **example}
    outcome = report(observations(), *found, nearest=(Nearest("own", "no line 'x'"),))
    return example_problems(OWN, whole, outcome)


def test_an_example_that_is_diagnosed_as_expected_has_no_problem() -> None:
    """Confidence, rank and role are compared where the example names them."""
    expect = {"confidence": "likely", "rank": 1, "role": "initiating"}
    assert problems({"expect": expect}, FOUND) == []


def test_an_example_that_is_not_diagnosed_fails_with_what_is_missing() -> None:
    """The missing sign is told, since the contributor asks for it next."""
    assert problems({}) == ["is not diagnosed: no line 'x'"]


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ({"confidence": "certain"}, "is likely, expected certain"),
        ({"rank": 0}, "is on rank 1, expected 0"),
        ({"role": "consequence"}, "is initiating, expected consequence"),
    ],
)
def test_every_expectation_is_held_against_the_diagnosis(
    expect: dict[str, Any], problem: str
) -> None:
    """What differs is said with both values."""
    assert problems({"expect": expect}, FOUND) == [problem]


def test_a_diagnosis_that_is_only_possible_must_be_asked_for() -> None:
    """An example without an expectation shows the entry at work."""
    weak = FOUND._replace(confidence=1)
    assert problems({}, weak) == ["is only possible; say so in 'expect' if that is right"]
    assert problems({"expect": {"confidence": "possible"}}, weak) == []


def test_a_near_miss_must_not_be_diagnosed() -> None:
    """A possible diagnosis of it is not shown as a finding, and allowed."""
    assert problems({"diagnosed": False}, FOUND) == ["is diagnosed (likely), and must not be"]
    assert problems({"diagnosed": False}, FOUND._replace(confidence=1)) == []


def test_another_entry_is_allowed_only_where_it_is_declared() -> None:
    """By the example's `also`, by `leads_to`, or by `refines`, from either side."""
    other = diagnosis(rule("other"), confidence=3)
    assert problems({}, FOUND, other) == ["other is diagnosed too (certain), undeclared"]
    assert problems({"also": ["other"]}, FOUND, other) == []
    assert problems({}, FOUND, diagnosis(rule("after"), confidence=2)) == []
    assert problems({}, FOUND, diagnosis(rule("general"), confidence=2)) == []
    assert problems({}, FOUND, diagnosis(rule("exact", refines=["own"]), confidence=2)) == []
    assert problems({}, FOUND, other._replace(confidence=1)) == []
