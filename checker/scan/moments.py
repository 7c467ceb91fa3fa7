"""Times as logs print them. The pieces of a time enter; a `Moment` leaves."""

import time
from functools import lru_cache
from typing import Dict, Optional, Tuple

from checker.model import NOT_BEFORE, Moment

_YEAR = 365 * 86400.0
HALF_YEAR = _YEAR / 2
MONTHS: Dict[str, int] = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}
TIME_PATTERN = r"(\d{4})[-/](\d\d)[-/](\d\d)[ T_](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?"
ZONE_PATTERN = r"(Z|[+-]\d\d:?\d\d)?"


def days_since_epoch(year: int, month: int, day: int) -> int:
    """Count the days from 1970-01-01, in the Gregorian calendar."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146097 + day_of_era - 719468


def wall_moment(  # noqa: PLR0917 - the groups of the time patterns, in their order
    year: Optional[str],
    month: str,
    day: str,
    hour: str,
    minute: str,
    second: str,
    fraction: Optional[str] = None,
    zone: Optional[str] = None,
) -> Optional[Moment]:
    """Make a moment of printed pieces; None where they name no time."""
    month_number = MONTHS.get(month) or (int(month) if month.isdigit() else 0)
    if not 1 <= month_number <= 12 or not 1 <= int(day) <= 31:
        return None
    if int(hour) > 23 or int(minute) > 59 or int(second) > 60:
        return None
    days = _days_of(int(year) if year else 1970, month_number, int(day))
    seconds = float(days * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second))
    precision = 1.0
    if fraction:
        seconds += int(fraction) / 10.0 ** len(fraction)
        precision = 10.0 ** -len(fraction)
    if not year:
        return Moment(seconds, "yearless", precision)
    if not zone:
        return Moment(seconds, "local", precision)
    return Moment(seconds - _zone_offset(zone), "utc", precision)


# Most lines of a log are of one day.
_days_of = lru_cache(maxsize=16)(days_since_epoch)


def boot_moment(seconds: str) -> Moment:
    """Make a moment of the kernel's seconds since boot."""
    fraction = seconds.partition(".")[2]
    return Moment(float(seconds), "boot", 10.0 ** -len(fraction))


def _zone_offset(zone: str) -> int:
    if zone == "Z":
        return 0
    digits = zone[1:].replace(":", "")
    offset = int(digits[:2]) * 3600 + int(digits[2:] or "0") * 60
    return -offset if zone[0] == "-" else offset


def moment_gap(one: Moment, other: Moment) -> Optional[float]:
    """Return the seconds from one moment to another; None where nothing tells."""
    return None if NOT_BEFORE in (one.precision, other.precision) else earliest_gap(one, other)


def timeline(moment: Moment) -> Tuple[str, float]:
    """Return the clock on which a moment is compared, and where it lies there."""
    return moment.axis or moment.clock, moment.seconds + moment.shift


def doubt_between(one: Moment, other: Moment) -> float:
    """Return by how many seconds the distance of two moments can be wrong for their clocks."""
    keepers = (one.keeper, other.keeper)
    if one.clock == other.clock and (None in keepers or keepers[0] == keepers[1]):
        return 0.0
    return one.doubt + other.doubt


def dated_seconds(seconds: float, near: float) -> float:
    """Give a time without a year the year that brings it nearest to a dated one."""
    date, year = time.gmtime(int(seconds // 1)), time.gmtime(int(near // 1)).tm_year
    found = (
        days_since_epoch(each, date.tm_mon, date.tm_mday) * 86400 + seconds % 86400
        for each in (year - 1, year, year + 1)
    )
    return min(found, key=lambda at: abs(at - near))


def earliest_gap(one: Moment, other: Moment) -> Optional[float]:
    """Return the seconds between the earliest that two moments can have been.

    None where their clocks cannot be compared.
    """
    (axis, at), (other_axis, other_at) = timeline(one), timeline(other)
    if axis == other_axis != "yearless":
        return other_at - at
    if {axis, other_axis} <= {"yearless", "local"}:
        return gap_within_year(seconds_within_year(one), seconds_within_year(other))
    return None


def gap_within_year(one: float, other: float) -> float:
    """Return the seconds between two times within a year; its turn can lie between them."""
    gap = other - one
    if abs(gap) > HALF_YEAR:
        gap -= _YEAR if gap > 0 else -_YEAR
    return gap


def seconds_within_year(moment: Moment) -> float:
    """Return where a moment lies in its year, as if that were 1970."""
    if moment.clock == "yearless":
        return moment.seconds
    date = time.gmtime(int(moment.seconds // 1))
    days = days_since_epoch(1970, date.tm_mon, date.tm_mday)
    return days * 86400 + moment.seconds % 86400
