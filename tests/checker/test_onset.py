"""Before, after, or cannot tell."""

import pytest

from checker.model import Sighting
from checker.onset import compare_groups, compare_onsets, earliest, moment_gap
from tests.checker.observed import at, line, sighting


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
