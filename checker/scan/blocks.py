"""The exception blocks that are kept of one file. Blocks enter; first ones and the last leave."""

from collections import deque
from typing import Deque, Dict, List, Tuple

from checker.model import Traceback
from checker.scan.hits import WriterKey

_KEPT_OF_A_KIND = 16
_MOST_KINDS = 4096
_KEPT_LAST_BLOCKS = 64
_Kind = Tuple[WriterKey, Tuple[str, ...], bool, bool]


class TracebackBook:
    """Keeps the first blocks of each writer and class, and the last ones."""

    def __init__(self) -> None:
        """Begin empty."""
        self._kept: Dict[_Kind, List[Traceback]] = {}
        self._counts: Dict[_Kind, int] = {}
        self._more: Deque[Tuple[WriterKey, Traceback]] = deque(maxlen=_KEPT_LAST_BLOCKS)

    def add(self, writer: WriterKey, block: Traceback) -> None:
        """Take the next block of a writer."""
        kind = (writer, tuple(part.type for part in block.parts), block.handled, block.ignored)
        kept = self._kept.get(kind)
        if kept is None:
            if len(self._kept) >= _MOST_KINDS:
                self._more.append((writer, block))
                return
            kept = self._kept[kind] = []
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count <= _KEPT_OF_A_KIND:
            kept.append(block)
        else:
            kept[-1] = block

    def blocks(self, exact: bool) -> List[Tuple[WriterKey, Traceback]]:
        """Hand over what was kept; *exact* tells whether every block of the file was read."""
        found = list(self._more)
        for kind, kept in self._kept.items():
            left_out = self._counts[kind] - len(kept)
            found.extend((kind[0], block._replace(exact=exact)) for block in kept[:-1])
            found.append((kind[0], kept[-1]._replace(times=1 + left_out, exact=exact)))
        found.sort(key=lambda one: (one[1].line.number, one[1].end))
        return found
