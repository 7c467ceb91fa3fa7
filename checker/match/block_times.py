"""When a line inside an exception block was printed: hits and blocks enter, hits with times leave.

Only the head of a block has a time of its own, or what stands above it.
"""

from bisect import bisect_right
from typing import Dict, Iterable, List, Sequence, Tuple

from checker.model import Hit, Moment, Traceback, Writer
from checker.packed import packed_records

_Blocks = Dict[Tuple[str, Writer], List[Tuple[int, int, Moment]]]
"""File and writer to first line, last line and time of blocks."""


def with_block_times(hits: Sequence[Hit], blocks: Iterable[Traceback]) -> Sequence[Hit]:
    """Give every hit without a time that of its writer's block in which it stands."""
    asked = {(hit.line.path, hit.line.writer) for hit in hits if hit.line.moment is None}
    timed: _Blocks = {}
    for block in blocks if asked else ():
        line = block.line
        if line.moment is not None and (line.path, line.writer) in asked:
            span = (line.number, block.end, line.moment)
            timed.setdefault((line.path, line.writer), []).append(span)
    if not timed:
        return hits
    starts = {key: [first for first, _, _ in found] for key, found in timed.items()}
    return packed_records(_dated_hit(hit, timed, starts) for hit in hits)


def _dated_hit(hit: Hit, timed: _Blocks, starts: Dict[Tuple[str, Writer], List[int]]) -> Hit:
    line = hit.line
    key = (line.path, line.writer)
    if line.moment is not None or key not in timed:
        return hit
    # Of one writer, blocks do not overlap.
    last = bisect_right(starts[key], line.number) - 1
    if last < 0:
        return hit
    _, end, moment = timed[key][last]
    return hit if line.number > end else hit._replace(line=line._replace(moment=moment))
