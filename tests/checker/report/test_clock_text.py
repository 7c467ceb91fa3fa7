"""Moments as text."""

from datetime import date, timedelta

import pytest

from checker.model import ClockOffset, Moment
from checker.report.clock_text import civil_date, clock_rows, moment_text, spoken_moment


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (Moment(1786677112.123, "utc", 0.001), "2026-08-14T03:11:52.123Z"),
        (Moment(1786677112.123, "local", 0.001), "2026-08-14T03:11:52.123"),
        (Moment(1786677112.0, "local", 1.0), "2026-08-14T03:11:52"),
        (Moment(1786677112.0, "local", 60.0), "2026-08-14T03:11"),
        (Moment(1786677112.0, "local", 86400.0), "2026-08-14"),
        (Moment(19451512.123, "yearless", 0.001), "--08-14T03:11:52.123"),
        (Moment(912318.118, "boot", 0.001), "boot+912318.118"),
        (Moment(912318.0, "boot", 1.0), "boot+912318"),
        (Moment(-0.5, "local", 0.1), "1969-12-31T23:59:59.5"),
    ],
)
def test_a_moment_is_shown_as_its_clock_printed_it(moment: Moment, text: str) -> None:
    """The zone is marked only where it was printed, and no digit is invented."""
    assert moment_text(moment) == text


def test_no_moment_is_no_text() -> None:
    """What has no time stays without one."""
    assert moment_text(None) is None


def test_dates_are_those_of_the_calendar() -> None:
    """Five centuries of days agree with the standard library."""
    for days in range(-100000, 100000, 61):
        expected = date(1970, 1, 1) + timedelta(days)
        assert civil_date(days) == (expected.year, expected.month, expected.day)


def test_a_year_beyond_the_calendar_of_the_library_is_still_text() -> None:
    """A damaged log must not stop the report."""
    assert moment_text(Moment(1e15, "local", 1.0)) == "31690708-07-05T01:46:40"


def test_a_person_reads_seconds_and_what_the_clock_lacks() -> None:
    """Fractions only matter between records; a missing year or a clock of its own is said."""
    spoken = [
        spoken_moment(Moment(1786677112.987, "utc", 0.001)),
        spoken_moment(Moment(1786677112.4, "local", 1.0)),
        spoken_moment(Moment(28867080.845, "yearless", 0.001)),
        spoken_moment(Moment(2260.927, "boot", 0.000001)),
        spoken_moment(None),
    ]

    assert spoken == [
        "2026-08-14 03:11:53 UTC",
        "2026-08-14 03:11:52",
        "12-01 02:38:01 (no year in the log)",
        "2260 s after boot",
        None,
    ]


def test_a_clock_that_was_shifted_is_told_in_a_line() -> None:
    """Whose it is, how far it is off, by how much that can be wrong, and what told."""
    offsets = [
        ClockOffset("node-b", None, "local", -3600.0, 2.5, "step"),
        ClockOffset(None, "rank1.log", "local", 0.25, 0.0125, "rendezvous"),
    ]
    assert [row for _, row in clock_rows(offsets)] == [
        "  the clock of node-b is 3,600 s ahead (give or take 2.5 s), as steps that both",
        "    print tell",
        "  the clock of rank1.log is 0.25 s behind (give or take 0.0125 s), as a",
        "    rendezvous tells",
    ]
    assert clock_rows(offsets * 3)[-1] == ("plain", "  and 2 more (--format json has all)")
    assert clock_rows([ClockOffset("node-a", None, "boot", 1.7e9, 1.0, "line")]) == []
