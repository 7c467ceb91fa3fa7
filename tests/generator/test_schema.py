"""The JSON Schema: short forms included, and in step with the model."""

import json

from generator import detection, model
from generator.part import Part
from generator.schema import BARE_TEXTS, BY_STRENGTH, SINGLE_ITEMS, entry_schema, schema_text


def test_same_model_gives_the_same_text() -> None:
    """The schema is deterministic, and JSON."""
    assert schema_text() == schema_text()
    assert json.loads(schema_text()) == entry_schema()


def test_every_short_form_of_the_model_is_in_the_schema() -> None:
    """A part that widens what was written is one that the schema widens too."""
    widened = {
        name
        for module in (detection, model)
        for name, part in vars(module).items()
        if isinstance(part, type) and issubclass(part, Part) and "widen" in vars(part)
    }

    assert widened == {*BARE_TEXTS, BY_STRENGTH, *(name for name, _ in SINGLE_ITEMS)}


def test_bare_text_is_a_sign() -> None:
    """An editor accepts a bare text where the loader does."""
    assert entry_schema()["$defs"]["LogSign"]["anyOf"][0] == {"type": "string", "minLength": 1}


def test_single_phase_is_accepted() -> None:
    """An editor accepts one phase without a list."""
    array, single = entry_schema()["properties"]["phase"]["anyOf"]

    assert (array["type"], array["items"], single["type"]) == ("array", single, "string")


def test_strength_may_be_the_key_of_a_signature() -> None:
    """An editor accepts the short form of a signature, with the same keys beside."""
    long, *short = entry_schema()["$defs"]["Signature"]["anyOf"]

    assert [form["required"] for form in short] == [["decisive"], ["strong"], ["weak"]]
    assert all(
        set(form["properties"]) - {strength} == set(long["properties"]) - {"strength", "all"}
        for form, strength in zip(short, ("decisive", "strong", "weak"), strict=True)
    )


def test_null_is_never_a_value() -> None:
    """An editor refuses null, as the loader does."""
    assert "null" not in schema_text()
