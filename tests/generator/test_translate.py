"""Translation of what the model refuses: complete, and never in pydantic's words."""

import json
import re

from generator.detection import SIGN_KINDS
from generator.model import Entry
from generator.shape import annotation_at, described, keys_of, part_at
from generator.translate import FORMS


def test_every_pattern_of_the_model_is_explained() -> None:
    """A text that has to have a form is refused by the name and an example of that form."""
    text = json.dumps(Entry.model_json_schema(by_alias=True))
    patterns = {json.loads(found) for found in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', text)}

    assert patterns == set(FORMS)


def test_every_key_is_described() -> None:
    """For every key of an entry there are words for what belongs there."""
    undescribed = [key for key in keys_of(Entry) if "another value" in described(_at(key))]

    assert undescribed == []


def test_every_kind_of_sign_is_found_by_its_tag() -> None:
    """The keys that are allowed in a sign are known for every kind."""
    for kind in SIGN_KINDS:
        part = part_at(("detect", "signs", "name", f"{kind}-sign"))
        assert part is not None
        assert kind in keys_of(part)


def test_descriptions() -> None:
    """What a place allows is said in words that a person writes by."""
    assert described(_at("created")) == "a date such as 2025-01-31, without quotes"
    assert described(_at("resume", "safe")) == "one of yes, check or no"
    assert described(_at("detect", "signs", "x", "metric-sign", "value")) == "a number"
    assert described(_at("symptoms")) == (
        "a list, each item a mapping with the keys 'sees' and 'because'"
    )


def _at(*steps: str) -> object:
    return annotation_at(steps)
