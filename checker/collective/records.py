"""The records of the lag table: what one line tells, one rank's row, one group's verdict."""

from typing import NamedTuple, Optional, Sequence, Tuple

from checker.model import Line, Moment

# Its lines and records name no group, so that its counters compare with no other line's.
UNTOLD = ""
# The group of all ranks, as torch names it: in it the numbers are those of the run.
DEFAULT_GROUP, DEFAULT_DESCRIBED = "0", "default_pg"
# Reports that count the ranks of a group which they do not name.
DESYNC, BARRIER, DETAIL = "desync report", "monitored barrier", "debug check"
# What NCCL's own service counts, of ranks whose collectives are not those that torch numbers.
RAS = "report of NCCL's RAS"

STRAGGLER, OP_MISMATCH, SIZE_MISMATCH = "straggler", "op_mismatch", "size_mismatch"
DEAD_PEER, FROZEN, UNREACHABLE = "dead_peer", "frozen", "unreachable"
NOBODY_LAGS, UNDECIDED = "nobody_lags", "undecided"


class Call(NamedTuple):
    """One collective that a rank called."""

    seq: int
    op: str
    numel_in: Optional[int] = None
    numel_out: Optional[int] = None
    kinds: str = ""
    """Types of the elements, where they are told."""
    created: Optional[float] = None
    """When it was called, in seconds since the epoch, as a dump has it."""


class Telling(NamedTuple):
    """What a line says of one rank of a group."""

    rank: Optional[int] = None
    """Its number in the group."""
    other: bool = False
    """Whether it is about another rank than the one that wrote the line."""
    waits_in: Optional[Call] = None
    timeout: Optional[float] = None
    """In seconds."""
    enqueued: Optional[int] = None
    started: Optional[int] = None
    completed: Optional[int] = None
    missing: bool = False
    """Said not to have come at all."""
    stuck: bool = False
    """Its own watchdog does not move."""
    recorded: bool = False
    """From a dump, whose counters are those of collectives alone."""
    calls: Tuple[Call, ...] = ()
    """The latest ones, oldest first."""
    unreachable: bool = False
    """NCCL's service has not reached its process for a minute."""
    most: Optional[Call] = None
    """The last one of most ranks, where that service counts fewer of this rank."""
    still: Optional[float] = None
    """For how long the service saw neither count move, in seconds."""


class CollectiveNote(NamedTuple):
    """What one line, or one group of a dump, says."""

    line: Line
    group: str
    """The name that is the same on all ranks, or of a report; UNTOLD where the line has none."""
    described: str
    """What the program calls the group."""
    tellings: Tuple[Telling, ...]
    at_seq: Optional[int] = None
    """The number of the failed work, of a line that names group and number only."""
    members: Tuple[int, ...] = ()
    """All ranks of the group, where a dump lists them."""


class RankLag(NamedTuple):
    """Where one rank stood in one group."""

    rank: int
    at: int
    """The number of the line that tells most, among those of its group."""
    own: bool
    """Whether that rank wrote it itself."""
    moment: Optional[Moment]
    """When it was written."""
    told: Telling
    """All that was told of it; the same of many ranks."""


class GroupLag(NamedTuple):
    """Where the ranks of one group stood in one attempt, and what follows from it."""

    attempt: Optional[int]
    group: str
    described: str
    verdict: str
    why: str
    accused: Tuple[int, ...]
    """Ranks that hold the others up, where that is proven."""
    call: Optional[Call]
    """The one that the others wait in."""
    timeout: Optional[float]
    rows: Sequence[RankLag]
    """Rank by rank."""
    unplaced: int = 0
    """Lines whose rank is not known."""
    lines: Sequence[Line] = ()
    """Those that tell most of each rank."""
    run: Optional[str] = None
    """The run that it is of, where several were read."""
