"""Prove that a search for a regular expression takes time linear in the length of the line.

Python backtracks: where two repeats can share the same characters, it tries every way to share
them. The proof draws the graph of which item may follow which, and refuses an expression in which
a repeat can reach another one, or itself, through nothing but its own characters.
"""

import re
import warnings
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

LONGEST = 1024
"""The most that one repeat may repeat, and the most ways in which two may share characters."""
_WAYS = 64
"""The most ways through alternatives that begin alike and optional groups."""
_TRIES = 4096
"""The most such ways, multiplied with the ways of the repeats: each start in a line tries all."""
_OTHER = 128  # stands for every character outside of ASCII
_ALL = frozenset(range(_OTHER + 1))
_DIGITS = frozenset(range(48, 58))
_BLANKS = frozenset(b" \t\n\r\f\v")
_WORD = _DIGITS | frozenset(range(65, 91)) | frozenset(range(97, 123)) | {95}
_CATEGORIES = {
    op.CATEGORY_DIGIT: _DIGITS,
    op.CATEGORY_NOT_DIGIT: _ALL - _DIGITS,
    op.CATEGORY_SPACE: _BLANKS,
    op.CATEGORY_NOT_SPACE: _ALL - _BLANKS,
    op.CATEGORY_WORD: _WORD,
    op.CATEGORY_NOT_WORD: _ALL - _WORD,
}


class NotLinearError(ValueError):
    """Why an expression is refused; `help` says how to mend it."""

    def __init__(self, message: str, help: str) -> None:
        """Keep the message and the help apart, as the person sees them."""
        super().__init__(message)
        self.help = help


class _Item(NamedTuple):
    """A character class of the expression, and how many characters it may take."""

    characters: frozenset[int]
    least: int
    most: int


class _Span(NamedTuple):
    """The items by which a piece may begin and end, and whether it may be empty."""

    first: frozenset[int]
    last: frozenset[int]
    empty: bool


_NOTHING = _Span(frozenset(), frozenset(), True)


def prove(regex: str, *, placeholders: bool = False) -> None:
    """Raise NotLinearError unless the search is linear.

    *placeholders* is for expressions compiled from a text: the pieces of a placeholder may repeat
    groups, since each is proven by the graph as well.
    """
    if not regex.isascii():
        raise NotLinearError(
            "the expression holds characters outside of ASCII", "write . in their place"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        try:
            tree = _parser.parse(regex, 0)
        except (re.error, FutureWarning, OverflowError, RecursionError) as error:
            raise NotLinearError(
                "this is not a regular expression", f"mend it: {_reason(error)}"
            ) from None
    if tree.state.flags & ~re.UNICODE:
        raise NotLinearError("the expression sets flags", "remove '(?i)' and the like")
    graph = _Graph(placeholders)
    graph.sequence(tree)
    graph.judge()


def _reason(error: BaseException) -> str:
    place = f" at character {error.pos + 1}" if isinstance(error, re.error) and error.pos else ""
    return f"a bracket, a repeat or a backslash is not complete or not allowed{place}"


class _Graph:
    """The items of an expression and which may follow which."""

    def __init__(self, placeholders: bool) -> None:
        self.placeholders = placeholders
        self.items: list[_Item] = []
        self.after: list[set[int]] = []
        self.ways = 1
        self.lengths = 1

    def sequence(self, tree: Any) -> _Span:
        span = _NOTHING
        for operation, argument in tree:
            span = self._joined(span, self._piece(operation, argument))
        return span

    def judge(self) -> None:
        """Refuse a repeat that reaches a repeat through its own characters."""
        if self.ways > _WAYS and not self.placeholders:
            raise NotLinearError(
                "the alternatives and optional groups can be combined in too many ways",
                "write the message as several wordings",
            )
        for start, item in enumerate(self.items):
            if item.most > item.least:
                self._follow(start, item)
        if self.ways * self.lengths > _TRIES and not self.placeholders:
            raise NotLinearError(
                "the alternatives, optional groups and repeats can be combined in too many ways",
                "write the message as several wordings, or let the repeats take fewer characters",
            )

    def _follow(self, start: int, item: _Item) -> None:
        # Paths are not told apart: an item counts once, however it is reached.
        ways, seen = item.most - item.least + 1, {start}
        self.lengths = max(self.lengths, ways)
        border = [(following, True) for following in self.after[start]]
        while border:
            current, touching = border.pop()
            other = self.items[current]
            if not other.characters & item.characters:
                continue
            if current == start:
                raise NotLinearError(
                    "a repeat is repeated", "repeat a single character class, not a group"
                )
            if current in seen:
                continue
            seen.add(current)
            variable = other.most > other.least
            if variable:
                ways *= other.most - other.least + 1
                _refuse_shared(ways, touching and not self.placeholders)
                self.lengths = max(self.lengths, ways)
            border += [(further, touching and variable) for further in self.after[current]]

    def _piece(self, operation: Any, argument: Any) -> _Span:
        if operation in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return self._item(_characters(operation, argument), 1, 1)
        if operation in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._repeat(*argument)
        if operation is op.SUBPATTERN:
            if argument[1] or argument[2]:
                raise NotLinearError("the expression sets flags", "remove '(?i:' and the like")
            return self._group(argument[3])
        if operation is op.BRANCH:
            return self._branch(argument[1])
        if operation is op.AT:
            return _NOTHING
        raise NotLinearError(
            f"{_NAMES.get(str(operation), 'this construct')} is not allowed",
            "use characters, classes, groups, alternatives and bounded repeats only",
        )

    def _item(self, characters: frozenset[int], least: int, most: int) -> _Span:
        self.items.append(_Item(characters, least, most))
        self.after.append(set())
        this = frozenset({len(self.items) - 1})
        return _Span(this, this, least == 0)

    def _group(self, tree: Any) -> _Span:
        if not len(tree):
            raise NotLinearError("a group is empty", "remove it")
        return self.sequence(tree)

    def _branch(self, branches: Any) -> _Span:
        spans = [self._alternative(branch) for branch in branches]
        firsts = [frozenset[int]().union(*(self._of(item) for item in s.first)) for s in spans]
        if sum(map(len, firsts)) > len(frozenset[int]().union(*firsts)):
            self.ways *= len(spans)
        return _Span(
            frozenset().union(*(span.first for span in spans)),
            frozenset().union(*(span.last for span in spans)),
            any(span.empty for span in spans),
        )

    def _alternative(self, branch: Any) -> _Span:
        if not len(branch):
            raise NotLinearError(
                "an alternative is empty, or is the beginning of another",
                "make the rest of the longer one an optional group: (?:...)?",
            )
        return self.sequence(branch)

    def _repeat(self, least: int, most: Any, tree: Any) -> _Span:
        if most is op.MAXREPEAT or most > LONGEST:
            raise NotLinearError(
                "a repeat has no bound, or a large one",
                f"write how often at most, up to {{0,{LONGEST}}}; often {{1,64}} is enough",
            )
        if len(tree) == 1 and tree[0][0] in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return self._item(_characters(*tree[0]), least, most)
        if most > 1 and not self.placeholders:
            raise NotLinearError(
                "a group is repeated", "repeat a single character class, not a group"
            )
        self.ways *= 1 + (least == 0)
        span = self._group(tree)
        if most > 1:
            self._link(span.last, span.first)
        return span._replace(empty=span.empty or least == 0)

    def _joined(self, left: _Span, right: _Span) -> _Span:
        self._link(left.last, right.first)
        return _Span(
            left.first | right.first if left.empty else left.first,
            left.last | right.last if right.empty else right.last,
            left.empty and right.empty,
        )

    def _link(self, before: frozenset[int], behind: frozenset[int]) -> None:
        for item in before:
            self.after[item] |= behind

    def _of(self, item: int) -> frozenset[int]:
        return self.items[item].characters


_NAMES = {
    "GROUPREF": "a reference to an earlier group",
    "GROUPREF_EXISTS": "a condition on a group",
    "ASSERT": "a look around the match",
    "ASSERT_NOT": "a look around the match",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repeat",
}


def _refuse_shared(ways: int, touching: bool) -> None:
    if touching:
        raise NotLinearError(
            "two repeats that share characters touch",
            "make them one, or put between them text that the first cannot hold",
        )
    if ways > LONGEST:
        raise NotLinearError(
            "two repeats can share the text between them in too many ways",
            "put between them a character that the first cannot hold, such as a blank, or"
            " replace one of them by fixed text",
        )


def _characters(operation: Any, argument: Any) -> frozenset[int]:
    if operation is op.ANY:
        return _ALL - {10}
    if operation is op.LITERAL:
        return frozenset({argument})
    if operation is op.NOT_LITERAL:
        return _ALL - {argument}
    negated = argument[0][0] is op.NEGATE
    members: set[int] = set()
    for kind, value in argument[negated:]:
        if kind is op.LITERAL:
            members.add(min(value, _OTHER))
        elif kind is op.RANGE:
            members.update(range(value[0], min(value[1], _OTHER) + 1))
        else:
            members |= _CATEGORIES[value]
    return _ALL - members if negated else frozenset(members)
