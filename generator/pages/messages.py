"""The messages by which a person finds a failure in a log, by how much each of them tells."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from checker.wordings import PatternError
from generator import detection as d
from generator.wordings import compiled

_CAPTURE_NAME = re.compile(r"<([a-z]+):[a-z][a-z0-9_]*>")
_TRACEBACK = "Traceback (most recent call last):"
_DECISIVE, _STRONG, _WEAK = 3, 2, 1
_WORTH = {"decisive": _DECISIVE, "strong": _STRONG, "weak": _WEAK}
_PLACES = {
    "launcher": " in what the launcher prints",
    "kernel": " in the kernel log",
    "scheduler": " in the scheduler's log",
    "service": " in the log of a system service",
}
ANY_TEXT = "..."


class Message(NamedTuple):
    """One message of a program."""

    text: str
    """As it is printed, with a placeholder where a value stands."""
    fixed: str
    """The longest piece without a placeholder, which a plain search finds."""
    place: str = ""
    """The log in which it must stand, in words."""


class Messages(NamedTuple):
    """The messages of an entry, the most telling first."""

    deciding: list[Message]
    """Each is enough for a certain diagnosis."""
    telling: list[Message]
    """Each is likely to come from this failure, or needs something beside it."""
    hints: list[Message]
    """Each alone makes the diagnosis possible."""


class _Worth(NamedTuple):
    alone: int
    together: int


def messages(detect: d.Detect, logs: Iterable[str] = ()) -> Messages:
    """Sort the messages by what each is worth alone; *logs* show how exceptions are printed."""
    joined = "\n".join(logs)
    worth: dict[Message, _Worth] = {}
    for signature in detect.signatures:
        wanted = _wanted(signature, detect.signs)
        together = _WORTH[signature.strength]
        for name in wanted:
            sign = detect.signs.get(name)
            alone = together if _is_enough(signature, wanted, sign) else 0
            for message in _printed(sign, joined):
                known = worth.get(message, _Worth(0, 0))
                worth[message] = _Worth(max(alone, known.alone), max(together, known.together))
    ordered = sorted(worth, key=lambda message: (-worth[message].together, -worth[message].alone))
    groups: dict[str, list[Message]] = {name: [] for name in Messages._fields}
    for message in ordered:
        groups[_group(worth[message])].append(message)
    return Messages(**groups)


def _group(worth: _Worth) -> str:
    if worth.alone == _DECISIVE:
        return "deciding"
    return "hints" if (worth.alone or worth.together) == _WEAK else "telling"


def _is_enough(signature: d.Signature, wanted: list[str], sign: d.SignPart | None) -> bool:
    """Tell whether the sign's message is enough for the signature, wherever it stands."""
    if len(set(wanted)) > 1 and signature.all:
        return False
    if isinstance(sign, d.LogSign):
        free = sign.under is None
    elif isinstance(sign, d.TracebackSign):
        free = not (sign.frame or sign.function or sign.code)
    else:
        free = False
    asks = [*signature.all, *signature.any]
    strict = signature.none or any(not isinstance(one, str) for one in asks)
    return free and not (strict and signature.strength == "decisive")


def _wanted(signature: d.Signature, signs: dict[str, d.AnySign]) -> list[str]:
    """Name the signs that a signature wants to see."""
    conditions = [*signature.all, *signature.any]
    return [name for condition in conditions for name in _seen(condition, signs)]


def _seen(condition: d.Condition, signs: dict[str, d.AnySign]) -> list[str]:
    if isinstance(condition, str):
        sign = signs.get(condition)
        return [sign.after if isinstance(sign, d.MissingSign) else condition]
    if isinstance(condition, d.Order):
        return condition.order
    if isinstance(condition, d.Count):
        return [condition.count]
    return [condition.of] if isinstance(condition, d.Ranks) else []


def _printed(sign: d.SignPart | None, logs: str) -> Iterator[Message]:
    """Give the messages of a sign; what only shows the surroundings is none of the failure."""
    if sign is None or sign.onset == "context":
        return
    if isinstance(sign, d.LogSign):
        place = _PLACES.get(sign.source or "", "")
        yield from (_message(wording)._replace(place=place) for wording in sign.log)
    elif isinstance(sign, d.TracebackSign):
        name = "" if sign.traceback == "*" else sign.traceback
        for wording in sign.message:
            message = _message(wording)
            yield message._replace(text=_raised(name, wording, message, logs)) if name else message
        if not sign.message:
            yield Message(name or _TRACEBACK, name or _TRACEBACK)


def _raised(name: str, wording: d.Wording, message: Message, logs: str) -> str:
    """Write class and message; a message may begin with other text, unless a log shows it."""
    try:
        begins = re.search(f"{re.escape(name)}: (?:{compiled(wording).regex})", logs, re.ASCII)
    except PatternError:
        begins = None
    return f"{name}: {message.text}" if begins else f"{name}: {ANY_TEXT} {message.text}"


def _message(wording: d.Wording) -> Message:
    try:
        fixed = compiled(wording).literal
    except PatternError:
        fixed = ""
    return Message(_readable(wording.text) if wording.text else fixed, fixed)


def _readable(text: str) -> str:
    """Show a placeholder by its type alone, and a bracket as it is printed."""
    return _CAPTURE_NAME.sub(r"<\1>", text).replace("<<", "<")


def search_command(found: list[Message]) -> str:
    """Write the shell command that finds any of the messages in a file or a folder."""
    pieces = sorted({message.fixed for message in found if message.fixed}, key=len)
    kept = [one for at, one in enumerate(pieces) if not any(o in one for o in pieces[:at])]
    # The order in which the messages are shown.
    shown = [one for one in dict.fromkeys(message.fixed for message in found) if one in kept]
    quoted = ["'" + piece.replace("'", "'\\''") + "'" for piece in shown]
    separator = " " if len(quoted) == 1 else " \\\n  "
    return separator.join(["grep -rnF", *(f"-e {one}" for one in quoted)]) + " LOG"
