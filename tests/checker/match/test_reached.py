"""How far attempts are known to have come, clock by clock, and who ended them from outside."""

import pytest

from checker.match.reached import ReachedTimes
from checker.model import NOT_BEFORE, Moment
from checker.scan.observe import observe_texts

KEYS = frozenset(["metric loss"])
DAY = 86400.0


def reached(**files: str) -> ReachedTimes:
    """What is known after reading these files."""
    texts = {name + ".log": text for name, text in files.items()}
    return ReachedTimes(observe_texts(texts, KEYS, {}, {}))


def step(time: str) -> str:
    """A record at a time."""
    return f"{time} INFO train rank 0: step 1 loss 2.5\n"


def local(seconds: float, precision: float = 1.0) -> Moment:
    """A moment on a clock without a zone."""
    return Moment(seconds, "local", precision)


def test_the_last_time_of_any_writer_tells_how_long_the_attempt_lasted() -> None:
    """Times on another clock do not count, and before any time it is negative."""
    times = reached(a=step("2026-11-30 10:00:00"), b=step("2026-11-30 10:02:00"))
    start = 1796032800.0  # 2026-11-30 10:00

    assert times.seconds_after(local(start), None) == 120.0
    assert times.seconds_after(local(start + 150), None) == -30.0
    assert times.seconds_after(Moment(start, "utc", 1.0), None) is None
    assert times.seconds_after(local(start, NOT_BEFORE), None) is None


@pytest.mark.parametrize(
    ("at", "passed"),
    [
        (364 * DAY, DAY + 36000.0),
        (0.0, 36000.0),
        (DAY, 36000.0 - DAY),
        (200 * DAY, 165 * DAY + 36000.0),
    ],
)
def test_without_years_the_turn_of_the_year_may_lie_between(at: float, passed: float) -> None:
    """What is half a year away or nearer was before or after, whichever is nearer."""
    times = reached(a=step("2026-01-01 10:00:00"))

    assert times.seconds_after(Moment(at, "yearless", 1.0), None) == passed


def test_of_times_without_years_the_furthest_behind_counts() -> None:
    """It can be the least of all, where it is of the next year."""
    times = reached(a="".join(step(f"2026-{day} 00:00:00") for day in ("01-03", "03-01", "09-01")))

    assert times.seconds_after(Moment(360 * DAY, "yearless", 1.0), None) == 64 * DAY
    assert times.seconds_after(Moment(100 * DAY, "yearless", 1.0), None) == 143 * DAY


def test_an_interrupt_ends_an_attempt_from_outside() -> None:
    """Its line is told; exceptions of other kinds are not."""
    trace = 'Traceback (most recent call last):\n  File "t.py", line 3, in f\n'
    times = reached(a=trace + "KeyboardInterrupt\n", b=trace + "KeyError: 1\n")

    assert [line.path for line in times.ends_from_outside()] == ["a.log"]
