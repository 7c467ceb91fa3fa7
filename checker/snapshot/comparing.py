"""Two looks at machines, compared: facts of both enter; what changed leaves.

Numbers that always move, such as free memory, are told only where they moved much.
"""

import os
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from checker.arguments import UsageError
from checker.facts import fact_kinds
from checker.model import Fact
from checker.snapshot.joining import is_snapshot_file, kept_in_file
from checker.snapshot.parsing import KeptMachine

_LITTLE = 0.1
_FactKey = Tuple[Optional[str], str]


class FactChange(NamedTuple):
    """A fact that was otherwise before."""

    host: Optional[str]
    """Where several machines are compared."""
    name: str
    before: Optional[Fact]
    after: Optional[Fact]


class Comparison(NamedTuple):
    """What changed since an older snapshot."""

    path: str
    taken: str
    changes: Tuple[FactChange, ...]
    moved: int
    """Numbers that moved by little."""
    same: int


def compared_with(path: str, facts: Iterable[Fact]) -> Comparison:
    """Compare what is known now with an older snapshot; raise UsageError if it is none."""
    if not os.path.isfile(path) or not is_snapshot_file(path):
        raise UsageError(
            "'{}' is no snapshot".format(path), "--compare needs what the command 'snapshot' wrote"
        )
    machines = [kept for kept in kept_in_file(path) if isinstance(kept, KeptMachine)]
    before = [fact for machine in machines for fact in machine.facts]
    taken = min((machine.section.taken for machine in machines), default="")
    now = [fact for fact in facts if fact.line is None and _is_of_machine_kind(fact)]
    if not before or not now:
        raise UsageError(
            "there are no facts of a machine to compare",
            "compare snapshots of machines, or look at this machine",
        )
    return _comparison(path, taken, _by_key(before, now), _by_key(now, before))


def _is_of_machine_kind(fact: Fact) -> bool:
    return fact.name in fact_kinds()


def _by_key(facts: Iterable[Fact], others: Iterable[Fact]) -> Dict[_FactKey, Fact]:
    """Name facts by their host, unless each side knows one machine only."""
    listed = [fact for fact in facts if fact.line is None]
    several = any(
        len({fact.host for fact in side if fact.line is None}) > 1 for side in (listed, others)
    )
    return {(fact.host if several else None, fact.name): fact for fact in listed}


def _comparison(
    path: str, taken: str, before: Dict[_FactKey, Fact], after: Dict[_FactKey, Fact]
) -> Comparison:
    changes: List[FactChange] = []
    moved = same = 0
    for key in sorted({*before, *after}, key=lambda one: (one[1], one[0] or "")):
        old, new = before.get(key), after.get(key)
        if old is not None and new is not None and old[1:3] == new[1:3]:
            same += 1
        elif _moves_always(key[1]) or _moved_little(key[1], old, new):
            moved += 1
        else:
            changes.append(FactChange(key[0], key[1], old, new))
    return Comparison(path, taken, tuple(changes), moved, same)


def _moves_always(name: str) -> bool:
    """Tell a time that runs."""
    kind = fact_kinds().get(name)
    return kind is not None and kind.unit == "s" and not kind.lasting


def _moved_little(name: str, old: Optional[Fact], new: Optional[Fact]) -> bool:
    kind = fact_kinds().get(name)
    if kind is None or kind.lasting or old is None or new is None:
        return False
    if name.startswith("mounts.space"):
        return True
    one, other = old.value, new.value
    if not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
        return False
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    return abs(one - other) <= _LITTLE * max(abs(one), abs(other))
