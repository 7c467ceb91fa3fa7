"""Checks of the facts that entries ask for and that their examples give."""

from collections.abc import Iterator
from typing import Any

from checker.facts import fact_kinds
from generator.detection import FactSign
from generator.errors import enumerated, suggestion
from generator.lint.registry import Finding, entry_check
from generator.load import Loaded
from generator.nodes import Step

FACTS = fact_kinds()
_OPERATORS = {
    "text": ("equals", "differs", "contains", "lacks"),
    "number": ("equals", "differs", "above", "below"),
    "truth": ("equals", "differs"),
    "list": ("contains", "lacks"),
}
_VALUES: dict[str, tuple[str, tuple[type, ...]]] = {
    "text": ("a text", (str,)),
    "number": ("a number", (int, float)),
    "truth": ("true or false", (bool,)),
    "list": ("a text, which the list holds or lacks", (str,)),
}


@entry_check
def unknown_fact(loaded: Loaded) -> Iterator[Finding]:
    """A fact that is asked for, or given in an example, is one that the checker can learn."""
    for steps, name, _ in (*_asked(loaded), *_given(loaded)):
        if name not in FACTS:
            yield Finding(
                loaded,
                steps,
                f"no fact is called '{name}'",
                suggestion(name, FACTS, f"the facts are {enumerated(sorted(FACTS), 'and')}"),
            )


@entry_check
def wrong_operator(loaded: Loaded) -> Iterator[Finding]:
    """A fact is compared in a way that its type has: a text is not above another."""
    for steps, name, sign in _asked(loaded):
        if name not in FACTS or sign.is_ in _OPERATORS[FACTS[name].type]:
            continue
        allowed = enumerated(_OPERATORS[FACTS[name].type])
        yield Finding(
            loaded,
            (*steps[:-1], "is"),
            f"'{sign.is_}' does not fit '{name}', which is a {FACTS[name].type}",
            f"write {allowed}",
        )


@entry_check
def wrong_fact_value(loaded: Loaded) -> Iterator[Finding]:
    """The value that a fact is compared with, or has in an example, is of the fact's type."""
    for steps, name, sign in _asked(loaded):
        if name in FACTS and not _fits(sign.value, FACTS[name].type):
            wanted = _VALUES[FACTS[name].type][0]
            yield Finding(
                loaded, (*steps[:-1], "value"), f"'{name}' is {wanted}", f"write {wanted}"
            )
    for steps, name, value in _given(loaded):
        if name not in FACTS:
            continue
        kind = FACTS[name].type
        listed = kind == "list"
        if not (isinstance(value, list) if listed else _fits(value, kind)):
            wanted = "a list of texts" if listed else _VALUES[kind][0]
            yield Finding(loaded, steps, f"'{name}' is {wanted}", f"write {wanted}")


def _asked(loaded: Loaded) -> Iterator[tuple[tuple[Step, ...], str, FactSign]]:
    for name, sign in loaded.entry.detect.signs.items():
        if isinstance(sign, FactSign):
            yield ("detect", "signs", name, "fact-sign", "fact"), sign.fact, sign


def _given(loaded: Loaded) -> Iterator[tuple[tuple[Step, ...], str, Any]]:
    examples = loaded.entry.examples
    for key in ("diagnosed", "not_diagnosed"):
        for index, example in enumerate(getattr(examples, key)):
            for name, value in example.facts.items():
                yield ("examples", key, index, "facts", name), name, value


def _fits(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "truth"
    return isinstance(value, _VALUES[kind][1])
