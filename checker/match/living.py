"""Whether processes lived on after a line: a line and the scene enter; what followed it leaves."""

from typing import Iterable, List, Sequence

from checker.match.processes import SamplesByProcess, process_of
from checker.match.scene import Scene, home_of_pid
from checker.model import Exit, Line, Sample, Traceback


def samples_after(scene: Scene, line: Line, number: int) -> List[Sample]:
    """List the metric records that the writer of *line* wrote after a line number.

    Where nothing tells who that was, it was one of those that count in the file: the records are
    of the one that wrote the fewest.
    """
    counting = _counting_near(scene, line)
    own = counting.get(process_of(line))
    if own is not None:
        return _after(own, number)
    if _names_process(line) or _ended_badly(scene, line):
        return []
    return _fewest([steps for steps in counting.values() if _may_be_of_line(line, steps)], number)


def samples_of_run_after(scene: Scene, line: Line, number: int) -> List[Sample]:
    """List those of the run as a whole: of a file in which nothing tells who counts."""
    counting = _counting_near(scene, line).values()
    if any(_names_process(steps[0].line) for steps in counting):
        return []
    return _fewest(counting, number)


def _counting_near(scene: Scene, line: Line) -> SamplesByProcess:
    """List who counts in the file of a line and in its attempt."""
    if line.path in scene.observations.mixed:
        return {}
    return scene.counters.of(line.path, line.writer.attempt)


def _fewest(counting: Iterable[Sequence[Sample]], number: int) -> List[Sample]:
    return min((_after(steps, number) for steps in counting), key=len, default=[])


def _names_process(line: Line) -> bool:
    """Tell whether a line names its process so that it is told apart from others of the run."""
    named = (line.writer.rank, line.writer.local_rank, line.writer.task) != (None,) * 3
    return named or line.writer.source not in ("rank", "unknown")


def _may_be_of_line(line: Line, steps: Sequence[Sample]) -> bool:
    """Tell whether the process that counts can have the id that a line's head tells."""
    return None in (line.pid, steps[0].line.pid) or line.pid == steps[0].line.pid


def _ended_badly(scene: Scene, line: Line) -> bool:
    """Tell whether any process of the attempt is known to have failed."""
    ends = scene.observations.exits
    own = [end for end in ends if end.line.writer.attempt in (None, line.writer.attempt)]
    return any(end.signal is not None or end.code for end in own)


def _after(samples: Sequence[Sample], number: int) -> List[Sample]:
    first, end = 0, len(samples)
    while first < end:
        middle = (first + end) // 2
        if samples[middle].line.number > number:
            end = middle
        else:
            first = middle + 1
    return list(samples[first:])


def counts_anything(scene: Scene, line: Line) -> bool:
    """Tell whether the writer of a line printed any metric record."""
    process = process_of(line)
    return any(
        process in scene.counters.of(line.path, attempt) for attempt in (None, *scene.attempts)
    )


def exits_of(scene: Scene, line: Line) -> List[Exit]:
    """List the ends reported of the process that wrote *line*."""
    writer = line.writer
    if writer.source in ("launcher", "kernel", "scheduler", "service"):
        return []
    rank = writer.rank
    if rank is None:
        rank, _ = home_of_pid(scene, line.pid, writer.host)
    candidates = list(scene.exits.get(rank, ()))
    if line.pid is not None:
        candidates = [ended for ended in candidates if ended.pid in (None, line.pid)]
        if rank is not None:
            loose = scene.exits.get(None, ())
            candidates += [ended for ended in loose if ended.pid == line.pid]
    return [
        ended
        for ended in candidates
        if ended.line.writer.attempt is None
        or writer.attempt is None
        or ended.line.writer.attempt == writer.attempt
    ]


def block_counts(scene: Scene, block: Traceback, symptom: bool) -> bool:
    """Tell whether what an exception block says may be taken as having happened.

    Noise of a shutdown is at most a symptom; a handled exception counts only if its process
    ended next.
    """
    if block.ignored and not symptom:
        return False
    return not block.handled or process_ended_next(scene, block)


def process_ended_next(scene: Scene, block: Traceback) -> bool:
    """Tell whether the process of a block is known to have ended by itself, without progress."""
    if samples_after(scene, block.line, block.end):
        return False
    if scene.loud.get(process_of(block.line), 0) > block.end:
        # What came last, and was not handled, ended it.
        return False
    return any(_ended_by_itself(ended) for ended in exits_of(scene, block.line))


def _ended_by_itself(ended: Exit) -> bool:
    if ended.by in ("launcher", "scheduler", "person", "kernel"):
        return False
    return bool(ended.code) or ended.signal not in (None, 2, 9, 15)
