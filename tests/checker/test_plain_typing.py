"""What the one file has in place of `typing`."""

import time
from typing import Any, NamedTuple

import pytest

from checker.plain_typing import PLAIN_HINT, PlainTuple

# The same text makes a class of either base, so that the two can be compared.
PLACE = '''
class Place(Base):
    """Where something stands."""

    host: str
    rank: int = 0
    # A comment between them.
    words: tuple = ()

    limit = 3

    def label(self):
        """Say it."""
        return f"{self.host}:{self.rank}"

    @property
    def far(self):
        return self.rank > self.limit


class Marked(Place):
    """A place with a mark."""

    def label(self):
        return "marked " + super().label()
'''


def made_of(base: Any) -> dict[str, Any]:
    """Run the text with this base."""
    scope: dict[str, Any] = {"Base": base, "__name__": "places"}
    exec(PLACE, scope)
    return scope


PLAIN, TYPED = made_of(PlainTuple), made_of(NamedTuple)


@pytest.mark.parametrize(
    "use",
    [
        lambda kind: kind("node-a"),
        lambda kind: kind("node-a", 2, ("x",)),
        lambda kind: kind(rank=7, host="node-a"),
        lambda kind: kind("node-a", words=("x",))._replace(rank=4, host="node-b"),
        lambda kind: kind("node-a", 1)._asdict(),
        lambda kind: (kind("node-a") == ("node-a", 0, ()), hash(kind("a")) == hash(("a", 0, ()))),
        lambda kind: sorted([kind("b"), kind("a", 2), kind("a", 1)]),
        lambda kind: (kind._fields, kind.__doc__, kind.__name__, kind.__module__, kind.limit),
        lambda kind: list(kind("node-a")),
        lambda kind: (kind("node-a").label(), kind("node-a", 4).far, len(kind("node-a"))),
    ],
)
@pytest.mark.parametrize("name", ["Place", "Marked"])
def test_a_plain_tuple_does_what_a_named_tuple_does(use: Any, name: str) -> None:
    """Whatever the checker does with tuples that have names, the one file does too."""
    assert repr(use(PLAIN[name])) == repr(use(TYPED[name]))


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (lambda kind: kind(), TypeError),
        (lambda kind: kind("a", 1, (), 4), TypeError),
        (lambda kind: kind("a", colour=1), TypeError),
        (lambda kind: kind("a")._replace(colour=1), ValueError),
        (lambda kind: setattr(kind("a"), "host", "b"), AttributeError),
        (lambda kind: setattr(kind("a"), "colour", "b"), AttributeError),
    ],
)
def test_a_plain_tuple_refuses_what_a_named_tuple_refuses(use: Any, error: type) -> None:
    """A wrong call fails in the one file as it does in a test."""
    for scope in (made_of(PlainTuple), made_of(NamedTuple)):
        with pytest.raises(error):
            use(scope["Place"])


def test_a_class_without_defaults_and_one_without_places_can_be_made() -> None:
    """The two ends of what a class of this kind can hold."""

    class Alone(PlainTuple):
        name: str

    class Nothing(PlainTuple):
        pass

    assert (repr(Alone("x")), repr(Nothing())) == ("Alone(name='x')", "Nothing()")  # type: ignore[call-arg]


def test_hints_take_any_form() -> None:
    """An annotation is subscripted, a type variable is called; nobody asks what comes out."""
    assert PLAIN_HINT[int, ...] is PLAIN_HINT
    assert PLAIN_HINT("Form") is PLAIN_HINT


def test_a_class_of_plain_tuples_is_made_faster() -> None:
    """It is why the module exists: no constructor is compiled before one is needed."""

    def seconds(base: Any) -> float:
        code = compile(PLACE, "places", "exec")
        started = time.process_time()
        for _ in range(50):
            exec(code, {"Base": base, "__name__": "places"})
        return time.process_time() - started

    assert min(seconds(PlainTuple) for _ in range(5)) < min(seconds(NamedTuple) for _ in range(5))
