"""Checks of signs and of the signatures made of them."""

import re
from collections.abc import Iterator

from checker.match.signs_metric import companion_of
from checker.match.values import comparison_tokens
from generator.detection import (
    Compare,
    Condition,
    Count,
    FactSign,
    MetricSign,
    MissingSign,
    Order,
    Ranks,
    SameDiffer,
    Signature,
    VersionSign,
)
from generator.errors import enumerated, nearest, suggestion
from generator.lint.registry import Finding, entry_check
from generator.load import Loaded
from generator.model import Entry
from generator.nodes import Step
from generator.wordings import ALWAYS, BY_KIND, captures, kind_of

_CIRCUMSTANTIAL = ("exit", "metric", "missing", "stack", "progress")
_RECOVERIES = ("progress", "series", "never")
_DURATIONS = ("dur", "ms", "s")
_VALUED = ("equals", "above", "below")

Steps = tuple[Step, ...]


@entry_check
def unknown_sign(loaded: Loaded) -> Iterator[Finding]:
    """A sign that is named is defined."""
    known = loaded.entry.detect.signs
    for steps, name in _uses(loaded.entry):
        if name not in known:
            listed = "the entry defines " + enumerated((f"'{sign}'" for sign in known), "and")
            yield Finding(
                loaded, steps, f"no sign is called '{name}'", suggestion(name, known, listed)
            )


@entry_check
def unused_sign(loaded: Loaded) -> Iterator[Finding]:
    """A sign that is defined is named somewhere: else it looks checked and never is."""
    signs = loaded.entry.detect.signs
    used = {name for _, name in _uses(loaded.entry)}
    meant = {nearest(name, signs) for name in used - set(signs)}
    for name in signs:
        if name not in used | meant:
            yield Finding(
                loaded,
                ("detect", "signs", name),
                f"the sign '{name}' is not used",
                "name it in a signature, in 'against', 'rules_out' or 'preflight', or remove it",
            )


@entry_check
def preflight_of_run(loaded: Loaded) -> Iterator[Finding]:
    """What is asked before a run is a fact or a version: there is no line of a log yet."""
    signs = loaded.entry.detect.signs
    for index, name in enumerate(loaded.entry.detect.preflight):
        if name in signs and not isinstance(signs[name], FactSign | VersionSign):
            yield Finding(
                loaded,
                ("detect", "preflight", index),
                f"the sign '{name}' is seen only in a run",
                "name a sign that is a fact or a version",
            )


@entry_check
def circumstantial_decisive(loaded: Loaded) -> Iterator[Finding]:
    """An exit, a metric, a missing line, a stack or progress alone is never decisive.

    Each of them follows from many mechanisms.
    """
    for index, signature in enumerate(loaded.entry.detect.signatures):
        if signature.strength == "decisive" and _is_circumstantial(loaded.entry, signature):
            yield Finding(
                loaded,
                ("detect", "signatures", index),
                "a decisive signature rests on signs that other failures show too",
                "add the log, traceback, collective or fact sign that only this mechanism gives,"
                " or make it 'strong' or 'weak'",
            )


@entry_check
def unknown_capture(loaded: Loaded) -> Iterator[Finding]:
    """A value that is compared or joined on is captured by a sign of the entry."""
    known = _known_values(loaded.entry)
    if known is None:
        return
    for steps, name in _values(loaded.entry):
        if name not in known:
            captured = enumerated((f"'{value}'" for value in sorted(known)), "and")
            yield Finding(
                loaded,
                steps,
                f"no sign captures '{name}'",
                suggestion(name, known, f"name a placeholder so: <n:{name}>; known are {captured}"),
            )


@entry_check
def bad_comparison(loaded: Loaded) -> Iterator[Finding]:
    """A comparison is made of captures, numbers with units, + - *, and comparing signs."""
    for steps, condition in _conditions(loaded.entry):
        if isinstance(condition, Compare) and not _is_comparison(condition.compare):
            yield Finding(
                loaded,
                (*steps, "compare"),
                f"cannot read the comparison '{condition.compare}'",
                "write it as 'idle >= tried', 'total - free > 1 GiB' or 'code in [144..150]'",
            )


@entry_check
def onset_without_duration(loaded: Loaded) -> Iterator[Finding]:
    """The capture by which a sign began earlier is a duration of the same sign."""
    for name, sign in loaded.entry.detect.signs.items():
        _, _, capture = sign.onset.partition("minus ")
        types = captures(loaded.entry, name)
        if not capture or types is None or types.get(capture) in _DURATIONS:
            continue
        yield Finding(
            loaded,
            ("detect", "signs", name, f"{kind_of(sign)}-sign", "onset"),
            f"the sign captures no duration called '{capture}'",
            f"write <ms:{capture}>, <s:{capture}> or <dur:{capture}> where its text prints it",
        )


@entry_check
def metric_value(loaded: Loaded) -> Iterator[Finding]:
    """A metric is compared with a value exactly where its operator compares."""
    for name, sign in loaded.entry.detect.signs.items():
        if not isinstance(sign, MetricSign) or (sign.value is not None) == (sign.is_ in _VALUED):
            continue
        missing = sign.value is None
        yield Finding(
            loaded,
            ("detect", "signs", name, "metric-sign", "is"),
            f"'{sign.is_}' needs a value" if missing else f"'{sign.is_}' takes no value",
            "add 'value:' with the number" if missing else "remove 'value'",
        )


@entry_check
def bad_companion(loaded: Loaded) -> Iterator[Finding]:
    """A condition in `with` can be read, and can be true: nothing is equal to NaN."""
    for name, sign in loaded.entry.detect.signs.items():
        for index, text in enumerate(sign.with_ if isinstance(sign, MetricSign) else ()):
            if companion_of(text) is None:
                yield Finding(
                    loaded,
                    ("detect", "signs", name, "metric-sign", "with", index),
                    f"cannot read '{text}'",
                    "write the metric as it is printed and a number, as 'loss == 0', or"
                    " 'grad_norm is nonfinite' or 'loss is finite'",
                )


@entry_check
def unknown_recovery(loaded: Loaded) -> Iterator[Finding]:
    """What shows that the failure passed is progress, a series, a sign, or nothing.

    A stop has passed only if the run goes on much longer than a stop allows, and a series needs a
    metric sign.
    """
    entry = loaded.entry
    known = (*_RECOVERIES, *entry.detect.signs)
    metric = any(isinstance(sign, MetricSign) for sign in entry.detect.signs.values())
    if entry.recovers is None:
        return
    if entry.recovers not in known:
        message = f"'{entry.recovers}' shows no recovery"
        advice = suggestion(entry.recovers, known, f"write {enumerated(known)}")
    elif entry.kind == "stop" and entry.recovers != "never":
        message, advice = "a stop passes by no such thing", "write never, or remove the key"
    elif entry.recovers == "series" and not metric:
        message = "no sign is a metric whose series could be good again"
        advice = "write progress or never, or name a sign"
    else:
        return
    yield Finding(loaded, ("recovers",), message, advice)


def _uses(entry: Entry) -> Iterator[tuple[Steps, str]]:
    detect = entry.detect
    for steps, condition in _conditions(entry):
        if isinstance(condition, str):
            yield steps, condition
        elif isinstance(condition, Order):
            for index, name in enumerate(condition.order):
                yield (*steps, "order", index), name
        elif isinstance(condition, Count):
            yield (*steps, "count"), condition.count
        elif isinstance(condition, Ranks):
            yield (*steps, "of"), condition.of
    for key, names in (
        ("against", detect.against),
        ("rules_out", detect.rules_out),
        ("preflight", detect.preflight),
    ):
        for index, name in enumerate(names):
            yield ("detect", key, index), name
    for name, sign in detect.signs.items():
        if isinstance(sign, MissingSign):
            yield ("detect", "signs", name, "missing-sign", "missing"), sign.missing
            yield ("detect", "signs", name, "missing-sign", "after"), sign.after
    if entry.recovers in detect.signs:
        yield ("recovers",), str(entry.recovers)


def _conditions(entry: Entry) -> Iterator[tuple[Steps, Condition]]:
    for number, signature in enumerate(entry.detect.signatures):
        for key in ("all", "any", "none"):
            for index, condition in enumerate(getattr(signature, key)):
                yield ("detect", "signatures", number, key, index), condition


def _values(entry: Entry) -> Iterator[tuple[Steps, str]]:
    for steps, condition in _conditions(entry):
        if isinstance(condition, SameDiffer):
            for key in ("same", "differ"):
                for index, name in enumerate(getattr(condition, key)):
                    yield (*steps, key, index), name
        elif isinstance(condition, Count) and condition.distinct:
            yield (*steps, "distinct"), condition.distinct
        elif isinstance(condition, Compare) and _is_comparison(condition.compare):
            for token in comparison_tokens(condition.compare):
                if isinstance(token, str) and re.match("[a-z]", token) and token != "in":
                    yield (*steps, "compare"), token.rpartition(".")[2]


def _known_values(entry: Entry) -> set[str] | None:
    known = set(ALWAYS)
    for name, sign in entry.detect.signs.items():
        types = captures(entry, name)
        if types is None:
            return None
        known.update(types, BY_KIND.get(kind_of(sign), ()))
        if isinstance(sign, MetricSign):
            known.add(sign.metric)
    return known


def _is_comparison(text: str) -> bool:
    try:
        tokens = comparison_tokens(text)
    except ValueError:
        return False
    compared = [token for token in tokens if token in (">=", "<=", "==", "!=", "<", ">", "in")]
    return len(compared) == 1 and tokens[0] != compared[0] and tokens[-1] != compared[0]


def _is_circumstantial(entry: Entry, signature: Signature) -> bool:
    def weak(condition: Condition) -> bool:
        if not isinstance(condition, str):
            return True
        sign = entry.detect.signs.get(condition)
        return sign is not None and kind_of(sign) in _CIRCUMSTANTIAL

    if not all(weak(condition) for condition in signature.all):
        return False
    return not signature.any or any(weak(condition) for condition in signature.any)
