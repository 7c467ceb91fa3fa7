"""When a line inside an exception block was printed: hits and blocks enter, hits with times leave.

Only the head of a block has a time of its own, or what stands above it.
"""

from bisect import bisect_right
from typing import Dict, Iterable, List, Sequence, Tuple

from checker.model import Hit, Traceback, Writer


def with_block_times(hits: Sequence[Hit], blocks: Iterable[Traceback]) -> Tuple[Hit, ...]:
    """Give every hit without a time that of its writer's block in which it stands."""
    timed: Dict[Tuple[str, Writer], List[Traceback]] = {}
    for block in blocks:
        if block.line.moment is not None:
            timed.setdefault((block.line.path, block.line.writer), []).append(block)
    starts = {key: [block.line.number for block in found] for key, found in timed.items()}
    return tuple(_dated_hit(hit, timed, starts) for hit in hits)


def _dated_hit(
    hit: Hit,
    timed: Dict[Tuple[str, Writer], List[Traceback]],
    starts: Dict[Tuple[str, Writer], List[int]],
) -> Hit:
    line = hit.line
    key = (line.path, line.writer)
    if line.moment is not None or key not in timed:
        return hit
    # Of one writer, blocks do not overlap.
    last = bisect_right(starts[key], line.number) - 1
    block = timed[key][last] if last >= 0 else None
    if block is None or line.number > block.end:
        return hit
    return hit._replace(line=line._replace(moment=block.line.moment))
