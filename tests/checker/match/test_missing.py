"""What proves that a line did not come, and what leaves it unknown."""

from typing import Any

import pytest

from checker.match.scene import Scene
from checker.match.signs import judge_signs
from checker.model import Input
from generator.catalogue import compile_rule
from tests.checker.observed import at, block, ended, hit, line, raised, sample, scene_of
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("truth")

SAVING = hit("saving", "saving", number=10, moment=at(100))


def missing(scene: Scene, within: str) -> bool | None:
    """Whether `saved` is missing after `saving`."""
    signs: dict[str, Any] = {
        "after": "saving",
        "of": "saved",
        "it": {"missing": "of", "after": "after", "within": within},
    }
    rule = compile_rule("x", make_entry({"signs": signs, "signatures": [{"weak": ["it"]}]}))
    return judge_signs(rule, scene)["it"].value


def of_rank(lines: int) -> dict[str, Any]:
    """A file of rank 0 with so many lines."""
    return {"inputs": (Input("a.log", "read", None, 9, lines, None, 0, None, False),)}


def test_lines_of_the_same_writer_prove_lines() -> None:
    """Five further lines of a file of one rank are five lines without it."""
    assert missing(scene_of(hits=(SAVING,), **of_rank(15)), "5 lines") is True
    assert missing(scene_of(hits=(SAVING,), **of_rank(14)), "5 lines") is None
    console = {"inputs": (of_rank(900)["inputs"][0]._replace(rank=None),)}
    assert missing(scene_of(hits=(SAVING,), **console), "5 lines") is None


def test_lines_in_further_files_of_the_log_count() -> None:
    """A rotated log goes on: two lines after the last of its first file stand in the next one."""
    first, *_ = of_rank(13)["inputs"]
    further = first._replace(path="a.log.0", lines=2, part_of="a.log", further=13)
    assert missing(scene_of(hits=(SAVING,), inputs=(first, further)), "5 lines") is True
    assert missing(scene_of(hits=(SAVING,), inputs=(first, further)), "6 lines") is None


def test_lines_and_steps_of_another_writer_prove_none() -> None:
    """Others may print on while one is cut off."""
    others = tuple(
        sample(number, number)._replace(line=line(number=number, rank=1)) for number in (11, 12, 13)
    )
    scene = scene_of(hits=(SAVING,), samples=others)
    assert missing(scene, "2 lines") is None
    assert missing(scene, "2 steps") is None
    own = (sample(11, 1), sample(12, 2))
    assert missing(scene_of(hits=(SAVING,), samples=own), "2 lines") is True
    assert missing(scene_of(hits=(SAVING,), samples=own), "2 steps") is True


@pytest.mark.parametrize(
    "record",
    [
        {"exits": (ended(rank=3, signal=2),)},
        {"exits": (ended(rank=3, code=1, by="person"),)},
        {"exits": (ended(3)._replace(line=line("CANCELLED DUE TO TIME LIMIT", path="s.log")),)},
        {"tracebacks": (block(raised("KeyboardInterrupt"), first=line(number=50)),)},
        {"exits": (ended(rank=3, moment=at(170)),)},
        {"last_times": ((0, at(170)),)},
        {"samples": (sample(99, 9)._replace(line=line(path="b.log", moment=at(170))),)},
    ],
)
def test_whatever_tells_a_later_time_proves_seconds(record: dict[str, Any]) -> None:
    """Ctrl-C, a time limit, an end, the last time of the attempt, or a step of another rank."""
    assert missing(scene_of(hits=(SAVING,)), "60s") is None
    assert missing(scene_of(hits=(SAVING,), **record), "60s") is True


def test_ctrl_c_before_it_and_a_later_attempt_prove_nothing() -> None:
    """A wait that began after the end, or that another attempt outlived, was not waited for."""
    before = block(raised("KeyboardInterrupt"), first=line(number=4))
    assert missing(scene_of(hits=(SAVING,), tracebacks=(before,)), "60s") is None
    first = hit("saving", "saving", moment=at(100), attempt=0)
    second = hit("x", "x", path="b.log", moment=at(900), attempt=1)
    assert missing(scene_of(hits=(first, second)), "60s") is None


def test_line_that_came_before_is_not_the_one_that_is_missing() -> None:
    """The last checkpoint was saved, and this one never was."""
    before = hit("saved", "saved", number=5, moment=at(60))
    later = hit("x", "x", number=11, moment=at(300))
    assert missing(scene_of(hits=(before, SAVING, later)), "60s") is True


def test_line_that_came_on_another_rank_is_still_missing_here() -> None:
    """Each rank has to print its own."""
    later = hit("x", "x", rank=2, moment=at(300))
    other = hit("saved", "saved", rank=1, moment=at(110))
    own = hit("saved", "saved", number=11, moment=at(110))
    assert missing(scene_of(hits=(SAVING, other, later)), "60s") is True
    assert missing(scene_of(hits=(SAVING, own, later)), "60s") is False


def test_a_watch_saw_how_long_nothing_came() -> None:
    """Also where lines have no times; of an attempt before the last one it says nothing."""
    undated = SAVING._replace(line=SAVING.line._replace(moment=None))
    assert missing(scene_of(hits=(SAVING,), silent=61.0), "60s") is True
    assert missing(scene_of(hits=(undated,), silent=61.0), "60s") is True
    assert missing(scene_of(hits=(undated,), silent=59.0), "60s") is None
    earlier = undated._replace(line=line(number=10, attempt=0))
    later = (sample(30, 1)._replace(line=line(number=30, attempt=1)),)
    assert missing(scene_of(hits=(earlier,), samples=later, silent=61.0), "60s") is not True
