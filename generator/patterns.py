"""Turn a wording that is a regular expression into what the checker runs.

Its literal is found in its syntax tree, and the type of a capture is the placeholder whose name
the group's name begins with: `(?P<pid>...)`, `(?P<size_tried>...)`. Wordings that are texts are
compiled by `checker.wordings`.
"""

import re
import warnings
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from checker.wordings import PLACEHOLDERS, CompiledWording, PatternError, best_literal


def compile_regex(regex: str) -> CompiledWording:
    """Compile a wording that is a regular expression.

    Raises PatternError for one that cannot be parsed, ignores case, or has no text that every
    match contains.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            tree = _parser.parse(regex, re.ASCII)
    except (re.error, OverflowError, RecursionError, FutureWarning) as problem:
        raise PatternError(
            f"'{regex}' is no regular expression: {problem}", "mend it, or use 'text'"
        ) from problem
    if tree.state.flags & re.IGNORECASE:
        raise PatternError(
            f"'{regex}' ignores case", "programs print a message in one case; write that"
        )
    literals = _required(tree)
    types = {name: _type_of(name) for name in sorted(tree.state.groupdict)}
    return CompiledWording(regex, best_literal(literals, regex), types)


def _required(tree: Any) -> list[str]:
    """List the pieces of literal text that every match of a syntax tree contains."""
    pieces = [""]
    for operation, argument in tree:
        if operation is _constants.LITERAL:
            pieces[-1] += chr(argument)
        elif operation is _constants.SUBPATTERN and not argument[1] & re.IGNORECASE:
            inner = _required(argument[3])
            pieces[-1] += inner[0]
            pieces.extend(inner[1:])
        elif operation in _REPEATS:
            if argument[0] > 0:
                pieces.extend(_required(argument[2]))
            pieces.append("")
        elif operation is not _constants.AT:
            pieces.append("")
    return pieces


_REPEATS = (
    _constants.MAX_REPEAT,
    _constants.MIN_REPEAT,
    _constants.POSSESSIVE_REPEAT,
)


def _type_of(group: str) -> str:
    kind = group.partition("_")[0]
    return kind if kind in PLACEHOLDERS else "word"
