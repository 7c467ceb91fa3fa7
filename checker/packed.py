"""Long lists of records, kept small: records enter one by one; the same leave, in their order.

A run can have thousands of files, and ranks say much the same. Where there are more records than
a few, each is kept as what it differs in from others of its kind: it is compressed by itself,
with some of its neighbours as the dictionary. So any one can be asked for at little cost, and
whoever needs some of many records, in whatever order, holds their numbers and not the records.
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
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    overload,
)

Kept = TypeVar("Kept")
FEW = 512
"""So many records are kept as they are."""
RECORDS_TOGETHER = 256
# Of so few files so many are kept so, which is more than one log's metric records.
_FILES_WITH_ROOM, _ROOM_OF_FEW_FILES = 64, 4096
# So many of the records that are packed together are their dictionary.
_KNOWN = 4
# The fastest; 4 or 32 KiB are looked back, at records or at the findings of whole files.
_COMPRESSION, _MEMORY_LEVEL = 1, 5
_WINDOW, _LARGE_WINDOW, _LARGE = -12, -15, 1 << 12
# Pickle has these for a program's own classes, and two bytes more.
_FIRST_NUMBER = 240
_NUMBERED_CLASSES: Dict[str, int] = {}


class _Bundle:
    """Records that were packed together."""

    __slots__ = ("_data", "_dictionary", "_ends", "_window")

    def __init__(self, records: Sequence[Any]) -> None:
        texts = [_dumped(record) for record in records]
        step = max(1, len(texts) // _KNOWN)
        known = texts[::step][:_KNOWN]
        self._window = _WINDOW if max(map(len, known)) < _LARGE else _LARGE_WINDOW
        dictionary = b"".join(known)[-(1 << -self._window) :]
        self._dictionary = _compressed(dictionary)
        self._ends = array("I")
        data = bytearray()
        start = _compressor(self._window, dictionary)
        for text in texts:
            one = start.copy()
            data += one.compress(text) + one.flush()
            self._ends.append(len(data))
        self._data = bytes(data)

    def __sizeof__(self) -> int:
        """Count all bytes that are held."""
        held = (self._data, self._dictionary, self._ends)
        return object.__sizeof__(self) + sum(part.__sizeof__() for part in held)

    def opener(self) -> Callable[[int], Any]:
        """Return what opens a record by its place in the bundle."""
        start = _decompressor(self._window, self._dictionary)
        data, ends = self._data, self._ends

        def _open(place: int) -> Any:
            begin = ends[place - 1] if place else 0
            return _loaded(start.copy().decompress(data[begin : ends[place]]))

        return _open

    def records(self) -> Iterator[Any]:
        """Walk through the records."""
        return map(self.opener(), range(len(self._ends)))


class PackedRecords(Sequence[Kept]):
    """Records in bundles."""

    __slots__ = ("_bundles", "_length", "_number", "_open", "each")

    def __init__(self, bundles: List[_Bundle], each: int, length: int) -> None:
        """Take bundles of *each* records; the last one can have fewer."""
        self._bundles = bundles
        self.each = each
        self._length = length
        self._open: Optional[Callable[[int], Any]] = None
        """Opens records of the bundle that was asked for last."""
        self._number = -1

    def __len__(self) -> int:
        """Count the records."""
        return self._length

    def __sizeof__(self) -> int:
        """Count all bytes that are held."""
        return object.__sizeof__(self) + sum(bundle.__sizeof__() for bundle in self._bundles)

    def __reduce__(self) -> Tuple[Any, ...]:
        """Be packed as a part of a record."""
        return PackedRecords, (self._bundles, self.each, self._length)

    def __repr__(self) -> str:
        """Show them as a tuple of these records shows itself."""
        return repr(tuple(self))

    def __iter__(self) -> Iterator[Kept]:
        """Walk through the records."""
        for bundle in self._bundles:
            yield from bundle.records()

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
        if self._open is None or number != self._number:
            self._open = self._bundles[number].opener()
            self._number = number
        found: Kept = self._open(place)
        return found

    def let_go(self) -> Iterator[Kept]:
        """Walk through the records for the last time, and free each bundle behind."""
        bundles, self._bundles, self._length = self._bundles[::-1], [], 0
        while bundles:
            yield from bundles.pop().records()


class RoomForRecords:
    """While it is open, so many records of a list stay as they are: to open them takes time."""

    _opened: List[int] = []

    def __init__(self, records: int) -> None:
        """Say how many."""
        self._records = records

    def __enter__(self) -> None:
        """Begin."""
        self._opened.append(self._records)

    def __exit__(self, *error: object) -> None:
        """End."""
        self._opened.pop()

    @classmethod
    def most(cls) -> int:
        """Tell how many stay as they are."""
        return cls._opened[-1] if cls._opened else FEW


def room_beside(files: int) -> RoomForRecords:
    """Make room for the records of so many files: those of few are walked through often."""
    few = _ROOM_OF_FEW_FILES if files <= _FILES_WITH_ROOM else 0
    return RoomForRecords(max(few, RoomForRecords.most()))


class Packer(Generic[Kept]):
    """Takes records, and packs them where they are many."""

    __slots__ = ("_bundles", "_each", "_few", "_fresh")

    def __init__(self, few: int = 0, each: int = 0) -> None:
        """Begin with none; *few* stay as they are, by default `FEW`, others are packed."""
        self._few = few or RoomForRecords.most()
        self._each = each or RECORDS_TOGETHER
        self._bundles: List[_Bundle] = []
        self._fresh: List[Kept] = []

    def __len__(self) -> int:
        """Count what was taken."""
        return len(self._bundles) * self._each + len(self._fresh)

    def add(self, record: Kept) -> None:
        """Take the next record."""
        self._fresh.append(record)
        if len(self._fresh) >= (self._each if self._bundles else self._few + 1):
            self._pack()

    def extend(self, records: Iterable[Kept]) -> None:
        """Take the next records."""
        for record in records:
            self.add(record)

    def _pack(self) -> None:
        fresh, each = self._fresh, self._each
        whole = len(fresh) - len(fresh) % each
        for start in range(0, whole, each):
            self._bundles.append(_Bundle(fresh[start : start + each]))
        self._fresh = fresh[whole:]

    def packed(self) -> Sequence[Kept]:
        """Hand over all records, and keep none."""
        bundles, fresh = self._bundles, self._fresh
        self._bundles, self._fresh = [], []
        if not bundles:
            return tuple(fresh)
        length = len(bundles) * self._each + len(fresh)
        if fresh:
            bundles.append(_Bundle(fresh))
        return PackedRecords(bundles, self._each, length)


def packed_records(records: Iterable[Kept]) -> Sequence[Kept]:
    """Keep records small."""
    if isinstance(records, (PackedRecords, Picked)):
        return records
    if isinstance(records, tuple) and len(records) <= RoomForRecords.most():
        return records
    packer: Packer[Kept] = Packer()
    packer.extend(records)
    return packer.packed()


def let_go(records: Sequence[Kept]) -> Iterator[Kept]:
    """Walk through records for the last time; what is packed is freed on the way."""
    return records.let_go() if isinstance(records, PackedRecords) else iter(records)


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

    def __init__(self, records: Sequence[Kept], numbers: Optional[array] = None) -> None:  # type: ignore[type-arg]
        """Begin with none of them, or with some."""
        self._records = records
        self._numbers = array("I") if numbers is None else numbers

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
    def __getitem__(self, index: slice) -> "Picked[Kept]": ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Kept, "Picked[Kept]"]:
        """Find one of them, or those of a slice."""
        if isinstance(index, slice):
            return Picked(self._records, self._numbers[index])
        return self._records[self._numbers[index]]


def _compressor(window: int, dictionary: bytes) -> Any:
    import zlib  # noqa: PLC0415 - may be missing, and costs start-up

    return zlib.compressobj(
        _COMPRESSION, zlib.DEFLATED, window, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, dictionary
    )


def _decompressor(window: int, dictionary: bytes) -> Any:
    import zlib  # noqa: PLC0415 - may be missing, and costs start-up

    return zlib.decompressobj(window, zlib.decompress(dictionary))


def _compressed(dictionary: bytes) -> bytes:
    """Keep a dictionary small: of whole files it would be larger than what it makes small."""
    import zlib  # noqa: PLC0415 - may be missing, and costs start-up

    return zlib.compress(dictionary, _COMPRESSION)


def _dumped(record: Any) -> bytes:
    # Only what was made here is ever opened.
    import pickle  # noqa: PLC0415 - costs start-up, and most runs have few files

    if not _NUMBERED_CLASSES:
        _number_classes()
    return pickle.dumps(record, 4)


def _loaded(text: bytes) -> Any:
    import pickle  # noqa: PLC0415 - costs start-up, and most runs have few files

    return pickle.loads(text)


def _number_classes() -> None:
    """Let records tell their classes by numbers: each record would look them up by their names."""
    import copyreg  # noqa: PLC0415 - costs start-up, and most runs have few files

    package = __name__.partition(".")[0]
    found: List[Any] = [tuple]
    for kind in found:
        found.extend(kind.__subclasses__())
    own = [kind for kind in found if kind.__module__.partition(".")[0] == package]
    for kind in sorted(own, key=lambda kind: (kind.__module__, kind.__qualname__)):
        number = _FIRST_NUMBER + len(_NUMBERED_CLASSES)
        copyreg.add_extension(kind.__module__, kind.__qualname__, number)
        _NUMBERED_CLASSES[kind.__qualname__] = number
