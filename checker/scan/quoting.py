"""Messages that a line only mentions. A line and a wording enter; whether it is a quote leaves.

Commands, argument lists, commit messages and what is logged as information name failures without
having them. Only what the shape of the line shows counts; in doubt it is no quote.
"""

from checker.lazy_patterns import lazy_pattern
from checker.model import HOST_SOURCES, Line

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
_REPORTING = ("INFO", "DEBUG")
# An apostrophe stands behind a letter, and begins no quotation.
_BEFORE_QUOTES = " \t:=([{,"
_OPENED = lazy_pattern(r"(?:^|[\s=:,(\[{])(\"|')[^\"'\n]{0,400}\Z")


def is_mentioned(line: Line, wording: str) -> bool:
    """Tell whether the first place of the wording in a line is a mention.

    Machines' logs are left out: a kubelet quotes what it says itself.
    """
    text, level = line.text, line.level
    start = text.find(wording)
    if start < 0 or start > _LOOKED_AT_FOR_MENTIONS or level in ("ERROR", "FATAL"):
        return False
    if line.writer.source in HOST_SOURCES:
        return False
    before, after = text[:start], text[start + len(wording) :][:_LOOKED_AT_FOR_MENTIONS]
    if _COMMAND.match(before) or _COMMIT.match(before) or _OPTION.search(before):
        return True
    if level in _REPORTING or text.startswith(_REPORTING):
        return _leaves_open(before)
    opened = _OPENED.search(before)
    return opened is not None and opened.group(1) in after and _ARGUMENT.search(before) is not None


def _leaves_open(before: str) -> bool:
    """Tell whether a quotation that begins in a text does not end in it."""
    mark = ""
    before = " " + before
    for previous, letter in zip(before, before[1:]):
        if mark:
            mark = "" if letter == mark and previous != "\\" else mark
        elif letter in "'\"" and previous in _BEFORE_QUOTES:
            mark = letter
    return bool(mark)
