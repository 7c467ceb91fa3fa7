"""The records of a judgement: how entries were judged, what is near, and the whole report."""

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union

from checker.model import (
    Diagnosis,
    Exit,
    LauncherVerdict,
    Line,
    Observations,
    Rule,
    Sighting,
    Traceback,
)


class Truth(NamedTuple):
    """Whether a sign is true, false or unknown in what was read."""

    value: Optional[bool]
    sightings: Sequence[Sighting]
    reason: str
    """For false and unknown: why, in words a person reads."""
    silent: bool = False
    """Unknown, since the probe that would tell did not answer."""


class Answer(NamedTuple):
    """What became of a sign or a condition where it was asked."""

    part: str
    """`all`, `any`, `none`, `against` or `rules_out`."""
    item: Union[str, Dict[str, Any]]
    """The name of a sign, or a condition."""
    value: Optional[bool]
    reason: str
    """For false, unknown and not asked: why, in words a person reads."""
    asked: bool = True
    """False for what was not looked at, since something else was missing already."""


class Trial(NamedTuple):
    """A signature at one place: one process, one host, or everything."""

    value: Optional[bool]
    strength: int
    """What it counts for there: 3 decisive, 2 strong, 1 weak; 0 where it is not met."""
    opened: Tuple[str, ...]
    """What could not be excluded, and so lowered it."""
    rank: Optional[int]
    path: Optional[str]
    host: Optional[str]
    answers: Tuple[Answer, ...]


class Step(NamedTuple):
    """One step on the way to a confidence."""

    rule: str
    """`signature`, `second_witness`, `against`, `rules_out`, `version`, `cap`, `rival`, `clock`."""
    confidence: int
    """What it came to: 3 certain, 2 likely, 1 possible, 0 none."""
    reason: str


class Course(NamedTuple):
    """What became of an entry in one attempt."""

    attempt: Optional[int]
    rank: Optional[int]
    """The one that was first; None where that is not known."""
    ranks: Tuple[int, ...]
    host: Optional[str]
    signatures: Tuple[Sequence[Trial], ...]
    contrary: Tuple[Answer, ...]
    """What speaks against it, and what rules it out."""
    steps: Tuple[Step, ...]
    confidence: int
    fate: str
    """`diagnosed`, `recovered`, `hidden`, `not_shown`, `refuted`, `not_met` or `nothing_seen`."""
    by: Optional[str]
    """The entry that hides it."""
    reason: str
    role: Optional[str]
    cause: Optional[str]
    """The entry that it is a consequence of."""
    edge: Optional[str]
    """Why that one could cause it: see `checker.diagnose.roles`."""
    first: Optional[str]
    """The initiating entry, beside which this one is independent."""
    order: Optional[str]
    """Whether the cause, or what was first, is known to have begun `before` this one."""


class Trace(NamedTuple):
    """How an entry was judged: what each of its signs came to, and what followed."""

    rule: Rule
    truths: Dict[str, Truth]
    courses: Tuple[Course, ...]
    """One for each attempt, and each device or host of a hardware failure."""
    run: Optional[str] = None


class LineUse(NamedTuple):
    """What a line was to one entry in one attempt."""

    rule: Rule
    sign: str
    evidence: bool
    """Whether the diagnosis rests on it; else it only holds what a sign asks for."""
    course: Course


class LineStory(NamedTuple):
    """What was made of one line."""

    line: Line
    verdict: str
    """`evidence`, `summary`, `wrapper`, `noise`, `handled`, `teardown`, `unexplained`, `matched`,
    `fixed_text`, `end`, `exception`, `numbers` or `nothing`."""
    uses: Tuple[LineUse, ...]
    block: Optional[Traceback]
    """The exception block in which it stands."""
    ends: Tuple[Exit, ...]
    """The ends of processes that it tells."""
    values: Tuple[Tuple[str, float], ...]
    """The numbers that were read of it."""


class GradedVerdict(NamedTuple):
    """What the launcher called the root cause, weighed against all that was seen."""

    verdict: LauncherVerdict
    agrees: Optional[bool]
    """None where nothing else tells."""
    why: str
    """`same`, `teardown`, `abort`, `followed`, `waited`, `stopped`, `machine` or `unknown`."""
    entry: Optional[str]
    """The diagnosis that it agrees with, or that overrules it."""
    ranks: Tuple[int, ...]
    """Where that began."""
    others: int
    """How many other nodes' launchers named a root cause of their own."""


class Nearest(NamedTuple):
    """An entry that was not diagnosed, and what it lacks."""

    id: str
    missing: str


class Report(NamedTuple):
    """All that a person gets, before it is rendered."""

    observations: Observations
    diagnoses: Tuple[Diagnosis, ...]
    recovered: Tuple[Diagnosis, ...]
    unexplained: Tuple[Line, ...]
    nearest: Tuple[Nearest, ...]
    not_checked: Tuple[Tuple[str, str], ...]
    """Pairs of entry id and reason."""
    looked_for: int
    """How many entries could be looked for in what was read."""
    runs: Tuple[str, ...] = ()
    """The folders or files of the runs, where several were read."""
    verdict: Optional[GradedVerdict] = None
    story: Optional[LineStory] = None
    """What was made of the line that was asked about."""
    traces: Tuple[Trace, ...] = ()
    """How the entry was judged that was asked about, once for each run."""
    masked: Optional[Tuple[Tuple[str, int], ...]] = None
    """Kinds of private text and how many of each were masked, if that was asked for."""
    compared: Any = None  # a `Comparison`: what changed since an older snapshot
    unanswered: Tuple[str, ...] = ()
    """Facts that an entry needs and whose probe did not answer."""
    paces: Optional[Sequence[Any]] = None
    """The `ToldPace`s, where the records are not kept that they come from."""
