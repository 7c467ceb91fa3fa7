"""When a line inside an exception block was printed."""

import pytest

from checker.match.scene import build_scene
from checker.match.signs import judge_signs
from checker.model import Sighting
from checker.scan.observe import observe_texts
from generator.catalogue import compile_rule
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("roles")

BLOCK = """\
{head}Traceback (most recent call last):
  File "/workspace/train.py", line 9, in <module>
    run(batch)
RuntimeError: the spool of this sample is full
"""


def seen(text: str) -> Sighting:
    """The sighting of a wording that stands in the last line of a block."""
    signs = {"it": {"log": "the spool of this sample is full"}}
    rule = compile_rule("x", make_entry({"signs": signs, "signatures": [{"weak": ["it"]}]}))
    keys = frozenset("log " + wording["literal"] for wording in rule["signs"]["it"]["log"])
    observed = observe_texts({"console.log": text}, keys, {}, {})
    (sighting,) = judge_signs(rule, build_scene(observed, ()))["it"].sightings
    return sighting


def test_line_of_a_block_has_the_time_of_its_head() -> None:
    """A logger dates the head alone, and prints the rest at once."""
    head = "2026-08-14 03:10:00,000 ERROR train: the step failed\n"
    sighting = seen(BLOCK.format(head=head))
    assert sighting.onset is not None
    assert (sighting.onset.precision, sighting.onset.seconds % 3600) == (1.0, 600.0)


def test_line_of_a_block_is_not_before_what_its_writer_printed() -> None:
    """Without a record above the block only the earliest time is known."""
    head = "2026-08-14 03:10:00,000 INFO train: step 4 loss 2.1\n"
    sighting = seen(BLOCK.format(head=head))
    assert sighting.onset is not None
    assert (sighting.onset.precision, sighting.onset.seconds % 3600) == (1e9, 600.0)


def test_line_below_a_block_has_no_time_of_it() -> None:
    """It is of something else."""
    head = "2026-08-14 03:10:00,000 ERROR train: the step failed\n"
    text = BLOCK.format(head=head).replace("the spool of this sample is full", "no")
    sighting = seen(text + "\n\nthe end\n" + "the spool of this sample is full\n")
    assert sighting.onset is None
