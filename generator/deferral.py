"""Find the functions of a module that can stand in texts, compiled at their first call.

A run needs a part of the checker, and Python compiles a script anew at each start. `checker.later`
runs modules that stand in texts, and makes functions of the texts. Order and wording of the source
stay as they are; what means something else when it is compiled by itself, such as a decorated
function, stays code.
"""

import ast
from collections.abc import Iterator, Sequence

QUOTES = "'''"
# A text of functions parts the text of its module, so that no text stands within another.
OPENING = "later(LINE, vars(), " + QUOTES + ", r" + QUOTES
CLOSING = QUOTES + ", r" + QUOTES + ")"
MODULE_OPENING = "now(LINE, vars(), r" + QUOTES
MODULE_CLOSING = QUOTES + ")"

Span = tuple[int, int]
"""The first and the last line of a text, counted from one."""


class DeferralError(Exception):
    """A function that would not survive in a text."""

    def __init__(self, line: int, problem: str) -> None:
        """Keep line and problem apart: the caller knows the file."""
        super().__init__(problem)
        self.line = line


def function_texts(lines: Sequence[str], tree: ast.Module) -> list[Span]:
    """List where functions and methods that can wait stand, neighbors together.

    Raises DeferralError where the text of a function, or that of the module, would not survive.
    """
    for number, line in enumerate(lines, start=1):
        if QUOTES in line:
            raise DeferralError(number, f"{QUOTES} cannot stand in a module")
    spans = sorted(span for body, names in _bodies(tree) for span in _spans(body, names))
    starts = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for first, last in spans:
        opening = lines[first - 1][: lines[first - 1].index("def ") + len("def ")]
        for number in range(first, last + 1):
            if lines[number - 1].startswith(opening) and number not in starts:
                raise DeferralError(number, "a line of a text looks like the start of a function")
    return spans


def numbered(lines: Sequence[str]) -> list[str]:
    """Write into every opening the line on which it stands."""
    return [
        line.replace("LINE", str(number)) if line.lstrip() in (OPENING, MODULE_OPENING) else line
        for number, line in enumerate(lines, start=1)
    ]


def _bodies(tree: ast.Module) -> Iterator[tuple[Sequence[ast.stmt], set[str]]]:
    """Yield the bodies that hold functions, each with the names that only itself can see."""
    yield tree.body, set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.body, {name for part in node.body for name in _bound_names(part)}


def _spans(body: Sequence[ast.stmt], own: set[str]) -> list[Span]:
    spans: list[Span] = []
    joins = False
    for node in body:
        waits = isinstance(node, ast.FunctionDef) and _can_wait(node, own)
        if waits:
            first = spans.pop()[0] if joins else node.lineno
            spans.append((first, node.end_lineno or node.lineno))
        joins = waits
    return spans


def _can_wait(function: ast.FunctionDef, own: set[str]) -> bool:
    """Tell a function that means the same when it is compiled by itself, and later."""
    names = _names(function)
    private = any(name.startswith("__") and not name.endswith("__") for name in names)
    heading = _heading(function)
    # What a default calls is called once, when the module is read.
    calls = any(isinstance(part, ast.Call) for value in heading for part in ast.walk(value))
    in_class = names & {"super", "__class__"} or own & {n for v in heading for n in _names(v)}
    # Code of a generator cannot be given to a function that was made as a plain one.
    generates = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(function))
    return not (function.decorator_list or private or calls or in_class or generates)


def _heading(function: ast.FunctionDef) -> list[ast.expr]:
    """List the defaults and annotations, which Python evaluates where the function is defined."""
    args = function.args
    annotations = [part.annotation for part in ast.walk(args) if isinstance(part, ast.arg)]
    given = [*args.defaults, *args.kw_defaults, *annotations, function.returns]
    return [value for value in given if value is not None]


def _names(node: ast.AST) -> set[str]:
    """Name all that is named in a piece of code, arguments and functions included."""
    parts = (part for part in ast.walk(node) if not isinstance(part, ast.Constant))
    fields = (value for part in parts for _, value in ast.iter_fields(part))
    words = (field if isinstance(field, list) else [field] for field in fields)
    return {word for several in words for word in several if isinstance(word, str)}


def _bound_names(statement: ast.stmt) -> set[str]:
    """Name what a statement of a class binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        part.id
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
