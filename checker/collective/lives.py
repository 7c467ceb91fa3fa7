"""What is known of the processes besides collectives: who had ended, and who went on."""

from typing import Dict, FrozenSet, Iterable, NamedTuple, Optional, Sequence

from checker.collective.records import RankLag
from checker.model import Exit, Moment, Sample
from checker.picked import Numbered
from checker.scan.moments import earliest_gap

# Who ended so was ended by others, or gave up waiting itself.
_ENDED_BY_OTHERS = ("launcher", "scheduler", "person")
_GAVE_UP, _TERMINATED = 6, 15
_NOBODY = -1
_CRASHES = frozenset((4, 7, 8, 11))


class Lives(NamedTuple):
    """Ends and counters of the ranks in one attempt."""

    exits: Dict[int, Exit]
    counted: "Numbered[Sample]"
    """What a rank counted at a known time."""
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
            earliest_gap(end.moment, row.moment)
            for row in waiting or ()
            if end.moment is not None and row.moment is not None
        ]
        return bool(gaps) and all(gap is not None and gap > 1.0 for gap in gaps)

    def went_on(self, rank: int, waiting: Sequence[RankLag]) -> bool:
        """Tell whether a rank counted in the second half of the time that all others waited.

        In the first half it could have run ahead of its device.
        """
        return any(
            all(_is_in_second_half(sample.line.moment, row) for row in waiting)
            for sample in self.counted.of(rank)
        )


def _is_in_second_half(moment: Optional[Moment], row: RankLag) -> bool:
    end, limit = row.moment, row.told.timeout
    if moment is None or end is None or limit is None:
        return False
    left = earliest_gap(moment, end)
    return left is not None and 0.0 <= left <= limit / 2


def _counting_rank(sample: Sample) -> int:
    rank = sample.line.writer.rank
    return _NOBODY if rank is None or sample.line.moment is None else rank


def lives_of(
    exits: Iterable[Exit],
    samples: Sequence[Sample],
    seen: Iterable[int],
    world_size: Optional[int],
    stuck: Iterable[int],
) -> Lives:
    """Collect what is known of the ranks, of one attempt."""
    ends: Dict[int, Exit] = {}
    for end in exits:
        if end.rank is not None:
            ends.setdefault(end.rank, end)
    counted = Numbered(samples, [_counting_rank(sample) for sample in samples])
    return Lives(
        ends,
        counted,
        frozenset(seen).union(ends, counted.numbers()) - {_NOBODY},
        world_size,
        frozenset(stuck),
    )
