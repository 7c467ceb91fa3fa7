"""Show problems of entries: to a person with the line that is meant, to GitHub, to a program."""

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from generator.errors import LOAD_CODES, Problem, printable

_WIDEST = 96
"""Columns of a source line that are shown around the place."""
_FEWEST_ALIKE = 3
"""So many problems that read alike are shown as one."""
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|[\w.\-/<>]+|\S")

Form = Callable[[Sequence[Problem]], str]
"""Writes problems as text; empty for none."""


def as_text(problems: Sequence[Problem]) -> str:
    """Write each problem with the line it is about, a mark below the place, and the remedy.

    What is said alike of several lines of a file is said once, above all of these lines.
    """
    alike: dict[tuple[str, str, str, str], list[Problem]] = {}
    for problem in problems:
        kind = (problem.path, problem.code, problem.message, problem.help)
        alike.setdefault(kind, []).append(problem)
    texts = (
        [_all_in_one(some)] if len(some) >= _FEWEST_ALIKE else map(_with_excerpt, some)
        for some in alike.values()
    )
    return "".join(f"{text}\n" for each in texts for text in each)


def as_short(problems: Sequence[Problem]) -> str:
    """Write each problem on two lines, without the line it is about."""
    return "".join(f"{problem.render()}\n" for problem in problems)


def as_github(problems: Sequence[Problem]) -> str:
    """Write the workflow commands that GitHub shows beside the lines of a pull request."""
    return "".join(f"{_annotation(problem)}\n" for problem in problems)


def as_json(problems: Sequence[Problem]) -> str:
    """Write a list of problems, each with the names of its parts."""
    return json.dumps([problem._asdict() for problem in problems], indent=2) + "\n"


FORMS: dict[str, Form] = {
    "text": as_text,
    "short": as_short,
    "github": as_github,
    "json": as_json,
}


def closing_line(problems: Sequence[Problem]) -> str:
    """Count the problems, and the files of which more may be found later."""
    # A file that could not be loaded was not shown to the checks that look deeper.
    halted = len({problem.path for problem in problems if problem.code in LOAD_CODES})
    later = ""
    if halted:
        later = f"; {counted(halted, 'file')} not checked further until these are solved"
    return f"{counted(len(problems), 'problem')}{later}"


def is_about_signs(problem: Problem) -> bool:
    """Tell whether a problem keeps its entry from being tried on a log."""
    return problem.code in LOAD_CODES or problem.field.startswith("detect")


def counted(number: int, one: str, many: str = "") -> str:
    """Write a number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _with_excerpt(problem: Problem) -> str:
    head, remedy = problem.render().split("\n", 1)
    return "\n".join((head, *_excerpt(problem), remedy))


def _all_in_one(problems: Sequence[Problem]) -> str:
    """Say once what is wrong, and quote each line."""
    first = problems[0]
    where = f"{first.path}:{first.line}:{first.column}: {first.code}: "
    width = len(str(max(problem.line for problem in problems)))
    quoted = (
        f"  {problem.line:{width}} | {printable(_source_line(problem).rstrip()[:_WIDEST])}"
        for problem in problems
    )
    head = printable(f"{where}{first.message}, in {len(problems)} places")
    return "\n".join((head, *quoted, printable(f"  help: {first.help}")))


def _excerpt(problem: Problem) -> tuple[str, ...]:
    """Quote the line of a problem with a mark below; nothing where the whole file is meant."""
    line = _source_line(problem)
    if not line.strip() or (problem.line, problem.column) == (1, 1):
        return ()
    start = min(problem.column - 1, len(line))
    token = _TOKEN.match(line, start)
    end = token.end() if token else start + 1
    first = max(0, start - _WIDEST // 2) if end > _WIDEST else 0
    shown = line[first : first + _WIDEST]
    blanks = _columns(line[first:start])
    marks = "^" * max(1, _columns(line[start : min(end, first + _WIDEST)]))
    number = str(problem.line)
    return (
        f"  {number} | {printable(shown)}",
        f"  {' ' * len(number)} | {' ' * blanks}{marks}",
    )


def _source_line(problem: Problem) -> str:
    try:
        text = Path(problem.path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[problem.line - 1] if problem.line <= len(lines) else ""


def _columns(text: str) -> int:
    """Count the columns of a terminal that a text takes, as it is printed."""
    return sum(
        2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in printable(text)
    )


def _annotation(problem: Problem) -> str:
    field = f"{problem.field}: " if problem.field else ""
    message = _escaped(f"{field}{problem.message}\nhelp: {problem.help}")
    place = f"file={_property(problem.path)},line={problem.line},col={problem.column}"
    return f"::error {place},title={_property(problem.code)}::{message}"


def _escaped(text: str) -> str:
    """Escape as the toolkit of GitHub Actions does for the data of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
