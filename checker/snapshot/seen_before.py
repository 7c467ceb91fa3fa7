"""What snapshots tell besides logs: facts and processes enter; `Observations` leave with them."""

from typing import Container, Dict, Set

from checker.model import Fact, Input, Observations
from checker.picked import joined_records
from checker.snapshot.parsing import KeptMachine


class SeenBefore:
    """Collects what was seen of machines when their snapshots were taken."""

    def __init__(self) -> None:
        """Begin with no snapshot."""
        self.probed: Set[str] = set()
        """Texts that machines showed, and that are read as logs."""
        self._machines: Dict[str, KeptMachine] = {}

    def add(self, outside: str, kept: KeptMachine) -> None:
        """Take what was seen of one machine; *outside* stands before names of that machine."""
        self._machines[outside] = kept

    def forget(self, older: Container[str]) -> None:
        """Let go what a newer look at a machine tells again."""
        self._machines = {
            outside: kept for outside, kept in self._machines.items() if outside not in older
        }

    def added_to(self, seen: Observations) -> Observations:
        """Hand over all."""
        machines = self._machines.items()
        facts = [_fact_inside(outside, fact) for outside, kept in machines for fact in kept.facts]
        ranks = [
            (kept.section.host, pid, rank) for _, kept in machines for pid, rank in kept.processes
        ]
        sizes = [kept.section.world_size for _, kept in machines]
        return seen._replace(
            facts=joined_records(facts, seen.facts),
            probed=seen.probed.union(self.probed),
            victims=(*seen.victims, *ranks),
            world_size=seen.world_size or next((size for size in sizes if size), None),
        )


def _fact_inside(outside: str, fact: Fact) -> Fact:
    if fact.line is None:
        return fact
    return fact._replace(line=fact.line._replace(path=outside + fact.line.path))


def named_inside(outside: str, given: Input) -> Input:
    """Name an input of a machine so that it can be told from those of others."""
    part_of = None if given.part_of is None else outside + given.part_of
    return given._replace(path=outside + given.path, part_of=part_of)
