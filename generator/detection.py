"""The detection language of an entry: signs, conditions and signatures.

The rules by which they are judged are in `site_overrides/pages/detection.md`; the field
descriptions here say what each part means. Short forms: a bare string is a `log` sign;
`{decisive: [a, b]}` is a signature of that strength with those signs in `all`.
"""

from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, Tag, model_validator

from generator.part import Part, SignName, Text, Version, listed, refused, widened

Onset = Annotated[str, Field(pattern=r"^(printed|earlier|context|minus [a-z][a-z0-9_]*)$")]
Span = Annotated[str, Field(pattern=r"^[0-9]+ ?(s|m|h|lines|steps)$", max_length=12)]
Source = Literal["rank", "launcher", "kernel", "scheduler", "service"]
Strength = Literal["decisive", "strong", "weak"]
Lagging = Literal["straggler", "op_mismatch", "size_mismatch", "dead_peer", "frozen", "unreachable"]
LagVerdict = Literal[Lagging, "nobody_lags", "undecided"]


class Wording(Part):
    """One form of a message: literal text with placeholders, or a restricted regular expression."""

    text: Text | None = Field(
        default=None,
        description="The smallest fixed part of the message. Placeholders: <n> <size> <dur> <ms> "
        "<s> <pid> <rank> <peer> <bus> <host> <word> <path>, with a name as <size:tried>.",
    )
    regex: Text | None = Field(
        default=None, description="Where literal text is not enough; must be linear."
    )
    since: Version | None = Field(default=None, description="First to print it; for readers.")
    until: Version | None = Field(default=None, description="Last to print it; for readers.")

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """A bare string is the text."""
        return widened(value, "text")

    @model_validator(mode="after")
    def one_form(self) -> "Wording":
        """Exactly one of the two forms is given."""
        if (self.text is None) == (self.regex is None):
            raise refused(
                "text-or-regex",
                "a wording has either 'text' or 'regex'",
                "write 'text: the fixed words of the message'; only where that is not enough,"
                " write 'regex' instead",
            )
        return self


class Under(Part):
    """The head line of a block, above the sign's own line."""

    text: Text = Field(description="Text of the head line; its captures count.")
    within: Annotated[int, Field(ge=1, le=8)] = Field(
        default=8, description="At most so many lines above."
    )

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """A bare string is the text."""
        return widened(value, "text")


class SignPart(Part):
    """What every sign may have."""

    onset: Onset = Field(
        default="printed",
        description="When it happened: when it was printed, earlier (told late), or a captured "
        "duration before (`minus NAME`); `context` shows what went on before, not when it failed.",
    )


class LogSign(SignPart):
    """A line holds a wording."""

    log: list[Wording] = Field(min_length=1, description="The wordings still met.")
    capture: list[Text] = Field(
        default=[], description="Optional pieces looked for in the line and the next two."
    )
    at: Literal["inside", "start", "whole"] = Field(
        default="inside", description="Where in the payload the wording stands."
    )
    source: Source | None = Field(default=None, description="Who must have written the line.")
    under: Under | None = Field(default=None, description="A head line above.")

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """A bare string, or one wording, is a list of one."""
        value = widened(value, "log")
        if isinstance(value, dict) and "log" in value:
            value = {**value, "log": listed(value["log"])}
        return value


class TracebackSign(SignPart):
    """An exception of a block matches, whichever of its chain; a line without a head is none."""

    traceback: Text = Field(description="Class as printed: last part or whole name, or *.")
    message: list[Wording] = Field(default=[], description="Its message holds one of these.")
    frame: Text | None = Field(default=None, description="End of the path of a frame's file.")
    function: Text | None = Field(
        default=None,
        description="Whole name of a frame's function; of the same frame if `frame` is given.",
    )
    innermost: bool = Field(default=False, description="The frame must be the innermost.")
    code: Literal["user", "library"] | None = Field(
        default=None, description="Whose code the innermost frame is."
    )

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """A single message is a list of one."""
        if isinstance(value, dict) and "message" in value:
            value = {**value, "message": listed(value["message"])}
        return value


class ExitPart(Part):
    """How a process ended."""

    signal: Annotated[int, Field(ge=1, le=64)] | None = None
    code: Annotated[int, Field(ge=0, le=255)] | None = None
    by: Literal["launcher", "scheduler", "kernel", "person", "itself"] | None = None

    @model_validator(mode="after")
    def one_way(self) -> "ExitPart":
        """Exactly one of signal and code is given."""
        if (self.signal is None) == (self.code is None):
            raise refused(
                "signal-or-code",
                "an exit has either 'signal' or 'code'",
                "write 'exit: {signal: 9}' for a signal, however it was spelled, else"
                " 'exit: {code: 1}'",
            )
        return self


class ExitSign(SignPart):
    """A process ended so, however that was spelled."""

    exit: ExitPart


class MetricSign(SignPart):
    """A series of a metric does so for a number of samples."""

    metric: Text = Field(description="The metric's name, as printed.")
    is_: Literal[
        "nonfinite", "zero", "equals", "above", "below", "constant", "spike", "rising", "falling"
    ] = Field(alias="is")
    value: float | int | None = None
    for_: Annotated[int, Field(ge=1)] = Field(
        default=1, alias="for", description="Samples in a row."
    )
    of: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="`for` samples of this many, instead of in a row."
    )
    with_: list[Text] = Field(
        default=[], alias="with", description="Same record: `loss == 0`, `grad_norm is nonfinite`."
    )


class ProgressSign(SignPart):
    """The counter of one writer does so."""

    progress: Literal["none_yet", "moving", "stopped", "finished"]
    of: Literal["step", "epoch", "bar"] = "step"


class CollectiveSign(SignPart):
    """The lag table of a process group comes to this verdict."""

    collective: LagVerdict = Field(
        description="Ranks had not enqueued what the others wait in; under one number they called "
        "different operations, or different sizes; the missing ranks had ended, or stand still; "
        "all are in the same call; or nothing of that is proven."
    )


class StackSign(SignPart):
    """A stack dump shows a frame."""

    stack: list[Text] = Field(
        min_length=1,
        description="Texts of which a frame holds one: a function or a kernel symbol.",
    )
    file: Text | None = Field(default=None, description="End of the path of that frame's file.")
    state: Text | None = Field(default=None, description="State of the thread (D, idle, …).")
    share: Literal["one", "minority", "all"] = Field(
        default="one", description="How many of the dumped processes show it."
    )

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """A single frame is a list of one."""
        if isinstance(value, dict) and "stack" in value:
            value = {**value, "stack": listed(value["stack"])}
        return value


class FactSign(SignPart):
    """A probe, a log line or a reader says so."""

    fact: Text = Field(description="Name of the fact.")
    is_: Literal["equals", "differs", "above", "below", "contains", "lacks"] = Field(alias="is")
    value: bool | int | float | Text


class VersionSign(SignPart):
    """An installed or printed version lies in a range."""

    version: Text = Field(description="The package.")
    range: Annotated[str, Field(pattern=r"^[<>=!,. 0-9a-z+]+$", max_length=200)]


class MissingSign(SignPart):
    """A line did not come although something proves that the time passed."""

    missing: SignName = Field(description="The sign that did not come.")
    after: SignName = Field(description="The sign after which it should have come.")
    within: Span = Field(default="60s", description="How much must have passed without it.")


def _sign_tag(value: Any) -> str | None:
    if isinstance(value, str):
        return "log-sign"
    if isinstance(value, dict):
        for kind in SIGN_KINDS:
            if kind in value:
                return f"{kind}-sign"
        return None
    kind = type(value).__name__.removesuffix("Sign").lower()
    return f"{kind}-sign"


SIGN_KINDS = (
    "log",
    "traceback",
    "exit",
    "metric",
    "progress",
    "collective",
    "stack",
    "fact",
    "version",
    "missing",
)

AnySign = Annotated[
    Union[
        Annotated[LogSign, Tag("log-sign")],
        Annotated[TracebackSign, Tag("traceback-sign")],
        Annotated[ExitSign, Tag("exit-sign")],
        Annotated[MetricSign, Tag("metric-sign")],
        Annotated[ProgressSign, Tag("progress-sign")],
        Annotated[CollectiveSign, Tag("collective-sign")],
        Annotated[StackSign, Tag("stack-sign")],
        Annotated[FactSign, Tag("fact-sign")],
        Annotated[VersionSign, Tag("version-sign")],
        Annotated[MissingSign, Tag("missing-sign")],
    ],
    Discriminator(_sign_tag),
]


class Compare(Part):
    """Typed captures compared, with + - x: `idle >= tried`, `code in [144..150]`."""

    compare: Annotated[Text, Field(max_length=200)]


class Order(Part):
    """One sign's onset before another's."""

    order: Annotated[list[SignName], Field(min_length=2)]
    within: Span | None = None


class SameDiffer(Part):
    """Keys or captures that are equal, or that differ, between the signs."""

    same: list[Text] = []
    differ: list[Text] = []

    @model_validator(mode="after")
    def something(self) -> "SameDiffer":
        """At least one key is named."""
        if not self.same and not self.differ:
            raise refused(
                "same-or-differ",
                "'same' or 'differ' names at least one key",
                "write '{same: [pid]}', with rank, pid, gpu, host, writer, attempt or a capture",
            )
        return self


class Count(Part):
    """How often a sign was seen."""

    count: SignName
    min: Annotated[int, Field(ge=1)] | None = None
    max: Annotated[int, Field(ge=0)] | None = None
    distinct: Text | None = Field(default=None, description="Count values of this capture.")
    per: Literal["rank", "gpu", "host"] | None = None
    within: Span | None = None


class Ranks(Part):
    """On how many ranks of the world a sign was seen."""

    ranks: Literal["one", "some", "all", "all_but_one"]
    of: SignName


def _condition_tag(value: Any) -> str | None:
    if isinstance(value, str):
        return "sign-name"
    if isinstance(value, dict):
        for key, tag in CONDITION_TAGS.items():
            if key in value:
                return tag
        return None
    if isinstance(value, Part):
        return CONDITION_TAGS[next(iter(type(value).model_fields))]
    return None


CONDITION_TAGS = {
    "compare": "compare-condition",
    "order": "order-condition",
    "same": "same-condition",
    "differ": "same-condition",
    "count": "count-condition",
    "ranks": "ranks-condition",
}

Condition = Annotated[
    Union[
        Annotated[SignName, Tag("sign-name")],
        Annotated[Compare, Tag("compare-condition")],
        Annotated[Order, Tag("order-condition")],
        Annotated[SameDiffer, Tag("same-condition")],
        Annotated[Count, Tag("count-condition")],
        Annotated[Ranks, Tag("ranks-condition")],
    ],
    Discriminator(_condition_tag),
]


class Signature(Part):
    """A named combination of signs, with the strength of its evidence for the mechanism."""

    name: Text | None = Field(default=None, description="In words; the signs' names if absent.")
    strength: Strength
    all: list[Condition] = []
    any: list[Condition] = []
    none: list[Condition] = []

    @model_validator(mode="before")
    @classmethod
    def widen(cls, value: Any) -> Any:
        """`{decisive: [a]}` stands for `{strength: decisive, all: [a]}`."""
        if isinstance(value, dict):
            for strength in ("decisive", "strong", "weak"):
                if strength in value and "strength" not in value and "all" not in value:
                    rest = {key: item for key, item in value.items() if key != strength}
                    return {"strength": strength, "all": listed(value[strength]), **rest}
        return value

    @model_validator(mode="after")
    def something(self) -> "Signature":
        """A signature asks for at least one thing that is seen."""
        if not self.all and not self.any:
            raise refused(
                "empty-signature",
                "a signature needs 'all' or 'any'",
                "name the signs that must be seen, as '{strong: [a, b]}'",
            )
        return self


class Detect(Part):
    """How the checker recognizes the failure."""

    signs: dict[SignName, AnySign] = Field(min_length=1)
    signatures: list[Signature] = Field(min_length=1)
    against: list[SignName] = Field(default=[], description="Each lowers the confidence by one.")
    rules_out: list[SignName] = Field(default=[], description="Each removes the diagnosis.")
    preflight: list[SignName] = Field(default=[], description="Each tells of it before a run.")
