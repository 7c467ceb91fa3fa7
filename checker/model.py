"""The records that pass between the stages, immutable and with the names of torch.distributed."""

from typing import Any, Dict, FrozenSet, NamedTuple, Optional, Sequence, Tuple

# The JSON of one catalogue entry, of which `checker.catalogue` describes the keys, and of a sign.
Rule = Dict[str, Any]
Sign = Dict[str, Any]

CERTAIN, LIKELY, POSSIBLE = "certain", "likely", "possible"
OUTLIVED = "outlived"  # How a stop passes: its run went on for longer than a stop allows.
CONFIDENCE = {3: CERTAIN, 2: LIKELY, 1: POSSIBLE}
STRENGTH = {"decisive": 3, "strong": 2, "weak": 1}
# The precision of a moment of which only the earliest is known: longer than any run.
NOT_BEFORE = 1e9

# Sources that tell of a machine rather than of one process of a run.
HOST_SOURCES = frozenset(("kernel", "scheduler", "service"))


class Moment(NamedTuple):
    """When something happened, as far as its clock tells."""

    seconds: float
    """Seconds since the epoch of `clock`."""
    clock: str
    """`utc`, `local` (no zone printed), `yearless` (counted as if in 1970), or `boot`."""
    precision: float
    """Seconds of the smallest unit that was printed; `NOT_BEFORE` if it can be any time later."""
    keeper: Optional[str] = None
    """The host whose clock it is, where that is known."""
    axis: str = ""
    """The clock that it is compared on; its own, if empty."""
    shift: float = 0.0
    """The seconds from its own clock to that one."""
    doubt: float = 0.0
    """By how much `shift` can be wrong; of no account between moments of one clock."""


class Writer(NamedTuple):
    """Who wrote a line."""

    source: str
    """`rank`, `launcher`, `kernel`, `scheduler`, `service`, or `unknown`."""
    rank: Optional[int]
    """The global rank."""
    local_rank: Optional[int]
    host: Optional[str]
    attempt: Optional[int]
    """The number of the launch, counted from 0, where the input tells it."""
    task: Optional[int] = None
    """The number that srun or mpirun gave it: the rank, where every rank is a task of its own."""


class PartBegin(NamedTuple):
    """Where a further file of a rotated log begins: line of the log, file, line of the file."""

    at: int
    path: str
    first: int


class Line(NamedTuple):
    """One line of a log."""

    path: str
    """Of the log: its first file, where it was rotated."""
    number: int
    """Counted from 1, by line feeds, through all files of the log."""
    text: str
    """What the program printed: without launcher prefixes, times and terminal codes."""
    shown: str
    """What the file shows: the whole line without terminal codes, for quoting."""
    writer: Writer
    pid: Optional[int]
    moment: Optional[Moment]
    level: Optional[str]
    """`DEBUG`, `INFO`, `WARNING`, `ERROR`, `FATAL`, where the line says so."""
    parts: Tuple[PartBegin, ...] = ()
    """The further files of its log."""

    @property
    def place(self) -> Tuple[str, int]:
        """The file in which it stands, and its number there, as editors count."""
        for part in reversed(self.parts):
            if self.number >= part.at:
                return part.path, self.number - part.at + part.first
        return self.path, self.number


class Hit(NamedTuple):
    """A line that holds the literal text which at least one sign requires."""

    line: Line
    keys: FrozenSet[str]
    """The catalogue keys (see `checker.catalogue`) whose literal is in the line."""
    above: Tuple[str, ...]
    """Up to eight payloads of the same writer before the line, oldest first."""
    below: Tuple[str, ...]
    """Up to two payloads of the same writer after the line."""
    times: int
    """How many lines it stands for: itself, and of a shape's last one those that were not kept."""
    exact: bool
    """False where lines of this shape were counted without telling their writers apart."""
    shape: bytes = b""
    """What all lines of its shape have in common."""


class Frame(NamedTuple):
    """One frame of a stack, as printed."""

    path: str
    line: Optional[int]
    function: str
    code: str


class Raised(NamedTuple):
    """One exception of a traceback block."""

    type: str
    """The class as printed, with its module: `torch.OutOfMemoryError`."""
    message: str
    """All lines of the message, joined by line feeds."""
    frames: Tuple[Frame, ...]
    """Outermost first, as Python prints them; empty where none could be read."""
    number: int
    """The line that names the exception."""


class Traceback(NamedTuple):
    """One exception block: a chain of exceptions, carriers opened."""

    line: Line
    """The line that begins the block."""
    end: int
    """The number of the last line of the block."""
    parts: Tuple[Raised, ...]
    """The origin first: the inner block of a carrier, the first of a chain."""
    ignored: bool
    """Printed under `Exception ignored in`: noise of a shutdown."""
    handled: bool
    """Logged below ERROR, so the program went on unless its process ended next."""
    separated: bool
    """False where lines of several writers are mixed, so that frames are not known."""
    times: int = 1
    exact: bool = True
    """How many it stands for, those that were not kept too; not exact if some were not read."""


class Exit(NamedTuple):
    """The end of a process, as someone reported it."""

    line: Line
    rank: Optional[int]
    local_rank: Optional[int]
    pid: Optional[int]
    host: Optional[str]
    signal: Optional[int]
    """A positive signal number, however it was spelled (-9, 137, Killed)."""
    code: Optional[int]
    """The exit code where no signal ended the process."""
    by: Optional[str]
    """`launcher`, `scheduler`, `kernel`, `person`, `itself`; None where it is not known."""
    moment: Optional[Moment]
    task: Optional[int] = None
    """The number of the task that ended, as `Writer.task`."""


class Sample(NamedTuple):
    """The numbers of one metric record."""

    line: Line
    step: Optional[int]
    values: Tuple[Tuple[str, float], ...]


class LeftOut(NamedTuple):
    """Metric records of one file, from line to line, that were not kept; they had these names."""

    path: str
    writer: Optional[Writer]
    """Who wrote them; None where they can be of any writer of the file."""
    first: int
    last: int
    names: FrozenSet[str]
    telling: bool
    """Whether a sign may be true of some; of all others no sign is."""


class Stack(NamedTuple):
    """The `python`, `native` or `kernel` frames of one thread in a dump, innermost first."""

    line: Line
    pid: Optional[int]
    state: Optional[str]
    frames: Tuple[str, ...]
    kind: str = "python"
    thread: Optional[str] = None


class Fact(NamedTuple):
    """What is known of the machine or of the job, or why it is not."""

    name: str
    value: Any
    unknown: Optional[str]
    """Why there is no value: `no right`, `absent`, `timed out`, `not this system`."""
    line: Optional[Line]
    """Where a log said so; None for a probe or a snapshot."""
    host: Optional[str] = None
    """The machine that a snapshot is of; None for the one that the checker runs on."""


class Input(NamedTuple):
    """One thing the checker was asked to read."""

    path: str
    status: str
    """`read`, `unreadable` or `skipped`."""
    reason: Optional[str]
    size: Optional[int]
    """Bytes, after decompression."""
    lines: Optional[int]
    host: Optional[str]
    rank: Optional[int]
    attempt: Optional[int]
    refused: bool
    """Named by the person and refused, or did not answer in time."""
    part_of: Optional[str] = None
    """The first file of the rotated log whose further file it is."""
    further: int = 0
    """How much higher its lines are numbered in that log than in the file."""


class RankState(NamedTuple):
    """What the logs last say of one rank."""

    rank: int
    host: Optional[str]
    attempt: Optional[int]
    last_step: Optional[int]
    last_moment: Optional[Moment]
    exit: Optional[Exit]
    run: Optional[str] = None
    """The run that it is a rank of, where several were read."""
    local_rank: Optional[int] = None


class SharedEvent(NamedTuple):
    """What several hosts see at the same time, as one of them tells it."""

    kind: str
    """`communicator` or `rendezvous`."""
    key: str
    """Tells it from others of its kind."""
    line: Line
    """Without its text."""


class Tie(NamedTuple):
    """Two times that one line has, of two clocks of one host."""

    host: Optional[str]
    one: Moment
    other: Moment
    spread: float
    """By how much the distance of the two clocks varies in the file."""


class ClockOffset(NamedTuple):
    """How far a host's clock was found to be from the one that all are compared on."""

    host: Optional[str]
    path: Optional[str]
    """The file that shows the clock, where the host of its writer is not known."""
    clock: str
    shift: float
    doubt: float
    by: str
    """What told: `step`, `communicator`, `rendezvous`, `timeout`, `cancel`, or one `line`."""


class LauncherVerdict(NamedTuple):
    """What one node's launcher called the root cause, when it ended."""

    rank: int
    exit: int
    """As printed: negative for a signal."""
    time: str
    """As printed, in whole seconds of the node's clock."""
    host: Optional[str]
    recorded: bool
    """The process recorded its exception and its time; else it is when its end was noticed."""
    line: Line
    """The line that tells the exit code."""


class Observations(NamedTuple):
    """Everything that was read, before any entry is asked."""

    inputs: Sequence[Input]
    hits: Sequence[Hit]
    tracebacks: Sequence[Traceback]
    exits: Tuple[Exit, ...]
    samples: Sequence[Sample]
    stacks: Sequence[Stack]
    facts: Sequence[Fact]
    errors: Sequence[Line]
    """Lines that report an error in general words, first ones of each writer."""
    ranks: Sequence[RankState]
    world_size: Optional[int]
    sources: FrozenSet[str]
    """The kinds of writer (`Writer.source`) that wrote at least one line."""
    asked: Tuple[Line, ...] = ()
    """The line that a person asks about, in the pieces that carriage returns make of it."""
    verdicts: Tuple[LauncherVerdict, ...] = ()
    """What each node's launcher named, the earliest first."""
    attempts: Tuple[Tuple[str, int, int], ...] = ()
    """Path, first line and number of each attempt, of the files that hold several."""
    last_times: Tuple[Tuple[Optional[int], Moment], ...] = ()
    """Attempts and the last times that processes or launchers printed, by clock and host."""
    devices: Tuple[Tuple[Optional[str], str, int], ...] = ()
    """Host, bus id and rank of the devices that ranks are known to use."""
    hosts: Tuple[str, ...] = ()
    """All that lines were said to be of, also of lines that matter to nothing else."""
    victims: Tuple[Tuple[Optional[str], int, int], ...] = ()
    """Host, the kernel's process id and rank of processes that their cgroup tells."""
    strangers: FrozenSet[Tuple[Optional[str], int]] = frozenset()
    """Host and process id of what the kernel killed in another job."""
    shared: Tuple[SharedEvent, ...] = ()
    ties: Tuple[Tie, ...] = ()
    clocks: Tuple[ClockOffset, ...] = ()
    """The clocks that were found to be set otherwise than the one that all are compared on."""
    mixed: FrozenSet[str] = frozenset()
    """Files in which two runs count in turn."""
    left_out: Sequence[LeftOut] = ()
    """Metric records that were not kept."""
    probed: FrozenSet[str] = frozenset()
    """What was read as a log and is none that was given: texts that the machine showed."""
    lags: Tuple[Any, ...] = ()
    """The `GroupLag` of each process group: see `checker.collective.records`."""
    silent: float = 0.0
    """So long after its last line the run was seen to be silent, by a watch; 0 where none saw."""


class Sighting(NamedTuple):
    """One place where a sign was seen."""

    sign: str
    kind: str
    line: Optional[Line]
    """None for a fact that no log line printed."""
    text: str
    rank: Optional[int]
    local_rank: Optional[int]
    host: Optional[str]
    pid: Optional[int]
    values: Tuple[Tuple[str, Any], ...]
    """Captures by name, units converted: bytes, seconds, integers."""
    times: int
    exact: bool
    onset: Optional[Moment]
    onset_rule: str
    """`printed`, `earlier`, `context` or `minus <capture>`."""
    late: bool = False
    """Whether it is so much later than the last line that it may be of no run any more."""
    untied: bool = False
    """Whether it was found on the machine, and nothing ties it to the run."""


class Diagnosis(NamedTuple):
    """An entry with its evidence, its confidence and its role."""

    rule: Rule
    role: str
    """`initiating`, `consequence` or `independent`."""
    consequence_of: Optional[str]
    confidence: int
    """3 certain, 2 likely, 1 possible."""
    attempt: Optional[int]
    rank: Optional[int]
    """The one that was first; None where that is not known."""
    ranks: Tuple[int, ...]
    host: Optional[str]
    onset: Optional[Moment]
    order: Optional[str]
    """`before`, `after` or `unknown`: when it began, compared with the initiating one; or None."""
    evidence: Sequence[Sighting]
    against: Sequence[Sighting]
    next: Optional[Dict[str, str]]
    """`command` and what it `decides`."""
    general: Optional[Dict[str, str]] = None
    """The general entry that this one says more exactly: its `id` and its own `confidence`."""
    rivals: Tuple[str, ...] = ()
    """Entries that explain the same lines otherwise."""
    preceded_by: Optional[str] = None
    """A symptom known to have begun before it, of which nothing that was seen is the cause."""
    run: Optional[str] = None
    """The run that it is about, where several were read."""
