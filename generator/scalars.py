"""What an unquoted YAML word means, and the traps among such words."""

import re
from datetime import date
from typing import NamedTuple

import yaml

from generator.nodes import Node


class Trap(NamedTuple):
    """Why an unquoted word is refused, and what to write instead."""

    code: str
    message: str
    help: str


_TRUTH = re.compile(r"(?i:yes|no|on|off|y|n|true|false)")
_NOTHING = re.compile(r"~|null|Null|NULL")
_LONGEST_NUMBER = 15
"""Digits up to which every reader of numbers gives the same one."""
_NUMBER = re.compile(r"[-+]?[0-9][0-9_.]*|0[xX][0-9a-fA-F_]+|0b[01_]+")
_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\.[0-9]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9].*)?")
_ODD_NUMBER = re.compile(
    r"[-+]?(?:0[0-9_]+|0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0b[01_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+"
    r"(?:\.[0-9_]*)?|[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?|[0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|[0-9_]+[eE][-+]?[0-9]+|\.(?:inf|Inf|INF|nan|NaN|NAN))"
)


def read_plain(source: str) -> tuple[object, Trap | None]:
    """Give an unquoted word its value; what is a trap keeps its text."""
    if source in ("true", "false"):
        return source == "true", None
    if len(source) > _LONGEST_NUMBER and _NUMBER.fullmatch(source):
        return source, _long_number(source)
    if _WHOLE.fullmatch(source):
        return int(source), None
    if _DECIMAL.fullmatch(source):
        return float(source), None
    if _DATE.fullmatch(source):
        return _read_date(source)
    return source, _trap(source)


def _long_number(source: str) -> Trap:
    return Trap(
        "out-of-range",
        f"a number of {len(source)} characters is too large, or more exact than any is kept",
        f"write at most {_LONGEST_NUMBER} characters; if it is meant as text, put it in quotes",
    )


def _read_date(source: str) -> tuple[object, Trap | None]:
    try:
        return date.fromisoformat(source), None
    except ValueError:
        return source, Trap(
            "yaml-trap",
            f"{source} is no day of the calendar",
            "a date is year-month-day, as 2025-01-31; put it in quotes if it is meant as text",
        )


def _trap(source: str) -> Trap | None:
    if source == "":
        return Trap("empty-value", "there is no value", "write the value, or remove the key")
    quoted = f'put it in quotes: "{source}"'
    if _TRUTH.fullmatch(source):
        meant = "true" if source.lower() in ("yes", "on", "y", "true") else "false"
        return Trap(
            "yaml-trap",
            f"YAML reads the word {source} as {meant}",
            f"{quoted}; where a truth value is meant, write {meant}",
        )
    if _NOTHING.fullmatch(source):
        return Trap(
            "yaml-trap",
            f"YAML reads {source} as no value",
            f"remove the key; if it is meant as text, {quoted}",
        )
    if _TIME.fullmatch(source):
        return Trap("yaml-trap", f"YAML reads {source} as a point in time", quoted)
    if _ODD_NUMBER.fullmatch(source) and any(c.isalnum() for c in source):
        return Trap("yaml-trap", _odd_number(source), quoted)
    return None


def _odd_number(source: str) -> str:
    try:
        read = yaml.safe_load(source)
    except (yaml.YAMLError, ValueError):
        read = source
    if isinstance(read, str):
        return f"some YAML readers take {source} for a number, others for text"
    return f"YAML reads {source} as the number {read}"


def unmeant(node: Node) -> Trap | None:
    """Explain a well-formed unquoted word that stands where text is expected."""
    quoted = f'put it in quotes: "{node.source}"'
    if isinstance(node.value, bool):
        return Trap("yaml-trap", f"YAML reads {node.source} as a truth value", quoted)
    if isinstance(node.value, int | float):
        number = "a number" if node.source == str(node.value) else f"the number {node.value}"
        return Trap("yaml-trap", f"YAML reads {node.source} as {number}", quoted)
    if isinstance(node.value, date):
        return Trap("yaml-trap", f"YAML reads {node.source} as a date", quoted)
    return None
