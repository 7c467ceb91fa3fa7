"""The fast filter in front of the close reading.

Blocks of whole lines enter; the templates whose lines may hold a wanted literal leave, with the
literals. Most lines of a training log repeat a few shapes, so a line is first reduced to its
template (digits, hex letters, blanks and punctuation deleted) and only templates never seen
before are tested. A literal reduced the same way stands in the template of every line that
holds it, whatever blanks or numbers stand between, so nothing is missed.
"""

import re
from itertools import repeat
from operator import contains
from typing import (
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

_KEPT = frozenset(b"ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\n")
_DELETED = bytes(code for code in range(256) if code not in _KEPT)
# Beyond this many templates the memory of them is dropped and built anew.
_MEMORY = 100000
# After so many blocks in a row that are mostly new, so many further ones are tested as they are:
# to remember lines that never come again costs more than it saves.
_NEW_IN_A_ROW, _TESTED_AS_THEY_ARE = 4, 15

# Where all words of a literal stand so often, and it does not, only its expression is tried.
_MISSES = 64

_MOST_GROUPS = 256
_Groups = Tuple[List[Tuple["re.Pattern[bytes]", List[str]]], List[str]]

Hot = Dict[bytes, FrozenSet[str]]
"""Templates, and the literals that may stand in their lines."""


class Sifted(NamedTuple):
    """What the gate finds in a block."""

    shapes: List[bytes]
    """The template of each row."""
    hot: Hot
    """Of the templates in the block, those of which a literal stands somewhere in it."""


def template_of(text: bytes) -> bytes:
    """Reduce text to the letters by which lines are compared."""
    return text.translate(None, _DELETED)


class Wanted:
    """The literals that are looked for, prepared once for all files."""

    def __init__(self, literals: Iterable[str], beside: Optional[Mapping[str, str]] = None) -> None:
        """Sort the literals into classes by how many letters their templates keep.

        *beside* names what stands in all lines that matter of a literal which has no such letter.
        """
        self.reduced: Dict[bytes, List[str]] = {}
        self.bare: List[str] = []
        """Without any kept letter, so that templates cannot tell them."""
        self._forms: Dict[str, _Searched] = {}
        self._groups: Dict[FrozenSet[str], _Groups] = {}
        listed = [literal for literal in frozenset(literals) if "\n" not in literal]
        told = [(beside or {}).get(literal, literal) for literal in listed]
        templates = template_of("\n".join(told).encode("utf-8")).split(b"\n")
        for literal, reduced in zip(listed, templates):
            if reduced:
                self.reduced.setdefault(reduced, []).append(literal)
            elif literal.strip():
                self.bare.append(literal)
        self.grams8 = _grams([part for part in self.reduced if len(part) >= 15], 8)
        self.grams4 = _grams([part for part in self.reduced if 7 <= len(part) < 15], 4)
        short = [part for part in self.reduced if len(part) < 7]
        self.short = _by_least(short)
        self.keys8 = frozenset(self.grams8)
        self.keys4 = frozenset(self.grams4)

    def stands_in(self, text: bytes, literal: str) -> bool:
        """Tell whether the literal stands in the text, its blanks being of any number."""
        known = self._forms.get(literal)
        if known is None:
            known = self._forms[literal] = _Searched(literal)
        return known.stands_in(text)

    def stand_in_all(self, rows: List[bytes], literals: FrozenSet[str], shape: bytes) -> bool:
        """Tell whether all literals stand in each row of a template, written as they are."""
        joined = b"\n".join(rows)
        return all(
            joined.count(plain) == len(rows)
            if _stands_once(template_of(plain), shape)
            else all(map(contains, rows, repeat(plain)))
            for plain in [name.encode("utf-8") for name in literals]
        )

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
        for least, longer in self.short:
            if least in joined:
                found.add(least)
                found.update([part for part in longer if part in joined])
        return found

    def alive(self, block: bytes, literals: FrozenSet[str]) -> FrozenSet[str]:
        """Choose the literals that stand somewhere in a block."""
        alike, others = self._groups.get(literals, (None, None))
        if alike is None or others is None:
            if len(self._groups) >= _MOST_GROUPS:
                self._groups.clear()
            alike, others = self._groups[literals] = _grouped(literals)
        found = [name for name in others if self.stands_in(block, name)]
        for pattern, names in alike:
            if pattern.search(block) is not None:
                found += [name for name in names if self.stands_in(block, name)]
        return frozenset(found)


def _grouped(literals: FrozenSet[str]) -> _Groups:
    """Put literals together that begin with the same word: one search tells of all of them."""
    by_word: Dict[bytes, List[str]] = {}
    for name in sorted(literals):
        by_word.setdefault(name.encode("utf-8").split()[0], []).append(name)
    alike, others = [], []
    for word, names in by_word.items():
        if len(names) < 2 or any(len(name.split()) < 2 for name in names):
            others += names
            continue
        rests = [_flexible(name.encode("utf-8").split()[1:]).pattern for name in names]
        whole = re.escape(word) + rb"[ \t]{1,32}(?:" + b"|".join(rests) + b")"
        alike.append((re.compile(whole), names))
    return alike, others


class _Searched:
    """How a literal is looked for in raw text."""

    __slots__ = ("_misses", "_missing", "_pattern", "_plain", "_words")

    def __init__(self, literal: str) -> None:
        self._plain = literal.encode("utf-8")
        self._words = self._plain.split()
        self._missing = max(self._words, key=len) if len(self._words) > 1 else self._plain
        """What was not there last time will mostly not be there again."""
        self._pattern: Optional["re.Pattern[bytes]"] = None
        self._misses = 0

    def stands_in(self, text: bytes) -> bool:
        if self._misses < _MISSES:
            # Twice as fast as `in` where the text is long and holds nothing of it.
            if text.rfind(self._missing) < 0:
                return False
            if self._missing is self._plain or text.rfind(self._plain) >= 0:
                return True
            for word in self._words:
                if text.rfind(word) < 0:
                    self._missing = word
                    return False
            self._misses += 1
        if self._pattern is None:
            self._pattern = _flexible(self._words)
        return self._pattern.search(text) is not None


class Gate:
    """Finds the lines that may hold a literal, by the templates of all lines before."""

    def __init__(self, wanted: Wanted) -> None:
        """Begin with no template seen."""
        self._wanted = wanted
        self._seen: Set[bytes] = set()
        self._hot: Hot = {}
        self._new_in_a_row = 0
        self._as_they_are = 0

    def sift(self, block: bytes) -> Sifted:
        """Look for literals in a block of whole rows."""
        reduced = template_of(block)
        shapes = reduced.split(b"\n")
        if self._as_they_are:
            self._as_they_are -= 1
            found = self._tested(reduced)
        elif self._seen.issuperset(shapes):
            found = {}
        else:
            found = self._learned(shapes, len(reduced))
        if self._wanted.bare:
            self._add_bare(block, shapes, found)
        return Sifted(shapes, self._with_literals(block, found) if found else found)

    def literals(self, shape: bytes) -> FrozenSet[str]:
        """List all literals that rows of a template may hold."""
        parts = self._wanted.suspects(shape)
        return frozenset([name for part in parts for name in self._wanted.reduced[part]])

    def _learned(self, shapes: List[bytes], size: int) -> Hot:
        """Find the hot templates, and learn those that are new."""
        fresh = set(shapes).difference(self._seen)
        found = {shape: self._hot[shape] for shape in fresh if shape in self._hot}
        if len(found) == len(fresh):
            return found
        novel = fresh.difference(found)
        joined = b"\n".join(novel)
        learned = self._tested(joined)
        if len(self._seen) + len(self._hot) > _MEMORY:
            self._seen.clear()
            self._hot.clear()
        self._hot.update(learned)
        self._seen.update(novel.difference(learned) if learned else novel)
        self._note_news(3 * len(joined) > size)
        found.update(learned)
        return found

    def _note_news(self, mostly_new: bool) -> None:
        self._new_in_a_row = self._new_in_a_row + 1 if mostly_new else 0
        if self._new_in_a_row >= _NEW_IN_A_ROW:
            self._as_they_are = _TESTED_AS_THEY_ARE

    def _tested(self, joined: bytes) -> Hot:
        """Find the rows of joined templates that may hold a literal."""
        found: Dict[bytes, List[str]] = {}
        for part in self._wanted.suspects(joined):
            names = self._wanted.reduced[part]
            for row in _rows_with(joined, part):
                found.setdefault(row, []).extend(names)
        return {row: frozenset(names) for row, names in found.items()}

    def _add_bare(self, block: bytes, shapes: List[bytes], found: Hot) -> None:
        """Add the rows of literals without any kept letter."""
        for literal in self._wanted.bare:
            if self._wanted.stands_in(block, literal):
                for row, shape in zip(block.split(b"\n"), shapes):
                    if self._wanted.stands_in(row, literal):
                        found[shape] = found.get(shape, _NONE) | {literal}

    def _with_literals(self, block: bytes, found: Hot) -> Hot:
        """Leave out what does not stand in the block."""
        every = frozenset([name for names in set(found.values()) for name in names])
        alive = self._wanted.alive(block, every)
        if not alive:
            return {}
        return {shape: names & alive for shape, names in found.items() if names & alive}


_NONE: FrozenSet[str] = frozenset()


def _stands_once(reduced: bytes, shape: bytes) -> bool:
    """Tell whether no row of a template can hold a literal twice."""
    at = shape.find(reduced)
    return bool(reduced) and at >= 0 and shape.find(reduced, at + 1) < 0


def _rows_with(joined: bytes, part: bytes) -> Iterator[bytes]:
    at = joined.find(part)
    while at >= 0:
        end = joined.find(b"\n", at)
        end = len(joined) if end < 0 else end
        yield joined[joined.rfind(b"\n", 0, at) + 1 : end]
        at = joined.find(part, end)


def _by_least(parts: Iterable[bytes]) -> List[Tuple[bytes, List[bytes]]]:
    """Group literals: where the first of a group does not stand, none of it does."""
    groups: List[Tuple[bytes, List[bytes]]] = []
    for part in sorted(parts, key=len):
        own = next((longer for least, longer in groups if least in part), None)
        if own is None:
            groups.append((part, []))
        else:
            own.append(part)
    return groups


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


def _flexible(words: List[bytes]) -> "re.Pattern[bytes]":
    return re.compile(rb"[ \t]{1,32}".join(re.escape(word) for word in words))


def gate_literals(keys: Iterable[str]) -> FrozenSet[str]:
    """Take the literals out of the catalogue's keys."""
    return frozenset(key[4:] for key in keys if key.startswith("log "))


def literal_key(literal: str) -> str:
    """Name the catalogue key of a literal."""
    return "log " + literal
