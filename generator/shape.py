"""What the model of an entry allows at one place: for messages about what is there instead."""

import types
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import Tag

from generator.detection import SIGN_KINDS, Signature
from generator.errors import enumerated
from generator.model import Entry
from generator.nodes import Step
from generator.part import Id, Part, SignName, Text, Url, Version

_EXAMPLES: dict[object, str] = {
    Id: "an id such as 'rank-killed'",
    Url: "an address that begins with https://",
    Version: 'a version such as "2.5.1", in quotes',
    SignName: "a sign's name such as 'killed'",
    Text: "a text",
    str: "a text",
    date: "a date such as 2025-01-31, without quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def annotation_at(steps: Sequence[Step]) -> Any:
    """Find the type that the model gives to the place that *steps* (with union tags) lead to."""
    at: Any = Entry
    for step in steps:
        at = _below(at, step)
    return at


def part_at(steps: Sequence[Step]) -> type[Part] | None:
    """Find the part of the model that stands at a place."""
    for choice in _members(annotation_at(steps)):
        if isinstance(choice, type) and issubclass(choice, Part):
            return choice
    return None


def keys_of(part: type[Part]) -> tuple[str, ...]:
    """List the keys that may be written in a part, those of short forms included."""
    keys = tuple(field.alias or name for name, field in part.model_fields.items())
    return (*keys, "decisive", "strong", "weak") if part is Signature else keys


def field_description(part: type[Part], key: str) -> str:
    """Give what the model says of a key, if it says anything."""
    for name, field in part.model_fields.items():
        if key == (field.alias or name):
            return field.description or ""
    return ""


def described(annotation: Any) -> str:
    """Say in words what a type allows."""
    members = list(_members(annotation))
    if len(members) > 1:
        return _described_union(members)
    base = members[0]
    origin = get_origin(base)
    if origin is Literal:
        return "one of " + enumerated(str(word) for word in get_args(base))
    if origin is list:
        return f"a list, each item {described(get_args(base)[0])}"
    if origin is dict:
        return "a mapping of names to values"
    if isinstance(base, type) and issubclass(base, Part):
        return _described_part(base)
    return _known(base) or "another value"


def _described_part(part: type[Part]) -> str:
    fields = [(field.alias or name, field) for name, field in part.model_fields.items()]
    required = [key for key, field in fields if field.is_required()]
    if not required:
        return "a mapping with any of the keys " + enumerated(
            (f"'{key}'" for key, _ in fields), "and"
        )
    if len(required) == 1:
        return f"a mapping with the key '{required[0]}'"
    return "a mapping with the keys " + enumerated((f"'{key}'" for key in required), "and")


def _described_union(members: list[Any]) -> str:
    tags = [_tag(member) for member in members]
    if "log-sign" in tags:
        return "a text, or a mapping with one of the keys " + enumerated(SIGN_KINDS)
    if "sign-name" in tags:
        return "a sign's name, or a condition such as '{same: [pid]}'"
    words = list(dict.fromkeys(described(member) for member in members))
    if {"a whole number", "a number"} <= set(words):
        words.remove("a whole number")
    return enumerated(words)


def _below(annotation: Any, step: Step) -> Any:
    for member in _members(annotation):
        if step == _tag(member):
            return get_args(member)[0]
    for member in _members(annotation):
        origin = get_origin(member)
        if origin is list and isinstance(step, int):
            return get_args(member)[0]
        if origin is dict and not str(step).startswith("["):
            return get_args(member)[1]
        if isinstance(member, type) and issubclass(member, Part):
            for name, field in member.model_fields.items():
                if step in (name, field.alias):
                    return field.rebuild_annotation()
    return annotation


def _members(annotation: Any) -> Iterator[Any]:
    """Give the members of a union, or the type itself, without constraints but with tags."""
    if _known(annotation) or _tag(annotation):
        yield annotation
    elif get_origin(annotation) is Annotated:
        yield from _members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for member in get_args(annotation):
            if member is not type(None):
                yield from _members(member)
    else:
        yield annotation


def _tag(annotation: Any) -> str | None:
    if get_origin(annotation) is Annotated:
        for extra in get_args(annotation)[1:]:
            if isinstance(extra, Tag):
                return extra.tag
    return None


def _known(annotation: Any) -> str | None:
    try:
        return _EXAMPLES.get(annotation)
    except TypeError:  # a type that cannot be hashed is none of ours
        return None
