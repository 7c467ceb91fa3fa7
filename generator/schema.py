"""Write the JSON Schemas: of front matter, as the loader accepts it, and of a report."""

import json
from collections.abc import Sequence
from typing import Any, get_args

from checker.facts import fact_kinds
from generator.detection import Strength
from generator.model import Entry
from generator.report_model import ReportTold

Schema = dict[str, Any]

# The short forms that the model widens before it looks: a bare text for the part, and a single
# item for the list under the key.
BARE_TEXTS = ("LeadsTo", "LogSign", "Under", "Wording")
SINGLE_ITEMS = (
    ("Entry", "effect"),
    ("Entry", "phase"),
    ("LogSign", "log"),
    ("StackSign", "stack"),
    ("TracebackSign", "message"),
)
BY_STRENGTH = "Signature"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text(ids: Sequence[str] = ()) -> str:
    """Write the schema of an entry, the same text for the same model.

    With *ids*, an editor offers them where an entry names another, and the facts by name.
    """
    schema = entry_schema()
    if ids:
        _offer(schema["$defs"], ids)
    return json_text(schema)


def report_schema() -> Schema:
    """Make the schema of a JSON report."""
    schema = ReportTold.model_json_schema(by_alias=True, mode="serialization")
    schema["$schema"] = _DIALECT
    schema["title"] = "Report of the checker"
    return schema


def json_text(schema: Schema) -> str:
    """Write a schema as a file."""
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _offer(parts: dict[str, Schema], ids: Sequence[str]) -> None:
    """Let an editor complete ids and facts; what it does not know yet stays allowed."""
    named = {"enum": list(ids)}
    leads_to = next(form for form in parts["LeadsTo"]["anyOf"] if "properties" in form)
    places = (
        leads_to["properties"]["id"],
        parts["ConfusedWith"]["properties"]["id"],
        parts["Relations"]["properties"]["refines"]["items"],
        parts["Example"]["properties"]["also"]["items"],
    )
    for place in places:
        kept = dict(place)
        place.clear()
        place["anyOf"] = [named, kept]
    parts["LeadsTo"]["anyOf"].insert(0, named)
    facts = sorted(fact_kinds())
    fact = parts["FactSign"]["properties"]["fact"]
    about = fact.pop("description")
    kept = dict(fact)
    fact.clear()
    fact.update({"description": about, "anyOf": [{"enum": facts}, kept]})
    parts["Example"]["properties"]["facts"]["propertyNames"] = {
        "anyOf": [{"enum": facts}, {"type": "string"}]
    }


def entry_schema() -> Schema:
    """Make the schema of one entry, short forms included."""
    schema = Entry.model_json_schema(by_alias=True)
    parts: dict[str, Schema] = {**schema["$defs"], "Entry": schema}
    for name, key in SINGLE_ITEMS:
        _allow_single(parts[name]["properties"], key)
    definitions = schema["$defs"]
    definitions[BY_STRENGTH] = _with_strength_keys(definitions[BY_STRENGTH])
    for name in BARE_TEXTS:
        definitions[name] = {"anyOf": [{"type": "string", "minLength": 1}, definitions[name]]}
    schema = dict(_without_null(schema))
    schema["$schema"] = _DIALECT
    schema["title"] = "Front matter of an entry"
    return schema


def _without_null(value: Any) -> Any:
    """Remove that a key may be null: the loader wants a value, or no key."""
    if isinstance(value, list):
        return [_without_null(item) for item in value if item != {"type": "null"}]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _without_null(item)
        for key, item in value.items()
        if not (key == "default" and item is None)
    }
    choices = kept.get("anyOf")
    if isinstance(choices, list) and len(choices) == 1:
        return {**choices[0], **{key: item for key, item in kept.items() if key != "anyOf"}}
    return kept


def _allow_single(properties: Schema, key: str) -> None:
    listed = properties[key]
    about = {name: listed[name] for name in ("title", "description") if name in listed}
    array = {name: value for name, value in listed.items() if name not in about}
    properties[key] = {**about, "anyOf": [array, array["items"]]}


def _with_strength_keys(signature: Schema) -> Schema:
    """Add the form whose key is the strength and whose value is the list under `all`."""
    all_of = signature["properties"]["all"]
    listed = {"anyOf": [{"type": "array", "items": all_of["items"]}, all_of["items"]]}
    shared = {
        key: value
        for key, value in signature["properties"].items()
        if key not in ("strength", "all")
    }
    short = [
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {strength: listed, **shared},
            "required": [strength],
        }
        for strength in get_args(Strength)
    ]
    return {"anyOf": [signature, *short]}
