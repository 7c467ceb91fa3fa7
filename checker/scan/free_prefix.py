"""Prefixes in a form of one's own: a sample of lines enters; what stands before them leaves.

torchrun puts any text before the lines of a rank, with its rank, its local rank or both in it
(TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE). A number is taken for one of them only where nearly all
lines have it, it goes to and fro between 0 and n - 1, and either torchrun prints lines too or the
lines name the same ranks themselves.
"""

import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.prefix_readings import Peeled

_LONGEST_FREE_HEAD = 80
_ENDS_OF_HEAD = lazy_pattern(r"[\]|>)}:]{1,2}")
_MOST_HEAD_ENDS = 3
_NUMBERS = lazy_pattern(r"\d{1,6}")
_OWN_RANK = lazy_pattern(r" ?(?:\[rank(\d{1,6})\]|[\[(]?[Rr](?:ank|ANK)[ _=:]{0,2}(\d{1,6})\b)")
_FEWEST_HEADED, _FEWEST_RESTS, _FEWEST_TURNS = 8, 3, 2
_SHARE = 0.8
"""Of the lines, since the launcher's own have none."""
_FIRST = 32
"""So many lines show whether it is worth a look at all."""
_Form = Tuple[str, ...]


class _Headed(NamedTuple):
    """The numbers in the head of a line, and what stands behind it."""

    numbers: Tuple[int, ...]
    rest: str


class FreePrefix(NamedTuple):
    """What stands before the lines, and which of its numbers is what."""

    pattern: "re.Pattern[str]"
    rank: Optional[int]
    """The group that holds the rank."""
    local: Optional[int]

    def read(self, peeled: Peeled) -> bool:
        """Take it off; tell whether it was there."""
        found = self.pattern.match(peeled.text, 0, 2 * _LONGEST_FREE_HEAD)
        if found is None or peeled.source is not None:
            return False
        peeled.text = peeled.text[found.end() :]
        peeled.source = "rank"
        peeled.rank = int(found.group(self.rank)) if self.rank else None
        peeled.local_rank = int(found.group(self.local)) if self.local else None
        return True


def free_prefix_in(texts: Sequence[str], launched: Callable[[], bool]) -> Optional[FreePrefix]:
    """Find such a prefix; *launched* tells whether torchrun printed any of the lines."""
    forms: Dict[_Form, List[_Headed]] = {}
    for index, text in enumerate(texts):
        for form, headed in _heads_of(text):
            forms.setdefault(form, []).append(headed)
        if index == _FIRST and max(map(len, forms.values()), default=0) < _FIRST // 2:
            return None
    least = max(_FEWEST_HEADED, _SHARE * len(texts))
    common = [form for form, lines in forms.items() if len(lines) >= least]
    for form in sorted(common, key=lambda form: (-len("".join(form)), form)):
        found = _judged_form(form, forms[form], launched)
        if found is not None:
            return found
    return None


def _heads_of(text: str) -> Iterator[Tuple[_Form, _Headed]]:
    head = text[:_LONGEST_FREE_HEAD]
    for index, end in enumerate(_ENDS_OF_HEAD.finditer(head)):
        numbers = _NUMBERS.findall(head, 0, end.end())
        if index >= _MOST_HEAD_ENDS or len(numbers) > _MOST_HEAD_ENDS:
            return
        if numbers:
            form = tuple(_NUMBERS.split(head[: end.end()]))
            yield form, _Headed(tuple(map(int, numbers)), text[end.end() :])


def _judged_form(
    form: _Form, lines: Sequence[_Headed], launched: Callable[[], bool]
) -> Optional[FreePrefix]:
    columns = list(zip(*(line.numbers for line in lines)))
    changing = [index for index, column in enumerate(columns) if len(set(column)) > 1]
    shapes = {_NUMBERS.sub("0", line.rest) for line in lines}
    if not 0 < len(changing) < 3 or len(shapes) < _FEWEST_RESTS:
        return None
    # The local rank is the lower one of two.
    changing.sort(key=lambda index: (min(columns[index]), index))
    lower, higher = columns[changing[0]], columns[changing[-1]]
    apart = {high - low for low, high in zip(lower, higher)}
    turns = sum(one > other for one, other in zip(lower, lower[1:]))
    if len(apart) > 1 or turns < _FEWEST_TURNS or not _are_all(lower):
        return None
    rank, local = _what_they_are(lines, changing, columns, launched)
    if rank is None and local is None:
        return None
    blank = " ?" if all(line.rest[:1] in ("", " ") for line in lines) else ""
    pattern = r"(\d{1,6})".join(map(re.escape, form)) + blank
    return FreePrefix(re.compile(pattern), _group_of(rank), _group_of(local))


def _group_of(column: Optional[int]) -> Optional[int]:
    return None if column is None else column + 1


def _are_all(numbers: Sequence[int]) -> bool:
    """Tell whether all numbers from 0 on are there."""
    return set(numbers) == set(range(max(numbers) + 1))


def _what_they_are(
    lines: Sequence[_Headed],
    changing: Sequence[int],
    columns: Sequence[Tuple[int, ...]],
    launched: Callable[[], bool],
) -> Tuple[Optional[int], Optional[int]]:
    """Tell which column is the rank, and which the local rank."""
    low, high = changing[0], changing[-1]
    named: Set[Tuple[int, int]] = set()
    for line in lines:
        own = _OWN_RANK.match(line.rest)
        if own:
            named.add((line.numbers[high], int(own.group(1) or own.group(2))))
    if len(named) > 1 and all(number == own for number, own in named):
        return high, low if low != high else None
    if named or not launched():
        return None, None
    if low != high and columns[low] != columns[high]:
        return high, low
    return None, low
