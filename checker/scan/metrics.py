"""Metric records of training programs. A payload enters; step and values leave."""

import re
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.counters import Span, counter_of_head, counter_of_record
from checker.scan.text import holds_any

NUMBER_PATTERN = (
    r"[-+]?(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?(?![\d,])|"
    r"\d{1,20}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,4})?"
    r"|[nN][aA][nN]|[iI]nf(?:inity)?|INF(?:INITY)?)"
)
# Bars print `nan.0`; a value may end a path of settings or the text before a bar.
_VALUE_END = r"(?=(?:\.0)?(?:[\s,;|}'\"%\])]|:\s|/[A-Za-z]|$))"
_VALUE = lazy_pattern(
    r"['\"]?\s?([:=])(\s{0,12})\[?['\"]?(?:tensor\()?\[?(" + NUMBER_PATTERN + r")" + _VALUE_END
)
_ENTRY = lazy_pattern(
    r"['\"]([^'\"]{1,60})['\"]: ?['\"]?(?:tensor\()?(" + NUMBER_PATTERN + r")(?=[,}'\")])"
)
_DELIMITER = lazy_pattern(r"[,|{;'\"(\[\])}]")
_NAME_WORD = r"[A-Za-z][\w/.-]{0,40}"
_SPACED = lazy_pattern(
    r"(?:\b(" + _NAME_WORD + r") )?\b(" + _NAME_WORD + r") (" + NUMBER_PATTERN + r")" + _VALUE_END
)
_STEP = lazy_pattern(
    r"(?:\b(?:global_step|global step|current_steps|num_updates|iteration|iter|step)\b"
    r"|^\W{0,8}(?:steps|iterations|iters)\b)"
    r"(?:\(train\)\s\[|['\"]?\s{0,4}[:=#]?)\s{0,12}['\"]?"
    r"(\d{1,3}(?:,\d{3}){1,4}(?![\d,])|\d{1,12})\b(?!\.\d)",
    re.IGNORECASE,
)
_BAR = lazy_pattern(r"\d{1,3}%\|.{0,400}?\| *(\d{1,12})/(\d{1,12}) \[([^\]]{0,200})")
_ELAPSED = lazy_pattern(r"(?:(\d{1,6}):)?(\d{1,2}):(\d\d)<")
# What such a bar counts is no step of training.
_OTHER_UNIT = lazy_pattern(
    r"\b(?:examples|tokens|rows|docs|files?|shards?)/s|s/(?:example|file|shard)"
    r"|[\d.?][kKMGT]?i?B/s"
)
_NAME_UNIT = lazy_pattern(r"\s?\(([A-Za-z%/]{1,8})\)$")
# What a record begins with that tells of another series than that of training.
_OTHER_SERIES = lazy_pattern(
    r"(?:epoch \d{1,9} \| )?\W{0,4}(valid(?:ate|ation)?|eval(?:uate|uation)?|test|iter\(val\))\b",
    re.I,
)
# Of these words before a known name, both together are the name.
_QUALIFIERS = frozenset(
    ["train", "val", "valid", "validation", "eval", "evaluation", "test", "attempted", "best"]
)
_NO_NAMES = frozenset(["cuda", "cpu", "device"])

NAMES: FrozenSet[str] = frozenset(
    [
        "loss",
        "train_loss",
        "train/loss",
        "eval_loss",
        "eval/loss",
        "val_loss",
        "lm_loss",
        "grad_norm",
        "train/grad_norm",
        "learning_rate",
        "lr",
        "global_grad_norm",
        "loss_scale",
        "perplexity",
        "mfu",
        "tps",
        "skipped",
        "reward",
        "kl",
    ]
) | {
    "lm loss",
    "grad norm",
    "loss scale",
    "learning rate",
    "grad-norm",
    "train loss",
    "val loss",
}
# One of these stands in every record with a known name.
_HINTS = (
    "loss",
    "Loss",
    "step",
    "Step",
    "iter",
    "Iter",
    "num_updates",
    "%|",
    "grad",
    "learning",
    "lr",
    "perplexity",
    "mfu",
)
_LONGEST_RECORD = 4096
BAR_SECONDS = "bar_seconds"
"""The time that a bar shows as elapsed."""
STEP_NAMES: FrozenSet[str] = frozenset(
    ("step", "steps", "iteration", "iter", "global_step", "num_updates")
)


class Reading(NamedTuple):
    """The numbers of one line."""

    step: Optional[int]
    values: Tuple[Tuple[str, float], ...]


class Found(NamedTuple):
    """Where the numbers of one line stand."""

    step: Optional[Span]
    values: Tuple[Tuple[str, Span], ...]


def metric_literals(keys: Iterable[str]) -> FrozenSet[str]:
    """Name the metrics that the catalogue asks for, usual ones also as a sentence begins."""
    names = frozenset(key[7:] for key in keys if key.startswith("metric "))
    return names.union(name.capitalize() for name in names if name in NAMES)


def read_metrics(text: str, wanted: FrozenSet[str] = frozenset()) -> Optional[Reading]:
    """Read a payload; None where it is no metric record."""
    text = text[:_LONGEST_RECORD]
    if not _worth_parsing(text, wanted):
        return None
    bar = _BAR.search(text) if "%|" in text else None
    if bar:
        return _bar_reading(text, bar, wanted)
    found = _found_in(text, wanted)
    return None if found is None else reading_of(text, found)


def _bar_reading(text: str, bar: "re.Match[str]", wanted: FrozenSet[str]) -> Reading:
    """Read a progress bar: what it counts, and the values before and behind it."""
    done, total, times = bar.groups()
    values = {"bar": float(done), "bar_total": float(total)}
    for part in (text[: bar.start()], text[bar.start(3) :]):
        for name, value in _numbers(part, _named(part, wanted)):
            values.setdefault(name, value)
    counts_steps = _OTHER_UNIT.search(times) is None
    elapsed = _ELAPSED.match(times)
    if elapsed is not None and counts_steps:
        hours, minutes, seconds = elapsed.groups()
        past = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
        values[BAR_SECONDS] = float(past)
    return Reading(int(done) if counts_steps else None, tuple(values.items()))


class MainBar:
    """Knows the longest progress bar of a writer: the others stand inside it."""

    __slots__ = ("total",)

    def __init__(self) -> None:
        """Begin before any bar."""
        self.total = 0.0

    def seen(self, reading: Reading) -> Reading:
        """Take the step off a bar that is shorter than one before."""
        total = _total_of(reading.values)
        if reading.step is None or total is None:
            return reading
        self.total = max(self.total, total)
        return reading if total == self.total else reading._replace(step=None)

    def stands_inside(self, values: Tuple[Tuple[str, float], ...]) -> bool:
        """Tell of any record whether it is of a shorter bar."""
        total = _total_of(values)
        return total is not None and total < self.total


def _total_of(values: Tuple[Tuple[str, float], ...]) -> Optional[float]:
    return values[1][1] if values[:1] and values[0][0] == "bar" and len(values) > 1 else None


def find_metrics(text: str, wanted: FrozenSet[str]) -> Optional[Found]:
    """Say where step and values stand in a payload; None where that is no metric record."""
    if len(text) > _LONGEST_RECORD or "%|" in text or not _worth_parsing(text, wanted):
        return None
    return _found_in(text, wanted)


def reading_of(text: str, found: Found) -> Reading:
    """Take the numbers out of a payload."""
    step = int(text[slice(*found.step)].replace(",", "")) if found.step is not None else None
    return Reading(step, _numbers(text, found.values))


def number_of(text: str) -> float:
    """Convert a number as programs print it."""
    return float(text.replace(",", "") if "," in text else text)


def _numbers(text: str, places: Iterable[Tuple[str, Span]]) -> Tuple[Tuple[str, float], ...]:
    return tuple([(name, number_of(text[start:end])) for name, (start, end) in places])


def _found_in(text: str, wanted: FrozenSet[str]) -> Optional[Found]:
    head = counter_of_head(text)
    if head is not None:
        behind = [
            (name, (head.end + first, head.end + end))
            for name, (first, end) in _named(text[head.end :], wanted)
        ]
        return Found(head.step, (*head.places(), *behind))
    lower = text.lower()
    worded = "step" in lower or "iter" in lower or "num_updates" in lower
    found = _STEP.search(text) if worded else None
    pairs = _named(text, wanted)
    known = [place for name, place in pairs if name in NAMES or name in wanted]
    if found is None and not known:
        return None
    if found is not None and not pairs and found.start() > 40:
        return None
    counted = None if found is not None else counter_of_record(text, min(known))
    apart = _OTHER_SERIES.match(text)
    if apart is not None:
        pairs = [("{} {}".format(apart.group(1).lower(), name), place) for name, place in pairs]
    if counted is None:
        return Found(found.span(1) if found is not None else None, tuple(pairs))
    places = counted.places()
    pairs = [pair for pair in pairs if pair[1] not in dict(places).values()]
    return Found(counted.step, (*places, *pairs))


def _worth_parsing(text: str, wanted: FrozenSet[str]) -> bool:
    return holds_any(text, _HINTS) or holds_any(text, wanted) or counter_of_head(text) is not None


def _named(text: str, wanted: FrozenSet[str]) -> List[Tuple[str, Span]]:
    places: Dict[str, Span] = {}
    if text.lstrip().startswith("{"):
        for found in _ENTRY.finditer(text):
            places.setdefault(found.group(1), found.span(2))
        if places:
            return [(name, place) for name, place in places.items() if name not in STEP_NAMES]
    end = 0
    for found in _VALUE.finditer(text):
        name = _name(text[max(end, found.start() - 80) : found.start()], wanted)
        end = found.end()
        if name and not _is_place(name, found):
            places.setdefault(name, found.span(3))
    lower = text.lower()
    if any(name in lower for name in NAMES) or any(name in text for name in wanted):
        for found in _SPACED.finditer(text):
            name = _spaced_name(found, wanted)
            if name:
                places.setdefault(name, found.span(3))
    return [(name, place) for name, place in places.items() if name not in STEP_NAMES]


def _is_place(name: str, found: "re.Match[str]") -> bool:
    """Tell whether a file or a module and its line were taken for a name and its value."""
    colon, blanks, number = found.groups()
    return "." in name and colon == ":" and not blanks and number.isdigit()


def _spaced_name(found: "re.Match[str]", wanted: FrozenSet[str]) -> str:
    """Take one or two words before a value without a sign between; empty if they may be prose."""
    first, second, _ = found.groups()
    if first is not None:
        both = _known_metric("{} {}".format(first, second), wanted)
        if both:
            return "" if found.string[: found.start()].rstrip()[-1:].isalpha() else both
        if first.lower() in _QUALIFIERS:
            return "{} {}".format(first.lower(), second) if _known_metric(second, wanted) else ""
    return _known_metric(second, wanted)


def _known_metric(name: str, wanted: FrozenSet[str]) -> str:
    """Return a name as entries write it; empty where it is of no known metric."""
    lower = name.lower()
    if lower in NAMES:
        return lower
    return name if name in wanted else lower if lower in wanted else ""


def _name(before: str, wanted: FrozenSet[str]) -> str:
    """Take the name that stands directly before a value."""
    unit = _NAME_UNIT.search(before) if before.endswith(")") else None
    if unit is not None:
        before = before[: unit.start()]
    words = _DELIMITER.split(before)[-1].lstrip("/").split()[-6:]
    if not words or words[-1][:1].isdigit():
        return ""
    if unit is not None:
        words.append("({})".format(unit.group(1)))
    for index in range(len(words)):
        name = " ".join(words[index:])
        known = name if name in STEP_NAMES else _known_metric(name, wanted)
        if known and index and words[index - 1].lower() in _QUALIFIERS:
            return "{} {}".format(words[index - 1].lower(), known)
        if known:
            return known
    while words and not (words[0][:1].isalpha() or words[0][:1] == "_"):
        words = words[1:]
    name = " ".join(words)
    return "" if name in _NO_NAMES else name
