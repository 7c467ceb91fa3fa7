"""What this checker wrote itself: a beginning or a line enters; what it is leaves.

Reports, the script and its catalogue quote the messages of failures, and would be diagnosed.
"""

from typing import Optional

from checker.lazy_patterns import lazy_pattern
from checker.scan.text import plain_bytes

_LOOKED_AT = 8192
_REPORT = "a report of this checker"
_VERDICT = (
    r"(?:FAILED FIRST|FIRST FAILURE SEEN|STOPPED FROM OUTSIDE|SYMPTOM, ITS CAUSE NOT SEEN"
    r"|HARMLESS, THOUGH IT LOOKS BAD|INDEPENDENT) \((?:certain|likely|possible)\), "
    r"|PERHAPS (?:FAILED FIRST|FIRST FAILURE SEEN|STOPPED FROM OUTSIDE"
    r"|SYMPTOM, ITS CAUSE NOT SEEN), "
    r"|No known failure recognized[;,.]"
    r"|Nothing was readable, so nothing is known about this run\."
    r"|These look like \d{1,9} different runs; a known failure was recognized in"
)
_TRACED = (
    r" {2}(?:[^\n]{0,60}: )?(?:DIAGNOSED: (?:certain|likely|possible)"
    r"|NOT DIAGNOSED: |(?:RECOVERED|HIDDEN|NOT SHOWN) \()"
)
_EXPLAINED = (
    r"[^ \n][^\n]{1,80}\n(?: {2}[^\n]{1,80}\n){0,3}?"
    r" {2}[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){1,12}; (?:failure|symptom|stop|benign);"
)
_BEGINNINGS = (
    (
        _REPORT,
        lazy_pattern(
            rb'\s{0,8}\{\s{0,8}"schema_version":\s{0,8}\d{1,6},\s{0,8}"tool":\s{0,8}'
            rb'\{\s{0,8}"name":\s{0,8}"trainwreck"'
        ),
    ),
    (_REPORT, lazy_pattern(_VERDICT.encode("ascii"))),
    (
        _REPORT,
        lazy_pattern(
            rb"(?:Run \d{1,9} of \d{1,9}: [^\n]{0,400}\n)?[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){1,12}: "
            rb"[^\n]{1,80}\n(?: {2}[^\n]{0,80}\n){0,4}?" + _TRACED.encode("ascii")
        ),
    ),
    ("an entry that this checker explained", lazy_pattern(_EXPLAINED.encode("ascii"))),
    (
        "an entry that this checker drafted",
        lazy_pattern(rb"(?:---\n)?# Drafted by trainwreck \S{1,40} Save it as "),
    ),
    (
        "this checker itself",
        lazy_pattern(rb"(?:#![^\n]{0,200}\n)?# Trainwreck \S{1,40}: what failed first "),
    ),
    (
        "the catalogue of this checker",
        lazy_pattern(
            rb'\s{0,8}\{\s{0,8}"date":\s{0,8}"[\d-]{10}",\s{0,8}"entries":\s{0,8}'
            rb'\[\s{0,8}\{\s{0,8}"affects":'
        ),
    ),
)
# What the checker says on stderr stands first where both streams went into one file.
_TROUBLE = lazy_pattern(rb"(?:trainwreck: [^\n]{0,2000}\n){0,64}")


def own_output(head: bytes) -> Optional[str]:
    """Tell whether the checker wrote what begins so, and what it is."""
    text = plain_bytes(head[:_LOOKED_AT]).replace(b"\r\n", b"\n")
    trouble = _TROUBLE.match(text)
    start = text[trouble.end() :] if trouble else text
    return next((name for name, pattern in _BEGINNINGS if pattern.match(start)), None)


# Of a line by which output of this checker is known in the middle of another log.
OWN_LITERALS = (
    "FAILED FIRST",
    "STOPPED FROM OUTSIDE",
    "ITS CAUSE NOT SEEN",
    "THOUGH IT LOOKS BAD",
    "INDEPENDENT (",
    "No known failure recognized",
    "DIAGNOSED: ",
    "NOT SHOWN (",
    '"name": "trainwreck"',
    '"name":"trainwreck"',
    "# Drafted by trainwreck",
    "More about it: python3",
    "; looked for",
    "; failure;",
    "; symptom;",
    "; benign;",
)
_OWN_STARTS = lazy_pattern(
    _VERDICT
    + "|"
    + _TRACED
    + r"| {2}[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){1,12}; (?:failure|symptom|stop|benign);"
    r'|\s{0,8}(?:\{"schema_version": ?\d{1,6}, ?"tool": ?\{)?"name": ?"trainwreck",'
    r"|# Drafted by trainwreck \S{1,40} Save it as "
)
_OWN_ENDS = lazy_pattern(
    r"\}\Z|More about it: python3 |Read \d[\d,]{0,12} files?, .{0,60}; looked for"
)
_KEY_OF_DRAFT = lazy_pattern(r"[a-z_]{3,20}:(?: |\Z)|---\Z|# ")
_LONGEST_OUTPUT = 4096
_VERDICT_ROWS = 6


class OwnOutput:
    """Follows the lines of one writer, and tells which of them this checker wrote."""

    __slots__ = ("_begun", "_drafted")

    def __init__(self) -> None:
        """Begin outside."""
        self._begun: Optional[int] = None
        self._drafted = False

    def holds(self, number: int, text: str, marked: bool) -> bool:
        """Take a line; *marked* tells that it holds something that is looked for."""
        if marked and _OWN_STARTS.match(text):
            self._begun, self._drafted = number, text.startswith("#")
            return True
        if self._begun is None:
            return False
        if number - self._begun > _LONGEST_OUTPUT:
            self._begun = None
            return False
        if text[:1] in ("", " ") or number - self._begun < _VERDICT_ROWS:
            return True
        ended = _OWN_ENDS.match(text) is not None
        stays = not marked or (self._drafted and _KEY_OF_DRAFT.match(text) is not None)
        if ended or not stays:
            self._begun = None
        return ended or stays
