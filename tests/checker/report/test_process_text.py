"""What is said of the processes of a run."""

import pytest

from checker.model import Fact, Line, Writer
from checker.report.process_text import living_sentence


def facts_of(*kinds: str) -> list[Fact]:
    """The readings of ranks 0, 1, ..., with their number."""
    told = [Fact("process.count", len(kinds), None, None)]
    for rank, kind in enumerate(kinds):
        writer = Writer("rank", rank, rank, None, None)
        line = Line("processes", rank, kind, kind, writer, 700 + rank, None, None)
        told.append(Fact("process.reading", kind, None, line))
    return told


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        (["working", "working"], "2 training processes: none is seen to be stuck."),
        (
            ["waits-for-peer", "storage-stall"],
            "2 training processes: rank 1 does not go on (see Processes).",
        ),
        (
            ["waits-in-collective", "waits-in-collective", "working"],
            "3 training processes: ranks 0-1 wait in a collective, rank 2 does not (see "
            "Processes).",
        ),
        (["waits-in-collective"], "1 training process: rank 0 waits in a collective."),
        (
            ["waits-for-peer", "waits-for-lock"],
            "2 training processes: all wait, and two looks do not tell for what.",
        ),
    ],
)
def test_one_sentence_about_all(kinds: list[str], says: str) -> None:
    """What is stuck comes first, then who waits for whom."""
    assert living_sentence(facts_of(*kinds)) == says
