"""Who wrote which lines: a process within its file, and the metric records of each."""

from array import array
from bisect import bisect_left
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from checker.model import Line, Sample

WriterProcess = Tuple[Any, ...]
"""A process within its file, as `process_of` names it."""
Counters = Dict[WriterProcess, Sequence[Sample]]
# Questions come file after file, and those of one rank go to a few files in turn.
_FILES_OPEN = 16


def process_of(line: Line) -> WriterProcess:
    """Name the process that wrote a line, within its file.

    A local rank, or a task in which several ranks run, is one of its host only.
    """
    source, rank, local_rank, host, _, task = line.writer
    return (line.path, source, rank, local_rank, task, host if rank is None else None)


def same_writer(one: Line, other: Line) -> bool:
    """Tell whether two lines stand in one file and were written by one process."""
    return one.path == other.path and process_of(one) == process_of(other)


def same_life(one: Line, other: Line) -> bool:
    """Tell whether two lines were written by one process in one attempt."""
    return same_writer(one, other) and one.writer.attempt == other.writer.attempt


class CountersByFile:
    """The metric records of every file, by attempt and process; thousands of files are few bytes.

    Records come in the order of path and line.
    """

    def __init__(self, samples: Sequence[Sample], paths: Iterable[str]) -> None:
        """Note where the records of each file begin; *paths* are held already, and not twice."""
        self._samples = samples
        self._paths: List[str] = []
        self._firsts = array("I")
        self._open: Dict[str, Dict[Optional[int], Counters]] = {}
        known = {path: path for path in paths}
        for number, sample in enumerate(samples):
            path = sample.line.path
            if not self._paths or path != self._paths[-1]:
                self._paths.append(known.get(path, path))
                self._firsts.append(number)
        self._firsts.append(len(samples))

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same records."""
        if not isinstance(other, CountersByFile):
            return False
        return list(self._samples) == list(other._samples)

    __hash__ = None  # type: ignore[assignment]

    def of(self, path: str, attempt: Optional[int]) -> Counters:
        """List those that count in a file in an attempt, each with its records."""
        found = self._open.get(path)
        if found is None:
            if len(self._open) >= _FILES_OPEN:
                del self._open[next(iter(self._open))]
            found = self._open[path] = self._of_file(path)
        return found.get(attempt, {})

    def _of_file(self, path: str) -> Dict[Optional[int], Counters]:
        place = bisect_left(self._paths, path)
        if place == len(self._paths) or self._paths[place] != path:
            return {}
        found: Dict[Optional[int], Dict[WriterProcess, List[Sample]]] = {}
        own = self._samples[self._firsts[place] : self._firsts[place + 1]]
        for sample in own:
            counters = found.setdefault(sample.line.writer.attempt, {})
            counters.setdefault(process_of(sample.line), []).append(sample)
        return {attempt: dict(counters) for attempt, counters in found.items()}
