"""Functions that are compiled at their first call."""

import traceback
from typing import Any

from checker.later import later


def test_a_function_of_a_text_does_what_its_source_says_with_all_kinds_of_arguments() -> None:
    """Defaults, names and starred arguments are those of the source, at the first call too."""
    scope: dict[str, Any] = {}
    later(1, scope, "\ndef f(a, b=2, *rest, c=3, **named):\n    return a, b, rest, c, named\n")

    assert scope["f"](1) == (1, 2, (), 3, {})
    assert scope["f"](1, 4, 5, c=6, d=7) == (1, 4, (5,), 6, {"d": 7})


def test_a_function_stays_the_same_object_when_it_is_compiled() -> None:
    """A table that took the function before its first call holds the compiled one after it."""
    scope: dict[str, Any] = {}
    later(1, scope, "\ndef double(a):\n    return 2 * a\n")
    table = (scope["double"],)

    assert table[0](2) == 4
    assert table[0] is scope["double"]
    assert table[0].__code__.co_varnames == ("a",)


def test_a_traceback_names_the_lines_of_the_script() -> None:
    """The line of a failure is counted from where the text begins, also in nested functions."""
    scope: dict[str, Any] = {}
    text = (
        "\ndef fine():\n    return 1\n\n\n# Why.\ndef broken(items):\n"
        "    def inner(item):\n        return 1 // item\n\n    return [inner(i) for i in items]\n"
    )
    later(100, scope, text)

    try:
        scope["broken"]([0])
    except ZeroDivisionError as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.name in ("broken", "inner")
        ]

    assert lines == [110, 108]


def test_methods_of_a_class_stand_in_a_text_of_its_body() -> None:
    """A class takes its methods from a text as it takes them from code."""

    class Counter:
        later(
            7,
            vars(),
            '\n    def __init__(self, start=0):\n        """Begin."""\n        self.value = start\n'
            "\n    def add(self, more):\n        self.value += more\n        return self\n",
        )

    counter: Any = Counter

    assert counter(3).add(4).value == 7
    assert counter().value == 0
    assert counter.add.__code__.co_firstlineno == 12


def test_a_wrong_call_is_refused_as_python_does_it() -> None:
    """The first call of a function is checked against its source."""
    scope: dict[str, Any] = {}
    later(1, scope, "\ndef single(a):\n    return a\n")

    try:
        scope["single"]()
    except TypeError as error:
        message = str(error)

    assert message == "single() missing 1 required positional argument: 'a'"
