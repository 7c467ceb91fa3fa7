"""Kept rows, read as the log was read."""

from collections.abc import Sequence

import pytest

from checker.model import Hit
from checker.scan.gate import Gate
from checker.scan.interests import interests_of
from checker.scan.samples import WHOLE, Gap
from checker.snapshot.excerpts import KeptLog
from checker.snapshot.parsing import KeptExcerpt, Section
from checker.snapshot.rereading import read_excerpt

pytestmark = pytest.mark.rule("snapshots")

SECTION = Section("gpu017", "gpu017", "", None, "", ())
INTERESTS = interests_of(frozenset(("log spool is full", "metric loss above 1 9.0")))
GATE = Gate(INTERESTS.wanted)


def hits_of(*rows: tuple[int, str], section: Section = SECTION) -> Sequence[Hit]:
    """Read rows of a log of that machine."""
    log = KeptLog("/run/rank3.log", (), rows, 0, False, ())
    found = read_excerpt(
        "a.snap!/gpu017:", KeptExcerpt(section, log, (), False), INTERESTS, WHOLE, GATE
    )
    return found.reading.hits.hits()


def test_no_row_stands_above_another_across_a_gap() -> None:
    """Rows that were left out are known to be missing."""
    (apart,) = hits_of((1, "the head"), (70, "spool is full"))
    (together,) = hits_of((1, "the head"), (2, "spool is full"))

    assert (apart.line.number, apart.above) == (70, ())
    assert (together.line.number, together.above) == (2, ("the head",))


def test_a_line_is_of_the_machine_unless_it_can_be_of_any() -> None:
    """A task that srun names can run on any host; what names a rank tells where it was."""
    (plain,) = hits_of((1, "spool is full"))
    (of_task,) = hits_of((1, "0: step 1"), (2, "1: step 1"), (3, "2: x"), (4, "1: spool is full"))
    (unknown,) = hits_of((1, "spool is full"), section=SECTION._replace(host=None))

    assert (plain.line.path, plain.line.writer.host) == ("a.snap!/gpu017:/run/rank3.log", "gpu017")
    assert plain.line.writer.rank == 3
    assert of_task.line.writer.host is None
    assert unknown.line.writer.host is None


def test_numbers_that_were_left_out_count_as_left_out() -> None:
    """No sign takes records for neighbors that are none."""
    gap = Gap(5, 900, frozenset(("loss",)), False)
    log = KeptLog("/run.log", (), ((1, "step 1 loss 2.0"),), 0, False, (gap,))
    kept = KeptExcerpt(SECTION, log, (), False)
    found = read_excerpt("", kept, INTERESTS, WHOLE, GATE)

    assert found.reading.watch.gaps() == [gap]
