"""Every text of an entry that is matched against logs, with its place, compiled or refused."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from checker.wordings import CompiledWording, PatternError, compile_text
from generator.detection import AnySign, LogSign, TracebackSign, Wording
from generator.linear import NotLinearError, prove
from generator.model import Entry
from generator.nodes import Step
from generator.patterns import compile_regex

# What the checker itself knows of a sighting, besides the captures of its text.
ALWAYS = ("rank", "pid", "gpu", "host", "writer", "attempt")
BY_KIND: dict[str, tuple[str, ...]] = {
    "collective": ("group", "seq", "op", "numel", "timeout", "ranks", "why"),
    "exit": ("signal", "code"),
    "fact": ("value",),
    "metric": ("value", "step"),
    "stack": ("frame",),
    "traceback": ("type", "message", "frame", "code"),
}


_DURATIONS_BY_KIND = {"collective": {"timeout": "s"}}


class Matched(NamedTuple):
    """One text that is looked for."""

    sign: str
    steps: tuple[Step, ...]
    wording: Wording
    alone: bool
    """The sign's own wording, which finds the line; false for a piece that is looked for beside."""


def matched_texts(entry: Entry) -> Iterator[Matched]:
    """Give every wording and every capture piece of an entry."""
    for name, sign in entry.detect.signs.items():
        yield from _of_sign(name, sign)


def compiled(wording: Wording) -> CompiledWording:
    """Compile a wording; raises PatternError."""
    return _compiled(wording.text, wording.regex)


@cache
def _compiled(text: str | None, regex: str | None) -> CompiledWording:
    return compile_text(text or "") if regex is None else compile_regex(regex)


def sound(wording: Wording) -> CompiledWording | None:
    """Compile a wording, or give nothing where another check already refuses it."""
    return _sound(wording.text, wording.regex)


@cache
def _sound(text: str | None, regex: str | None) -> CompiledWording | None:
    try:
        done = compiled(Wording(text=text, regex=regex))
        prove(done.regex, placeholders=regex is None)
    except (PatternError, NotLinearError):
        return None
    return done


def captures(entry: Entry, sign: str) -> dict[str, str] | None:
    """Give the captures of a sign by name with their types; None where a wording is refused."""
    types = dict(_DURATIONS_BY_KIND.get(kind_of(entry.detect.signs[sign]), {}))
    for text in matched_texts(entry):
        if text.sign == sign:
            done = sound(text.wording)
            if done is None:
                return None
            types.update(done.types)
    return types


def kind_of(sign: AnySign) -> str:
    """Name the kind of a sign, which is the key that makes it one."""
    return type(sign).__name__.removesuffix("Sign").lower()


def _of_sign(name: str, sign: AnySign) -> Iterator[Matched]:
    steps: tuple[Step, ...] = ("detect", "signs", name, f"{kind_of(sign)}-sign")
    if isinstance(sign, TracebackSign):
        for index, wording in enumerate(sign.message):
            yield Matched(name, (*steps, "message", index, *_form(wording)), wording, False)
    if isinstance(sign, LogSign):
        for index, wording in enumerate(sign.log):
            yield Matched(name, (*steps, "log", index, *_form(wording)), wording, True)
        for index, piece in enumerate(sign.capture):
            yield Matched(name, (*steps, "capture", index), Wording(text=piece), False)
        if sign.under:
            under = Wording(text=sign.under.text)
            yield Matched(name, (*steps, "under", "text"), under, False)


def _form(wording: Wording) -> tuple[Step, ...]:
    return ("regex",) if wording.regex is not None else ("text",)
