"""Translate what the model refuses into problems: at the place in the file, in our words."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from generator.detection import CONDITION_TAGS, SIGN_KINDS, Strength
from generator.errors import Problem, enumerated, nearest, suggestion
from generator.nodes import Node, Step, locate, locate_key
from generator.scalars import unmeant
from generator.shape import annotation_at, described, field_description, keys_of, part_at


class _Said(NamedTuple):
    code: str
    message: str
    help: str


class _Form(NamedTuple):
    """What a pattern of the model stands for."""

    code: str
    noun: str
    help: str


FORMS: dict[str, _Form] = {
    r"^[a-z0-9]+(-[a-z0-9]+)*$": _Form(
        "bad-id",
        "an id",
        "use lower-case letters, digits and single hyphens, as 'rank-killed'",
    ),
    r"^https://[^\s<>\"]+$": _Form(
        "bad-url", "a complete address", "give the whole address, beginning with https://"
    ),
    r"^[0-9]+(\.[0-9]+)*([a-z0-9.+-]*)$": _Form(
        "bad-version", "a version", "begin with the number and leave out a 'v', as \"2.5.1\""
    ),
    r"^[a-z][a-z0-9_]*$": _Form(
        "bad-sign-name", "a sign's name", "use lower-case letters, digits and _, as 'rank_gone'"
    ),
    r"^(printed|earlier|context|minus [a-z][a-z0-9_]*)$": _Form(
        "bad-onset",
        "an onset",
        "write printed, earlier, context, or minus and a capture, as 'minus waited'",
    ),
    r"^[0-9]+ ?(s|m|h|lines|steps)$": _Form(
        "bad-span", "a span", "write a number and one of s, m, h, lines and steps, as '60s'"
    ),
    r"^[<>=!,. 0-9a-z+]+$": _Form(
        "malformed-range", "a version range", "write comparisons, as '>=2.1,<2.4'"
    ),
}


def translate(path: str, root: Node, error: ValidationError) -> list[Problem]:
    """Give one problem for every place that the model refuses."""
    problems: dict[tuple[int, int], Problem] = {}
    all_details = error.errors(include_url=False)
    misspelled = {place for details in all_details for place in _misspelled(details)}
    for details in all_details:
        steps: tuple[Step, ...] = details["loc"]
        if details["type"] == "missing" and steps in misspelled:
            continue
        problem = _two_kinds(path, root, steps) or _problem(path, root, details)
        problems.setdefault((problem.line, problem.column), problem)
    return list(problems.values())


def _misspelled(details: ErrorDetails) -> Iterator[tuple[Step, ...]]:
    """Give the places of the keys that an unknown key was probably meant to be."""
    steps: tuple[Step, ...] = details["loc"]
    part = part_at(steps[:-1]) if details["type"] == "extra_forbidden" else None
    near = nearest(str(steps[-1]), keys_of(part)) if part else None
    if near:
        yield (*steps[:-1], near)
    # What a signature has in its place was meant to be its strength.
    strengths = set(get_args(Strength))
    if part and strengths <= set(keys_of(part)) and (near is None or near in strengths):
        yield (*steps[:-1], "strength")


def _two_kinds(path: str, root: Node, steps: tuple[Step, ...]) -> Problem | None:
    """Say that a sign is of two kinds, instead of what either of them refuses."""
    if steps[:2] != ("detect", "signs") or len(steps) < 4:
        return None
    place = locate(root, steps[:3])
    kinds = [kind for kind in SIGN_KINDS if isinstance(place.node.value, dict)]
    kinds = [kind for kind in kinds if kind in place.node.value]
    if len(kinds) < 2:
        return None
    names = enumerated((f"'{kind}'" for kind in kinds), "and")
    advice = "make two signs of it, and name both in the signature"
    message = f"the sign is of the kinds {names} at once"
    return Problem(path, place.line, place.column, "two-sign-kinds", place.field, message, advice)


def _problem(path: str, root: Node, details: ErrorDetails) -> Problem:
    steps: tuple[Step, ...] = details["loc"]
    kind = details["type"]
    if kind == "missing":
        place = locate(root, steps[:-1])
        said = _missing(steps)
        field = f"{place.field}.{steps[-1]}".removeprefix(".")
        return Problem(path, place.line, place.column, said.code, field, said.message, said.help)
    if steps[-1:] == ("[key]",):
        place = locate_key(root, steps[:-1])
        key = str(steps[-2])
        said = _say(kind, Node(key, place.line, place.column, key), steps, details)
    elif kind == "extra_forbidden":
        place = locate_key(root, steps)
        said = _unknown_key(steps)
    else:
        place = locate(root, steps)
        said = _say(kind, place.node, steps, details)
    return Problem(path, place.line, place.column, said.code, place.field, said.message, said.help)


def _say(kind: str, node: Node, steps: tuple[Step, ...], details: ErrorDetails) -> _Said:
    context: dict[str, Any] = details.get("ctx", {})
    if "help" in context:
        return _Said(kind, context["message"], context["help"])
    found = _BY_KIND.get(kind)
    if found is not None:
        return found(node, steps, context)
    return _wrong_type(node, steps, context)


def _missing(steps: tuple[Step, ...]) -> _Said:
    key = str(steps[-1])
    part = part_at(steps[:-1])
    about = field_description(part, key) if part else ""
    wanted = described(annotation_at(steps))
    return _Said(
        "missing-key",
        f"the key '{key}' is missing",
        f"add '{key}:' with {wanted}" + (f" ({about.rstrip('.')})" if about else ""),
    )


def _unknown_key(steps: tuple[Step, ...]) -> _Said:
    key, part = str(steps[-1]), part_at(steps[:-1])
    known = keys_of(part) if part else ()
    if key == "id" and len(steps) == 1:
        advice = "remove it: the file's name without '.md' is the id"
    else:
        advice = suggestion(key, known, f"the keys here are {enumerated(known, 'and')}")
    return _Said("unknown-key", f"unknown key '{key}'", advice)


def _wrong_type(node: Node, steps: tuple[Step, ...], context: dict[str, Any]) -> _Said:
    wanted = described(annotation_at(steps))
    trap = unmeant(node) if _takes_text(wanted) else None
    if trap:
        return _Said(*trap)
    if wanted.startswith("a date") and isinstance(node.value, str):
        advice = f"write {node.value} without quotes" if node.quoted else "write it as 2025-01-31"
    elif wanted.startswith("a list") and not isinstance(node.value, dict | list):
        advice = f"write it as a list: [{node.source}]"
    elif isinstance(node.value, str) and node.quoted and _unquotes(node.value, wanted):
        advice = f"write {node.value} without quotes"
    elif wanted.startswith("a text") and isinstance(node.value, dict):
        advice = "write one text; if it holds ': ', put all of it in quotes"
    else:
        advice = f"write {wanted}"
    return _Said("wrong-type", f"expected {wanted}, found {_found(node)}", advice)


def _takes_text(wanted: str) -> bool:
    return wanted.startswith(
        ("a text", "an id", "a version", "a sign's name", "an address", "one of")
    )


def _unquotes(text: str, wanted: str) -> bool:
    if wanted == "true or false":
        return text in ("true", "false")
    return "number" in wanted and text.replace(".", "", 1).removeprefix("-").isdecimal()


def _found(node: Node) -> str:
    value = node.value
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return node.source
    if isinstance(value, int | float):
        return f"the number {node.source}"
    if isinstance(value, date):
        return f"the date {node.source}"
    return f"the text '{_short(str(value))}'"


def _short(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 40 and line == text.strip() else line[:40].rstrip() + "..."


def _literal(node: Node, steps: tuple[Step, ...], _: dict[str, Any]) -> _Said:
    wanted = described(annotation_at(steps))
    words = wanted.removeprefix("one of ").replace(" or ", ", ").split(", ")
    if not isinstance(node.value, str):
        return _wrong_type(node, steps, {})
    near = nearest(node.value, words)
    advice = f"did you mean '{near}'? " if near else ""
    return _Said(
        "unknown-value",
        f"'{_short(node.value)}' is not allowed here",
        f"{advice}write {wanted}",
    )


def _form(node: Node, _: tuple[Step, ...], context: dict[str, Any]) -> _Said:
    form = FORMS[context["pattern"]]
    text = node.value if isinstance(node.value, str) else ""
    message = f"'{_short(text)}' is not {form.noun}" if text else f"this is not {form.noun}"
    return _Said(form.code, message, form.help)


def _unknown_kind(node: Node, steps: tuple[Step, ...], _: dict[str, Any]) -> _Said:
    if not isinstance(node.value, dict):
        return _wrong_type(node, steps, {})
    known: tuple[str, ...]
    if steps[-2:-1] == ("signs",):
        code, noun, known = "unknown-sign-kind", "sign", SIGN_KINDS
    else:
        code, noun, known = "unknown-condition", "condition", tuple(CONDITION_TAGS)
    near = next((near for key in node.value if (near := nearest(key, known))), None)
    advice = f"a {noun} has one of the keys {enumerated(known)}"
    if near:
        advice = f"did you mean '{near}'? {advice}"
    if not node.value:
        return _Said(code, f"the {noun} is empty", advice)
    keys = enumerated((f"'{key}'" for key in node.value), "and")
    return _Said(code, f"no kind of {noun} has the keys {keys}", advice)


def _too_short(_: Node, steps: tuple[Step, ...], context: dict[str, Any]) -> _Said:
    least = context["min_length"]
    wanted = described(annotation_at(steps))
    if least == 1:
        return _Said("empty-list", "nothing is listed", f"write {wanted}, at least one")
    return _Said("empty-list", f"fewer than {least} items are listed", f"write {least} or more")


def _empty_text(_: Node, __: tuple[Step, ...], ___: dict[str, Any]) -> _Said:
    return _Said("empty-text", "the text is empty", "write the text, or remove the key")


def _too_long(node: Node, _: tuple[Step, ...], context: dict[str, Any]) -> _Said:
    most = context["max_length"]
    return _Said(
        "too-long",
        f"{len(str(node.value))} characters are more than the {most} that fit",
        "say it shorter; details belong into the body",
    )


def _out_of_range(node: Node, steps: tuple[Step, ...], context: dict[str, Any]) -> _Said:
    limit = f"{context['ge']} or more" if "ge" in context else f"{context['le']} or less"
    advice = f"write a number that is {limit}"
    if steps[-2:] == ("exit", "signal"):
        advice += "; a signal is written by its positive number, as 9"
    return _Said("out-of-range", f"{node.source} is not {limit}", advice)


_BY_KIND: dict[str, Callable[[Node, tuple[Step, ...], dict[str, Any]], _Said]] = {
    "literal_error": _literal,
    "string_pattern_mismatch": _form,
    "union_tag_not_found": _unknown_kind,
    "union_tag_invalid": _wrong_type,
    "too_short": _too_short,
    "string_too_short": _empty_text,
    "string_too_long": _too_long,
    "greater_than_equal": _out_of_range,
    "less_than_equal": _out_of_range,
}
