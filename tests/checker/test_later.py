"""Functions that are compiled at their first call."""

import pickle
import sys
import traceback
from types import FrameType
from typing import Any

import pytest

from checker.later import later, now


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


def test_a_module_runs_though_its_functions_wait() -> None:
    """Every second text is of functions, of the module or of a class; lines are the script's."""
    scope: dict[str, Any] = {"later": later}
    now(
        10,
        scope,
        "\nLIMIT = 2\n\nlater(13, vars(), ",
        "\ndef limit():\n    return 1\n",
        ")\nclass Base:\n    later(18, vars(), ",
        "\n    def own(self):\n        return 3\n    ",
        ")\n    late = lambda self: 4\n",
    )
    base: Any = scope["Base"]()

    assert (scope["limit"](), base.own(), base.late()) == (1, 3, 4)
    assert scope["limit"].__code__.co_firstlineno == 14
    assert base.own.__func__.__code__.co_firstlineno == 19
    assert base.late.__func__.__code__.co_firstlineno == 22
    assert scope["DEFERRED_TEXTS"] == ()


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


@pytest.mark.parametrize("stop", range(1, 30))
def test_an_interrupt_in_the_first_call_leaves_the_function_whole(stop: int) -> None:
    """Whatever line of the compiling is reached, the next call does what the source says."""
    scope: dict[str, Any] = {}
    later(1, scope, "\ndef f(a, b=2, *, c=3):\n    return a, b, c\n")
    reached = 0

    def interrupt(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal reached
        if frame.f_code.co_filename != later.__code__.co_filename:
            return None
        reached += event == "line"
        if reached == stop:
            sys.settrace(None)
            raise KeyboardInterrupt
        return interrupt

    tracing = sys.gettrace()
    sys.settrace(interrupt)
    try:
        scope["f"](1)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(tracing)

    assert scope["f"](1) == (1, 2, 3)


def test_a_function_is_handed_to_another_process_before_and_after_its_first_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pickle finds it by its name, whether anybody has called it or not."""
    scope: dict[str, Any] = {}
    later(1, scope, "\ndef handed_over():\n    return 1\n")
    function = scope["handed_over"]
    monkeypatch.setattr("checker.later.handed_over", function, raising=False)

    assert pickle.loads(pickle.dumps(function)) is function
    assert function() == 1
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_function_that_calls_itself_or_holds_functions_is_compiled_once() -> None:
    """Recursion, inner functions, and names that are bound outside mean what they say."""
    scope = later.__globals__
    text = (
        "\ndef _depth(n):\n    return 0 if n == 0 else 1 + _depth(n - 1)\n"
        "\ndef _counter():\n    seen = 0\n    def count():\n        nonlocal seen\n"
        "        seen += 1\n        return seen\n    return count\n"
        "\ndef _remember(value):\n    global _remembered\n    _remembered = value\n"
    )
    names = set(scope)
    later(1, scope, text)
    try:
        count = scope["_counter"]()
        scope["_remember"]("kept")

        assert scope["_depth"](50) == 50
        assert [count(), count()] == [1, 2]
        assert scope["_remembered"] == "kept"
    finally:
        for name in set(scope) - names:
            del scope[name]
