"""What snapshots tell besides logs: facts and processes enter; `Observations` leave with them."""

from typing import List, Optional, Set, Tuple

from checker.model import Fact, Input, Observations
from checker.snapshot.parsing import KeptMachine


class SeenBefore:
    """Collects what was seen of machines when their snapshots were taken."""

    def __init__(self) -> None:
        """Begin with no snapshot."""
        self.probed: Set[str] = set()
        """Texts that machines showed, and that are read as logs."""
        self._facts: List[Fact] = []
        self._processes: List[Tuple[Optional[str], int, int]] = []
        self._world_size: Optional[int] = None

    def add(self, outside: str, kept: KeptMachine) -> None:
        """Take what was seen of one machine; *outside* stands before names of that machine."""
        host = kept.section.host
        self._facts += [_fact_inside(outside, fact) for fact in kept.facts]
        self._processes += [(host, pid, rank) for pid, rank in kept.processes]
        self._world_size = self._world_size or kept.section.world_size

    def added_to(self, seen: Observations) -> Observations:
        """Hand over all."""
        return seen._replace(
            facts=(*self._facts, *seen.facts),
            probed=seen.probed.union(self.probed),
            victims=(*seen.victims, *self._processes),
            world_size=seen.world_size or self._world_size,
        )


def _fact_inside(outside: str, fact: Fact) -> Fact:
    if fact.line is None:
        return fact
    return fact._replace(line=fact.line._replace(path=outside + fact.line.path))


def named_inside(outside: str, given: Input) -> Input:
    """Name an input of a machine so that it can be told from those of others."""
    part_of = None if given.part_of is None else outside + given.part_of
    return given._replace(path=outside + given.path, part_of=part_of)
