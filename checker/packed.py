"""Long lists of records, kept small: records enter one by one; the same leave, in their order.

A run can have thousands of files, and ranks say much the same. Where there are more records than
a few, they are kept as compressed blocks, and a block is opened while somebody walks through it.
What comes out of two walks is equal, but not the same object.
"""

from array import array
from operator import eq
from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Sequence,
    TypeVar,
    Union,
    overload,
)

Kept = TypeVar("Kept")
Group = TypeVar("Group")
FEW = 512
"""So many records are kept as they are."""
_RECORDS_IN_BLOCK = 128
# The fastest: blocks of like records become small in any case.
_COMPRESSION = 1


class PackedRecords(Sequence[Kept]):
    """Records in compressed blocks."""

    __slots__ = ("_blocks", "_length", "_near", "_number", "each")

    def __init__(self, blocks: List[bytes], each: int, length: int) -> None:
        """Take blocks of *each* records; the last one can have fewer."""
        self._blocks = blocks
        self.each = each
        self._length = length
        self._near: List[Kept] = []
        """The block that was asked for last."""
        self._number = -1

    def __len__(self) -> int:
        """Count the records."""
        return self._length

    def __repr__(self) -> str:
        """Show them as a tuple of these records shows itself."""
        return repr(tuple(self))

    def __iter__(self) -> Iterator[Kept]:
        """Walk through the records, with one block open at a time."""
        for block in self._blocks:
            yield from _opened_block(block)

    @overload
    def __getitem__(self, index: int) -> Kept: ...

    @overload
    def __getitem__(self, index: slice) -> List[Kept]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Kept, List[Kept]]:
        """Find one record, or those of a slice."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        number, place = divmod(index, self.each)
        if number != self._number:
            self._near = _opened_block(self._blocks[number])
            self._number = number
        return self._near[place]


class Packer(Generic[Kept]):
    """Takes records, and packs them where they are many."""

    __slots__ = ("_blocks", "_each", "_few", "_fresh")

    def __init__(self, few: int = 0, each: int = _RECORDS_IN_BLOCK) -> None:
        """Begin with none; *few* stay as they are, by default `FEW`, others become blocks."""
        self._few = few or FEW
        self._each = each
        self._blocks: List[bytes] = []
        self._fresh: List[Kept] = []

    def add(self, record: Kept) -> None:
        """Take the next record."""
        self._fresh.append(record)
        if len(self._fresh) >= (self._each if self._blocks else self._few + self._each):
            self._pack()

    def extend(self, records: Iterable[Kept]) -> None:
        """Take the next records."""
        for record in records:
            self.add(record)

    def _pack(self) -> None:
        fresh, each = self._fresh, self._each
        whole = len(fresh) - len(fresh) % each
        for start in range(0, whole, each):
            self._blocks.append(_closed_block(fresh[start : start + each]))
        self._fresh = fresh[whole:]

    def packed(self) -> Sequence[Kept]:
        """Hand over all records, and keep none."""
        blocks, fresh = self._blocks, self._fresh
        self._blocks, self._fresh = [], []
        if not blocks:
            return tuple(fresh)
        length = len(blocks) * self._each + len(fresh)
        if fresh:
            blocks.append(_closed_block(fresh))
        return PackedRecords(blocks, self._each, length)


def packed_records(records: Iterable[Kept]) -> Sequence[Kept]:
    """Keep records small."""
    if isinstance(records, PackedRecords) or (isinstance(records, tuple) and len(records) <= FEW):
        return records
    packer: Packer[Kept] = Packer()
    packer.extend(records)
    return packer.packed()


def reordered(records: Sequence[Kept], order: Sequence[int]) -> Sequence[Kept]:
    """Bring records into an order."""
    if all(map(eq, order, range(len(order)))):
        return records
    if not isinstance(records, PackedRecords):
        return [records[index] for index in order]
    packer: Packer[Kept] = Packer(records.each, records.each)
    packer.extend(records[index] for index in order)
    return packer.packed()


def sorted_records(records: Sequence[Kept], place: Callable[[Kept], Any]) -> Sequence[Kept]:
    """Sort records by their places."""
    if not isinstance(records, PackedRecords):
        return tuple(sorted(records, key=place))
    before = None
    for here in map(place, records):
        if before is not None and here < before:
            places = list(map(place, records))
            return reordered(records, sorted(range(len(places)), key=places.__getitem__))
        before = here
    return records


class Picked(Sequence[Kept]):
    """Some of many packed records, by their numbers."""

    __slots__ = ("_numbers", "_records")

    def __init__(self, records: Sequence[Kept]) -> None:
        """Begin with none of them."""
        self._records = records
        self._numbers = array("I")

    def pick(self, number: int) -> None:
        """Take one more."""
        self._numbers.append(number)

    def __len__(self) -> int:
        """Count what was picked."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[Kept]:
        """Walk through what was picked."""
        return map(self._records.__getitem__, self._numbers)

    @overload
    def __getitem__(self, index: int) -> Kept: ...

    @overload
    def __getitem__(self, index: slice) -> List[Kept]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Kept, List[Kept]]:
        """Find one of them, or those of a slice."""
        if isinstance(index, slice):
            return [self._records[number] for number in self._numbers[index]]
        return self._records[self._numbers[index]]


def grouped_records(
    records: Sequence[Kept], keys: Callable[[Kept], Iterable[Group]]
) -> Dict[Group, Sequence[Kept]]:
    """List under each key the records that have it."""
    if not isinstance(records, PackedRecords):
        found: Dict[Group, List[Kept]] = {}
        for record in records:
            for key in keys(record):
                found.setdefault(key, []).append(record)
        return dict(found)
    picked: Dict[Group, Picked[Kept]] = {}
    for number, record in enumerate(records):
        for key in keys(record):
            if key not in picked:
                picked[key] = Picked(records)
            picked[key].pick(number)
    return dict(picked)


def _closed_block(records: List[Any]) -> bytes:
    # Only blocks that were made here are ever opened.
    import pickle  # noqa: PLC0415 - costs start-up, and most runs have few files
    import zlib  # noqa: PLC0415 - may be missing, and costs start-up

    return zlib.compress(pickle.dumps(records, 4), _COMPRESSION)


def _opened_block(block: bytes) -> List[Any]:
    import pickle  # noqa: PLC0415 - costs start-up, and most runs have few files
    import zlib  # noqa: PLC0415 - may be missing, and costs start-up

    found: List[Any] = pickle.loads(zlib.decompress(block))
    return found
