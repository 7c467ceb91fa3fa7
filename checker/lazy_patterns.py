"""Regular expressions compiled at their first use. Their text enters; what acts like one leaves.

A run needs few of the checker's expressions, and compiling all of them would take longer than
reading a log.
"""

import re
from typing import Any, AnyStr

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")


class _LazyPattern:
    """Stands for an expression; the first method that is asked for compiles it."""

    __slots__ = ("_flags", "_text", *_METHODS)

    def __init__(self, text: Any, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Called only while the slots are empty, so that later calls cost nothing more.
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self._text, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy_pattern(text: AnyStr, flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return what has the methods of the compiled expression."""
    pattern: Any = _LazyPattern(text, flags)
    return pattern  # type: ignore[no-any-return]
