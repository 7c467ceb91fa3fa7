"""Who wrote which lines: a process within its file, and the metric records of each."""

from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from checker.model import Line, Sample
from checker.picked import ByFile

WriterProcess = Tuple[Any, ...]
"""A process within its file, as `process_of` names it."""
SamplesByProcess = Dict[WriterProcess, Sequence[Sample]]
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
    """The metric records of every file, by attempt and process."""

    __slots__ = ("_by_file", "_open", "_samples", "_two_steps")

    def __init__(self, samples: Sequence[Sample], paths: Iterable[str]) -> None:
        """Take records in the order of path and line; *paths* are those of all files."""
        self._samples = samples
        self._by_file = ByFile(samples, lambda sample: sample.line.path, paths)
        self._open: Dict[str, Dict[Optional[int], SamplesByProcess]] = {}
        self._two_steps: Optional[Dict[Optional[int], Set[Tuple[str, int]]]] = None
        """Attempt to the first two different steps that were counted in it."""

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same records."""
        return isinstance(other, CountersByFile) and self._by_file == other._by_file

    __hash__ = None  # type: ignore[assignment]

    def of(self, path: str, attempt: Optional[int]) -> SamplesByProcess:
        """List those that count in a file in an attempt, each with its records."""
        found = self._open.get(path)
        if found is None:
            if len(self._open) >= _FILES_OPEN:
                del self._open[next(iter(self._open))]
            found = self._open[path] = self._of_file(path)
        return found.get(attempt, {})

    def made_progress(self, attempt: Optional[int]) -> bool:
        """Tell whether an attempt counted steps."""
        if self._two_steps is None:
            self._two_steps = _two_steps_of_each(self._samples)
        nothing: Set[Tuple[str, int]] = set()
        steps = (self._two_steps.get(number, nothing) for number in (None, attempt))
        return len(nothing.union(*steps)) > 1

    def _of_file(self, path: str) -> Dict[Optional[int], SamplesByProcess]:
        found: Dict[Optional[int], Dict[WriterProcess, List[Sample]]] = {}
        for sample in self._by_file.of(path):
            counters = found.setdefault(sample.line.writer.attempt, {})
            counters.setdefault(process_of(sample.line), []).append(sample)
        return {attempt: dict(counters) for attempt, counters in found.items()}


def _two_steps_of_each(samples: Iterable[Sample]) -> Dict[Optional[int], Set[Tuple[str, int]]]:
    found: Dict[Optional[int], Set[Tuple[str, int]]] = {}
    for sample in samples:
        if sample.step is not None:
            steps = found.setdefault(sample.line.writer.attempt, set())
            if len(steps) < 2:
                steps.add((sample.line.path, sample.step))
    return found
