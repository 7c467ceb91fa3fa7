"""The times of a file are kept small, and none is changed."""

import sys

from checker.model import Moment
from checker.scan.timebook import TimeBook


def test_times_of_several_clocks_leave_as_they_entered() -> None:
    """Line, second, clock, precision and host of each time are what was given."""
    book = TimeBook()
    given = [
        (3, Moment(1786677000.541, "local", 0.001)),
        (4, Moment(61.0, "boot", 1e-06, "node-1")),
        (2, Moment(1786677001.125, "local", 0.001)),
        (9, Moment(1786677001.5, "utc", 0.1)),
    ]
    for number, moment in given:
        book.add(number, moment)
    assert list(book.times()) == given


def test_only_first_times_are_kept() -> None:
    """After 4,096 times no further one is taken."""
    book = TimeBook()
    for number in range(5000):
        book.add(number, Moment(float(number), "utc", 1.0))
    assert [number for number, _ in book.times()] == list(range(4096))


def test_a_time_takes_few_bytes() -> None:
    """A time of the same clock as others takes 16 bytes at most, with the room for more."""
    book = TimeBook()
    for number in range(1000):
        book.add(number, Moment(float(number), "utc", 1.0))
    parts = [getattr(book, name) for name in TimeBook.__slots__]
    assert sum(map(sys.getsizeof, parts)) < 16 * 1000
