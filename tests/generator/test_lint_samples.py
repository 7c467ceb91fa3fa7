"""Every code has a broken entry in tests/lint_samples, with the whole text of its problem."""

import shutil
from pathlib import Path

import pytest

from generator.errors import LOAD_CODES
from generator.lint import check
from generator.lint.registry import checks

SAMPLES = Path(__file__).parents[1] / "lint_samples"
# Not about the text of one entry; test_load.py and test_sources.py make these folders.
OF_FOLDERS = {"no-entries", "bad-file-name", "unreadable", "wrong-prefix"}


def sample_codes() -> list[str]:
    """Find the samples: a file, or a folder where several entries are needed."""
    names = {sample.stem for sample in SAMPLES.iterdir()}
    return sorted(names - {"good"})


def report(folder: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch) -> str:
    """Check copies of *files* as the folder `entries` and render all problems."""
    (folder / "entries").mkdir()
    for file in files:
        shutil.copyfile(file, folder / "entries" / file.name)
    monkeypatch.chdir(folder)
    _, problems = check(Path("entries"))
    return "".join(problem.render() + "\n" for problem in problems)


@pytest.mark.parametrize("code", sample_codes())
def test_broken_sample_gives_exactly_its_message(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample has the one problem that its name says, word for word."""
    folder = SAMPLES / code
    files = sorted(folder.glob("*.md")) if folder.is_dir() else [SAMPLES / f"{code}.md"]
    expected = folder / "expected.txt" if folder.is_dir() else SAMPLES / f"{code}.txt"

    found = report(tmp_path, files, monkeypatch)

    assert found == expected.read_text(encoding="utf-8")
    assert f": {code}: " in found
    assert found.count("\n  help: ") == 1


def test_every_code_has_a_sample() -> None:
    """Each code of the loader and each check is shown by a sample of its name."""
    assert set(sample_codes()) | OF_FOLDERS == {*LOAD_CODES, *checks()}


def test_good_sample_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample that contributors copy has no problem."""
    assert report(tmp_path, [SAMPLES / "good.md"], monkeypatch) == ""


def test_problems_of_all_files_are_sorted_by_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run names the problems of every file, by path, line and column."""
    names = ["title-period", "bad-url", "yaml-tab", "wrong-type"]
    found = report(tmp_path, [SAMPLES / f"{name}.md" for name in names], monkeypatch)

    places = [line.split(" ")[0] for line in found.splitlines() if line.startswith("entries/")]
    assert places == [
        "entries/bad-url.md:34:10:",
        "entries/title-period.md:2:8:",
        "entries/wrong-type.md:6:13:",
        "entries/yaml-tab.md:18:1:",
    ]


def test_checks_have_a_reference_text() -> None:
    """The docstring of a check is what the reference prints, so that none is empty."""
    assert [check.code for check in checks().values() if not check.text.endswith(".")] == []
