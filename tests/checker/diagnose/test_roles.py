"""What failed first, and what followed from it."""

from datetime import date
from typing import Any

import pytest

from checker.diagnose.confidence import Case
from checker.diagnose.roles import assign_roles
from generator.catalogue import compile_rule
from tests.checker.observed import at, line, sighting
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("roles")

DETECT: dict[str, Any] = {"signs": {"a": "some words"}, "signatures": [{"weak": ["a"]}]}


def case(
    name: str, onset: float | None = None, rank: int = 0, confidence: int = 2, **fields: Any
) -> Case:
    """A case that began at a time on a rank."""
    attempt = fields.pop("attempt", None)
    relations = {"leads_to": fields.pop("leads_to", [])}
    host = fields.pop("host", None)
    rule = compile_rule(name, make_entry(DETECT, relations=relations, **fields))
    seen = sighting(
        onset=None if onset is None else at(onset), rank=rank, line=line(rank=rank, path=name)
    )
    return Case(rule, attempt, confidence, rank, (rank,), host, (seen,), (), "", False, 1)


def roles(*cases: Case) -> list[tuple[str, str, str | None]]:
    """The id, role and cause of every case, which must not depend on their order."""
    told = [(role.case.id, role.role, role.cause) for role in assign_roles(cases)]
    backwards = [(r.case.id, r.role, r.cause) for r in assign_roles(cases[::-1])]
    assert told == backwards
    return told


def test_earliest_failure_is_initiating_and_the_others_independent() -> None:
    """Neither confidence nor name decides where the times do."""
    assert roles(case("b", 5), case("a", 9, rank=1, confidence=3)) == [
        ("b", "initiating", None),
        ("a", "independent", None),
    ]


def test_more_confident_failure_is_initiating_where_times_do_not_tell() -> None:
    """Without comparable times the surer one is named first."""
    assert roles(case("a"), case("b", 5, rank=1, confidence=3)) == [
        ("b", "initiating", None),
        ("a", "independent", None),
    ]


@pytest.mark.parametrize(
    ("failed", "kind", "first"), [(3, "stop", "a"), (9, "stop", "b"), (3, "failure", "b")]
)
def test_failure_above_a_stop_in_one_file_is_initiating(failed: int, kind: str, first: str) -> None:
    """Whoever stopped the run had a reason, even if the stop is surer; buffers delay no stop."""

    def at_line(found: Case, number: int) -> Case:
        (seen,) = found.evidence
        place = line(number=number, rank=seen.rank)
        return found._replace(evidence=(seen._replace(line=place),))

    failure = at_line(case("a", rank=1), failed)
    stop = at_line(case("b", confidence=3, kind=kind), 5)
    assert roles(failure, stop)[0] == (first, "initiating", None)


def test_merely_possible_failure_is_not_initiating_beside_a_likely_one() -> None:
    """What is only possible does not take the headline, however early."""
    assert roles(case("a", 1, rank=1, confidence=1), case("b", 5))[0] == ("b", "initiating", None)


def test_symptom_follows_from_a_failure_that_is_not_after_it() -> None:
    """A failure that dies or hangs has symptoms; one that began later has not caused them."""
    symptom = case("s", 9, rank=1, confidence=3, kind="symptom")
    assert roles(case("f", 5), symptom)[1] == ("s", "consequence", "f")
    assert roles(case("f", None), symptom)[1] == ("s", "consequence", "f")
    assert roles(case("f", 12), symptom)[1] == ("s", "consequence", None)
    assert roles(case("f", 5, effect="wrong"), symptom)[1] == ("s", "consequence", None)


def test_hang_shows_as_symptoms_of_other_ranks() -> None:
    """Whoever waits for a rank that hangs gives up as for one that died."""
    symptom = case("s", 9, rank=1, kind="symptom")
    assert roles(case("f", 5, effect="hangs"), symptom)[1] == ("s", "consequence", "f")


def test_nothing_of_another_attempt_is_a_cause_unless_it_left_damage() -> None:
    """The processes that failed before are gone."""
    symptom = case("s", 9, rank=1, kind="symptom", attempt=1)
    told = roles(case("f", 5, attempt=0), symptom)
    assert told == [("s", "consequence", None), ("f", "initiating", None)]
    stop = case("limit", 9, kind="stop", attempt=1)
    told = roles(case("h", 5, effect="hangs", attempt=0), stop)
    assert told == [("limit", "initiating", None), ("h", "initiating", None)]
    mistake = case("user-code-error", 9, attempt=1)
    told = roles(case("f", 5, attempt=0), mistake)
    assert told == [("user-code-error", "initiating", None), ("f", "initiating", None)]


def test_possible_failure_explains_no_sure_symptom() -> None:
    """A cause is likely, or as sure as what it explains."""
    symptom = case("s", 9, rank=1, confidence=2, kind="symptom")
    assert roles(case("f", 5, confidence=1), symptom)[1] == ("s", "consequence", None)
    weak = case("s", 9, rank=1, confidence=1, kind="symptom")
    assert roles(case("f", 5, confidence=1), weak)[1] == ("s", "consequence", "f")


def test_cause_is_the_most_confident_then_the_earliest() -> None:
    """Of several possible causes one is named."""
    symptom = case("s", 9, rank=3, kind="symptom")
    told = roles(case("a", 6), case("b", 5, rank=1), case("c", 7, rank=2, confidence=3), symptom)
    assert told[-1] == ("s", "consequence", "c")
    told = roles(case("a", 6), case("b", 5, rank=1), symptom)
    assert told[-1] == ("s", "consequence", "b")


def test_stop_follows_from_what_hangs_or_slows() -> None:
    """A run that hung was stopped for it; one that died was not."""
    stop = case("limit", 9, rank=1, kind="stop")
    assert roles(case("f", 5, effect="hangs"), stop)[1] == ("limit", "consequence", "f")
    assert roles(case("f", 5, effect="slows"), stop)[1] == ("limit", "consequence", "f")
    assert roles(case("f", 5, effect="dies"), stop)[1] == ("limit", "independent", None)
    assert roles(case("f", 12, effect="hangs"), stop)[1] == ("f", "independent", None)


def test_stop_can_be_what_came_first() -> None:
    """What was ended from outside ended first."""
    assert roles(case("limit", 3, kind="stop"))[0] == ("limit", "initiating", None)


def test_user_code_error_follows_from_a_failure_of_its_own_rank() -> None:
    """An exception behind a failure of the same rank is its consequence; of another it is not."""
    mistake = case("user-code-error", 9)
    assert roles(case("f", 5), mistake)[1] == ("user-code-error", "consequence", "f")
    assert roles(case("f", 5, rank=1), mistake)[1] == ("user-code-error", "independent", None)


def test_merely_possible_failure_explains_no_exception() -> None:
    """An exception is the user's until something likely explains it."""
    mistake = case("user-code-error", 9, confidence=1)
    assert roles(case("f", 5, confidence=1), mistake)[1] == ("user-code-error", "independent", None)


def test_user_code_error_of_the_parent_follows_from_a_failure_of_a_rank() -> None:
    """A later exception of a process that is no rank can be the parent's; an earlier one is not."""
    mistake = case("user-code-error", 9)._replace(rank=None, ranks=())
    told = roles(case("f", 5, rank=2), mistake)
    assert told[1] == ("user-code-error", "consequence", "f")
    assert roles(case("f", 12, rank=2), mistake)[0] == ("user-code-error", "initiating", None)
    unknown = roles(case("f", None, rank=2), mistake)
    assert unknown[1] == ("user-code-error", "independent", None)


def test_relation_makes_an_edge_where_it_holds() -> None:
    """`leads_to` says on which ranks its consequence shows."""
    there = [{"id": "b", "where": "other_ranks"}]
    here = [{"id": "b", "where": "same_rank"}]
    other = case("b", 9, rank=1)
    assert roles(case("a", 5, leads_to=there), other)[1] == ("b", "consequence", "a")
    assert roles(case("a", 5, leads_to=here), other)[1] == ("b", "independent", None)
    assert roles(case("a", 5, leads_to=there), case("b", 9))[1] == ("b", "independent", None)
    assert roles(case("a", 5, leads_to=here), case("b", 9))[1] == ("b", "consequence", "a")
    assert roles(case("a", 12, leads_to=there), other)[0] == ("b", "initiating", None)


def test_relation_of_one_host_or_device_does_not_hold_on_another() -> None:
    """What a device does to its own machine it does not do to the next."""
    for where in ("same_host", "same_gpu"):
        links = [{"id": "b", "where": where}]
        first = case("a", 5, leads_to=links, host="n1")
        assert roles(first, case("b", 9, rank=1, host="n1"))[1] == ("b", "consequence", "a")
        assert roles(first, case("b", 9, rank=1, host="n2"))[1] == ("b", "independent", None)


def test_relation_holds_within_one_attempt() -> None:
    """Whatever failed in a restarted run does so of a cause of its own."""
    for where in ("run", "same_rank", "same_host", "other_ranks"):
        first = case("a", 5, attempt=0, leads_to=[{"id": "b", "where": where}])
        beside = roles(first, case("b", 9, rank=1, attempt=0), case("b", 9, rank=0, attempt=0))
        later = roles(first, case("b", 9, rank=1, attempt=1), case("b", 9, rank=0, attempt=1))
        assert ("b", "consequence", "a") in beside
        assert ("b", "consequence", "a") not in later


def test_damage_harms_no_attempt_before_it() -> None:
    """A relation to the next attempt leads to later ones only."""
    links = [{"id": "l", "where": "next_attempt"}]
    damage = case("d", attempt=1, effect="damages", leads_to=links)
    assert roles(damage, case("l", attempt=0, rank=1)) == [
        ("d", "initiating", None),
        ("l", "initiating", None),
    ]
    beside = roles(damage, case("l", 9, attempt=1, rank=1, confidence=1))
    assert beside[1] == ("l", "independent", None)


def test_relation_holds_within_its_span() -> None:
    """What comes later than an entry says its consequence comes is no consequence of it."""
    links = [{"id": "s", "where": "run", "within": "10m"}]

    def told(onset: float | None, begin: float | None = 0) -> str | None:
        symptom = case("s", onset, rank=1, kind="symptom")
        return roles(case("f", begin, leads_to=links), symptom)[1][2]

    assert told(600) == "f"
    assert told(601) is None
    assert told(None) == "f"
    assert told(9000, None) == "f"
    steps = [{"id": "s", "where": "run", "within": "5 steps"}]
    late = case("s", 9000, rank=1, kind="symptom")
    assert roles(case("f", 0, leads_to=steps), late)[1][2] == "f"


def test_wait_that_began_within_the_span_of_a_relation_counts() -> None:
    """What is told after the span can have begun in it."""
    links = [{"id": "s", "where": "run", "within": "10m"}]
    symptom = case("s", 300, rank=1, kind="symptom")
    (seen,) = symptom.evidence
    wait = seen._replace(onset_rule="minus limit", line=line(rank=1, path="s", moment=at(2100)))
    failure = case("f", 0, leads_to=links)
    assert roles(failure, symptom._replace(evidence=(wait,)))[1][2] == "f"
    late = wait._replace(onset=at(700))
    assert roles(failure, symptom._replace(evidence=(late,)))[1][2] is None
    told_late = wait._replace(onset=at(2100), onset_rule="earlier")
    assert roles(failure, symptom._replace(evidence=(told_late,)))[1][2] == "f"


def test_circle_of_causes_begins_somewhere() -> None:
    """Two entries that lead to each other are cut at the surer, or at the first by name."""
    one = case("a", leads_to=["b"])
    other = case("b", rank=1, confidence=3, leads_to=["a"])
    assert roles(one, other) == [("b", "initiating", None), ("a", "consequence", "b")]


def test_damage_of_an_earlier_attempt_stands_before_what_it_caused() -> None:
    """A later attempt that ran into the damage begins with the attempt that did it."""
    damage = case(
        "d", 1, attempt=0, effect="damages", leads_to=[{"id": "l", "where": "next_attempt"}]
    )
    assert roles(damage, case("l", 9, attempt=1), case("old", 2, rank=1, attempt=0)) == [
        ("d", "initiating", None),
        ("l", "consequence", "d"),
        ("old", "independent", None),
    ]


def test_order_of_the_report() -> None:
    """Last attempt, role, confidence, onset, id; what waits for a cause stands before what has one.

    Neither the order of the names nor that of the confidence makes it so by chance.
    """
    slow = {"effect": "wrong"}
    told = roles(
        case("z", 1, attempt=1, **slow),
        case("y", 7, rank=1, confidence=3, attempt=1, effect="hangs"),
        case("x", 9, rank=2, attempt=1, **slow),
        case("w", 8, rank=3, attempt=1, **slow),
        case("v", 2, rank=4, kind="symptom", attempt=1),
        case("u", 9, rank=5, kind="symptom", attempt=1, confidence=3),
        case("a", 0, attempt=0, confidence=3),
    )
    assert told == [
        ("z", "initiating", None),
        ("y", "independent", None),
        ("w", "independent", None),
        ("x", "independent", None),
        ("v", "consequence", None),
        ("u", "consequence", "y"),
        ("a", "initiating", None),
    ]


def test_symptom_before_what_failed_first_is_named() -> None:
    """Something unseen came first; a symptom that began later, or may have, tells nothing of it."""

    def preceded(onset: float | None, **fields: Any) -> str | None:
        symptom = case("s", onset, rank=1, kind="symptom", **fields)
        return assign_roles([case("f", 5, effect="wrong"), symptom])[0].preceded_by

    assert preceded(2) == "s"
    assert preceded(9) is None
    assert preceded(None) is None
    assert preceded(2, confidence=1) is None


def test_benign_is_independent() -> None:
    """What only looks bad neither causes nor follows."""
    failure = case("f", 5, effect="hangs", leads_to=["b"])
    late = case("b", 9, rank=1, confidence=1, kind="benign")
    assert roles(failure, late)[1] == ("b", "independent", None)
    early = case("b", 1, rank=1, confidence=1, kind="benign", leads_to=["f"])
    assert roles(early, failure)[0] == ("f", "initiating", None)
    harmless = case("b", 1, confidence=1, kind="benign", updated=date(2026, 2, 2))
    assert roles(harmless) == [("b", "independent", None)]


def test_context_says_nothing_of_when_it_happened() -> None:
    """A line of the start of the run, needed to understand a failure, does not date it."""
    failure = case("f", 5)
    start = sighting(onset=at(1), onset_rule="context", line=line(path="start"))
    hang = case("h", 9, rank=1)
    hang = hang._replace(evidence=(*hang.evidence, start))
    assert roles(failure, hang)[0] == ("f", "initiating", None)
