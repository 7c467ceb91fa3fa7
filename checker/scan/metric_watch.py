"""The watch over the metric records of one file.

A training log is mostly records that show nothing. Blocks of rows enter, with the template of
each row; the rows leave that have to be read, since a sign may be true of their numbers. Of other
blocks only a few rows are chosen, which tell how the counters move.
"""

import re
from typing import Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.gate import template_of
from checker.scan.metric_asks import MetricAsk, MetricAsks, may_answer, numbers_in
from checker.scan.metrics import NAMES
from checker.scan.samples import Gap

# Each begins with fixed text, which makes it fast; `nan iterations` is a counter's name.
_NONFINITE = tuple(
    (token, reduced, lazy_pattern(token + rb"(?<!\w" + token + rb")" + rest))
    for token, reduced, rest in (
        (b"nan", b"nn", rb"(?! iter)(?![A-Za-z_])"),
        (b"NaN", b"NN", rb"(?![A-Za-z_])"),
        (b"NAN", b"NAN", rb"(?![A-Za-z_])"),
        (b"inf", b"in", rb"(?:inity)?(?![A-Za-z_])"),
        (b"Inf", b"In", rb"(?:inity)?(?![A-Za-z_])"),
        (b"INF", b"INF", rb"(?:INITY)?(?![A-Za-z_])"),
    )
)
# What may stand between a name and its value, and the value.
_UP_TO_VALUE = (
    rb"['\"]?(?:\s{0,4}\([A-Za-z%/]{1,8}\))?['\"]?\s?[:=]?\s{0,12}\[?['\"]?(?:tensor\()?\[?"
)
_VALUE_ITSELF = (
    rb"([-+]?(?:\d[\w.+-]{0,40}(?:,\d{3}[\w.+-]{0,40}){0,6}"
    rb"|[nN][aA][nN][\w.]{0,8}|[iI][nN][fF]\w{0,8}[.\d]{0,8}))"
)
_ZERO_ITSELF = rb"[-+]?0{1,20}(?:\.0{0,20})?(?:[eE][-+]?\d{1,4})?(?![\d.])"
# Stands behind a name wherever a zero is its value, and takes a quarter of the time to look for.
_MAY_BE_ZERO = rb"\W{0,40}(?:0|(?<=\()[A-Za-z]|tensor\()"
_PLAIN = frozenset(("nonfinite", "zero"))
# So few records of a block are all read.
_FEW = 16
_SHAPES_SAMPLED = 8
_MOST_SHAPES = 4096
_MOST_SETS = 256
# Of so many blocks that are left out the counters are looked at, and then of each one in so many.
_SAMPLED_AT_FIRST, _SAMPLED_OF = 64, 16
# So many rows are read for the sake of one question.
_MOST_ROWS = 8192
# So many values from before a block are compared with its own.
_REMEMBERED = 1024

Rows = List[Tuple[int, bytes]]
"""Indices of rows in their block, with their templates."""


_Tokens = FrozenSet[bytes]


class _Shape(NamedTuple):
    names: FrozenSet[str]
    others: FrozenSet[str]
    tokens: _Tokens
    """What is no number and may be a value in such a row, as its template tells."""
    values: _Tokens
    """Those that may be one if nothing in parentheses stands between a name and its value."""


class _Present(NamedTuple):
    """What the shapes of a block have together."""

    names: List[str]
    tokens: _Tokens
    values: _Tokens


class _Waiting(NamedTuple):
    """A block whose records were left out, as long as the next one may need them."""

    number: int
    block: bytes
    shapes: Sequence[bytes]
    present: FrozenSet[bytes]
    gap: Gap


class MetricWatch:
    """Chooses rows of one file by what their numbers may answer."""

    __slots__ = (
        "_asks",
        "_before",
        "_gaps",
        "_left",
        "_met",
        "_patterns",
        "_shapes",
        "_spent",
        "_waiting",
        "_whole",
        "loud",
    )

    def __init__(self, asks: MetricAsks) -> None:
        """Begin with no shape known."""
        self.loud = True
        """Whether a sign may be true of the numbers of the block that was looked at last."""
        self._asks = asks
        self._shapes: Dict[bytes, _Shape] = {}
        self._patterns: Dict[Tuple[str, bytes], "re.Pattern[bytes]"] = {}
        self._before: Dict[str, Tuple[float, ...]] = {}
        self._spent: Dict[Tuple[str, MetricAsk], int] = {}
        self._gaps: List[Gap] = []
        self._waiting: Optional[_Waiting] = None
        self._whole = False
        self._met: Dict[FrozenSet[bytes], _Present] = {}
        self._left = 0
        """How many blocks were left out."""

    def take_all(self, gaps: Iterable[Gap]) -> None:
        """Choose all records from now on, since others were left out before: in *gaps*."""
        self._whole = True
        self._gaps = list(gaps)

    def knows(self, shape: bytes) -> bool:
        """Tell whether a shape was learned."""
        return shape in self._shapes

    def learn(self, shape: bytes, literals: Iterable[str]) -> bool:
        """Take a shape whose rows may hold the literals; False where too many are known."""
        if len(self._shapes) >= _MOST_SHAPES:
            return False
        every = frozenset(literals)
        names = every.intersection(self._asks)
        reduced = [template_of(name.encode("utf-8")) for name in names]
        tokens = _values_in(shape, reduced, rb"[A-Za-z]{0,8}(?:tnsor)?")
        self._shapes[shape] = _Shape(names, every - names, tokens, _values_in(shape, reduced, b""))
        return True

    def others(self, shape: bytes) -> FrozenSet[str]:
        """List what rows of a known shape may hold besides metrics."""
        return self._shapes[shape].others

    def _present(self, present: FrozenSet[bytes]) -> _Present:
        known = self._met.get(present)
        if known is None:
            if len(self._met) >= _MOST_SETS:
                self._met.clear()
            shapes = [self._shapes[shape] for shape in present]
            known = self._met[present] = _Present(
                sorted({name for shape in shapes for name in shape.names}),
                frozenset([token for shape in shapes for token in shape.tokens]),
                frozenset([token for shape in shapes for token in shape.values]),
            )
        return known

    def choose(
        self,
        number: int,
        block: bytes,
        shapes: Sequence[bytes],
        present: FrozenSet[bytes],
        printed: bytes,
    ) -> Rows:
        """Choose the records of a block that are read; *number* is that of its first row."""
        count = sum(map(present.__contains__, shapes))
        names, tokens, values_only = self._present(present)
        self.loud, spared, valued = False, False, set()
        if tokens is not values_only and b"(" not in block:
            # Only a unit in parentheses, or `tensor(`, stands between a name and its value.
            tokens = values_only
        nonfinite = _holds_one(block, tokens)
        for name in names:
            asks = self._asks[name]
            if not nonfinite and all(ask.behavior == "nonfinite" for ask in asks):
                valued.add(name)
                continue
            plain = not nonfinite and all(ask.behavior in _PLAIN for ask in asks)
            if plain and not self._has_zero(name, block):
                valued.add(name)
                continue
            values = numbers_in(self._pattern(name, _UP_TO_VALUE + _VALUE_ITSELF).findall(block))
            before = self._before.get(name, ())
            if values:
                valued.add(name)
                self._before[name] = (*before, *values)[-_REMEMBERED:]
            for ask in sorted(asks):
                if may_answer(ask, values, before):
                    spent = self._spent[name, ask] = self._spent.get((name, ask), 0) + count
                    self.loud = self.loud or spent <= _MOST_ROWS
                    spared = spared or spent > _MOST_ROWS
        if self.loud or self._whole or count <= _FEW:
            return _rows_of(shapes, present)
        known = frozenset(name.lower() if name.lower() in NAMES else name for name in valued)
        self._drop()
        gap = Gap(number, number + len(shapes) - 1, known, spared)
        self._waiting = _Waiting(number, printed, shapes, present, gap)
        self._left += 1
        if self._left > _SAMPLED_AT_FIRST and self._left % _SAMPLED_OF:
            return []
        return _first_of_each(shapes, present)

    def _has_zero(self, name: str, block: bytes) -> bool:
        hint = self._pattern(name, _MAY_BE_ZERO).search(block)
        # No match of the whole begins further above than this.
        return hint is not None and (
            self._pattern(name, _UP_TO_VALUE + _ZERO_ITSELF).search(block, hint.start()) is not None
        )

    def _pattern(self, name: str, value: bytes) -> "re.Pattern[bytes]":
        known = self._patterns.get((name, value))
        if known is None:
            words = name.encode("utf-8").split()
            written = rb"[ \t]{1,32}".join(map(re.escape, words))
            apart = rb"(?<!\w" + re.escape(words[-1]) + rb")" if len(words) == 1 else rb""
            known = re.compile(written + apart + value)
            self._patterns[name, value] = known
        return known

    def _drop(self) -> None:
        """Note that the block which waited is left out for good."""
        if self._waiting is None:
            return
        gap, self._waiting = self._waiting.gap, None
        last = self._gaps[-1] if self._gaps else None
        if last is not None and last.last + 1 >= gap.first and last.telling == gap.telling:
            self._gaps[-1] = Gap(last.first, gap.last, last.names | gap.names, gap.telling)
        else:
            self._gaps.append(gap)

    def recall(self, most: Optional[int]) -> Iterator[Tuple[int, bytes, bytes]]:
        """Hand over the records that were left out last: number, row and template of each.

        Where no more than *most* are wanted, it is the last ones.
        """
        waiting = self._waiting
        if waiting is None:
            return
        chosen = _rows_of(waiting.shapes, waiting.present)
        if most is not None and len(chosen) > most:
            chosen = chosen[-most:]
            last = waiting.number + chosen[0][0] - 1
            self._waiting = waiting._replace(gap=waiting.gap._replace(last=last))
            self._drop()
        self._waiting = None
        rows = waiting.block.split(b"\n")
        for index, shape in chosen:
            yield waiting.number + index, rows[index], shape

    def first_waiting(self, number: int) -> int:
        """Return the first row that may still be handed over, or else *number*."""
        return self._waiting.number if self._waiting is not None else number

    def release(self) -> None:
        """Keep nothing but the gaps."""
        del self._asks, self._shapes, self._patterns, self._before, self._spent, self._waiting
        del self._met

    def gaps(self) -> List[Gap]:
        """List where records were left out."""
        return list(self._gaps)


def _values_in(shape: bytes, names: Sequence[bytes], between: bytes) -> _Tokens:
    """List what is no number and may be a value: its letters stand behind a name."""
    return frozenset(
        [
            token
            for token, letters, _ in _NONFINITE
            if letters in shape
            and any(re.search(re.escape(name) + between + letters, shape) for name in names)
        ]
    )


def _rows_of(shapes: Sequence[bytes], present: FrozenSet[bytes]) -> Rows:
    return [(index, shape) for index, shape in enumerate(shapes) if shape in present]


def _first_of_each(shapes: Sequence[bytes], present: FrozenSet[bytes]) -> Rows:
    """Take two rows of each shape, so that the pace of a counter is seen."""
    chosen = []
    for shape in sorted(present)[:_SHAPES_SAMPLED]:
        index = shapes.index(shape)
        chosen.append((index, shape))
        if shape in shapes[index + 1 :]:
            chosen.append((shapes.index(shape, index + 1), shape))
    return sorted(chosen)


def _holds_one(block: bytes, tokens: _Tokens) -> bool:
    """Tell whether a number that is none, or an infinite one, may stand in a block."""
    return any(
        token in tokens and pattern.search(block) is not None for token, _, pattern in _NONFINITE
    )


def holds_nonfinite(block: bytes) -> bool:
    """Tell the same of bytes of which no template is known."""
    return _holds_one(block, frozenset([token for token, _, _ in _NONFINITE]))
