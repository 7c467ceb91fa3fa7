"""Explain in plain words why a front matter is not YAML."""

import re
from typing import Any, NamedTuple

import yaml

from generator.errors import Problem


class _Cause(NamedTuple):
    """A phrase of the YAML reader, and what it means to the person."""

    phrase: str
    message: str
    help: str
    opening: bool = False
    """The place to show is where the construct began."""


_CAUSES = (
    _Cause(
        "cannot start any token|\\t",
        "there is a tab where YAML expects blanks",
        "use blanks; where the tab is meant, put the text in double quotes and write \\t",
    ),
    _Cause(
        "cannot start any token",
        "an unquoted text cannot begin with this character",
        "put the text in quotes",
    ),
    _Cause(
        "mapping values are not allowed here",
        "there is a second ': ' in an unquoted text, or this line is indented too far",
        "put a text that holds ': ' in quotes, as \"RuntimeError: out of memory\"",
    ),
    _Cause(
        "sequence entries are not allowed here",
        "a list begins in the line of its key",
        "begin the list in the next line, or write it as [a, b]",
    ),
    _Cause(
        "while scanning a quoted scalar",
        "a quote is opened here and not closed",
        "close the text with the same kind of quote",
        opening=True,
    ),
    _Cause(
        "unknown escape character",
        "a backslash in double quotes begins an escape that YAML does not know",
        "use single quotes, in which a backslash is only a backslash, or double the backslash",
    ),
    _Cause(
        "escape sequence of",
        "an escape in double quotes is cut short",
        "use single quotes, in which a backslash is only a backslash, or double the backslash",
    ),
    _Cause(
        "while parsing a flow",
        "a '[' or '{' is opened here and not closed rightly",
        "separate the items by commas and close with ']' or '}'; put a text that begins with"
        " '[' or '{' in quotes",
        opening=True,
    ),
    _Cause(
        "while parsing a block|<scalar>",
        "text follows a closed quote",
        "put the whole text in one pair of quotes; inside single quotes a quote is written twice",
    ),
    *(
        _Cause(
            f"while parsing a block|found '{character}'",
            "an unquoted text cannot begin with this character",
            "put the text in quotes",
        )
        for character in ",]}?"
    ),
    _Cause(
        "while parsing a block",
        "this line fits neither the indentation of the line above nor of the list or mapping"
        " around it",
        "indent all keys of one mapping, and all dashes of one list, equally far",
    ),
    _Cause(
        "while scanning a simple key",
        "this line is neither 'key: value' nor a list item",
        "write 'key: value', with a blank after the colon; a text over several lines needs a '|'"
        " or '>' behind its key and deeper indentation",
        opening=True,
    ),
    _Cause(
        "while scanning a block scalar",
        "text follows a '|' or '>' in its line",
        "put a text that begins with '>' in quotes, as \">=2.1\"; the lines of a long text begin"
        " below its key, indented deeper",
    ),
    _Cause(
        "while scanning an a",
        "an unquoted text begins with '*' or '&'",
        "put the text in quotes",
        opening=True,
    ),
    _Cause(
        "while scanning a tag",
        "an unquoted text begins with '!'",
        "put the text in quotes",
        opening=True,
    ),
    _Cause(
        "expected '<document start>'",
        "this line stands outside of the mapping: it is indented less than the first key, or the"
        " mapping was ended by a line of dots",
        "begin every outer key in the first column; put a text that begins with '%' or '...' in"
        " quotes",
    ),
    _Cause(
        "while scanning a directive",
        "a line begins with '%'",
        "put the text in quotes, or remove the line",
    ),
)


_RAN_ON = _Cause(
    "",
    "a quote is opened here and closed only lines below, in the middle of another text",
    "close the text with the same kind of quote, in its line",
)


_NO_BLANK = _Cause(
    "",
    "a dash has no blank behind it",
    "put one there, as in '- key: value'",
)
_DASHED_KEY = re.compile(r"\s*-(?:[a-z_]+:(?:\s|$)|[\[{])")


_NO_BAR = _Cause(
    "",
    "a text of several lines begins below a key without '|'",
    "put a '|' behind the key, as in 'log: |'",
)
_TEXT_KEY = re.compile(r"\s*(?:log|before|after):\s*$")


def _text_without_bar(text: str, line: int) -> int | None:
    """Find the key of a log or snippet in whose lines an error is, if it has no '|'."""
    lines = text.split("\n")
    depth = _indent(lines[line])
    for at in range(line - 1, -1, -1):
        if lines[at].strip() and _indent(lines[at]) < depth:
            return at if _TEXT_KEY.match(lines[at]) else None
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _dash_without_blank(text: str, line: int) -> int | None:
    """Find the line of an item whose dash has no blank behind it, at an error or just above it."""
    lines = text.split("\n")
    near = (at for at in (line, line - 1) if 0 <= at < len(lines))
    return next((at for at in near if _DASHED_KEY.match(lines[at])), None)


def _quote_that_ran_on(text: str, line: int) -> Any:
    """Find where a quoted text began that was taken to end in the line of an error."""
    last = None
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.ScalarToken) and token.style in ('"', "'"):
                last = token
    except yaml.YAMLError:
        pass
    if last is None or last.end_mark.line != line or last.start_mark.line == line:
        return None
    return last.start_mark


def explain_syntax(path: str, text: str, error: yaml.YAMLError) -> Problem:
    """Turn an error of the YAML reader into a problem in our words."""
    context = str(getattr(error, "context", None) or "")
    problem = str(getattr(error, "problem", None) or "")
    said = f"{context} {problem}"
    cause = next(
        (cause for cause in _CAUSES if all(part in said for part in cause.phrase.split("|"))),
        _Cause(
            "",
            "from here on this is not YAML",
            "put texts with special characters in quotes, and indent with blanks only",
        ),
    )
    mark = getattr(error, "problem_mark", None)
    if cause.opening:
        mark = getattr(error, "context_mark", None) or mark
    opened = _quote_that_ran_on(text, mark.line) if mark else None
    if opened is not None:
        cause, mark = _RAN_ON, opened
    line, column = (mark.line + 2, mark.column + 1) if mark else (2, 1)
    for shape, find in ((_NO_BAR, _text_without_bar), (_NO_BLANK, _dash_without_blank)):
        at = find(text, min(mark.line, text.count("\n"))) if mark else None
        if at is not None:
            cause, line, column = shape, at + 2, _indent(text.split("\n")[at]) + 1
            break
    last = text.count("\n") + 1
    code = "yaml-tab" if "a tab" in cause.message else "yaml-syntax"
    return Problem(path, min(line, last), column, code, "", cause.message, cause.help)
