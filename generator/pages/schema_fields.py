"""The fields of a model as Markdown, from its JSON Schema: of an entry, of a report."""

from collections.abc import Iterator
from typing import Any, get_args

from generator.pages.labels import listing
from generator.pages.markup import heading, paragraphs, table, wrapped
from generator.pages.text import code, link, prose
from generator.part import Id, SignName, Url, Version
from generator.schema import Schema

_REF = "#/$defs/"


def _pattern(kind: Any) -> str:
    """Read the expression that a kind of text must match."""
    rules = get_args(kind)[1].metadata
    return str(next(rule.pattern for rule in rules if hasattr(rule, "pattern")))


_KINDS = {
    _pattern(Id): "an id",
    _pattern(Url): "an https address",
    _pattern(Version): "a version",
    _pattern(SignName): "the name of a sign",
}
_SCALARS = {
    "null": "null",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
}


def schema_fields(schema: Schema, marked: bool = True) -> Iterator[str]:
    """Write the table of the outer fields, then a section for each part.

    *marked* says which fields are required; elsewhere all are.
    """
    yield _fields(schema, schema["$defs"], marked)
    for name, part in _parts(schema):
        yield paragraphs(
            heading(name, name.lower()), prose(_about(part)), _fields(part, schema["$defs"], marked)
        )


def _parts(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Give the parts of an entry in the order in which a reader meets them."""
    waiting = list(_named(schema["properties"]))
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        if name not in seen:
            seen.add(name)
            part = schema["$defs"][name]
            yield name, part
            waiting = [*_named(part), *waiting]


def _named(value: Any) -> Iterator[str]:
    """Name the parts that a piece of the schema refers to."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].removeprefix(_REF)
        for key, item in value.items():
            if key != "discriminator":
                yield from _named(item)
    elif isinstance(value, list):
        for item in value:
            yield from _named(item)


def _long_form(part: Schema) -> Schema:
    """Choose the form with all keys, where a part has short forms too."""
    forms: list[Schema] = part.get("anyOf", [part])
    return next(form for form in forms if "properties" in form)


def _about(part: Schema) -> str:
    said = str(_long_form(part).get("description", ""))
    short = any(form.get("type") == "string" for form in part.get("anyOf", []))
    return f"{said} A bare text is enough where no other key is needed." if short else said


def _fields(part: Schema, parts: dict[str, Schema], marked: bool) -> str:
    part = _long_form(part)
    required = part.get("required", []) if marked else []
    rows = [
        (
            code(name),
            _value(value) + (", **required**" if name in required else ""),
            prose(_meaning(value, parts)),
        )
        for name, value in part["properties"].items()
    ]
    return wrapped("comparison keys", table(("Field", "Value", "Meaning"), rows))


def _meaning(value: Schema, parts: dict[str, Schema]) -> str:
    """Say what a field is for: in its own words, else in those of the one part that it holds."""
    named = list(_named(value))
    inherited = _about(parts[named[0]]) if len(named) == 1 else ""
    return str(value.get("description", inherited))


def _value(schema: Schema) -> str:
    """Say what may be written."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices and choices[1:] == [choices[0].get("items")]:
        return f"{_value(choices[0])} (one alone needs no list)"
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        said = link(name, f"#{name.lower()}")
    elif choices:
        said = listing(list(dict.fromkeys(_value(one) for one in choices)), "or")
    elif words:
        said = listing([code(str(one)) for one in words], "or")
    elif "type" not in schema:
        said = "any value"
    elif schema["type"] in ("array", "object"):
        said = _several(schema)
    elif schema["type"] == "string":
        said = _text(schema)
    else:
        said = _SCALARS[schema["type"]] + _limits(schema)
    return said


def _several(schema: Schema) -> str:
    if schema["type"] == "array":
        return f"a list{' of at least one' if schema.get('minItems') else ''}: " + _value(
            schema["items"]
        )
    items = [schema.get("additionalProperties"), *schema.get("patternProperties", {}).values()]
    found = next(item for item in items if item)
    return "names, each with a value: " + _value(found if isinstance(found, dict) else {})


def _text(schema: Schema) -> str:
    if schema.get("format") == "date":
        return "a date"
    longest = schema.get("maxLength")
    known = _KINDS.get(schema.get("pattern", ""))
    if known:
        return known
    return "text" + (f" of at most {longest} characters" if longest else "")


def _limits(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    said = [f"at least {least}"] if least is not None else []
    said += [f"at most {most}"] if most is not None else []
    return f", {listing(said)}" if said else ""
