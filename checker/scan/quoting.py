"""Messages that a line only mentions. A line and a wording enter; whether it is a quote leaves.

Commands, argument lists, commit messages and what is logged as information name failures without
having them. Only what the shape of the line shows counts; in doubt it is no quote.
"""

from typing import Optional

from checker.lazy_patterns import lazy_pattern

_LOOKED_AT_FOR_MENTIONS = 4096
# A command that a shell traced or a prompt shows, or one that searches.
_COMMAND = lazy_pattern(
    r"\s{0,8}(?:\+{1,8} \S|(?:[\w.-]{1,40}@[\w.-]{1,60}[:\s][^$#]{0,200})?[$#] \S"
    r"|(?:\S{1,200}/)?(?:[efz]?grep|zgrep|rg|git (?:log|commit|grep)|sed|awk) )"
)
_COMMIT = lazy_pattern(
    r"(?:HEAD is now at |\* |\[[\w./-]{1,100} )?(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}\]? (?=\S)"
)
# The value of an option: behind the option, in quotes, or the next word of a list.
_OPTION = lazy_pattern(r"--[\w-]{1,80}(?:[= ][\"']?|[\"'], ?[\"'])[^\"'\n]{0,400}\Z")
_ARGUMENT = lazy_pattern(
    r"\b(?!\w{0,80}(?:Error|Exception|Warning)\()[A-Za-z_][\w.]{0,80}\((?:[^()\n]{0,2000}, ?)?"
    r"[A-Za-z_]\w{0,80}=[\"'][^\"'\n]{0,400}\Z"
)
_OPENED = lazy_pattern(r"(?:^|[\s=:,(\[{])(\"|')[^\"'\n]{0,400}\Z")


def is_mentioned(text: str, wording: str, level: Optional[str]) -> bool:
    """Tell whether the first place of the wording in a line is a mention."""
    start = text.find(wording)
    if start < 0 or start > _LOOKED_AT_FOR_MENTIONS or level in ("ERROR", "FATAL"):
        return False
    before, after = text[:start], text[start + len(wording) :][:_LOOKED_AT_FOR_MENTIONS]
    if _COMMAND.match(before) or _COMMIT.match(before) or _OPTION.search(before):
        return True
    opened = _OPENED.search(before)
    if opened is None or opened.group(1) not in after:
        return False
    return level in ("INFO", "DEBUG") or _ARGUMENT.search(before) is not None
