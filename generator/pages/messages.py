"""The messages by which a person finds a failure in a log, by how much each of them tells."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from checker.wordings import PatternError
from generator import detection as d
from generator.wordings import compiled

_CAPTURE_NAME = re.compile(r"<([a-z]+):[a-z][a-z0-9_]*>")
_TRACEBACK = "Traceback (most recent call last):"
_WORTH = {"decisive": 3, "strong": 2, "weak": 1}
_DECIDES = 4


class Message(NamedTuple):
    """One message of a program."""

    text: str
    """As it is printed, with a placeholder where a value stands."""
    fixed: str
    """The longest piece without a placeholder, which a plain search finds."""


class Messages(NamedTuple):
    """The messages of an entry, the most telling first."""

    deciding: list[Message]
    """Each is enough for the surest diagnosis of the entry."""
    telling: list[Message]
    """Other failures print them too."""


def messages(detect: d.Detect) -> Messages:
    """Sort the messages by the strongest signature that wants to see each."""
    worth: dict[Message, int] = {}
    for signature in detect.signatures:
        wanted = _wanted(signature, detect.signs)
        for name in wanted:
            value = _DECIDES if _alone(signature, wanted) else _WORTH[signature.strength]
            for message in _printed(detect.signs.get(name)):
                worth[message] = max(value, worth.get(message, 0))
    ordered = sorted(worth, key=lambda message: -worth[message])
    return Messages(
        [message for message in ordered if worth[message] == _DECIDES],
        [message for message in ordered if worth[message] < _DECIDES],
    )


def _alone(signature: d.Signature, wanted: list[str]) -> bool:
    """Tell whether one of the wanted signs is enough for a decisive signature."""
    enough = len(set(wanted)) == 1 or not signature.all
    return signature.strength == "decisive" and enough


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


def _printed(sign: d.SignPart | None) -> Iterator[Message]:
    """Give the messages of a sign; what only shows the surroundings is none of the failure."""
    if sign is None or sign.onset == "context":
        return
    if isinstance(sign, d.LogSign):
        yield from (_message(wording) for wording in sign.log)
    elif isinstance(sign, d.TracebackSign):
        name = "" if sign.traceback == "*" else sign.traceback
        for wording in sign.message:
            message = _message(wording)
            yield message._replace(text=f"{name}: {message.text}") if name else message
        if not sign.message:
            yield Message(name or _TRACEBACK, name or _TRACEBACK)


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
