"""Typed values: what a capture says becomes a number in one unit, a version becomes comparable.

Text and the type of its placeholder enter; bytes, seconds, integers or normalized text leave.
"""

import math
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

_UNIT_BYTES = {"": 1, "k": 1024, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4, "P": 1000**5}
_UNIT_SECONDS = {"us": 1e-6, "ms": 1e-3, "mi": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_VERSION_SUFFIX = r"^[.-]?(dev|a|alpha|b|beta|c|rc|post)[.-]?(\d*)"
_SUFFIX_RANK = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "post": 1}


def typed_value(text: str, kind: str) -> Any:
    """Convert the text of a capture by the type of its placeholder; odd text stays text."""
    convert = _CONVERTERS.get(kind)
    try:
        return convert(text) if convert else text
    except ValueError:
        return text


def number_from_text(text: str) -> Any:
    """Read a number; commas between groups of three are no decimal points."""
    if re.match(r"^-?\d{1,3}(,\d{3})+(\.\d+)?$", text):
        text = text.replace(",", "")
    return _plain_number(float(text))


def _plain_number(value: float) -> Any:
    if math.isinf(value):
        raise ValueError("no number is so large")
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e18 else rounded


def size_in_bytes(text: str) -> int:
    """Read an amount of memory; kB is the kernel's 1024 bytes, larger units without i decimal."""
    number, unit = _split_number(text)
    if unit.endswith("iB"):
        return int(float(number) * 1024 ** ("KMGTP".index(unit[0].upper()) + 1))
    return int(float(number) * _UNIT_BYTES[unit[:-1] if unit != "bytes" else ""])


def duration_in_seconds(text: str) -> Any:
    """Read a duration, `1:02:03` or a number with a unit."""
    if ":" in text:
        hours, minutes, seconds = text.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    number, unit = _split_number(text)
    short = unit[:2] if unit[:2] in ("us", "ms") or unit.startswith("milli") else unit[:1]
    return _plain_number(float(number) * _UNIT_SECONDS[short])


def _split_number(text: str) -> Tuple[str, str]:
    found = re.match(r"^(\d+(?:\.\d+)?) ?([A-Za-z]+)$", text.strip())
    if not found:
        raise ValueError(text)
    return found.group(1), found.group(2)


def normal_bus(text: str) -> str:
    """Write a PCI bus id as `0000:3b:00`: lower case, domain of four digits, no function."""
    parts = text.lower().partition(".")[0].split(":")
    if len(parts) == 2:
        parts.insert(0, "0000")
    return ":".join([parts[0][-4:].rjust(4, "0"), *parts[1:]])


def _milliseconds(text: str) -> Any:
    return _plain_number(float(text) / 1000.0)


_CONVERTERS: Dict[str, Callable[[str], Any]] = {
    "size": size_in_bytes,
    "dur": duration_in_seconds,
    "ms": _milliseconds,
    "n": number_from_text,
    "s": number_from_text,
    "pid": int,
    "rank": int,
    "peer": int,
    "bus": normal_bus,
}


def version_order(text: str) -> Tuple[Tuple[int, ...], int, int]:
    """Turn a version into what compares as versions do; a local part (+cu121) says nothing."""
    plain = text.partition("+")[0].lower().lstrip("v")
    found = re.match(r"^\d+(\.\d+)*", plain)
    release = [int(part) for part in found.group(0).split(".")] if found else [0]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    suffix = re.match(_VERSION_SUFFIX, plain[found.end() :] if found else plain)
    if not suffix:
        return tuple(release), 0, 0
    return tuple(release), _SUFFIX_RANK[suffix.group(1)], int(suffix.group(2) or 0)


def version_in_range(version: str, wanted: str) -> bool:
    """Tell whether a version lies in a range as `>=0.17.1,<0.18.4`."""
    return all(_meets_bound(version, bound.strip()) for bound in wanted.split(",") if bound.strip())


def _meets_bound(version: str, bound: str) -> bool:
    found = re.match(r"^(>=|<=|==|!=|>|<|=)?\s*(.+)$", bound)
    if not found:
        return True
    operator, limit = found.group(1) or "==", found.group(2)
    ours, theirs = version_order(version), version_order(limit)
    verdicts = {
        ">=": ours >= theirs,
        "<=": ours <= theirs,
        ">": ours > theirs,
        "<": ours < theirs,
        "!=": ours != theirs,
    }
    return verdicts.get(operator, ours == theirs)


def span_of(text: str) -> Tuple[float, str]:
    """Read a span as `60s`, `2 h`, `5 lines`, `3 steps`: an amount in s, lines or steps."""
    found = re.match(r"^(\d+) ?(s|m|h|lines|steps)$", text)
    if not found:
        return 60.0, "s"
    amount, unit = float(found.group(1)), found.group(2)
    return (amount * _UNIT_SECONDS[unit], "s") if unit in ("s", "m", "h") else (amount, unit)


_TOKEN = (
    r"\s*(?:(\d+(?:\.\d+)?)\s?(bytes|[kKMGTP]?i?B|us|ms|s|m|h)?(?![A-Za-z0-9_])"
    r"|([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?)|(>=|<=|==|!=|[-+*\u00d7<>\[\],]|\.\.))"
)


def comparison_tokens(text: str) -> List[Any]:
    """Split a comparison into numbers, names and operators.

    Raises ValueError for what is none of them.
    """
    tokens: List[Any] = []
    end = 0
    text = text.rstrip()
    pattern = re.compile(_TOKEN)
    while end < len(text):
        found = pattern.match(text, end)
        if not found:
            raise ValueError("cannot read '%s'" % text[end:])
        number, unit, name, operator = found.groups()
        if number is not None:
            tokens.append(_with_unit(number, unit))
        else:
            tokens.append(name if name is not None else operator)
        end = found.end()
    return tokens


def _with_unit(number: str, unit: Optional[str]) -> Any:
    if unit is None:
        return number_from_text(number)
    return typed_value(number + unit, "size" if unit.endswith(("B", "bytes")) else "dur")
