"""The model of one entry's front matter: what may be written, and what it means.

The model is strict: unknown keys and wrong types are errors. Field descriptions are the reference
that contributors read and the descriptions of the JSON Schema.
"""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from generator.detection import Detect
from generator.part import Id, Part, Text, Url, Version, listed, refused

Category = Literal[
    "hang",
    "crash",
    "killed",
    "out-of-memory",
    "storage",
    "data-loading",
    "network",
    "hardware",
    "environment",
    "launch",
    "numerics",
    "performance",
    "checkpoint",
    "scheduler",
]
Phase = Literal[
    "import", "launch", "first-step", "training", "evaluation", "save", "resume", "shutdown"
]
Layer = Literal[
    "user-code",
    "data",
    "framework",
    "dependency",
    "host",
    "storage",
    "scheduler",
    "gpu",
    "interconnect",
    "network",
    "external",
]
Effect = Literal["dies", "hangs", "slows", "wrong", "damages"]
Where = Literal["same_rank", "same_gpu", "same_host", "other_ranks", "run", "next_attempt"]


class Summary(Part):
    """The quick answer, one sentence each; the terminal shows it too."""

    symptom: Text
    cause: Text
    fix: Text


class Affected(Part):
    """A package or system in which the failure exists."""

    package: Text
    range: Text | None = Field(
        default=None,
        description="Versions, as `>=0.17.1,<0.18.4`; absent where all are. A log that prints"
        " a version outside of all ranges is not diagnosed.",
    )
    fixed_in: Version | None = None
    source: Url | None = Field(
        default=None, description="What proves the range; a range without it does not pass."
    )
    note: Text | None = None


class Symptom(Part):
    """What a person sees, and why the mechanism makes it so."""

    sees: Text
    because: Text


class Confirmation(Part):
    """A check that a person can do; the cheapest stands first."""

    check: Text = Field(description="What is looked at, in words.")
    run: Text | None = Field(default=None, description="A command to type; never executed by us.")
    yes: Text = Field(description="What it shows if it is this failure.")
    no: Text = Field(description="What it shows if it is not.")


class LeadsTo(Part):
    """Another entry that this one causes."""

    id: Id
    where: Where = "run"
    within: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """A bare id is enough where it holds for the run."""
        return value if isinstance(value, dict) else {"id": value}


class ConfusedWith(Part):
    """An entry that looks alike, and what tells the two apart."""

    id: Id
    tell: Text


class Relations(Part):
    """How the entry stands to others."""

    leads_to: list[LeadsTo] = []
    refines: list[Id] = Field(default=[], description="More general entries.")
    confused_with: list[ConfusedWith] = []


class Fix(Part):
    """The remedy: steps now, and steps for good."""

    now: list[Text] = Field(min_length=1)
    for_good: list[Text] = []
    why: Text = Field(description="Why these steps remove the cause.")


class Resume(Part):
    """Whether the last checkpoint may be used."""

    safe: Literal["yes", "check", "no"]
    why: Text


class DeadEnd(Part):
    """What people try in vain."""

    attempt: Text = Field(alias="try")
    why: Text = Field(description="Why it fails, or hides the failure.")


class Perspectives(Part):
    """The same failure for three readers."""

    on_call: Text
    engineer: Text
    lead: Text


class Code(Part):
    """A snippet for one stack."""

    stack: Text = Field(description="PyTorch, Transformers Trainer, DeepSpeed, torchrun, …")
    language: Literal["python", "bash", "json", "yaml", "toml", "ini", "powershell"]
    before: Text | None = None
    after: Text
    why: Text


class Conditions(Part):
    """What must coincide for the failure to happen."""

    coincide: list[Text] = Field(min_length=1)
    earlier_runs: Text | None = Field(default=None, description="Why earlier runs worked.")


class TimeToFix(Part):
    """The usual time to fix, only with a source."""

    time: Text
    source: Url


class Impact(Part):
    """What else is touched."""

    training: Text
    evaluation: Text | None = None
    serving: Text | None = None
    checkpoints: Text
    time_to_fix: TimeToFix | None = None
    recurs: Text = Field(description="Whether, and when, it comes back after the fix.")


class Reference(Part):
    """A source, and which statements of the entry it supports."""

    url: Url
    title: Text
    supports: list[Literal["cause", "fix", "versions", "message", "confirm", "impact"]] = Field(
        min_length=1
    )
    says: Text = Field(description="What it says about this failure, in our words.")


class Expected(Part):
    """What the diagnosis of an example must say besides its id."""

    confidence: Literal["certain", "likely", "possible"] | None = None
    rank: Annotated[int, Field(ge=0)] | None = None
    role: Literal["initiating", "consequence", "independent"] | None = None


class Example(Part):
    """A short log, with facts where they decide."""

    name: Text = Field(description="What it shows, as a noun phrase.")
    origin: Literal["captured", "public", "constructed"] = Field(
        description="Captured from a real run, adapted from a public report, or built from source."
    )
    also: list[Id] = Field(
        default=[], description="Other entries that are rightly diagnosed from it."
    )
    log: Text | None = None
    files: dict[Text, Text] = Field(
        default={}, description="Several logs by file name, instead of `log`."
    )
    facts: dict[Text, bool | int | float | str | list[str]] = {}
    versions: dict[Text, Version] = {}
    expect: Expected | None = None

    @model_validator(mode="after")
    def something(self) -> "Example":
        """An example has something to look at."""
        if self.log is not None and self.files:
            raise refused(
                "log-or-files",
                "an example has either 'log' or 'files'",
                "put the text of 'log' under its own name in 'files', or remove 'files'",
            )
        if self.log is None and not self.files and not self.facts:
            raise refused(
                "example-without-input",
                "an example needs 'log', 'files' or 'facts'",
                "write 'log: |' and the lines of the log below it, indented",
            )
        return self


class Examples(Part):
    """Logs that must be diagnosed, and near misses that must not."""

    diagnosed: list[Example] = []
    not_diagnosed: list[Example] = []


class Proof(Part):
    """How far the entry is proven."""

    level: Literal["reproduced", "source", "maintainer", "reported"]
    by: Text = Field(description="The program and versions, the source read, or the report.")
    verified: date = Field(description="When it was last held against upstream.")


class Entry(Part):
    """One failure mechanism."""

    title: Text = Field(max_length=110, description="The mechanism, and what people search for.")
    category: Category = Field(description="What a person sees first.")
    phase: list[Phase] = Field(min_length=1, description="When in a run it happens.")
    layer: Layer = Field(description="Where the cause lies.")
    frameworks: list[Id] = Field(min_length=1, description="Where people meet it.")
    tags: list[Id] = Field(default=[], description="More words to group entries by.")
    status: Literal["draft", "published", "withdrawn"] = Field(
        description="A draft has no page and is in no checker; a withdrawn entry keeps its page."
    )
    created: date = Field(description="When the entry was written.")
    updated: date = Field(description="When its content last changed.")
    aliases: list[Id] = Field(default=[], description="Former ids; their links keep working.")
    kind: Literal["failure", "symptom", "stop", "benign"] = Field(
        description="A failure can be first; a symptom always has another cause; a stop comes from "
        "outside on purpose; what is benign only looks bad."
    )
    effect: list[Effect] = Field(min_length=1, description="What it does to the run.")
    recovers: Text | None = Field(
        default=None,
        description="What shows that it passed: `progress`, `series`, `never`, or a sign's name.",
    )
    summary: Summary
    affects: list[Affected] = []
    symptoms: list[Symptom] = Field(min_length=1)
    confirm: list[Confirmation] = Field(min_length=1)
    detect: Detect
    relations: Relations = Relations()
    conditions: Conditions | None = None
    stop_safely: list[Text] = Field(
        default=[], description="How to end the stuck run without losing evidence or data."
    )
    fix: Fix
    prevent: list[Text] = Field(default=[], description="What keeps it from coming back.")
    verify: list[Text] = Field(default=[], description="How to know that the fix worked.")
    resume: Resume
    dead_ends: list[DeadEnd] = []
    perspectives: Perspectives | None = None
    monitor: list[Text] = Field(default=[], description="Fingerprints worth an alert.")
    code: list[Code] = []
    impact: Impact | None = None
    references: list[Reference] = Field(min_length=1)
    examples: Examples
    proof: Proof

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """A single phase or effect is a list of one."""
        if isinstance(value, dict):
            for key in ("phase", "effect"):
                if key in value:
                    value = {**value, key: listed(value[key])}
        return value
