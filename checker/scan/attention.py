"""Which lines are read closely. A line's shape and literals enter; whether it is read leaves.

Lines of one shape are read closely until they tell nothing new; then the first one of every rank
still is. The others are counted.
"""

from itertools import repeat
from operator import contains
from typing import Dict, FrozenSet, List, NamedTuple, Sequence, Set, Tuple

from checker.lazy_patterns import lazy_pattern

_OF_RANKS = 16384
# What tells a rank stands in the first so many bytes of a row.
_RANK_WITHIN = 200
# An exception may stand so far below the header of its block.
_LONGEST_BLOCK = 100
_BLOCKS_OPENED_AGAIN = 512
# What tells the rank: a prefix, or words near the beginning. A prefix ends before this byte.
_PREFIX_WITHIN = 64
_PREFIX = lazy_pattern(rb"\[?(?:\d{1,4},|[A-Za-z][A-Za-z_.-]{0,40})?[ =]?\d{1,7}\]?(?=[:\s\]|<])")
_RANK_NAMED = lazy_pattern(rb"[Rr]ank[ =:]{0,2}\d{1,7}\b")


class Care(NamedTuple):
    """How much of one file is read closely."""

    of_a_shape: int
    """Lines of one shape."""
    at_once: int
    """Those of a shape that no entry asks for."""
    rows_of_one: int
    """One more of these for so many rows that passed."""
    of_a_word: int
    """Lines of ever new shapes that no entry asks for, but hold the same general words."""


_WHOLE_CARE, _LITTLE_CARE = Care(512, 64, 256, 1024), Care(64, 8, 1 << 20, 64)
_FILES_READ_IN_FULL = 64


def care_for(files: int) -> Care:
    """Say how closely a file is read that comes after so many others."""
    return _WHOLE_CARE if files < _FILES_READ_IN_FULL else _LITTLE_CARE


class Attention:
    """Knows what was read often enough in one file."""

    def __init__(self, catalogue: FrozenSet[str], care: Care) -> None:
        """Begin with nothing read."""
        self.tired = False
        """Whether blocks were left out."""
        self._care = care
        self._catalogue = catalogue
        self._shapes: Dict[bytes, Tuple[int, int, int]] = {}
        """How many were read, how many may be at once, and the row since which that holds."""
        self._words: Dict[FrozenSet[str], int] = {}
        self._ranks: Set[Tuple[FrozenSet[str], bytes, bytes]] = set()
        self._again = 0

    def wants(self, shape: bytes, names: FrozenSet[str], row: bytes, number: int) -> bool:
        """Take one more line, of this number; tell whether it is read."""
        asked = not names.isdisjoint(self._catalogue)
        fresh = self._is_fresh(shape, asked, number)
        if fresh and not asked:
            spent = self._words[names] = self._words.get(names, 0) + 1
            fresh = spent <= self._care.of_a_word
        return bool(self.new_ranks(names, (row,))) or fresh

    def is_tired_of(self, shape: bytes) -> bool:
        """Tell whether only rows of new ranks are read of a shape from now on."""
        looked = self._shapes.get(shape)
        return looked is not None and looked[0] >= self._care.of_a_shape

    def new_ranks(self, names: FrozenSet[str], rows: Sequence[bytes]) -> List[int]:
        """Find the rows that are the first of their ranks."""
        # Most rows begin like one before.
        named = any(map(contains, rows, repeat(b"ank")))
        starts = [row[: _RANK_WITHIN if named else _PREFIX_WITHIN] for row in rows]
        first: Dict[Tuple[FrozenSet[str], bytes, bytes], int] = {}
        for start in set(starts):
            key = (names, _prefix_of(start), _rank_named_in(start))
            if any(key[1:]) and key not in self._ranks:
                index = starts.index(start)
                first[key] = min(index, first.get(key, index))
        left = max(0, _OF_RANKS - len(self._ranks))
        chosen = sorted(first, key=lambda key: first[key])[:left]
        self._ranks.update(chosen)
        return [first[key] for key in chosen]

    def _is_fresh(self, shape: bytes, asked: bool, number: int) -> bool:
        care = self._care
        looked, left, since = self._shapes.get(shape, (0, care.at_once, number))
        rested = (number - since) // care.rows_of_one
        left = min(care.at_once, left + rested)
        if looked >= care.of_a_shape or not (asked or left > 0):
            return False
        self._shapes[shape] = (looked + 1, left - 1, since + rested * care.rows_of_one)
        return True

    def opens_again(self, header: int, index: int) -> bool:
        """Tell whether a block that was left out is read after all, for an exception in it."""
        if not 0 < index - header <= _LONGEST_BLOCK or self._again >= _BLOCKS_OPENED_AGAIN:
            return False
        self._again += 1
        return True


def _prefix_of(start: bytes) -> bytes:
    """Cut out what stands before a row and may tell its rank."""
    found = _PREFIX.match(start)
    return found.group() if found is not None else b""


def _rank_named_in(start: bytes) -> bytes:
    """Cut out the words near the beginning of a row that tell its rank."""
    found = _RANK_NAMED.search(start) if b"ank" in start else None
    return found.group() if found is not None else b""


class LeftBlock(NamedTuple):
    """An exception block that was not read."""

    number: int
    """The line of its first row here: that above its header, if there is one."""
    rows: List[bytes]


def block_at(rows: List[bytes], header: int, number: int) -> LeftBlock:
    """Cut out the rows from the one above a header on; *number* is that of the first row."""
    start = max(0, header - 1)
    return LeftBlock(number + start, rows[start : header + _LONGEST_BLOCK])


def goes_on_below(rows: List[bytes], header: int) -> bool:
    """Tell whether the block above a header goes on with it: a blank line stands between."""
    return header > 0 and rows[header - 1].rstrip()[-1:] in (b"", b":", b"|")
