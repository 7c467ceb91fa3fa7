"""The model of a JSON report: what programs may rely on, and the reference is made from.

A test holds every report against it; the report itself is written by `checker.report.render_json`.
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from generator.part import Part

Confidence = Literal["certain", "likely", "possible"]
Role = Literal["initiating", "consequence", "independent"]
Count = dict[str, int]


class Strict(Part):
    """A part of a report: every key is always there."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)


class CatalogueTold(Strict):
    """The catalogue that was asked."""

    entries: int
    sha256: str
    date: str = Field(description="The newest `updated` of its entries.")


class Tool(Strict):
    """The checker that wrote the report."""

    name: str
    version: str
    catalogue: CatalogueTold


class InputTold(Strict):
    """A file or folder that was given, or that was found in one."""

    path: str
    status: str = Field(description="`read` where it was read to its end.")
    reason: str | None = Field(description="Why it was not read, or not whole.")
    size: int | None = Field(alias="bytes")
    lines: int | None
    host: str | None
    rank: int | None
    attempt: int | None
    part_of: str | None = Field(description="The log that it is a rotated or compressed part of.")


class FactTold(Strict):
    """What the machine, or a log, tells under a name."""

    name: str
    value: Any = Field(description="Null where it is not known.")
    unknown: str | None = Field(description="Why it is not known.")
    rank: int | None = None
    pid: int | None = None
    text: str | None = Field(default=None, description="What a look at a process gave, in words.")
    host: str | None = Field(default=None, description="The machine that a snapshot is of.")


class Machine(Strict):
    """What the machine showed."""

    probed: bool
    facts: list[FactTold]


class ExitTold(Strict):
    """How a process ended."""

    signal: int | None
    code: int | None
    by: str | None = Field(description="Who ended it, as far as that is known.")
    time: str | None
    path: str | None
    line: int | None


class SightingTold(Strict):
    """A place where a sign was seen."""

    kind: str
    path: str | None
    line: int | None
    rank: int | None
    host: str | None
    time: str | None
    text: str = Field(description="The line, or the words for what is no line.")
    sign: str
    count: int
    count_exact: bool = Field(description="False where there may be more than counted.")
    values: dict[str, Any] = Field(description="What the message captured, by name.")
    onset: str | None = Field(description="When it happened, where that is not when it was told.")
    onset_rule: str | None
    late: bool = Field(description="It was told later than it happened.")
    untied: bool = Field(description="Nothing ties it to the process or machine in question.")


class SummaryTold(Strict):
    """The quick answer of the entry."""

    symptom: str
    cause: str
    fix: str


class CheckTold(Strict):
    """A way to be sure."""

    check: str
    run: str | None
    yes: str
    no: str


class NextTold(Strict):
    """The one command that would decide between explanations."""

    command: str
    decides: str


class DiagnosisTold(Strict):
    """An entry that was diagnosed."""

    id: str
    title: str
    kind: Literal["failure", "symptom", "stop", "benign"]
    role: Role
    consequence_of: str | None = Field(description="The id of the diagnosis that it followed from.")
    confidence: Confidence
    attempt: int | None
    run: str | None
    general: Any = Field(description="The more general entry that this one hides.")
    rivals: list[str] = Field(description="Entries that explain the same, as well.")
    preceded_by: str | None
    rank: int | None = Field(description="The rank it happened on, where that is one.")
    ranks: list[int]
    host: str | None
    time: str | None
    order: str | None = Field(
        description="`before`, `after` or `unknown`, against the initiating diagnosis."
    )
    evidence: list[SightingTold]
    against: list[SightingTold]
    summary: SummaryTold
    fix: list[str]
    confirm: list[CheckTold]
    next: NextTold | None
    url: str | None


class CollectiveTold(Strict):
    """Where a rank stood in its process group."""

    group: str | None
    description: str | None
    last_enqueued: int | None
    last_started: int | None
    last_completed: int | None
    waits_in: int | None = Field(description="The sequence number of the call that it waits in.")
    op: str | None
    numel_in: int | None
    numel_out: int | None
    timeout: float | int | None = Field(description="Seconds.")
    verdict: str
    why: str
    accused: bool


class RankTold(Strict):
    """A rank, and where it stood last."""

    rank: int | None
    local_rank: int | None
    host: str | None
    attempt: int | None
    run: str | None
    last_step: int | None
    last_time: str | None
    exit: ExitTold | None
    collective: CollectiveTold | None


class PaceTold(Strict):
    """How fast a writer's steps came, and whether they stopped."""

    path: str
    line: int
    rank: int | None
    host: str | None
    attempt: int | None
    first_step: int
    last_step: int
    last_time: str | None
    usual_seconds: float | int | None
    pauses: int
    latest_seconds: float | int | None
    silent_seconds: float | int | None
    stalled: bool
    slowed: bool


class ClockTold(Strict):
    """What is added to the times of a clock before they are compared with others."""

    host: str | None
    path: str | None
    clock: str | None
    added_seconds: float | int
    doubt_seconds: float | int
    by: str


class VerdictTold(Strict):
    """What the launcher named as the root cause, and what became of it."""

    rank: int | None
    exit: int | None
    time: str | None
    host: str | None
    recorded: bool
    path: str | None
    line: int | None
    agrees: bool | None
    why: str | None
    reason: str | None
    entry: str | None
    others: int


class LineTold(Strict):
    """A line at the level of an error that no entry explains."""

    path: str | None
    line: int | None
    rank: int | None
    text: str


class NearTold(Strict):
    """An entry that was nearly diagnosed."""

    id: str
    missing: str = Field(description="What it lacks, in words.")


class NotChecked(Strict):
    """An entry that could not be asked."""

    id: str
    reason: str


class Coverage(Strict):
    """How much was looked for."""

    entries: int
    looked_for: int
    not_checked: list[NotChecked]


class SideTold(Strict):
    """A fact, then or now."""

    value: Any = Field(description="Null where it is not known.")
    unknown: str | None = Field(description="Why it is not known.")


class ChangeTold(Strict):
    """A fact that changed."""

    host: str | None = Field(description="Null where one machine is compared.")
    name: str
    before: SideTold | None = Field(description="Null if it was not asked.")
    after: SideTold | None


class ComparedTold(Strict):
    """What `--compare` tells."""

    with_: str = Field(alias="with", description="The older snapshot.")
    taken: str = Field(description="When that was taken.")
    changes: list[ChangeTold]
    moved: int = Field(description="Numbers that moved by little.")
    same: int = Field(description="Facts that are as before.")


class ReportTold(Strict):
    """A whole report."""

    schema_version: int = Field(description="A field may be added; any other change raises it.")
    tool: Tool
    masked: Count | None = Field(description="How much `--redact` masked, by kind.")
    compared: ComparedTold | None = Field(
        description="What changed since an older snapshot, if that was asked for."
    )
    inputs: list[InputTold]
    machine: Machine
    diagnoses: list[DiagnosisTold] = Field(
        description="What failed first stands first. Empty: nothing was recognized."
    )
    recovered: list[DiagnosisTold] = Field(description="What the run went on after.")
    ranks: list[RankTold]
    paces: list[PaceTold]
    clocks: list[ClockTold]
    launcher_verdict: VerdictTold | None
    unexplained: list[LineTold]
    nearest: list[NearTold]
    coverage: Coverage
