"""What is looked for in every file. The catalogue's keys enter; prepared literals leave."""

from typing import FrozenSet, NamedTuple, Optional, Tuple

from checker.collective.lines import COLLECTIVE_LITERALS
from checker.scan.advice import ERROR_LITERALS
from checker.scan.attempts import RESTART_LITERALS
from checker.scan.exits import SPELLINGS
from checker.scan.gate import Wanted, gate_literals
from checker.scan.metric_asks import MetricAsks, asks_of
from checker.scan.own_output import OWN_LITERALS
from checker.scan.readers import READERS
from checker.scan.stacks import STACK_LITERALS, STACK_LITERALS_BESIDE
from checker.scan.statements import STATEMENTS
from checker.scan.tables import TABLE_HEAD
from checker.scan.tracebacks import HEADER
from checker.scan.verdicts import ROOT_CAUSE
from checker.snapshot.excerpts import ExcerptShelf

_TRIGGERS: Tuple[str, ...] = (
    HEADER,
    "Exception ignored",
    "SyntaxError: ",
    "IndentationError: ",
    "TabError: ",
    ROOT_CAUSE,
    "(local_rank: ",
    "closing signal SIG",
    "forcefully exiting via",
    "Killed process",
    "Error",
    "ERROR",
    "error:",
    "FATAL",
    "Fatal",
    "CRITICAL",
    "num_local_procs=",
    "Rendezvous complete for workers",
    "task_memcg=",
    TABLE_HEAD,
)


AskedLine = Tuple[str, int]
"""A path and the number of a line."""


class Interests(NamedTuple):
    """What is looked for in every file."""

    catalogue: FrozenSet[str]
    """Literals of the catalogue's log signs."""
    metrics: FrozenSet[str]
    """Names of the metrics that entries ask for, as they may be written."""
    asks: MetricAsks
    """What they ask of each."""
    wanted: Wanted
    """All literals: the catalogue's, and those of the readers here."""
    asked: Optional[AskedLine] = None
    """A line that a person asks about."""
    shelf: Optional[ExcerptShelf] = None
    """Keeps excerpts of what is read, where a snapshot is made of it."""


def interests_of(keys: FrozenSet[str]) -> Interests:
    """Work out what to look for from the keys of the catalogue."""
    catalogue, asks = gate_literals(keys), asks_of(keys)
    metrics = frozenset(asks)
    own = {spelling.literal for spelling in SPELLINGS}
    own.update(reader.literal for reader in READERS)
    own.update(statement.literal for statement in STATEMENTS)
    own.update(_TRIGGERS)
    own.update(ERROR_LITERALS)
    own.update(OWN_LITERALS)
    own.update(RESTART_LITERALS)
    own.update(STACK_LITERALS)
    own.update(COLLECTIVE_LITERALS)
    wanted = Wanted(catalogue | metrics | frozenset(own), STACK_LITERALS_BESIDE)
    return Interests(catalogue, metrics, asks, wanted)
