"""What is known of the processes besides collectives: who had ended, and who went on."""

from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from checker.collective.records import RankLag
from checker.model import Exit, Moment, Sample
from checker.scan.moments import earliest_gap

# Who ended so was ended by others, or gave up waiting itself.
_ENDED_BY_OTHERS = ("launcher", "scheduler", "person")
_GAVE_UP, _TERMINATED = 6, 15
_CRASHES = frozenset((4, 7, 8, 11))


class Lives(NamedTuple):
    """Ends and counters of the ranks in one attempt."""

    exits: Dict[int, Exit]
    counted: Dict[int, Tuple[Moment, ...]]
    """When a rank counted something, of those that did so with a time."""
    seen: FrozenSet[int]
    """Ranks of which anything is known."""
    world_size: Optional[int]
    stuck: FrozenSet[int]
    """Ranks whose own watchdog got stuck, in any group."""

    def ended(self, rank: int, waiting: Optional[Sequence[RankLag]]) -> bool:
        """Tell whether a rank is proven to have ended by itself before the others gave up."""
        end = self.exits.get(rank)
        if end is None or end.by in _ENDED_BY_OTHERS or end.signal in (_GAVE_UP, _TERMINATED):
            return False
        if end.by == "kernel" or end.signal in _CRASHES:
            return True
        gaps = [
            earliest_gap(end.moment, row.line.moment)
            for row in waiting or ()
            if end.moment is not None and row.line.moment is not None
        ]
        return bool(gaps) and all(gap is not None and gap > 1.0 for gap in gaps)

    def went_on(self, rank: int, waiting: Sequence[RankLag]) -> bool:
        """Tell whether a rank counted in the second half of the time that all others waited.

        In the first half it could have run ahead of its device.
        """
        return any(
            all(_is_in_second_half(moment, row) for row in waiting)
            for moment in self.counted.get(rank, ())
        )


def _is_in_second_half(moment: Moment, row: RankLag) -> bool:
    end, limit = row.line.moment, row.told.timeout
    if end is None or limit is None:
        return False
    left = earliest_gap(moment, end)
    return left is not None and 0.0 <= left <= limit / 2


def lives_of(
    exits: Iterable[Exit],
    samples: Iterable[Sample],
    seen: Iterable[int],
    world_size: Optional[int],
    stuck: Iterable[int],
) -> Lives:
    """Collect what is known of the ranks, of one attempt."""
    ends: Dict[int, Exit] = {}
    for end in exits:
        if end.rank is not None:
            ends.setdefault(end.rank, end)
    counted: Dict[int, List[Moment]] = {}
    for sample in samples:
        rank, moment = sample.line.writer.rank, sample.line.moment
        if rank is not None and moment is not None:
            counted.setdefault(rank, []).append(moment)
    return Lives(
        ends,
        {rank: tuple(times) for rank, times in counted.items()},
        frozenset(seen) | frozenset(ends) | frozenset(counted),
        world_size,
        frozenset(stuck),
    )
