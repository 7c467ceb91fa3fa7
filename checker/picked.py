"""Some of many records, found without holding them: by a key, a rank or a file."""

from array import array
from bisect import bisect_left, bisect_right
from typing import (
    Callable,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Sequence,
    Set,
    Tuple,
    TypeVar,
)

from checker.packed import Kept, PackedRecords, Picked

Group = TypeVar("Group")


def picked_records(records: Sequence[Kept], chosen: Callable[[Kept], object]) -> Sequence[Kept]:
    """Keep those records that are chosen."""
    if not isinstance(records, (PackedRecords, Picked)):
        return [record for record in records if chosen(record)]
    found = Picked(records)
    for number, record in enumerate(records):
        if chosen(record):
            found.pick(number)
    return records if len(found) == len(records) else found


def joined_records(one: Sequence[Kept], other: Sequence[Kept]) -> Sequence[Kept]:
    """Let records of one list follow upon others."""
    if not one or not other:
        return one or other
    return [*one, *other]


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


class Numbered(Generic[Kept]):
    """Records by a number that each has, such as a rank; of one number in their order."""

    __slots__ = ("_keys", "_order", "_picked")

    def __init__(self, records: Sequence[Kept], numbers: Sequence[int]) -> None:
        """Sort records by their *numbers*."""
        order = array("I", sorted(range(len(numbers)), key=numbers.__getitem__))
        self._keys = array("q", map(numbers.__getitem__, order))
        self._order = order
        self._picked: Sequence[Kept] = (
            Picked(records, order)
            if isinstance(records, (PackedRecords, Picked))
            else [records[index] for index in order]
        )

    def __len__(self) -> int:
        """Count the records."""
        return len(self._keys)

    def numbers(self) -> Iterator[int]:
        """List the numbers that any record has, the least first."""
        before = None
        for number in self._keys:
            if number != before:
                yield number
            before = number

    def records(self) -> Sequence[Kept]:
        """List all records, sorted by their numbers."""
        return self._picked

    def of(self, number: int) -> Sequence[Kept]:
        """List the records of a number."""
        return self._picked[self._span(number)]

    def places(self, number: int) -> Sequence[int]:
        """List where the records of a number stood."""
        return self._order[self._span(number)]

    def _span(self, number: int) -> slice:
        first = bisect_left(self._keys, number)
        return slice(first, bisect_right(self._keys, number, first))


class ByFile(Generic[Kept]):
    """Records that come in the order of their files, found by file."""

    __slots__ = ("_firsts", "_paths", "_records")

    def __init__(
        self, records: Sequence[Kept], path_of: Callable[[Kept], str], known: Iterable[str]
    ) -> None:
        """Note where the records of each file begin; *known* paths are held, and not twice."""
        self._records = records
        self._paths: List[str] = []
        self._firsts = array("I")
        held = {path: path for path in known}
        for number, path in enumerate(map(path_of, records)):
            if not self._paths or path != self._paths[-1]:
                self._paths.append(held.get(path, path))
                self._firsts.append(number)
        self._firsts.append(len(records))

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same records."""
        return isinstance(other, ByFile) and list(self._records) == list(other._records)

    __hash__ = None  # type: ignore[assignment]

    def of(self, path: str) -> Sequence[Kept]:
        """List the records of a file."""
        place = bisect_left(self._paths, path)
        if place == len(self._paths) or self._paths[place] != path:
            return ()
        return self._records[self._firsts[place] : self._firsts[place + 1]]


class LineSet:
    """Lines of many files, by file and number."""

    __slots__ = ("_files", "_lines", "_others", "_sorted")

    def __init__(self, files: Dict[str, int]) -> None:
        """Begin empty; *files* numbers the files that are known."""
        self._files = files
        self._lines = array("Q")
        self._others: Set[Tuple[str, int]] = set()
        """Lines of other files."""
        self._sorted = True

    def add_all(self, lines: Iterable[Tuple[str, int]]) -> None:
        """Take lines."""
        self._sorted = False
        for path, number in lines:
            place = self._files.get(path)
            if place is None:
                self._others.add((path, number))
            else:
                self._lines.append(place << 32 | number)

    def merge(self, other: "LineSet") -> None:
        """Take the lines of another set of the same files."""
        self._sorted = False
        self._lines.extend(other._lines)
        self._others |= other._others

    def has_any(self, path: str, first: int, last: int) -> bool:
        """Tell whether any of the lines from one to another is there."""
        place = self._files.get(path)
        if place is None:
            return any(of == path and first <= number <= last for of, number in self._others)
        if not self._sorted:
            self._lines = array("Q", sorted(set(self._lines)))
            self._sorted = True
        at = bisect_left(self._lines, place << 32 | first)
        return at < len(self._lines) and self._lines[at] <= place << 32 | last
