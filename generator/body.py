"""The body of an entry: Markdown sections under fixed headings."""

import re
from typing import NamedTuple


class Heading(NamedTuple):
    """A heading that a body may have."""

    title: str
    required: bool
    answers: str
    """What the section must tell."""
    offline: bool = False
    """The checker carries it, for a terminal without the site; the others would only weigh."""


HEADINGS: tuple[Heading, ...] = (
    Heading(
        "What it looks like in production",
        True,
        "what is seen first, by whom, after how long, at which moment of a run",
    ),
    Heading(
        "Why it happens",
        True,
        "the mechanism: what exactly waits for, or breaks, what",
        offline=True,
    ),
    Heading(
        "Is it hardware or software",
        False,
        "which of the two, and the observation that decides",
    ),
    Heading(
        "Why only sometimes",
        False,
        "which circumstances decide whether it happens",
    ),
    Heading(
        "From one GPU to a thousand",
        False,
        "what changes with the number of ranks and nodes",
    ),
    Heading(
        "What other accounts get wrong",
        False,
        "statements in circulation that upstream refutes, and what is true",
    ),
)


class Section(NamedTuple):
    """One section of a body."""

    heading: str
    """The heading's text; '' for what stands before the first heading."""
    level: int
    """The number of `#`; 0 for what stands before the first heading."""
    line: int
    """The line of the heading."""
    text: str
    """The Markdown below the heading, without blank lines at its ends."""
    text_line: int
    """The line where the text begins."""


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def split_body(text: str, first_line: int) -> tuple[Section, ...]:
    """Split a body at its headings; *first_line* is the file's line where the body begins."""
    sections: list[Section] = []
    heading, level, line = "", 0, first_line
    lines: list[str] = []
    fence = ""
    for number, row in enumerate(text.split("\n"), start=first_line):
        fence, inside = _fenced(row, fence)
        found = None if inside else _heading(row, lines)
        if found is None:
            lines.append(row)
            continue
        if _underlined(row):
            lines.pop()
        sections.append(_section(heading, level, line, lines))
        heading, level = found
        line = number - 1 if _underlined(row) else number
        lines = []
    sections.append(_section(heading, level, line, lines))
    return tuple(section for section in sections if section.level or section.text)


def _heading(row: str, above: list[str]) -> tuple[str, int] | None:
    found = _HEADING.fullmatch(row)
    if found:
        return found.group(2) or "", len(found.group(1))
    if _underlined(row) and above and above[-1].strip() and not above[-1].startswith((">", "|")):
        return above[-1].strip(), 1 if "=" in row else 2
    return None


def _underlined(row: str) -> bool:
    return _UNDERLINE.fullmatch(row) is not None


def _fenced(row: str, fence: str) -> tuple[str, bool]:
    """Tell the fence that is open after *row*, and whether the row is code or its frame."""
    found = _FENCE.fullmatch(row)
    if not fence:
        return (found.group(1), True) if found else ("", False)
    if found and found.group(1).startswith(fence) and not found.group(2).strip():
        return "", True
    return fence, True


def _section(heading: str, level: int, line: int, lines: list[str]) -> Section:
    blank = 0
    while blank < len(lines) and not lines[blank].strip():
        blank += 1
    text = "\n".join(lines[blank:]).rstrip()
    return Section(heading, level, line, text, line + (1 if level else 0) + blank)
