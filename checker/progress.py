"""How far the reading is, on a terminal: what is read enters, a line that is written over leaves.

Nothing is shown of what is done at once, and nothing remains when the report comes. The sizes of
the files are asked only when there is something to show.
"""

import os
from typing import Callable, Dict, Iterator, List, Sequence, Tuple

from checker.scan.contents import no_log_by_its_name
from checker.scan.read import ReadingNote, files_below

_FIRST_SHOWN, _UPDATE = 0.5, 0.1
_MOST_FILES = 20000
_BAR_COLUMNS = 20


def progress_on(
    write: Callable[[str], None], clock: Callable[[], float], columns: int
) -> Tuple[Callable[[Sequence[str], Callable[[str], bool]], ReadingNote], Callable[[], None]]:
    """Make what shows the reading of paths, and what clears the line that it wrote.

    Time is looked at once a block, not once a line.
    """
    width = 0

    def _show(text: str) -> None:
        nonlocal width
        text = text[: max(0, columns - 1)]
        write("\r" + text.ljust(width))
        width = max(width, len(text))

    def _clear() -> None:
        nonlocal width
        if width:
            write("\r" + " " * width + "\r")
        width = 0

    return lambda paths, is_far: _shown_reading(paths, is_far, clock, _show), _clear


def _shown_reading(
    paths: Sequence[str],
    is_far: Callable[[str], bool],
    clock: Callable[[], float],
    show: Callable[[str], None],
) -> ReadingNote:
    began = clock()
    due, inside, before, passed = began + _FIRST_SHOWN, 0, 0, 0
    opened: List[str] = []
    sizes: Dict[str, int] = {}

    def _read(path: str, size: int) -> None:
        nonlocal due, inside, before, passed
        if not size:
            opened.append(path)
            inside = 0
        inside += size
        now = clock()
        if now < due:
            return
        due = now + _UPDATE
        if not passed:
            sizes.update(_sizes_of(paths, is_far))
        before += sum(sizes.get(name, 0) for name in opened[max(0, passed - 1) : -1])
        passed = len(opened)
        read = before + min(inside, sizes.get(path, inside))
        show(progress_text(read, sum(sizes.values()), passed, len(sizes), now - began))

    return _read


def progress_text(read: int, total: int, opened: int, files: int, seconds: float) -> str:
    """Say how much of how much was read; only what was read where the whole is not known.

    Several runs in one folder are read again, each alone: more is read than there is.
    """
    tail = "{:.0f} s".format(seconds)
    if not total or read > total or opened > files:
        return "trainwreck: {} read, file {:,}, {}".format(_size_text(read), opened, tail)
    filled = read * _BAR_COLUMNS // total
    return "trainwreck: [{}] {}% of {}, file {:,} of {:,}, {}".format(
        "#" * filled + "." * (_BAR_COLUMNS - filled),
        read * 100 // total,
        _size_text(total),
        opened,
        files,
        tail,
    )


def _size_text(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return "{:.1f} {}".format(size / factor, unit)
    return "{:.0f} kB".format(size / 1000)


def _sizes_of(paths: Sequence[str], is_far: Callable[[str], bool]) -> Dict[str, int]:
    """Ask the sizes of the files that will be read; nothing if they cannot all be told in time.

    So it is if they are too many, a stream, or on a mount that may never answer.
    """
    sizes: Dict[str, int] = {}
    for path in paths:
        if path == "-":
            return {}
        for name in _names_below(path, is_far):
            if len(sizes) > _MOST_FILES or is_far(name):
                return {}
            try:
                sizes[name] = os.stat(name).st_size
            except OSError:
                continue
    return sizes


def _names_below(path: str, is_far: Callable[[str], bool]) -> Iterator[str]:
    if is_far(path) or not os.path.isdir(path):
        return iter([path])
    names = files_below(path, [], is_far)
    return (name for name in names if no_log_by_its_name(name) is None)
