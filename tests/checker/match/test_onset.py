"""Before, after, or cannot tell."""

from typing import Any

import pytest

from checker.match.onset import compare_groups, compare_moments, compare_onsets, earliest
from checker.model import NOT_BEFORE, Sighting
from checker.scan.moments import moment_gap
from tests.checker.observed import at, line, sighting

pytestmark = pytest.mark.rule("roles")


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (sighting(onset=at(5)), sighting(onset=at(8)), "before"),
        (sighting(onset=at(8)), sighting(onset=at(5)), "after"),
        (sighting(onset=at(5)), sighting(onset=at(8, "boot")), None),
        (sighting(onset=at(5, "local", 1.0)), sighting(onset=at(5.4)), None),
        (sighting(onset=at(8), onset_rule="earlier"), sighting(onset=at(5)), None),
        (sighting(onset=at(5), onset_rule="earlier"), sighting(onset=at(8)), "before"),
    ],
)
def test_times_tell_only_on_one_clock(one: Sighting, other: Sighting, verdict: str | None) -> None:
    """Clocks must be equal; what is told late is never known to have happened after."""
    assert compare_onsets(one, other) == verdict


def test_lines_of_one_writer_tell_where_times_do_not() -> None:
    """Print order means something only within what one process wrote."""
    first, then = sighting(line=line(number=3)), sighting(line=line(number=8))
    assert compare_onsets(first, then) == "before"
    other = sighting(line=line(number=8, rank=1))
    assert compare_onsets(first, other) is None
    waited = sighting(line=line(number=8), onset_rule="minus waited")
    assert compare_onsets(first, waited) is None


def test_what_stands_above_a_schedulers_line_was_there_before_it() -> None:
    """A scheduler writes at once what it does; what others write may wait in a buffer."""
    cancel = sighting(line=line(number=8, source="scheduler", rank=None))
    above, below = (sighting(line=line(number=number, rank=1)) for number in (3, 9))
    assert compare_onsets(above, cancel) == "before"
    assert compare_onsets(cancel, above) == "after"
    assert compare_onsets(below, cancel) is None
    elsewhere = sighting(line=line(number=3, path="b.log", rank=1))
    assert compare_onsets(elsewhere, cancel) is None
    later = above._replace(onset=at(9))
    assert compare_onsets(later, cancel._replace(onset=at(5))) == "after"


def waited(begin: float, told: float, **fields: Any) -> Sighting:
    """A wait that was told when it was over."""
    printed = line(moment=at(told), path="b.log", rank=1, **fields)
    return sighting(onset=at(begin), onset_rule="minus timeout", line=printed)


@pytest.mark.parametrize(
    ("moment", "verdict"), [(1, "before"), (3, None), (7, None), (12, None), (13, "after")]
)
def test_wait_lasts_from_its_beginning_until_it_is_told(moment: int, verdict: str | None) -> None:
    """Before a wait is what was before its beginning, after it only what was after its end."""
    assert compare_onsets(sighting(onset=at(moment)), waited(3, 12)) == verdict
    opposite = {"before": "after", "after": "before", None: None}[verdict]
    assert compare_onsets(waited(3, 12), sighting(onset=at(moment))) == opposite


def test_wait_of_unknown_length_ends_when_it_is_told() -> None:
    """Without its length a wait can have begun at any time, but not ended after its line."""
    unknown = waited(3, 12)._replace(onset=None)
    assert compare_onsets(unknown, sighting(onset=at(13))) == "before"
    assert compare_onsets(unknown, sighting(onset=at(1))) is None
    same = sighting(line=line(number=8, path="b.log", rank=1))
    assert compare_onsets(unknown, same) == "before"


def test_overlapping_waits_are_in_no_order() -> None:
    """Of two waits the shorter one can be part of the longer one."""
    assert compare_onsets(waited(3, 12), waited(5, 9, number=2)) is None
    assert earliest([waited(5, 9), waited(3, 12)]) == waited(3, 12)


def test_clock_without_year_is_compared_by_leaving_the_year_out() -> None:
    """A glog line (month and day only) and a line with a full date are comparable."""
    local = at(1796034933.0)  # 2026-11-30 10:35:33
    assert moment_gap(local, at(28809334.5, "yearless")) == 1.5
    new_year = at(1798761599.0)  # 2026-12-31 23:59:59
    assert moment_gap(new_year, at(1.0, "yearless")) == 2.0


def test_groups_are_told_apart_only_where_all_clocks_agree() -> None:
    """Each clock compares its own first sightings; a contradiction tells nothing."""
    ones = [sighting(onset=at(5)), sighting(onset=at(100, "boot"))]
    others = [sighting(onset=at(9)), sighting(onset=at(200, "boot"))]
    assert compare_groups(ones, others) == "before"
    assert compare_groups(ones, [*others, sighting(onset=at(50, "boot"))]) is None


def test_earliest_prefers_a_known_time() -> None:
    """Of several beginnings the one with a time is named."""
    untimed = sighting(line=line(path="b.log", rank=1))
    assert earliest([untimed, sighting(onset=at(9)), sighting(onset=at(5))]) == sighting(
        onset=at(5)
    )


def test_what_is_only_known_to_be_not_before_a_time_is_before_nothing() -> None:
    """It is after what was earlier, and how long after is not known."""
    then, late = at(100.0, precision=NOT_BEFORE), at(900.0)
    assert compare_moments(at(99.0), then) == "before"
    assert compare_moments(then, at(99.0)) == "after"
    assert compare_moments(then, late) is None
    assert compare_moments(late, then) is None
    assert (moment_gap(then, late), moment_gap(late, then)) == (None, None)


@pytest.mark.parametrize(("early", "late"), [("a", "b"), ("b", "a")])
def test_of_one_line_what_knows_most_of_its_time_counts(early: str, late: str) -> None:
    """Of a line and of the exception in it the time is the exception's, however they are called."""
    known = sighting(early, line=line(number=3), onset=at(5, "local", NOT_BEFORE))
    assert earliest([known, sighting(late, line=line(number=3))]) == known
    assert earliest([sighting(late, line=line(number=3)), known]) == known
