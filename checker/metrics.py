"""Metric records of training programs. A payload enters; step and values leave."""

import re
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern

_NUMBER = (
    r"[-+]?(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?(?![\d,])|"
    r"\d{1,20}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,4})?|[nN]a[nN]|[iI]nf(?:inity)?)"
)
_VALUE = lazy_pattern(r"['\"]?\s?[:=]\s{0,2}\[?['\"]?(" + _NUMBER + r")(?=[\s,|}'\"%\])]|$)")
_ENTRY = lazy_pattern(r"['\"]([^'\"]{1,60})['\"]: ?['\"]?(" + _NUMBER + r")(?=[,}'\"])")
_DELIMITER = lazy_pattern(r"[,|{;'\"(\[\])}]")
_SPACED = lazy_pattern(r"\b([A-Za-z][\w/.-]{0,40}) (" + _NUMBER + r")(?=[\s,|]|$)")
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
STEP_NAMES: FrozenSet[str] = frozenset(("step", "steps", "iteration", "iter", "global_step"))


class Reading(NamedTuple):
    """The numbers of one line."""

    step: Optional[int]
    values: Tuple[Tuple[str, float], ...]


def metric_literals(keys: Iterable[str]) -> FrozenSet[str]:
    """Name the metrics that the catalogue asks for."""
    return frozenset(key[7:] for key in keys if key.startswith("metric "))


def read_metrics(text: str, wanted: FrozenSet[str] = frozenset()) -> Optional[Reading]:
    """Read a payload; None where it is no metric record."""
    if len(text) > 4096:
        text = text[:4096]
    if not _worth_parsing(text, wanted):
        return None
    bar = _BAR.search(text) if "%|" in text else None
    if bar:
        done, total = bar.groups()
        values: List[Tuple[str, float]] = [("bar", float(done)), ("bar_total", float(total))]
        return Reading(int(done), tuple(values + _named(text[bar.end() :], wanted)))
    found = _STEP.search(text)
    step = int(found.group(1)) if found else None
    pairs = _named(text, wanted)
    if step is None and not any(name in NAMES or name in wanted for name, _ in pairs):
        return None
    if step is not None and not pairs and found is not None and found.start() > 40:
        return None
    return Reading(step, tuple(pairs))


def _worth_parsing(text: str, wanted: FrozenSet[str]) -> bool:
    return any(hint in text for hint in _HINTS) or any(name in text for name in wanted)


def _named(text: str, wanted: FrozenSet[str]) -> List[Tuple[str, float]]:
    values: Dict[str, float] = {}
    if text.lstrip().startswith("{"):
        for name, number in _ENTRY.findall(text):
            values.setdefault(name, float(number.replace(",", "")))
        if values:
            return [(name, value) for name, value in values.items() if name not in STEP_NAMES]
    end = 0
    for found in _VALUE.finditer(text):
        name = _name(text[max(end, found.start() - 80) : found.start()], wanted)
        end = found.end()
        if name:
            values.setdefault(name, float(found.group(1).replace(",", "")))
    for name, number in _SPACED.findall(text):
        if name in NAMES or name in wanted:
            values.setdefault(name, float(number.replace(",", "")))
    return [(name, value) for name, value in values.items() if name not in STEP_NAMES]


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
