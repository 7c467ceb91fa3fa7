"""The fast filter in front of the close reading.

Blocks of whole lines enter; the numbers of the lines that may hold a wanted literal leave, with
the literals. Most lines of a training log repeat a few shapes, so a line is first reduced to its
template (digits, hex letters, blanks and punctuation deleted) and only templates never seen
before are tested. A literal reduced the same way stands in the template of every line that
holds it, whatever blanks or numbers stand between, so nothing is missed.
"""

import re
from typing import Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

_KEPT = frozenset(b"ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\n")
_DELETED = bytes(code for code in range(256) if code not in _KEPT)
# Beyond this many templates the memory of them is dropped and built anew.
_MEMORY = 100000

Candidates = List[Tuple[int, FrozenSet[str], bytes]]
"""Index of the line in its block, the literals it may hold, its template."""


def template_of(text: bytes) -> bytes:
    """Reduce text to the letters by which lines are compared."""
    return text.translate(None, _DELETED)


def templates_of(block: bytes) -> List[bytes]:
    """Reduce every row of a block."""
    return template_of(block).split(b"\n")


class Wanted:
    """The literals that are looked for, prepared once for all files."""

    def __init__(self, literals: Iterable[str]) -> None:
        """Sort the literals into classes by how many letters their templates keep."""
        self.reduced: Dict[bytes, List[str]] = {}
        self.bare: List[Tuple[str, "re.Pattern[bytes]"]] = []
        self._forms: Dict[str, Tuple[bytes, Optional["re.Pattern[bytes]"]]] = {}
        listed = [literal for literal in frozenset(literals) if "\n" not in literal]
        templates = template_of("\n".join(listed).encode("utf-8")).split(b"\n")
        for literal, reduced in zip(listed, templates):
            if reduced:
                self.reduced.setdefault(reduced, []).append(literal)
            elif literal.strip():
                self.bare.append((literal, _flexible(literal)))
        self.grams8 = _grams([part for part in self.reduced if len(part) >= 15], 8)
        self.grams4 = _grams([part for part in self.reduced if 7 <= len(part) < 15], 4)
        self.short = [part for part in self.reduced if len(part) < 7]
        self.keys8 = frozenset(self.grams8)
        self.keys4 = frozenset(self.grams4)

    def stands_in(self, text: bytes, literal: str) -> bool:
        """Tell whether the literal stands in the text, its blanks being of any number."""
        known = self._forms.get(literal)
        if known is None:
            known = self._forms[literal] = (literal.encode("utf-8"), None)
        plain, pattern = known
        if plain in text:
            return True
        words = plain.split()
        if len(words) < 2 or not all(word in text for word in words):
            return False
        if pattern is None:
            pattern = _flexible(literal)
            self._forms[literal] = (plain, pattern)
        return pattern.search(text) is not None

    def suspects(self, joined: bytes) -> Set[bytes]:
        """Find the reduced literals that stand in joined templates."""
        view = memoryview(joined + b"\n" * (-len(joined) % 8))
        found: Set[bytes] = set()
        if self.keys8:
            for word in self.keys8.intersection(view.cast("Q")):
                found.update(self.grams8[word])
        if self.keys4:
            for word in self.keys4.intersection(view.cast("I")):
                found.update(self.grams4[word])
        found = {part for part in found if part in joined}
        found.update(part for part in self.short if part in joined)
        return found


class Gate:
    """Chooses lines of one file, by the templates seen so far."""

    def __init__(self, wanted: Wanted) -> None:
        """Begin with no template seen."""
        self._wanted = wanted
        self._seen: Set[bytes] = set()
        self._hot: Dict[bytes, FrozenSet[str]] = {}
        self._aside: Set[bytes] = set()

    def set_aside(self, template: bytes) -> None:
        """Choose no more rows of a template: someone else looks after them."""
        self._aside.add(template)
        self._seen.add(template)
        self._hot.pop(template, None)

    def candidates(self, block: bytes, rows: List[bytes]) -> Candidates:
        """Find the lines that may hold a literal, in their order; *rows* are their templates."""
        found: Candidates = []
        if len(self._seen) + len(self._hot) > _MEMORY:
            self._seen = set(self._aside)
            self._hot.clear()
        if not self._seen.issuperset(rows):
            self._learn(set(rows).difference(self._seen, self._hot))
            hot = self._hot
            if not hot.keys().isdisjoint(rows):
                found = [(index, hot[row], row) for index, row in enumerate(rows) if row in hot]
        if self._wanted.bare:
            found = self._with_bare(block, rows, found)
        return found

    def _learn(self, novel: Set[bytes]) -> None:
        if not novel:
            return
        suspects = self._wanted.suspects(b"\n".join(novel))
        if suspects:
            for row in novel:
                literals = [part for part in suspects if part in row]
                if literals:
                    names = [name for part in literals for name in self._wanted.reduced[part]]
                    self._hot[row] = frozenset(names)
        self._seen.update(novel.difference(self._hot))

    def _with_bare(self, block: bytes, rows: List[bytes], found: Candidates) -> Candidates:
        """Add the lines of literals without any kept letter, which templates cannot tell."""
        extra: Dict[int, Set[str]] = {}
        for literal, pattern in self._wanted.bare:
            for match in pattern.finditer(block):
                extra.setdefault(block.count(b"\n", 0, match.start()), set()).add(literal)
        if not extra:
            return found
        merged = {index: (names, row) for index, names, row in found}
        for index, literals in extra.items():
            names, row = merged.get(index, (frozenset(), rows[index]))
            merged[index] = (names | literals, row)
        return [(index, merged[index][0], merged[index][1]) for index in sorted(merged)]


def _grams(parts: List[bytes], width: int) -> Dict[int, List[bytes]]:
    """File literals under the words that stand in their middle.

    An occurrence covers an aligned word of the text at one of *width* neighboring offsets.
    """
    length = 2 * width
    windows = []
    for part in parts:
        start = (len(part) - length + 1) // 2
        windows.append(part[start : start + length - 1])
    # All windows in a row, so that a view at each offset gives every second word to one literal.
    joined = b"\n".join(windows) + b"\n" * (width + 1)
    grams: Dict[int, List[bytes]] = {}
    for offset in range(width if parts else 0):
        view = memoryview(joined)[offset : offset + length * len(parts)]
        words = view.cast("Q" if width == 8 else "I").tolist()[::2]
        for word, part in zip(words, parts):
            grams.setdefault(word, []).append(part)
    return grams


def _flexible(literal: str) -> "re.Pattern[bytes]":
    words = literal.encode("utf-8").split()
    return re.compile(rb"[ \t]{1,32}".join(re.escape(word) for word in words))


def gate_literals(keys: Iterable[str]) -> FrozenSet[str]:
    """Take the literals out of the catalogue's keys."""
    return frozenset(key[4:] for key in keys if key.startswith("log "))


def literal_key(literal: str) -> str:
    """Name the catalogue key of a literal."""
    return "log " + literal
