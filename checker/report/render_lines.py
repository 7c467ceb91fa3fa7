"""The report as one line a diagnosis, in the form in which compilers print: `Report` to text.

Editors, Vim's quickfix list and other programs read `FILE:LINE:COLUMN: LEVEL: MESSAGE` as it is.
"""

from typing import List

from checker.catalogue import Catalogue
from checker.judgement import Report
from checker.model import Line
from checker.report.findings import findings_of
from checker.report.render_text import footer_sentence
from checker.report.terminal import Excerpt, clip, visible

_MOST_UNEXPLAINED_LINES = 40
_QUOTE_COLUMNS = 200


def render_lines(report: Report, catalogue: Catalogue) -> str:
    """Write a line for each diagnosis and each error that none explains, then what was read."""
    lines: List[str] = [
        _finding_line(found["path"], found["number"], found["level"], found["text"])
        + " [{}]".format(found["item"].rule["id"])
        for found in findings_of(report)
    ]
    lines += [_unexplained_line(line) for line in report.unexplained[:_MOST_UNEXPLAINED_LINES]]
    return "\n".join([*lines, footer_sentence(report, catalogue)]) + "\n"


def _finding_line(path: str, number: int, level: str, text: str) -> str:
    return "{}:{}:1: {}: {}".format(visible(path), number, level, text)


def _unexplained_line(line: Line) -> str:
    quote = clip(Excerpt(line.text.strip(), 0, 0), _QUOTE_COLUMNS)
    return _finding_line(*line.place, "note", "no entry explains: " + quote)
