"""One mistake in a good entry gives one message that names it, its line and the cure."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from generator.lint import check
from tests.needs import ROOT

GOOD = (ROOT / "tests/lint_samples/good.md").read_text(encoding="utf-8")
# How pydantic and YAML readers speak.
FOREIGN = (
    "Input should be",
    "validation error",
    "Field required",
    "Extra inputs",
    "while scanning",
    "while parsing",
    "mapping values",
    "could not find",
    "did not find",
    "found character",
    "block end",
    "type=",
)


class Mistake(NamedTuple):
    """A text of the good sample, what a person makes of it, and all that is said of that."""

    right: str
    wrong: str
    said: str


def mistakes() -> Iterator[Mistake]:
    """Read the list beside this file."""
    text = Path(__file__).with_name("mutations.txt").read_text(encoding="utf-8")
    shape = r"~~~~ \d+\n(.*?)\n~~~~ becomes\n(.*?)\n~~~~ gives\n(.*?)(?=~~~~ |\Z)"
    for found in re.finditer(shape, text, re.DOTALL):
        yield Mistake(*found.groups())


MISTAKES = list(mistakes())


@pytest.mark.parametrize("mistake", MISTAKES, ids=[one.wrong[:30] for one in MISTAKES])
def test_a_mistake_is_named_with_its_line_and_its_cure(
    mistake: Mistake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is the only one, stands at the mistake, and speaks the language of entries."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entries").mkdir()
    assert mistake.right in GOOD
    text = GOOD.replace(mistake.right, mistake.wrong, 1)
    (tmp_path / "entries/x.md").write_text(text, encoding="utf-8")
    _, problems = check(Path("entries"))
    said = "".join(one.render() + "\n" for one in problems)
    assert said.replace("entries/x.md:", "", 1) == mistake.said
    assert len(problems) == 1
    assert [phrase for phrase in FOREIGN if phrase in said] == []


def test_there_are_forty_mistakes() -> None:
    """Each is another one."""
    assert len({one.said for one in MISTAKES}) >= 40
