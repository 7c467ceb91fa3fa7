"""The fast filter in front of the close reading.

Blocks of whole lines enter; the numbers of the lines that may hold a wanted literal leave, with
the literals. Most lines of a training log repeat a few shapes, so a line is first reduced to its
template (digits, hex letters, blanks and punctuation deleted) and only templates never seen
before are tested. A literal reduced the same way stands in the template of every line that
holds it, whatever blanks or numbers stand between, so nothing is missed.
"""

import re
from typing import Dict, FrozenSet, Iterable, List, Set, Tuple

_KEPT = frozenset(b"ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\n")
_DELETED = bytes(code for code in range(256) if code not in _KEPT)
# Beyond this many templates the memory of them is dropped and built anew.
_MEMORY = 100000

Candidates = List[Tuple[int, FrozenSet[str], bytes]]
"""Index of the line in its block, the literals it may hold, its template."""


def template_of(text: bytes) -> bytes:
    """Reduce text to the letters by which lines are compared."""
    return text.translate(None, _DELETED)


class Gate:
    """What is looked for, prepared; and the templates seen so far."""

    def __init__(self, literals: Iterable[str]) -> None:
        """Sort the literals into classes by how many letters their templates keep."""
        self._reduced: Dict[bytes, List[str]] = {}
        self._bare: List[Tuple[str, "re.Pattern[bytes]"]] = []
        for literal in sorted(set(literals)):
            reduced = template_of(literal.encode("utf-8"))
            if reduced:
                self._reduced.setdefault(reduced, []).append(literal)
            elif literal.strip():
                self._bare.append((literal, _flexible(literal)))
        self._grams8: Dict[int, Set[bytes]] = {}
        self._grams4: Dict[int, Set[bytes]] = {}
        self._short: List[bytes] = []
        for reduced in self._reduced:
            self._file_under_grams(reduced)
        self._keys8 = frozenset(self._grams8)
        self._keys4 = frozenset(self._grams4)
        self._seen: Set[bytes] = set()
        self._hot: Dict[bytes, FrozenSet[str]] = {}

    def _file_under_grams(self, reduced: bytes) -> None:
        if len(reduced) >= 15:
            width, grams = 8, self._grams8
        elif len(reduced) >= 7:
            width, grams = 4, self._grams4
        else:
            self._short.append(reduced)
            return
        # An occurrence covers an aligned word at one of `width` neighboring offsets.
        start = (len(reduced) - 2 * width + 1) // 2
        for offset in range(start, start + width):
            word = memoryview(reduced[offset : offset + width]).cast("Q" if width == 8 else "I")[0]
            grams.setdefault(word, set()).add(reduced)

    def candidates(self, block: bytes) -> Candidates:
        """Find the lines of a block that may hold a literal, in the order of the lines."""
        rows = template_of(block).split(b"\n")
        found: Candidates = []
        if len(self._seen) + len(self._hot) > _MEMORY:
            self._seen.clear()
            self._hot.clear()
        if not self._seen.issuperset(rows):
            self._learn(set(rows).difference(self._seen, self._hot))
            hot = self._hot
            if not hot.keys().isdisjoint(rows):
                found = [(index, hot[row], row) for index, row in enumerate(rows) if row in hot]
        if self._bare:
            found = self._with_bare(block, rows, found)
        return found

    def _learn(self, novel: Set[bytes]) -> None:
        if not novel:
            return
        suspects = self._suspects(b"\n".join(novel))
        if suspects:
            for row in novel:
                literals = [part for part in suspects if part in row]
                if literals:
                    names = [name for part in literals for name in self._reduced[part]]
                    self._hot[row] = frozenset(names)
        self._seen.update(novel.difference(self._hot))

    def _suspects(self, joined: bytes) -> Set[bytes]:
        padded = joined + b"\n" * (-len(joined) % 8)
        view = memoryview(padded)
        suspects: Set[bytes] = set()
        if self._keys8:
            for word in self._keys8.intersection(view.cast("Q")):
                suspects |= self._grams8[word]
        if self._keys4:
            for word in self._keys4.intersection(view.cast("I")):
                suspects |= self._grams4[word]
        suspects = {part for part in suspects if part in joined}
        suspects.update(part for part in self._short if part in joined)
        return suspects

    def _with_bare(self, block: bytes, rows: List[bytes], found: Candidates) -> Candidates:
        """Add the lines of literals without any kept letter, which templates cannot tell."""
        extra: Dict[int, Set[str]] = {}
        for literal, pattern in self._bare:
            for match in pattern.finditer(block):
                extra.setdefault(block.count(b"\n", 0, match.start()), set()).add(literal)
        if not extra:
            return found
        merged = {index: (names, row) for index, names, row in found}
        for index, literals in extra.items():
            names, row = merged.get(index, (frozenset(), rows[index]))
            merged[index] = (names | literals, row)
        return [(index, merged[index][0], merged[index][1]) for index in sorted(merged)]


def holds_literal(text: str, literal: str) -> bool:
    """Tell whether the text holds the literal, a run of blanks being like any other."""
    if literal in text:
        return True
    if " " not in literal and "\t" not in literal:
        return False
    return " ".join(literal.split()) in " ".join(text.split())


def _flexible(literal: str) -> "re.Pattern[bytes]":
    words = literal.encode("utf-8").split()
    return re.compile(rb"[ \t]{1,32}".join(re.escape(word) for word in words))


def gate_literals(keys: Iterable[str]) -> FrozenSet[str]:
    """Take the literals out of the catalogue's keys."""
    return frozenset(key[4:] for key in keys if key.startswith("log "))


def literal_key(literal: str) -> str:
    """Name the catalogue key of a literal."""
    return "log " + literal
