"""Find the front matter and the body in the bytes of an entry."""

import re
from typing import NamedTuple

from generator.errors import Problem

# Beside the controls, what YAML counts as a line break and editors do not, and what turns the
# direction of the text around it.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)


class Parts(NamedTuple):
    """The two parts of a file."""

    front_matter: str
    """What stands between the two marks; its first line is the file's second."""
    body: str
    body_line: int
    """The file's line where the body begins."""


def split_file(path: str, data: bytes) -> Parts | Problem:
    """Split the bytes of a file into front matter and body, or say why that cannot be done."""
    text, problem = _decode(path, data)
    lines = [_mark(line) for line in text.split("\n")]
    problem = problem or _frame_problem(path, lines)
    if problem is not None:
        return problem
    end = lines.index("---", 1)
    return Parts("\n".join(lines[1:end]) + "\n", "\n".join(lines[end + 1 :]), end + 2)


def _mark(line: str) -> str:
    """Remove the blanks behind a mark: it looks right in the editor, so it is right."""
    return "---" if line.startswith("---") and line.rstrip() == "---" else line


def _decode(path: str, data: bytes) -> tuple[str, Problem | None]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
        return "", Problem(
            path, line, column, "not-utf-8", "", message, "save the file in the encoding UTF-8"
        )
    text = text.replace("\r\n", "\n")
    found = _CONTROL.search(text)
    if found is None:
        return text, None
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - (text.rfind("\n", 0, found.start()) + 1) + 1
    code = ord(found.group())
    escape = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    escape = "\\r" if code == ord("\r") else escape
    return text, Problem(
        path,
        line,
        column,
        "control-character",
        "",
        f"there is an invisible character, U+{code:04X}",
        f'remove it; where a log holds it, write {escape} inside double quotes: "50%{escape}100%"',
    )


def _frame_problem(path: str, lines: list[str]) -> Problem | None:
    if not any(line.strip() for line in lines):
        return Problem(
            path,
            1,
            1,
            "empty-file",
            "",
            "the file is empty",
            "begin with tests/lint_samples/good.md, which is a complete sample",
        )
    if lines[0] != "---":
        return Problem(
            path,
            1,
            1,
            "no-front-matter",
            "",
            "the first line is not '---'",
            "begin the file with a line of three dashes, and the front matter below it",
        )
    if "---" not in lines[1:]:
        return Problem(
            path,
            1,
            1,
            "unclosed-front-matter",
            "",
            "the front matter has no closing '---'",
            "put a line of three dashes, without blanks before it, between front matter and body",
        )
    return None
