"""The close reading of a log of which an excerpt is kept."""

from typing import Any, FrozenSet, List

from checker.model import Traceback
from checker.scan.places import Place
from checker.scan.reading import FileReading
from checker.scan.samples import Room
from checker.snapshot.excerpts import ExcerptBook, KeptLog


class RecordedReading(FileReading):
    """Reads rows closely, and notes which they were."""

    __slots__ = ("_book", "_shelf")

    def __init__(self, path: str, place: Place, interests: Any, room: Room) -> None:
        """Begin before the first row; the interests name the shelf."""
        super().__init__(path, place, interests, room)
        self._book = ExcerptBook()
        self._shelf = interests.shelf

    def read(self, number: int, row: bytes, names: FrozenSet[str], shape: bytes) -> None:
        """Read a row, and note it."""
        self._book.note(number, row, names)
        super().read(number, row, names, shape)

    def read_metrics_only(self, number: int, row: bytes, shape: bytes) -> None:
        """Read a row that matters for its numbers alone, and note it."""
        self._book.note(number, row, frozenset())
        super().read_metrics_only(number, row, shape)

    def note_block(self, block: bytes) -> None:
        """Note rows that are understood together."""
        for number, row in enumerate(block.split(b"\n"), 1):
            self._book.note(number, row, frozenset())

    def finish(self, exact: bool) -> List[Traceback]:
        """End the file, and leave its excerpt."""
        blocks = super().finish(exact)
        rows, cut = self._book.rows(), self._book.cut
        gaps = tuple(self.watch.gaps())
        self._shelf.keep(KeptLog(self.path, self.parts, rows, cut, not exact, gaps))
        del self._book, self._shelf
        return blocks
