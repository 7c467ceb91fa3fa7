"""Metric records of training programs. A payload enters; step and values leave."""

import re
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern

Span = Tuple[int, int]
NUMBER_PATTERN = (
    r"[-+]?(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?(?![\d,])|"
    r"\d{1,20}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,4})?|[nN]a[nN]|[iI]nf(?:inity)?)"
)
_VALUE = lazy_pattern(r"['\"]?\s?[:=]\s{0,2}\[?['\"]?(" + NUMBER_PATTERN + r")(?=[\s,|}'\"%\])]|$)")
_ENTRY = lazy_pattern(r"['\"]([^'\"]{1,60})['\"]: ?['\"]?(" + NUMBER_PATTERN + r")(?=[,}'\"])")
_DELIMITER = lazy_pattern(r"[,|{;'\"(\[\])}]")
_SPACED = lazy_pattern(r"\b([A-Za-z][\w/.-]{0,40}) (" + NUMBER_PATTERN + r")(?=[\s,|]|$)")
_STEP = lazy_pattern(
    r"\b(?:global_step|global step|iteration|iter|step)s?\b['\"]?\s{0,4}[:=#]?\s{0,12}['\"]?"
    r"(\d{1,12})\b(?!\.\d)",
    re.IGNORECASE,
)
_BAR = lazy_pattern(r"\d{1,3}%\|.{0,400}?\| *(\d{1,12})/(\d{1,12}) \[")

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
) | {"lm loss", "grad norm", "loss scale", "learning rate", "grad-norm"}
# One of these stands in every record with a known name.
_HINTS = (
    "loss",
    "step",
    "Step",
    "iter",
    "Iter",
    "%|",
    "grad",
    "learning",
    "lr",
    "perplexity",
    "mfu",
)
_LONGEST_RECORD = 4096
STEP_NAMES: FrozenSet[str] = frozenset(("step", "steps", "iteration", "iter", "global_step"))


class Reading(NamedTuple):
    """The numbers of one line."""

    step: Optional[int]
    values: Tuple[Tuple[str, float], ...]


class Found(NamedTuple):
    """Where the numbers of one line stand."""

    step: Optional[Span]
    values: Tuple[Tuple[str, Span], ...]


def metric_literals(keys: Iterable[str]) -> FrozenSet[str]:
    """Name the metrics that the catalogue asks for."""
    return frozenset(key[7:] for key in keys if key.startswith("metric "))


def read_metrics(text: str, wanted: FrozenSet[str] = frozenset()) -> Optional[Reading]:
    """Read a payload; None where it is no metric record."""
    text = text[:_LONGEST_RECORD]
    if not _worth_parsing(text, wanted):
        return None
    bar = _BAR.search(text) if "%|" in text else None
    if bar:
        done, total = bar.groups()
        rest = text[bar.end() :]
        values = (("bar", float(done)), ("bar_total", float(total)))
        return Reading(int(done), values + _numbers(rest, _named(rest, wanted)))
    found = _found_in(text, wanted)
    return None if found is None else reading_of(text, found)


def find_metrics(text: str, wanted: FrozenSet[str]) -> Optional[Found]:
    """Say where step and values stand in a payload; None where that is no metric record."""
    if len(text) > _LONGEST_RECORD or "%|" in text or not _worth_parsing(text, wanted):
        return None
    return _found_in(text, wanted)


def reading_of(text: str, found: Found) -> Reading:
    """Take the numbers out of a payload."""
    step = int(text[slice(*found.step)]) if found.step is not None else None
    return Reading(step, _numbers(text, found.values))


def number_of(text: str) -> float:
    """Convert a number as programs print it."""
    return float(text.replace(",", "") if "," in text else text)


def _numbers(text: str, places: Iterable[Tuple[str, Span]]) -> Tuple[Tuple[str, float], ...]:
    return tuple([(name, number_of(text[start:end])) for name, (start, end) in places])


def _found_in(text: str, wanted: FrozenSet[str]) -> Optional[Found]:
    lower = text.lower()
    found = _STEP.search(text) if "step" in lower or "iter" in lower else None
    pairs = _named(text, wanted)
    if found is None and not any(name in NAMES or name in wanted for name, _ in pairs):
        return None
    if found is not None and not pairs and found.start() > 40:
        return None
    return Found(found.span(1) if found is not None else None, tuple(pairs))


def _worth_parsing(text: str, wanted: FrozenSet[str]) -> bool:
    return any(hint in text for hint in _HINTS) or any(name in text for name in wanted)


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
        if name:
            places.setdefault(name, found.span(1))
    if any(name in text for name in NAMES) or any(name in text for name in wanted):
        for found in _SPACED.finditer(text):
            name = found.group(1)
            if name in NAMES or name in wanted:
                places.setdefault(name, found.span(2))
    return [(name, place) for name, place in places.items() if name not in STEP_NAMES]


def _name(before: str, wanted: FrozenSet[str]) -> str:
    """Take the name that stands directly before a value."""
    words = _DELIMITER.split(before)[-1].split()[-6:]
    for index in range(len(words)):
        name = " ".join(words[index:])
        if name in NAMES or name in wanted or name in STEP_NAMES:
            return name
    while words and words[0][:1].isdigit():
        words = words[1:]
    return " ".join(words)
