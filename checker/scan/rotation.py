"""The files of rotated logs. Paths enter; they leave in the order in which they were written.

What names alone tell of two files that follow each other is a tie; times and contents decide.
"""

from typing import (
    Callable,
    Collection,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from checker.lazy_patterns import lazy_pattern

_PACKED = lazy_pattern(r"\.(?:gz|bz2|xz|zst)$")
_ROTATED = lazy_pattern(
    r"(?P<log>.*?)(?:\.(?P<age>\d{1,3})"
    r"|[.-](?P<date>\d{4}-?\d\d-?\d\d(?:[T_-]?\d\d(?:[:-]?\d\d){0,2}|-\d{10})?))?"
    r"(?:\.(?:gz|bz2|xz|zst))?$"
)
# A file with a date behind this is no folder or run that is named by its day.
_OF_LOG = lazy_pattern(r"\.(?:log|out|err|txt|jsonl?)$")
_OF_DATE, _OF_AGE, _OF_NOW = range(3)
NO_TIE, NEXT, IF_LATER, SAME = range(4)
"""Nothing; the next file of the log; that, if times show it; the same file once more."""
_MOST_LACKING = 30
_FileKey = Tuple[str, int, str, int, str]


class Part(NamedTuple):
    """A file, and what its name tells of the one before it."""

    path: str
    tie: int
    lacking: Tuple[str, ...]
    """Files of the same log that would stand between both."""


def reading_order(paths: Collection[str]) -> Callable[[str], _FileKey]:
    """Make the key by which paths are sorted: as they are named, but older files before newer ones.

    A number alone, as in `log.0`, is an age only where there is a log of that name.
    """
    known = frozenset(_PACKED.sub("", path) for path in paths)

    def key(path: str) -> _FileKey:
        found = _ROTATED.match(path)
        if found is None:
            return (path, _OF_NOW, "", 0, path)
        log, age, date = found.group("log", "age", "date")
        if date is not None:
            return (log, _OF_DATE, date, 0, path)
        if age is not None and log in known:
            return (log, _OF_AGE, "", -int(age), path)
        name = _PACKED.sub("", path)
        return (name if name in paths else path, _OF_NOW, "", 0, path)

    return key


def log_name(path: str) -> str:
    """Take the ending of rotation and of compression off."""
    found = _ROTATED.match(path) if path[-1:].isdigit() or _PACKED.search(path) else None
    return found.group("log") if found is not None else path


def is_older_file(path: str) -> bool:
    """Tell whether a name can be that of a file which was rotated."""
    return log_name(path) != path


def in_order(paths: Sequence[str]) -> List[Part]:
    """Sort paths, the files of one log together where its first one was named."""
    key = reading_order(frozenset(paths))
    keys = [key(path) for path in paths]
    named: Dict[str, int] = {}
    for index, one in enumerate(keys):
        named.setdefault(one[0], index)
    # Ranks are counted from 0, and ages rarely.
    doubtful = {log for log, kind, _, age, _ in keys if kind == _OF_AGE and age == 0}
    keys.sort(key=lambda one: (named[one[0]], one))
    logs = frozenset(paths)
    parts: List[Part] = []
    before: Optional[_FileKey] = None
    for one in keys:
        tie = NO_TIE if before is None else _tie(before, one, doubtful, logs)
        lacking = (
            () if before is None or one[0] in doubtful else tuple(_missing_between(before, one))
        )
        parts.append(Part(one[-1], tie, lacking))
        before = one
    return parts


def _tie(before: _FileKey, one: _FileKey, doubtful: Set[str], paths: Collection[str]) -> int:
    log, kind = one[0], one[1]
    if log != before[0]:
        return NO_TIE
    if one[:4] == before[:4]:
        return SAME
    if before[1] == _OF_DATE and kind != _OF_AGE:
        return NEXT if log in paths or _OF_LOG.search(log) else NO_TIE
    newest = -1 if log in doubtful else 0
    if before[1] != _OF_AGE or _age(one, newest) != _age(before) - 1:
        return NO_TIE
    return IF_LATER if log in doubtful else NEXT


def _missing_between(before: _FileKey, one: _FileKey) -> Iterator[str]:
    log = one[0]
    if log == before[0] and before[1] == _OF_AGE and _age(before) - _age(one) <= _MOST_LACKING:
        for age in range(_age(before) - 1, _age(one), -1):
            yield "{}.{}".format(log, age)


def _age(key: _FileKey, newest: int = 0) -> int:
    """Tell an age; what is written now is the newest."""
    return -key[3] if key[1] == _OF_AGE else newest
