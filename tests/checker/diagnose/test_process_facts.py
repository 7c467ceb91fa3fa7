"""Facts about one process after another: each is about the rank that it names."""

import pytest

from checker.diagnose.diagnosis import diagnose
from checker.model import Fact
from tests.checker.failures import catalogue_of, told
from tests.checker.observed import NOTHING, ended, line

pytestmark = pytest.mark.rule("live")

STALL = {
    "signs": {"stalled": {"fact": "process.reading", "is": "equals", "value": "storage-stall"}},
    "signatures": [{"decisive": ["stalled"]}],
}
CATALOGUE = catalogue_of("user-code-error", storage_stall=(STALL, {}))


def reading(rank: int | None, kind: str) -> Fact:
    """What a look at the process of a rank showed."""
    number = 1 if rank is None else rank + 1
    return Fact("process.reading", kind, None, line("process", number, "processes", rank=rank))


@pytest.mark.parametrize(
    ("kinds", "rank"),
    [
        (["storage-stall"], 0),
        (["working", "storage-stall"], 1),
        (["storage-stall", "working", "storage-stall"], None),
    ],
)
def test_a_stall_is_of_the_rank_that_shows_it(kinds: list[str], rank: int | None) -> None:
    """Such a fact has no onset; of several ranks none is known to be first."""
    facts = tuple(reading(number, kind) for number, kind in enumerate(kinds))
    (row,) = told(diagnose(CATALOGUE, NOTHING._replace(facts=facts)))

    assert row[:4] == ("storage-stall", "certain", "initiating", rank)


def test_a_fact_about_a_living_process_outlives_the_end_of_another() -> None:
    """That a rank has ended makes other facts of the machine unknown, and not this one."""
    seen = NOTHING._replace(facts=(reading(1, "storage-stall"),), exits=(ended(rank=0, code=1),))

    assert [row[:2] for row in told(diagnose(CATALOGUE, seen))] == [("storage-stall", "certain")]
