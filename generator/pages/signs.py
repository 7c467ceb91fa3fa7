"""The signs of an entry in words, for the question whether the checker can see it."""

from collections.abc import Mapping
from functools import singledispatch
from signal import Signals

from generator import detection as d
from generator.pages.labels import listing
from generator.pages.text import code

_WRITERS = {
    "rank": "a line of a rank",
    "launcher": "a line of the launcher",
    "kernel": "a line of the kernel log",
    "scheduler": "a line of the scheduler",
    "service": "a line of a system service",
    None: "a line",
}
_PLACES = {"inside": "holds", "start": "begins with", "whole": "is exactly"}
_ENDED_BY = {
    "launcher": "the launcher ended it",
    "scheduler": "the scheduler ended it",
    "kernel": "the kernel ended it",
    "person": "a person ended it",
    "itself": "it ended itself",
}
_METRICS = {
    "nonfinite": "is not a finite number",
    "zero": "is zero",
    "equals": "equals",
    "above": "is above",
    "below": "is below",
    "constant": "does not change",
    "spike": "jumps",
    "rising": "rises",
    "falling": "falls",
}
_PROGRESS = {
    "none_yet": "has not begun to count",
    "moving": "moves",
    "stopped": "stands still although time passes",
    "finished": "has reached its end",
}
_COLLECTIVES = {
    "straggler": "a rank had not enqueued the collective that the others wait in",
    "op_mismatch": "ranks of one group called different collectives under the same number",
    "size_mismatch": "ranks of one group called a collective with different sizes",
    "dead_peer": "a rank that the others wait for in a collective had ended",
    "frozen": "a rank that the others wait for in a collective stands still itself",
    "unreachable": "NCCL's service has not reached the process of a rank for a minute",
    "nobody_lags": "all ranks of a group are in the same collective, and it does not end",
    "undecided": "ranks wait in a collective, and what was told does not decide for whom",
}
_SHARES = {
    "one": "in at least one process",
    "minority": "in fewer than half of the processes",
    "all": "in all dumped processes",
}
_FACTS = {
    "equals": "is",
    "differs": "is not",
    "above": "is above",
    "below": "is below",
    "contains": "contains",
    "lacks": "does not contain",
}
_KEYS = {
    "rank": "rank",
    "pid": "process id",
    "gpu": "GPU",
    "host": "host",
    "writer": "writer",
    "attempt": "attempt",
}
_RANKS = {
    "one": "one rank alone",
    "some": "some ranks, not all",
    "all": "all ranks",
    "all_but_one": "all ranks but one",
}


def wording(written: d.Wording) -> str:
    """Write one wording as code, with the versions that print it."""
    text = code(written.text) if written.text else f"{code(written.regex or '')} (expression)"
    since = f" since {written.since}" if written.since else ""
    until = f" until {written.until}" if written.until else ""
    return f"{text} (printed{since}{until})" if since or until else text


def describe_sign(name: str, signs: Mapping[str, d.SignPart]) -> str:
    """Say as a clause what a sign looks for."""
    sign = signs.get(name)
    if sign is None:
        return code(name)
    if isinstance(sign, d.MissingSign):
        return _missing(sign, signs)
    return _clause(sign)


def _missing(sign: d.MissingSign, signs: Mapping[str, d.SignPart]) -> str:
    return (
        f"within {_span(sign.within)} after this: {describe_sign(sign.after, signs)}; "
        f"there is no sign of this: {describe_sign(sign.missing, signs)}; "
        "and something proves that the time passed"
    )


def _span(span: str) -> str:
    """Part the number from its unit."""
    number = span.rstrip("abcdefghijklmnopqrstuvwxyz ")
    return f"{number} {span[len(number) :].strip()}"


@singledispatch
def _clause(sign: d.SignPart) -> str:
    raise TypeError(f"no words for {type(sign).__name__}")


@_clause.register
def _(sign: d.LogSign) -> str:
    seen = listing([wording(written) for written in sign.log], "or")
    below = ""
    if sign.under:
        below = f", at most {sign.under.within} lines below {code(sign.under.text)}"
    return f"{_WRITERS[sign.source]} {_PLACES[sign.at]} {seen}{below}"


@_clause.register
def _(sign: d.TracebackSign) -> str:
    kind = "any exception" if sign.traceback == "*" else f"the exception {code(sign.traceback)}"
    parts = [f"{kind} is printed"]
    if sign.message:
        parts.append(f"its message holds {listing([wording(one) for one in sign.message], 'or')}")
    where = [f"in {code(sign.frame)}"] if sign.frame else []
    where += [f"in a function called {code(sign.function)}"] if sign.function else []
    if where:
        which = "its innermost frame" if sign.innermost else "one of its frames"
        parts.append(f"{which} is {' and '.join(where)}")
    if sign.code:
        owner = "your own code" if sign.code == "user" else "a library"
        parts.append(f"it was raised in {owner}")
    return listing(parts)


@_clause.register
def _(sign: d.ExitSign) -> str:
    end = sign.exit
    if end.signal is not None:
        how = f"by signal {end.signal} ({_signal_name(end.signal)})"
    else:
        how = f"with exit code {end.code}"
    return f"a process ends {how}" + (f", and {_ENDED_BY[end.by]}" if end.by else "")


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return "a real-time signal"


@_clause.register
def _(sign: d.MetricSign) -> str:
    value = "" if sign.value is None else f" {sign.value}"
    samples = f"{sign.for_} samples in a row" if sign.for_ > 1 else "one sample"
    if sign.of:
        samples = f"{sign.for_} of {sign.of} samples"
    beside = f", with {listing([code(one) for one in sign.with_])}" if sign.with_ else ""
    return f"the metric {code(sign.metric)} {_METRICS[sign.is_]}{value} for {samples}{beside}"


@_clause.register
def _(sign: d.ProgressSign) -> str:
    return f"the {sign.of} counter {_PROGRESS[sign.progress]}"


@_clause.register
def _(sign: d.CollectiveSign) -> str:
    return _COLLECTIVES[sign.collective]


@_clause.register
def _(sign: d.StackSign) -> str:
    frames = listing([code(frame) for frame in sign.stack], "or")
    place = f" in {code(sign.file)}" if sign.file else ""
    state = f", the thread being in state {code(sign.state)}" if sign.state else ""
    return f"a stack dump shows {frames}{place}{state}, {_SHARES[sign.share]}"


@_clause.register
def _(sign: d.FactSign) -> str:
    value = ("yes" if sign.value else "no") if isinstance(sign.value, bool) else str(sign.value)
    return f"the fact {code(sign.fact)} {_FACTS[sign.is_]} {code(value)}"


@_clause.register
def _(sign: d.VersionSign) -> str:
    return f"the version of {code(sign.version)} is {code(sign.range)}"


def describe_condition(condition: d.Condition, signs: Mapping[str, d.SignPart]) -> str:
    """Say as a clause what a condition of a signature asks for."""
    if isinstance(condition, str):
        return describe_sign(condition, signs)
    if isinstance(condition, d.Compare):
        return f"the printed values satisfy {code(condition.compare)}"
    if isinstance(condition, d.Order):
        within = f", within {_span(condition.within)}" if condition.within else ""
        return f"in this order: {_joined(condition.order, signs, '; then ')}{within}"
    if isinstance(condition, d.SameDiffer):
        return _same_differ(condition)
    if isinstance(condition, d.Count):
        return _count(condition, signs)
    return f"on {_RANKS[condition.ranks]}: {describe_sign(condition.of, signs)}"


def _joined(names: list[str], signs: Mapping[str, d.SignPart], between: str) -> str:
    return between.join(describe_sign(name, signs) for name in names)


def _same_differ(condition: d.SameDiffer) -> str:
    same = listing([_KEYS.get(key, code(key)) for key in condition.same])
    differ = listing([_KEYS.get(key, code(key)) for key in condition.differ])
    parts = [f"all of this has the same {same}"] if same else []
    parts += [f"this differs in {differ}"] if differ else []
    return listing(parts)


def _count(condition: d.Count, signs: Mapping[str, d.SignPart]) -> str:
    limits = [f"at least {condition.min}"] if condition.min is not None else []
    limits += [f"at most {condition.max}"] if condition.max is not None else []
    what = f"different values of {code(condition.distinct)}" if condition.distinct else "times"
    per = f" per {_KEYS[condition.per]}" if condition.per else ""
    within = f" within {_span(condition.within)}" if condition.within else ""
    seen = describe_sign(condition.count, signs)
    return f"{listing(limits)} {what}{per}{within}: {seen}"
