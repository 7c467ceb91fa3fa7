"""Messages that a line only mentions. A line and a wording enter; whether it is a quote leaves.

Commands, argument lists, commit messages, prompts, sources, ids of tests, sentences with a
quotation and what is logged as information name failures without having them. Only what the shape
of the line shows counts; in doubt it is no quote.
"""

from checker.lazy_patterns import lazy_pattern
from checker.model import HOST_SOURCES, Line

_LOOKED_AT_FOR_MENTIONS = 4096
# A command that a shell traced or a prompt shows, a comment, or a command that searches.
_COMMAND = lazy_pattern(
    r"\s{0,8}(?:\+{1,8} \S|(?:[\w.-]{1,40}@[\w.-]{1,60}[:\s][^$#]{0,200})?[$#] \S"
    r"|(?:\S{1,200}/)?(?:[efz]?grep|zgrep|rg|git (?:log|commit|grep)|sed|awk) )"
)
_COMMIT = lazy_pattern(
    r"(?:HEAD is now at |[|\\/ ]{0,16}\* |\[[\w./-]{1,100} )?"
    r"(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}\]? (?=\S)"
)
# The value of an option: behind the option, in quotes, or the next word of a list.
_OPTION = lazy_pattern(r"--[\w-]{1,80}(?:[= ][\"']?|[\"'], ?[\"'])[^\"'\n]{0,400}\Z")
_ARGUMENT = lazy_pattern(
    r"\b(?!\w{0,80}(?:Error|Exception|Warning)\()[A-Za-z_][\w.]{0,80}\((?:[^()\n]{0,2000}, ?)?"
    r"[A-Za-z_]\w{0,80}=[\"'][^\"'\n]{0,400}\Z"
)
# What people and models wrote, as a server or a data set shows it.
_WRITTEN = lazy_pattern(
    r"\b(?:(prompt|question|answer|completion|instruction)|text|content)[\"']?: ?\[?([\"'])"
)
# A record with a level tells of its own program, whatever the key of its text.
_LEVEL_KEY = lazy_pattern(r"[\"'](?:level|levelname|severity)[\"'] ?:")
# What a search or a listing shows of a file; loggers put one blank behind place and colon.
_FOUND_IN_FILE = lazy_pattern(
    r"[\w./-]{1,200}\.(?:py|md|rst|ya?ml|toml|cpp|cc|cu|h|sh)[:-]\d{1,7}[:-]"
    r"(?:\s{2}|\t|[#\"'*-]|(?:raise|if|elif|return|assert|print|def|class)\b|\w{1,80} = )"
)
# A statement of a program, or its changed line, with a text in it.
_SOURCE = lazy_pattern(
    r"[+-]?\s{0,80}(?:raise \w[\w.]{0,80}\(|(?:if|elif|assert|return) |print\("
    r"|(?:self\.)?_?(?:logger|logging|log|warnings)\.\w{1,20}\()[^\"'\n]{0,200}[rf]?[\"']"
)
_TEST_ID = lazy_pattern(r"(?:[A-Z]{4,7} )?[\w./-]{1,200}\.py::[\w:]{1,200}\[[^\]\n]{0,400}\Z")
# The last word of a sentence before what it quotes.
_SENTENCE = lazy_pattern(r"(?:\A|\s)[A-Za-z]\S{0,40}\s[a-z]{1,40},? \Z")
# What says before a message that it is spoken of: advice, and lists of what is handled.
_SPOKEN_OF = lazy_pattern(
    r"(?i)\b(?:(?:if|when|whenever|in case|should) you (?:ever )?(?:see|get|hit|encounter|run into)"
    r"|(?:to|helps?|will) avoid|avoids|(?:errors?|exceptions?|messages?) (?:like|such as))"
    r"(?: (?:an?|the|any|this|error|errors|message|exception|of)){0,3}:? [\"'`(]?"
    r"(?:[A-Z]\w{2,40}(?:Error|Exception): )?\Z"
)
_CARRIES_ON = lazy_pattern(r",? [a-z(]|[.;?!](?:\s|\Z)")
_BULLET = lazy_pattern(r"\s{0,12}[-*] ")
# A sentence that tells of an error may hand on the word of another process.
_TELLS_OF_ONE = lazy_pattern(
    r"(?i)error|exception|fail|fatal|abort|crash|died|killed|exit|caught|terminat"
)
_REPORTING = ("INFO", "DEBUG")
_LOUD = ("WARNING", "ERROR", "FATAL")
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
    shown = _COMMAND.match(text, 0, start + 1) or _COMMIT.match(before)
    if shown or _OPTION.search(before):
        return True
    if level not in _LOUD and any(tells(before, after) for tells in _QUIET_SHAPES):
        return True
    if level in _REPORTING or text.startswith(_REPORTING):
        return _leaves_open(before)
    opened = _OPENED.search(before)
    return opened is not None and opened.group(1) in after and _ARGUMENT.search(before) is not None


def _is_shown(before: str, _after: str) -> bool:
    """Tell whether a piece of a program, of its tests or of a found file is shown."""
    if _FOUND_IN_FILE.match(before) or _TEST_ID.match(before):
        return True
    source = _SOURCE.match(before)
    if source is None:
        return False
    return _leaves_open(before[source.end() - 1 :])


def _is_written(before: str, after: str) -> bool:
    """Tell whether the last value that people or models wrote is still open."""
    values = list(_WRITTEN.finditer(before))
    if not values or not _leaves_open(before[values[-1].start(2) :]):
        return False
    last = values[-1]
    return last.group(1) is not None or not _LEVEL_KEY.search(before + after)


def _in_sentence(before: str, after: str) -> bool:
    """Tell whether a sentence, or an item of a list, has the wording in quotes within it."""
    for mark in '`"':
        head, opened, _ = before.rpartition(mark)
        _, closed, rest = after.partition(mark)
        if not opened or not closed or head.count(mark) % 2 or _TELLS_OF_ONE.search(head):
            continue
        if mark == "`" and _BULLET.match(head):
            return True
        if _SENTENCE.search(head[-200:]) and _CARRIES_ON.match(rest):
            return True
    return False


def _is_spoken_of(before: str, _after: str) -> bool:
    """Tell whether a sentence that tells of no error says what to do if the message comes."""
    found = _SPOKEN_OF.search(before[-200:])
    return found is not None and not _TELLS_OF_ONE.search(before[-200:][: found.start()])


_QUIET_SHAPES = (_is_shown, _is_written, _in_sentence, _is_spoken_of)


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
