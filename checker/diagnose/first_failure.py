"""What failed first where no entry explains it: a `Report` enters, a `FirstFailure` leaves.

A diagnosis explains a run if it is likely and of a failure or a stop. A symptom does not, nor
does `user-code-error`, which says itself that no entry explains the exception.
"""

from typing import Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from checker.diagnose.usercode import USER_CODE_ERROR, is_lost_connection, is_no_fault
from checker.judgement import Report
from checker.match.scene import line_place
from checker.model import NOT_BEFORE, Diagnosis, Exit, Line, Traceback
from checker.scan.moments import timeline

_MOST_DRAFTED_LINES = 2
_Spot = Tuple[str, int]
_Process = Tuple[str, Optional[int], Optional[int]]


class FirstFailure(NamedTuple):
    """The first exception or error lines that no entry explains."""

    rank: Optional[int]
    block: Optional[Traceback]
    lines: Tuple[Line, ...]
    ended: Optional[Exit]
    """How the process of that rank ended, if a signal did it."""


def explaining(report: Report) -> Optional[Diagnosis]:
    """Return the diagnosis that explains what was read, if one does."""
    for found in report.diagnoses:
        named = found.rule["kind"] in ("failure", "stop") and found.rule["id"] != USER_CODE_ERROR
        if named and found.confidence > 1:
            return found
    return None


def first_failure(report: Report) -> Optional[FirstFailure]:
    """Find what failed first; None where no error is left to be explained."""
    outlived = _outlived_blocks(report)
    blocks = sorted(
        _open_blocks(report), key=lambda block: (_spot(block) in outlived, *_block_order(block))
    )
    block = blocks[0] if blocks else None
    lines = [line for line in report.unexplained if _is_own_line(line, report)]
    signaled = _first_signal(report)
    if signaled is not None and (block is None or _only_lost_a_peer(block)):
        return signaled
    if block is None and not lines:
        return None
    first = block.line if block else lines[0]
    rank = first.writer.rank
    chosen = [line for line in lines if line.writer.rank == rank and line.path == first.path]
    return FirstFailure(rank, block, tuple(chosen[:_MOST_DRAFTED_LINES]), _signal_of(report, rank))


def _open_blocks(report: Report) -> List[Traceback]:
    known = _symptom_spots(report)
    return [
        block
        for block in report.observations.tracebacks
        if block.parts
        and not (block.ignored or block.handled or is_no_fault(block.parts[0]))
        and block.line.writer.source != "launcher"
        and not any((block.line.path, n) in known for n in range(block.line.number, block.end + 1))
    ]


def _outlived_blocks(report: Report) -> Set[_Spot]:
    """Find blocks whose writer went on: it made a step, or raised what nobody caught or logged."""
    went_on = [sample.line for sample in report.observations.samples if sample.step is not None]
    last_step = _last_of_each(went_on)
    last_bare = _last_of_each(
        block.line
        for block in report.observations.tracebacks
        if block.line.level is None and not (block.handled or block.ignored)
    )
    found = set()
    for block in report.observations.tracebacks:
        own = _process_in_file(block.line)
        last = max(last_step.get(own, 0), last_bare.get(own, 0) if block.line.level else 0)
        if last > block.end and block.line.path not in report.observations.mixed:
            found.add(_spot(block))
    return found


def _last_of_each(lines: Iterable[Line]) -> Dict[_Process, int]:
    last: Dict[_Process, int] = {}
    for line in lines:
        own = _process_in_file(line)
        last[own] = max(last.get(own, 0), line.number)
    return last


def _process_in_file(line: Line) -> _Process:
    return line.path, line.writer.rank, line.writer.attempt


def _spot(block: Traceback) -> _Spot:
    return block.line.path, block.line.number


def _symptom_spots(report: Report) -> Set[_Spot]:
    return {
        (seen.line.path, seen.line.number)
        for found in report.diagnoses
        if found.rule["id"] != USER_CODE_ERROR
        for seen in found.evidence
        if seen.line is not None
    }


def _block_order(block: Traceback) -> Tuple[bool, str, float, Tuple[str, int, str]]:
    """Put first what began first; who only lost a connection failed after another one."""
    moment = block.line.moment
    # What has no time comes after what has one.
    known = moment is not None and moment.precision < NOT_BEFORE
    clock, seconds = timeline(moment) if moment and known else ("~", 0.0)
    return _only_lost_a_peer(block), clock, seconds, line_place(block.line)


def _only_lost_a_peer(block: Traceback) -> bool:
    return is_lost_connection(block.parts[0])


def _is_own_line(line: Line, report: Report) -> bool:
    """Tell whether a process said it by itself, outside of an exception block."""
    if line.writer.source == "launcher":
        return False
    return not any(
        block.line.path == line.path and block.line.number <= line.number <= block.end
        for block in report.observations.tracebacks
    )


def _first_signal(report: Report) -> Optional[FirstFailure]:
    for state in report.observations.ranks:
        ended = _signal_of(report, state.rank)
        if ended is not None:
            return FirstFailure(state.rank, None, (), ended)
    return None


def _signal_of(report: Report, rank: Optional[int]) -> Optional[Exit]:
    for state in report.observations.ranks:
        ended = state.exit
        if state.rank == rank and ended is not None and ended.signal is not None:
            return None if ended.by in ("launcher", "scheduler", "person") else ended
    return None
