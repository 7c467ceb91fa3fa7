"""What this checker wrote itself: the beginning of an input enters; what it is leaves.

Reports, the script and its catalogue quote the messages of failures, and would be diagnosed.
"""

from typing import Optional

from checker.lazy_patterns import lazy_pattern
from checker.scan.text import plain_bytes

_LOOKED_AT = 8192
_REPORT = "a report of this checker"
_BEGINNINGS = (
    (
        _REPORT,
        lazy_pattern(
            rb'\s{0,8}\{\s{0,8}"schema_version":\s{0,8}\d{1,6},\s{0,8}"tool":\s{0,8}'
            rb'\{\s{0,8}"name":\s{0,8}"trainwreck"'
        ),
    ),
    (
        _REPORT,
        lazy_pattern(
            rb"(?:FAILED FIRST|STOPPED FROM OUTSIDE|SYMPTOM, ITS CAUSE NOT SEEN"
            rb"|HARMLESS, THOUGH IT LOOKS BAD|INDEPENDENT) \((?:certain|likely|possible)\), "
            rb"|PERHAPS (?:FAILED FIRST|STOPPED FROM OUTSIDE|SYMPTOM, ITS CAUSE NOT SEEN), "
            rb"|No known failure recognized[;,.]"
            rb"|Nothing was readable, so nothing is known about this run\."
            rb"|These look like \d{1,9} different runs; a known failure was recognized in"
        ),
    ),
    (
        _REPORT,
        lazy_pattern(
            rb"(?:Run \d{1,9} of \d{1,9}: [^\n]{0,400}\n)?[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){1,12}: "
            rb"[^\n]{1,80}\n(?: {2}[^\n]{0,80}\n){0,4}?"
            rb" {2}(?:[^\n]{0,60}: )?(?:DIAGNOSED: (?:certain|likely|possible)"
            rb"|NOT DIAGNOSED: |(?:RECOVERED|HIDDEN|NOT SHOWN) \()"
        ),
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
