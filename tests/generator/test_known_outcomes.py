"""What became of the examples is kept for a build of the very same."""

from pathlib import Path

from generator.known_outcomes import digest, read_outcomes, write_outcomes
from generator.matrix import Found, Outcome

OUTCOMES = (
    Outcome("rank-killed", "a kill", True, (Found("rank-killed", "certain", "initiating"),), ()),
    Outcome("rank-killed", "a near miss", False, (), ("is diagnosed, and must not be",)),
)


def test_outcomes_are_read_as_they_were_written(tmp_path: Path) -> None:
    """For the same checker with the same examples nothing is run again."""
    path = tmp_path / "build" / "outcomes.json"
    write_outcomes(path, digest("checker"), OUTCOMES)
    assert read_outcomes(path, digest("checker")) == OUTCOMES


def test_another_checker_is_tried_anew(tmp_path: Path) -> None:
    """Neither another checker, nor no file, nor a damaged one gives outcomes."""
    path = tmp_path / "outcomes.json"
    assert read_outcomes(path, digest("checker")) is None
    write_outcomes(path, digest("checker"), OUTCOMES)
    assert read_outcomes(path, digest("another checker")) is None
    path.write_text(path.read_text(encoding="utf-8")[:-2], encoding="utf-8")
    assert read_outcomes(path, digest("checker")) is None
