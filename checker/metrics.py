"""Metric records of training programs. A payload enters; step and values leave."""

import re
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple

_NUMBER = r"[-+]?(?:\d{1,20}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,4})?|[nN]a[nN]|[iI]nf(?:inity)?)"
_PAIR = re.compile(
    r"([A-Za-z][\w/.-]{0,60}(?: [A-Za-z(][\w/().-]{0,30}){0,5})['\"]?\s?[:=]\s?\[?['\"]?("
    + _NUMBER
    + r")(?=[\s,|}'\"%\])]|$)"
)
_SPACED = re.compile(r"\b([A-Za-z][\w/.-]{0,40}) (" + _NUMBER + r")(?=[\s,|]|$)")
_STEP = re.compile(
    r"\b(?:global_step|global step|iteration|iter|step)s?\b['\"]?\s{0,4}[:=#]?\s{0,12}['\"]?"
    r"(\d{1,12})\b(?!\.\d)",
    re.IGNORECASE,
)
_BAR = re.compile(r"\d{1,3}%\|.{0,400}?\| *(\d{1,12})/(\d{1,12}) \[")

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


def _named(text: str, wanted: FrozenSet[str]) -> List[Tuple[str, float]]:
    values: Dict[str, float] = {}
    for name, number in _PAIR.findall(text):
        values.setdefault(_name(name, wanted), float(number))
    for name, number in _SPACED.findall(text):
        if name in NAMES or name in wanted:
            values.setdefault(name, float(number))
    return [(name, value) for name, value in values.items() if name not in STEP_NAMES]


def _name(printed: str, wanted: FrozenSet[str]) -> str:
    """Drop words before a known name: `step 5 and loss` is `loss`."""
    printed = printed.strip()
    words = printed.split(" ")
    for index in range(len(words)):
        name = " ".join(words[index:])
        if name in NAMES or name in wanted or name in STEP_NAMES:
            return name
    return printed
