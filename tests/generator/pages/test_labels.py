"""Every value of the model has its word on the pages."""

from typing import Any, get_args

import pytest

from generator import model
from generator.pages import labels

FIELDS = [
    (model.Category, labels.CATEGORIES),
    (model.Effect, labels.EFFECTS),
    (model.Phase, labels.PHASES),
    (model.Layer, labels.LAYERS),
    (model.Where, labels.PLACES),
    (model.Entry.model_fields["kind"].annotation, labels.KINDS),
    (model.Proof.model_fields["level"].annotation, labels.PROOFS),
    (model.Resume.model_fields["safe"].annotation, labels.SAFE),
    (model.Example.model_fields["origin"].annotation, labels.ORIGINS),
]


@pytest.mark.parametrize(("values", "words"), FIELDS)
def test_every_value_has_a_word(values: Any, words: dict[str, Any]) -> None:
    """A value that is added to the model needs a word before it can be shown."""
    assert list(get_args(values)) == list(words)


def test_words_are_joined_as_in_a_sentence() -> None:
    """Commas between all but the last two."""
    assert [labels.listing(list(words)) for words in ("", "a", "ab", "abc")] == [
        *("", "a", "a and b", "a, b and c"),
    ]


def test_a_framework_that_is_not_known_keeps_its_name() -> None:
    """Makers' spellings are used where they are known."""
    names = [labels.framework(name) for name in ("deepspeed", "nccl", "my-trainer")]
    assert names == ["DeepSpeed", "NCCL", "My trainer"]


def test_many_phases_are_not_told_one_by_one() -> None:
    """Up to three phases are named."""
    assert labels.phases(["save", "resume"]) == "when saving or when resuming"
    assert labels.phases(["launch", "training", "save", "resume"]) == "in most phases of a run"
