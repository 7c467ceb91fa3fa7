"""Modules and functions that stand in texts. Their source enters; functions leave.

Python compiles a script anew at each start, and to compile all of this one takes far longer than
to read a log. In the one file, functions therefore stand in raw texts, as they were written, and
a run compiles those that it calls. The modules around them stand in texts too: as long as a script
runs, Python keeps the syntax tree of all that stands in it as code. A traceback names the lines in
the one file.
"""

from types import CodeType, FunctionType
from typing import Any, Dict, Tuple

DEFERRED_TEXTS: Tuple[str, ...] = ()
"""The texts of the module that is being read."""


def now(line: int, scope: Dict[str, Any], *texts: str) -> None:
    """Run a module in *scope*, of which every second text is left to a call of `later`.

    The first text begins on *line* of the script.
    """
    code = [
        "DEFERRED_TEXTS[{}]{}".format(number, "\n" * text.count("\n")) if number % 2 else text
        for number, text in enumerate(texts)
    ]
    scope["DEFERRED_TEXTS"] = texts
    made = compile("".join(code), _first_call.__code__.co_filename, "exec", 0, True)
    exec(_moved(made, line - 1), scope)
    scope["DEFERRED_TEXTS"] = ()


def later(line: int, scope: Dict[str, Any], text: str) -> None:
    """Define in *scope* the functions of *text*, which begins on *line* of the script.

    The text begins with a newline, and its functions are indented alike; the assembler, which
    writes the calls of this function, sees to it.
    """
    start = text[: text.index("def ") + len("def ")]
    begin = 0
    while begin < len(text):
        named = begin + len(start)
        end = text.find(start, named)
        end = len(text) if end < 0 else end
        line += 1
        name = text[named : text.index("(", named)]
        function = FunctionType(_first_call.__code__, _first_call.__globals__, name)
        # Without it, Python 3.11 takes the name of the code.
        function.__qualname__ = name
        # Uncut, since the texts of all functions are a megabyte.
        function.__kwdefaults__ = {"_source": (function, text, begin, end, line)}
        scope[name] = function
        line += text.count("\n", named, end)
        begin = end


def _first_call(*words: Any, _source: Tuple[Any, ...], **named: Any) -> Any:
    """Stand for a function that nobody called yet: become it, and do what it does."""
    function, text, begin, end, line = _source
    _compile_into(function, text[begin:end], line)
    return function(*words, **named)


def _compile_into(function: FunctionType, text: str, line: int) -> None:
    """Compile a function's source, and give the code to the function object that others hold."""
    # Methods are indented, which Python accepts below a condition.
    whole = text if text.startswith("\ndef") else "if True:" + text
    found: Dict[str, FunctionType] = {}
    code = compile(whole, _first_call.__code__.co_filename, "exec", 0, True)
    exec(code, function.__globals__, found)
    made = found[function.__name__]
    # The code comes in between: an interrupt, or another thread, finds what either code needs.
    function.__defaults__ = made.__defaults__
    function.__kwdefaults__ = {**(made.__kwdefaults__ or {}), **(function.__kwdefaults__ or {})}
    function.__code__ = _moved(made.__code__, line - 2)
    function.__kwdefaults__ = made.__kwdefaults__


def _moved(code: CodeType, lines: int) -> CodeType:
    """Move code down by a number of lines, with what is nested in it."""
    return code.replace(
        co_firstlineno=code.co_firstlineno + lines,
        co_consts=tuple(
            [_moved(part, lines) if isinstance(part, CodeType) else part for part in code.co_consts]
        ),
    )
