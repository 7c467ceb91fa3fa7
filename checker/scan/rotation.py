"""The order of rotated logs. Paths enter; the key by which older parts come first leaves."""

from typing import Callable, Collection, Tuple

from checker.lazy_patterns import lazy_pattern

_ROTATED = lazy_pattern(
    r"(?P<log>.*?)(?:\.(?P<age>\d{1,3})"
    r"|[.-](?P<date>\d{4}-?\d\d-?\d\d(?:[T_-]?\d\d(?:[:-]?\d\d){0,2}|-\d{10})?))?"
    r"(?:\.(?:gz|bz2|xz|zst))?$"
)


def reading_order(paths: Collection[str]) -> Callable[[str], Tuple[object, ...]]:
    """Make the key by which paths are sorted: as they are named, but older parts before newer ones.

    A number alone, as in `log.0`, is an age only where there is a log of that name.
    """
    known = frozenset(paths)

    def key(path: str) -> Tuple[object, ...]:
        found = _ROTATED.match(path)
        if found is None:
            return (path, 2, "", 0, path)
        log, age, date = found.group("log", "age", "date")
        if date is not None:
            return (log, 0, date, 0, path)
        if age is not None and log in known:
            return (log, 1, "", -int(age), path)
        return (path, 2, "", 0, path)

    return key
