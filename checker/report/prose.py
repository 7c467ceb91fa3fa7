"""Markdown for the terminal: the text of an entry's section enters, rows leave.

Paragraphs and list items are wrapped, code and tables stay as they are.
"""

from typing import List

from checker.lazy_patterns import lazy_pattern
from checker.report.terminal import TextRow, visible, wrap_text

_LIST_ITEM = lazy_pattern(r"(?:[-*]|\d{1,3}\.) ")
_LINK = lazy_pattern(r"\[([^\]\n]{1,300})\]\((https?://[^)\s]{1,500})\)")


def prose_rows(text: str) -> List[TextRow]:
    """Lay out Markdown, indented by two."""
    rows: List[TextRow] = []
    waiting: List[str] = []
    in_code = False
    for line in text.strip("\n").split("\n"):
        bare = line.strip()
        if bare.startswith("```"):
            rows += _paragraph_rows(waiting)
            waiting, in_code = [], not in_code
        elif in_code:
            rows.append(("quote", "    " + visible(line)))
        elif not bare or bare.startswith(("|", "#")):
            rows += _paragraph_rows(waiting)
            waiting = []
            rows.append(("plain", "  " + visible(bare) if bare else ""))
        else:
            if _LIST_ITEM.match(bare):
                rows += _paragraph_rows(waiting)
                waiting = []
            waiting.append(bare)
    return rows + _paragraph_rows(waiting)


def _paragraph_rows(lines: List[str]) -> List[TextRow]:
    if not lines:
        return []
    text = _LINK.sub(r"\1 (\2)", " ".join(lines))
    marker = _LIST_ITEM.match(text)
    hanging = " " * len(marker.group()) if marker else ""
    return [("plain", line) for line in wrap_text(text, "  ", "  " + hanging)]
