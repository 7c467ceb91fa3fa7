"""What a prefix is: one shape that stands before what a program printed."""

from typing import NamedTuple

from checker.scan.moments import TIME_PATTERN, ZONE_PATTERN
from checker.scan.prefix_readings import PrefixReader

FULL_TIME = TIME_PATTERN + ZONE_PATTERN
DIGITS = "0123456789"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS = CAPITALS + CAPITALS.lower()


class Recognizer(NamedTuple):
    """One shape of prefix."""

    name: str
    starts: str
    """Characters it can begin with."""
    pattern: str
    read: PrefixReader
    recurring: bool
    """Counts only where at least three lines of the file have it."""
    mark: str = ""
    """Stands in every such prefix or directly behind it: tested before the expression."""
    next: str = ""
    """Characters that can come second; empty where any will do."""
