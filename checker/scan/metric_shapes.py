"""Metric records that repeat a shape.

A record that was read closely enters; an expression that reads the next ones at once leaves. It
holds the whole line as printed, prefixes included, with a group for every number.
"""

import re
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Moment
from checker.scan.metrics import NUMBER_PATTERN, Found, Reading, find_metrics, number_of
from checker.scan.moments import TIME_PATTERN, ZONE_PATTERN, wall_moment
from checker.scan.prefix_readings import Peeled

_TIME = lazy_pattern(r"(?<!\d)" + TIME_PATTERN + ZONE_PATTERN)
_NUMBERS_AND_BLANKS = lazy_pattern(r"(?<![\w.])" + NUMBER_PATTERN + r"(?!\w)|\d+|[ \t]+")
_BLANKS = r"[ \t]+"
# The prefix up to its time, the seven pieces and the zone of the time, the rest of the prefix.
_GROUPS_OF_TIME = 8
_MOST_NUMBERS = 80
_MOST_PREFIXES_KEPT = 4096


class MetricShape(NamedTuple):
    """How all lines of one shape are read."""

    pattern: "re.Pattern[str]"
    timed: bool
    step: Optional[int]
    """The group of the step."""
    values: Tuple[Tuple[str, int], ...]
    """Names and groups of the values."""

    def prefix(self, found: "re.Match[str]") -> Tuple[str, str]:
        """Return what stands around the time of the prefix: it tells the writer."""
        return (found.group(1), found.group(_GROUPS_OF_TIME + 2)) if self.timed else (found[1], "")

    def payload(self, found: "re.Match[str]") -> str:
        """Return what the program printed."""
        return found.string[found.end(_GROUPS_OF_TIME + 2 if self.timed else 1) :]

    def moment(self, found: "re.Match[str]") -> Optional[Moment]:
        """Return the time of the prefix."""
        if not self.timed:
            return None
        return wall_moment(*found.group(2, 3, 4, 5, 6, 7, 8, 9))

    def reading(self, found: "re.Match[str]") -> Optional[Reading]:
        """Return step and values; None where the step is no whole number."""
        step = found[self.step] if self.step is not None else None
        if step is not None and not step.isdigit():
            step = step.replace(",", "")
            if not step.isdigit():
                return None
        return Reading(
            int(step) if step is not None else None,
            tuple([(name, number_of(found[group])) for name, group in self.values]),
        )


class ShapeBook:
    """Reads records that differ only in their numbers from one that was read closely."""

    def __init__(self, metrics: FrozenSet[str]) -> None:
        """Begin with no record read."""
        self._metrics = metrics
        self._shapes: Dict[bytes, MetricShape] = {}
        self._tried: Dict[bytes, int] = {}
        self._owners: Dict[Tuple[str, str], Tuple[Any, Peeled]] = {}

    def read(self, template: bytes, piece: str) -> Optional[Tuple[Any, Peeled, Reading]]:
        """Read a record: who wrote it, its prefix, its numbers; None where it is not known."""
        known = self._shapes.get(template)
        found = known.pattern.match(piece) if known is not None else None
        if known is None or found is None:
            return None
        owner = self._owners.get(known.prefix(found))
        reading = known.reading(found)
        if owner is None or reading is None:
            return None
        notes, peeled = owner
        peeled.text, peeled.moment = known.payload(found), known.moment(found)
        return notes, peeled, reading

    def learn(self, template: bytes, piece: str, peeled: Peeled, owner: Any) -> None:
        """Take a record that was read closely."""
        known = self._shapes.get(template)
        if known is None or known.pattern.match(piece) is None:
            tried = self._tried[template] = self._tried.get(template, 0) + 1
            place = find_metrics(peeled.text, self._metrics) if tried < 8 else None
            known = shape_of_record(piece, peeled.text, place) if place is not None else None
            if known is None:
                return
            self._shapes[template] = known
        found = known.pattern.match(piece)
        if found is not None and known.moment(found) == peeled.moment:
            if len(self._owners) > _MOST_PREFIXES_KEPT:
                self._owners.clear()
            self._owners[known.prefix(found)] = (owner, peeled)


def shape_of_record(shown: str, payload: str, found: Found) -> Optional[MetricShape]:
    """Make the expression of a record; None where the payload is not the end of the line."""
    if not shown.endswith(payload):
        return None
    prefix = shown[: len(shown) - len(payload)]
    time = _TIME.search(prefix)
    pieces: List[str] = []
    if time is not None:
        pieces += ["(", _blurred(prefix[: time.start()]), ")", TIME_PATTERN, ZONE_PATTERN]
        pieces += ["(", _blurred(prefix[time.end() :]), ")"]
    else:
        pieces += ["(", _blurred(prefix), ")"]
    groups = {}
    end, count = 0, 1 if time is None else _GROUPS_OF_TIME + 2
    for token in _NUMBERS_AND_BLANKS.finditer(payload):
        pieces.append(re.escape(payload[end : token.start()]))
        end = token.end()
        if token.group().isspace():
            pieces.append(_BLANKS)
            continue
        count += 1
        groups[token.span()] = count
        whole = token.group().isdigit() and payload[end : end + 1].isalpha()
        pieces.append(r"(\d+)" if whole else "(" + NUMBER_PATTERN + ")")
    pieces.append(re.escape(payload[end:]) + "$")
    wanted = [place for _, place in found.values] + ([found.step] if found.step else [])
    if count > _MOST_NUMBERS or any(place not in groups for place in wanted):
        return None
    return MetricShape(
        re.compile("".join(pieces)),
        time is not None,
        groups[found.step] if found.step else None,
        tuple([(name, groups[place]) for name, place in found.values]),
    )


def _blurred(text: str) -> str:
    """Make an expression of text in which numbers and the length of blanks may differ."""
    parts = re.split(r"(\d+|[ \t]+)", text)
    return "".join(
        r"\d+" if part.isdigit() else _BLANKS if part.isspace() else re.escape(part)
        for part in parts
    )
