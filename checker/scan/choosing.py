"""Which rows of a block are read closely. Rows and what may stand in them enter; some leave."""

from typing import Dict, FrozenSet, List, NamedTuple, Set, Tuple

from checker.scan.attention import Attention
from checker.scan.gate import Hot
from checker.scan.hits import HitBook
from checker.scan.interests import Interests
from checker.scan.tracebacks import HEADER


class ChosenRow(NamedTuple):
    """Why a row is read, and how much around it."""

    names: FrozenSet[str]
    shape: bytes
    context: int
    """Lines of its writer above it that matter."""
    numbers_only: bool


class RowChooser:
    """Chooses rows of one file."""

    def __init__(self, interests: Interests, attention: Attention, hits: HitBook) -> None:
        """Begin before the first block; *hits* counts what is left out."""
        self.latest: Dict[bytes, Tuple[int, bytes, FrozenSet[str]]] = {}
        """Of each shape the last row that was left out: its number, the row and its literals."""
        self._catalogue = interests.catalogue
        self._wanted = interests.wanted
        self._attention = attention
        self._hits = hits

    def worth_reading(
        self, number: int, rows: List[bytes], printed: List[bytes], sifted: Tuple[List[bytes], Hot]
    ) -> Tuple[Dict[int, ChosenRow], Set[int]]:
        """Leave out rows of which enough was read; they are counted.

        *number* is that of the first row. Heads of exceptions that are left out are listed too.
        """
        shapes, hot = sifted
        catalogue, attention = self._catalogue, self._attention
        stands_in = self._wanted.stands_in
        worth: Dict[int, ChosenRow] = {}
        headers: Dict[int, ChosenRow] = {}
        last = -1
        hot, first_ones = self._without_tired(number, rows, printed, (shapes, hot))
        for index, shape in enumerate(shapes) if hot else ():
            if shape not in hot or (shape in first_ones and index not in first_ones[shape]):
                continue
            row = rows[index]
            names = frozenset([name for name in hot[shape] if stands_in(row, name)])
            if not names:
                continue
            context = 3 if names.isdisjoint(catalogue) else 8
            one = ChosenRow(names, shape, context, False)
            if shape in first_ones or attention.wants(shape, names, row, number + index):
                worth[index] = one
                if last in headers and attention.opens_again(last, index):
                    worth[last] = headers.pop(last)
            elif not names.isdisjoint(catalogue):
                self._hits.count_loosely(shape, 1)
                self.latest[shape] = (number + index, printed[index], names)
            elif HEADER in names:
                headers[index], last = one, index
                attention.tired = True
        return worth, set(headers)

    def _without_tired(
        self, number: int, rows: List[bytes], printed: List[bytes], sifted: Tuple[List[bytes], Hot]
    ) -> Tuple[Hot, Dict[bytes, Set[int]]]:
        """Count shapes of which enough was read; of these, list the rows that are read yet."""
        shapes, hot = sifted
        catalogue, attention = self._catalogue, self._attention
        left: Hot = dict(hot)
        first_ones: Dict[bytes, Set[int]] = {}
        for shape, names in hot.items():
            if names.isdisjoint(catalogue) or not attention.is_tired_of(shape):
                continue
            indices = [index for index, known in enumerate(shapes) if known == shape]
            own = [rows[index] for index in indices]
            if not self._wanted.stand_in_all(own, names, shape):
                continue
            fresh = {indices[place] for place in attention.new_ranks(names, own)}
            others = [index for index in indices if index not in fresh] if fresh else indices
            if others:
                self._hits.count_loosely(shape, len(others))
                last = others[-1]
                self.latest[shape] = (number + last, printed[last], names)
            if fresh:
                first_ones[shape] = fresh
            else:
                del left[shape]
        return left, first_ones
