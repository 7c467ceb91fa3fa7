"""What CONTRIBUTING.md shows is accepted as it stands."""

import re
from typing import get_args

import yaml

from checker.model import CONFIDENCE, STRENGTH
from generator.detection import Detect
from generator.model import Proof
from tests.needs import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_least_detection_is_valid_and_short() -> None:
    """A contributor can copy the block: ten lines that the model accepts."""
    found = re.search(r"```yaml\n(detect:\n.*?)```", TEXT, re.DOTALL)
    assert found
    Detect.model_validate(yaml.safe_load(found.group(1))["detect"])
    assert found.group(1).count("\n") == 9


def test_each_strength_is_told_with_the_confidence_that_it_gives() -> None:
    """The table has every strength, from the strongest."""
    rows = re.findall(r"^\| `(decisive|strong|weak)` \|.*\| (\w+) \|$", TEXT, re.MULTILINE)
    assert rows == [(name, CONFIDENCE[value]) for name, value in STRENGTH.items()]


def test_each_level_of_proof_is_told() -> None:
    """The table has every level that an entry can have."""
    below = TEXT[TEXT.index("### How well is it proven?") : TEXT.index("## Recipe: something")]
    levels = get_args(Proof.model_fields["level"].annotation)
    assert tuple(re.findall(r"^\| `(\w+)` \|", below, re.MULTILINE)) == levels
