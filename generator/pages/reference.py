"""The references: an entry's fields, from its model; the checks of lint; the probes."""

from collections.abc import Iterator
from typing import Any, get_args

from generator.body import HEADINGS
from generator.errors import LOAD_CODES
from generator.lint.registry import checks
from generator.pages.command_reference import command_pages
from generator.pages.head import UNSEARCHED, front_matter
from generator.pages.labels import CATEGORIES, EFFECTS, LAYERS, PHASES, PROOFS, listing
from generator.pages.markup import bullets, definitions, heading, paragraphs, table, wrapped
from generator.pages.probes import probe_reference
from generator.pages.text import code, link, prose
from generator.part import Id, SignName, Url, Version
from generator.schema import Schema, entry_schema

# Below the entries: who searches for a message wants a failure.
_SEARCH = {"boost": 0.1}
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
_MATRIX = (("[The matrix](matrix.md)", "What the checker makes of every example of every entry."),)
_SCALARS = {"integer": "an integer", "number": "a number", "boolean": "true or false"}


def reference_pages(has_matrix: bool = False) -> dict[str, str]:
    """Write the references, and the page that leads to all that is looked up.

    *has_matrix* says that the page of the matrix is there.
    """
    return {
        **command_pages(),
        "reference/index.md": _references(has_matrix),
        "reference/entry.md": _entry_reference(),
        "reference/lint.md": _lint_reference(),
        "reference/probe.md": probe_reference(_SEARCH),
    }


def _references(has_matrix: bool) -> str:
    title = "Reference"
    return paragraphs(
        front_matter(title, "Rules, fields, formats: what is looked up.", search=UNSEARCHED),
        f"# {title}",
        definitions(
            (
                (
                    "[How detection works](../detection.md)",
                    "The rules by which signs become evidence, evidence a diagnosis, and one of "
                    "several diagnoses the first.",
                ),
                (
                    "[In an editor](../editors.md)",
                    "The checker in VS Code, in code scanning, and wherever lines of a compiler "
                    "are understood.",
                ),
                (
                    "[For programs](../data.md)",
                    "All entries as data, the catalogue, the schema, a feed.",
                ),
                (
                    "[Probe reference](probe.md)",
                    "What the checker asks a machine, and what each fact means.",
                ),
                (
                    "[The checker's command line](commands.md)",
                    "Commands, options and exit statuses.",
                ),
                (
                    "[The contributors' command line](contributing.md)",
                    "What `trainwreck-dev` does for who writes entries.",
                ),
                ("[Entry reference](entry.md)", "Every field of an entry, for who writes one."),
                ("[Lint reference](lint.md)", "Every problem that lint can find in an entry."),
                *_MATRIX[:has_matrix],
            )
        ),
    )


def _entry_reference() -> str:
    schema = entry_schema()
    title = "Entry reference"
    return paragraphs(
        front_matter(title, "Every field of an entry, with its allowed values.", search=_SEARCH),
        f"# {title}",
        "An entry is a Markdown file: front matter between two lines `---`, then the body. This "
        "page is made from the model that checks every entry. [How detection works]"
        "(../detection.md) explains signs and signatures, and the [lint reference](lint.md) every "
        "message of the checks.",
        heading("Front matter", "entry"),
        _fields(schema, schema["$defs"]),
        *(
            paragraphs(
                heading(name, name.lower()),
                prose(_about(part)),
                _fields(part, schema["$defs"]),
            )
            for name, part in _parts(schema)
        ),
        heading("What the values mean", "values"),
        *_values(),
        heading("The body", "body"),
        "The body has these sections, in this order, each as `## Heading`:",
        bullets(_section(one.title, one.required, one.answers) for one in HEADINGS),
    )


def _section(title: str, required: bool, answers: str) -> str:
    return f"**{title}**{' (required)' if required else ''}: {prose(answers)}"


def _values() -> Iterator[str]:
    words = {
        "category": {name: label.says for name, label in CATEGORIES.items()},
        "effect": EFFECTS,
        "phase": PHASES,
        "layer": {name: f"the cause lies in {where}" for name, where in LAYERS.items()},
        "proof.level": PROOFS,
    }
    for field, meanings in words.items():
        yield f"{code(field)}:"
        yield definitions((code(value), prose(meaning)) for value, meaning in meanings.items())


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


def _fields(part: Schema, parts: dict[str, Schema]) -> str:
    part = _long_form(part)
    required = part.get("required", [])
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
    return "names, each with a value: " + _value(next(item for item in items if item))


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


def _lint_reference() -> str:
    title = "Lint reference"
    return paragraphs(
        front_matter(title, "Every problem that lint can find in an entry.", search=_SEARCH),
        f"# {title}",
        "`trainwreck-dev lint` names each problem by one of these codes, with its place and "
        "what to do. The [entry reference](entry.md) has the fields.",
        heading("Problems of the file and its fields", "load"),
        "A file with one of these is not checked further until it is solved.",
        definitions((code(name), prose(text)) for name, text in LOAD_CODES.items()),
        heading("Checks of the content", "checks"),
        definitions((code(check.code), prose(check.text)) for check in checks().values()),
    )
