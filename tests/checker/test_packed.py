"""Long lists of records are kept small, and are the same lists."""

import sys

import pytest

from checker.model import Sample
from checker.packed import (
    PackedRecords,
    Packer,
    RoomForRecords,
    packed_records,
    reordered,
    room_beside,
)
from tests.checker.observed import sample


def samples(count: int) -> list[Sample]:
    """Metric records of one writer."""
    return [sample(number, number, loss=2.5) for number in range(count)]


def test_few_records_stay_a_tuple() -> None:
    """Nothing is packed where there are few records."""
    assert packed_records(samples(5)) == tuple(samples(5))


def test_more_records_stay_a_tuple_where_there_is_room() -> None:
    """As long as it is open."""
    with RoomForRecords(1000):
        assert packed_records(samples(900)) == tuple(samples(900))
    assert isinstance(packed_records(samples(900)), PackedRecords)


@pytest.mark.parametrize(("files", "kept_as"), [(1, tuple), (64, tuple), (65, PackedRecords)])
def test_records_of_few_files_stay_a_tuple(files: int, kept_as: type) -> None:
    """All metric records of one log are walked through often."""
    with room_beside(files):
        assert type(packed_records(samples(2100))) is kept_as


def test_room_that_is_open_is_not_made_smaller() -> None:
    """Who joins many machines has said how many records stay as they are."""
    with RoomForRecords(5000), room_beside(1000):
        assert packed_records(samples(4500)) == tuple(samples(4500))


@pytest.mark.parametrize("count", [9, 10, 11, 12, 30])
def test_many_records_are_walked_counted_and_found_as_before(count: int) -> None:
    """Blocks hold the same records in the same order, the last and incomplete one too."""
    packer: Packer[Sample] = Packer(5, 4)
    packer.extend(samples(count))
    kept = packer.packed()
    assert isinstance(kept, PackedRecords)
    assert list(kept) == samples(count)
    assert len(kept) == count
    assert [kept[at] for at in (0, 3, 4, count - 1, -1)] == [
        samples(count)[at] for at in (0, 3, 4, count - 1, -1)
    ]
    assert kept[2:9:3] == samples(count)[2:9:3]
    assert repr(kept) == repr(tuple(samples(count)))
    with pytest.raises(IndexError):
        kept[count]


def test_records_of_many_files_take_few_bytes() -> None:
    """A record of a kind takes less than a tenth of what it takes by itself."""
    kept = packed_records(samples(9000))
    assert isinstance(kept, PackedRecords)
    assert sys.getsizeof(kept) < 9000 * 80


def test_records_are_brought_in_an_order() -> None:
    """PackedRecords records stay packed."""
    packer: Packer[Sample] = Packer(2, 2)
    packer.extend(samples(9))
    order = [8, 0, 1, 7, 2, 3, 6, 5, 4]
    kept = reordered(packer.packed(), order)
    assert isinstance(kept, PackedRecords)
    assert list(kept) == [samples(9)[at] for at in order]
    assert reordered(samples(3), [2, 0, 1]) == [samples(3)[at] for at in (2, 0, 1)]
