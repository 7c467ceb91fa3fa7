"""Hand-made records for the tests of the diagnosis."""

from typing import Any

from checker.match.scene import Scene, build_scene
from checker.model import (
    Exit,
    Fact,
    Frame,
    Hit,
    Line,
    Moment,
    Observations,
    Raised,
    Sample,
    Sighting,
    Stack,
    Traceback,
    Writer,
)

NOTHING = Observations((), (), (), (), (), (), (), (), (), None, frozenset())


def at(seconds: float, clock: str = "local", precision: float = 0.001) -> Moment:
    """A moment of a clock."""
    return Moment(seconds, clock, precision)


def line(text: str = "text", number: int = 1, path: str = "a.log", **fields: Any) -> Line:
    """A line of a rank, or of another source; *fields* go to the line or to its writer."""
    writer = Writer(
        fields.pop("source", "rank"),
        fields.pop("rank", 0),
        None,
        fields.pop("host", None),
        fields.pop("attempt", None),
    )
    made = Line(path, number, text, text, writer, None, None, None)
    return made._replace(**fields)


def hit(key: str, *args: Any, times: int = 1, above: tuple[str, ...] = (), **fields: Any) -> Hit:
    """A line that holds the literal of a key."""
    below = fields.pop("below", ())
    return Hit(line(*args, **fields), frozenset(("log " + key,)), above, below, times, True)


def block(*parts: Raised, first: Line | None = None, **fields: Any) -> Traceback:
    """An exception block."""
    made = Traceback(first or line(), 9, parts, False, False, True)
    return made._replace(**fields)


def raised(type_: str, message: str = "", *frames: tuple[str, str]) -> Raised:
    """An exception with frames given as path and function."""
    return Raised(type_, message, tuple(Frame(path, 1, name, "x") for path, name in frames), 9)


def ended(number: int = 1, **fields: Any) -> Exit:
    """The end of a process as the launcher tells it."""
    told = line("failed", number, "launcher.log", source="launcher", rank=None)
    return Exit(told, None, None, None, None, None, None, None, None)._replace(**fields)


def sample(number: int, step: int | None = None, **values: float) -> Sample:
    """A metric record of rank 0."""
    return Sample(line(f"step {step}", number), step, tuple(values.items()))


def dump(*frames: str, number: int = 1, pid: int | None = None, **fields: Any) -> Stack:
    """The stack of one thread."""
    return Stack(line("dump", number, **fields), pid, None, frames)


def fact(name: str, value: Any = None, unknown: str | None = None) -> Fact:
    """A fact that a probe told."""
    return Fact(name, value, unknown, None)


def scene_of(**records: Any) -> Scene:
    """A scene of these records."""
    return build_scene(NOTHING._replace(**records), ())


def sighting(sign: str = "a", **fields: Any) -> Sighting:
    """A sighting of a line of rank 0."""
    made = Sighting(sign, "log", line(), "text", 0, None, None, None, (), 1, True, None, "printed")
    return made._replace(**fields)
