"""Which lines are read closely. A line's shape and literals enter; whether it is read leaves.

Lines of one shape are read closely until they tell nothing new; then the first one of every rank
still is. The others are counted.
"""

from typing import Dict, FrozenSet, List, NamedTuple, Set, Tuple

from checker.lazy_patterns import lazy_pattern

_OF_A_SHAPE = 512
# Lines of ever new shapes that no entry asks for, but hold the same general words.
_OF_A_WORD = 1024
_OF_RANKS = 16384
# An exception may stand so far below the header of its block.
_LONGEST_BLOCK = 100
_BLOCKS_OPENED_AGAIN = 512
# What tells the rank: a prefix, or words near the beginning.
_PREFIX = lazy_pattern(rb"\[?(?:\d{1,4},|[A-Za-z][A-Za-z_.-]{0,40})?[ =]?\d{1,7}\]?(?=[:\s\]|<])")
_RANK_NAMED = lazy_pattern(rb"[Rr]ank[ =:]{0,2}\d{1,7}\b")


class Attention:
    """Knows what was read often enough in one file."""

    def __init__(self, catalogue: FrozenSet[str]) -> None:
        """Begin with nothing read."""
        self.tired = False
        """Whether blocks were left out."""
        self._catalogue = catalogue
        self._shapes: Dict[bytes, int] = {}
        self._words: Dict[FrozenSet[str], int] = {}
        self._ranks: Set[Tuple[FrozenSet[str], bytes, bytes]] = set()
        self._again = 0

    def wants(self, shape: bytes, names: FrozenSet[str], row: bytes) -> bool:
        """Take one more line; tell whether it is read."""
        looked = self._shapes[shape] = self._shapes.get(shape, 0) + 1
        fresh = looked <= _OF_A_SHAPE
        if fresh and names.isdisjoint(self._catalogue):
            spent = self._words[names] = self._words.get(names, 0) + 1
            fresh = spent <= _OF_A_WORD
        return self._is_of_new_rank(names, row) or fresh

    def _is_of_new_rank(self, names: FrozenSet[str], row: bytes) -> bool:
        prefix, rank = _PREFIX.match(row), _RANK_NAMED.search(row[:200])
        if (prefix is None and rank is None) or len(self._ranks) >= _OF_RANKS:
            return False
        key = (names, prefix.group() if prefix else b"", rank.group() if rank else b"")
        if key in self._ranks:
            return False
        self._ranks.add(key)
        return True

    def opens_again(self, header: int, index: int) -> bool:
        """Tell whether a block that was left out is read after all, for an exception in it."""
        if not 0 < index - header <= _LONGEST_BLOCK or self._again >= _BLOCKS_OPENED_AGAIN:
            return False
        self._again += 1
        return True


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
