"""Entries that tell of the same line: rivals, and general ones beside exact ones."""

from typing import Any

import pytest

from checker.diagnose.confidence import Case
from checker.diagnose.relations import with_rivals, without_general
from checker.pipeline import diagnose_texts
from generator.catalogue import compile_rule
from tests.checker.failures import catalogue_of, told
from tests.checker.observed import line, sighting
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("confidence", "general")

DETECT: dict[str, Any] = {"signs": {"a": "some words"}, "signatures": [{"weak": ["a"]}]}
REFINES_G = {"relations": {"refines": ["g"]}}


def case(
    name: str, confidence: int = 3, rank: int | None = 0, number: int = 1, **fields: Any
) -> Case:
    """A case that rests on one line."""
    attempt, host = fields.pop("attempt", None), fields.pop("host", None)
    rule = compile_rule(name, make_entry(DETECT, **fields))
    seen = sighting(line=line(number=number, rank=rank), rank=rank)
    ranks = () if rank is None else (rank,)
    return Case(rule, attempt, confidence, rank, ranks, host, (seen,), (), "", False, 1)


def levels(*cases: Case) -> list[int]:
    """How sure the cases are beside each other."""
    return [found.confidence for found in with_rivals(cases)]


def test_unrelated_entries_on_one_line_are_rivals() -> None:
    """Neither is certain; on two lines each stands for itself."""
    assert levels(case("a"), case("b")) == [2, 2]
    assert [found.rivals for found in with_rivals([case("a"), case("b")])] == [("b",), ("a",)]
    assert levels(case("a"), case("b", number=2)) == [3, 3]


@pytest.mark.parametrize(
    "fields",
    [
        {"relations": {"refines": ["a"]}},
        {"kind": "symptom"},
        {"relations": {"leads_to": ["a"]}},
        {"kind": "benign"},
        {"confidence": 1},
        {"attempt": 1},
    ],
)
def test_entries_that_are_related_are_no_rivals(fields: dict[str, Any]) -> None:
    """Exact and general, cause and effect, the harmless, a guess and another attempt cap nobody."""
    assert levels(case("a"), case("b", **fields))[0] == 3


def hidden(exact: Case, general: Case) -> bool:
    """Whether the general one gives way."""
    left, _ = without_general([exact, general])
    return general.id not in [found.id for found in left]


def test_exact_entry_hides_the_general_one_where_it_is_likely_and_of_the_same_place() -> None:
    """A guess, another rank, another host, or another attempt hides nothing."""
    general = case("g")
    assert hidden(case("e", 2, **REFINES_G), general)
    assert not hidden(case("e", 1, **REFINES_G), general)
    assert not hidden(case("e", rank=1, **REFINES_G), general)
    assert not hidden(case("e", attempt=1, **REFINES_G), general)
    assert not hidden(case("e"), general)
    here, there = (case("e", rank=None, host=host, **REFINES_G) for host in ("n1", "n2"))
    on_host = case("g", rank=None, host="n1")
    assert hidden(here, on_host)
    assert not hidden(there, on_host)


def test_exact_entry_that_is_possible_is_told_beside_the_general_one() -> None:
    """It may be what happened more exactly; the general one stays, as sure as it is."""
    words = {"signs": {"a": "some words"}, "signatures": [{"decisive": ["a"]}]}
    more = {"signs": {"b": "some words and more"}, "signatures": [{"weak": ["b"]}]}
    known = catalogue_of("host-oom-killer", g=(words, {}), e=(more, REFINES_G), other=(more, {}))
    report = diagnose_texts(known, {"a.log": "some words and more\n"}, {}, {})
    assert told(report) == [
        ("g", "certain", "initiating", None, None),
        ("e", "possible", "independent", None, None),
    ]
    assert [d.general for d in report.diagnoses] == [None, {"id": "g", "confidence": "certain"}]


def test_general_entry_stays_and_names_what_the_exact_ones_lack() -> None:
    """Without the sign that tells them apart the message says no more than the general entry."""
    general = {"signs": {"a": "device lost"}, "signatures": [{"strong": ["a"]}]}
    exact = {
        "signs": {"a": "device lost", "b": "cable pulled"},
        "signatures": [{"decisive": ["a", "b"]}],
    }
    near = {
        "signs": {"a": "device lost", "c": "nothing of it"},
        "signatures": [{"decisive": ["a", "c"]}],
    }
    catalogue = catalogue_of(
        "disk-full",
        device_lost=(general, {}),
        another=(near, {}),
        pulled=(exact, {"relations": {"refines": ["device-lost"]}}),
    )
    report = diagnose_texts(catalogue, {"a.log": "device lost\n"}, {}, {})
    assert told(report) == [("device-lost", "likely", "initiating", None, None)]
    assert [(item.id, item.missing) for item in report.nearest] == [
        ("pulled", 'a line with "cable pulled"'),
        ("another", 'a line with "nothing of it"'),
    ]


def test_check_that_separates_rivals_is_the_next_one() -> None:
    """What an entry says of the other decides, not what confirms it alone."""
    tell = "The quota command names the user."
    beside = {"confused_with": [{"id": "quota-full", "tell": tell}]}
    detect = {"signs": {"a": "no space"}, "signatures": [{"decisive": ["a"]}]}
    catalogue = catalogue_of(
        "user-code-error", disk_full=(detect, {"relations": beside}), quota_full=(detect, {})
    )
    report = diagnose_texts(catalogue, {"a.log": "no space\n"}, {}, {})
    first = next(item for item in report.diagnoses if item.rule["id"] == "disk-full")
    assert (first.confidence, first.next) == (2, {"command": "dmesg", "decides": tell})
