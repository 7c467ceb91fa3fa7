"""The runner of the programs that make failures happen stores logs without harm to others."""

import sys
from pathlib import Path

import pytest

from tests.repro import run


def test_logs_of_another_program_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what a program writes is replaced; the rest of its folder and of the README stays."""
    monkeypatch.setattr(run, "LOGS", tmp_path)
    monkeypatch.setattr(run, "describe", lambda program, taken: "| folder |\n| `plain/` | new |\n")
    other = tmp_path / "healthy" / "hf_trainer" / "console.log"
    stale = tmp_path / "healthy" / "plain" / "old.log"
    for file in (other, stale):
        file.parent.mkdir(parents=True)
        file.write_text("kept\n", encoding="utf-8")
    readme = tmp_path / "healthy" / "README.md"
    others = "\nNot by `run.py`.\n\n| folder |\n| `hf_trainer/` |\n"
    readme.write_text("# x\n\n| folder |\n| `plain/` | old |\n" + others, encoding="utf-8")

    (capture, *_) = run.read_captures(run.HERE / "healthy.py")
    run.store(run.HERE / "healthy.py", {"plain": (capture, {"console.log": "new\n"})})

    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert {
        str(path.relative_to(tmp_path)): path.read_text(encoding="utf-8") for path in files
    } == {
        "healthy/README.md": "| folder |\n| `plain/` | new |\n" + others,
        "healthy/hf_trainer/console.log": "kept\n",
        "healthy/plain/console.log": "new\n",
    }


def test_a_race_is_tried_again_and_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shape that the second try shows has passed, and the first try is not hidden."""
    (capture, *_) = run.read_captures(run.HERE / "healthy.py")
    outcomes = iter([(["console.log lacks 'x'"], {}), ([], {"console.log": "x\n"})])
    monkeypatch.setattr(run, "attempt_once", lambda capture: next(outcomes))

    assert run.attempt(capture) == ([], {"console.log": "x\n"})
    assert capsys.readouterr().out == f"{capture.label}: try 1 of 3: console.log lacks 'x'\n"


def test_what_no_try_shows_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three tries without the declared shape are a failure."""
    (capture, *_) = run.read_captures(run.HERE / "healthy.py")
    monkeypatch.setattr(run, "attempt_once", lambda capture: (["console.log lacks 'x'"], {}))

    assert run.attempt(capture) == (["console.log lacks 'x'"], {})


def test_every_capture_has_its_logs() -> None:
    """What a program declares is stored, so that entries and tests can rest on it."""
    captures = run.find_captures(run.HERE)
    missing = [capture.label for capture in captures if not (run.LOGS / capture.label).is_dir()]
    assert captures
    assert missing == []


def test_a_program_that_lacks_its_launcher_is_started_alone(tmp_path: Path) -> None:
    """Without torchrun the program is what Python runs, and the table says so."""
    (capture, *_) = run.read_captures(run.HERE / "launch_without.py")
    place = run.Place(tmp_path / "logs", tmp_path / "programs", tmp_path / "scratch")

    program = str(tmp_path / "programs" / "launch_without.py")
    assert run.command_of(capture, place) == [sys.executable, program, "--rank-from=torch"]
    assert run.shown_command(capture) == "python launch_without.py --rank-from=torch"


def test_what_has_passed_is_left_out_until_its_program_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that was cut off goes on; what failed and what has changed is made to happen again."""
    captures = run.read_captures(run.HERE / "load_refused.py")[:2]
    outcomes = {captures[0].name: "passed", captures[1].name: "failed"}
    monkeypatch.setattr(run, "PASSED", tmp_path / "build" / "repro.json")
    monkeypatch.setattr(run, "judge", lambda capture: (outcomes[capture.name], 1.5, [], {}))
    width = max(len(capture.label) for capture in captures)
    first, second = (capture.label.ljust(width) for capture in captures)

    assert run.report(captures, run.read_passed(), write=False) == 1
    assert capsys.readouterr().out == (
        f"{first}  passed     1.5 s\n{second}  failed     1.5 s\n1 passed, 1 failed\n"
    )

    assert run.report(captures, run.read_passed(), write=False) == 1
    assert capsys.readouterr().out == (
        f"{first}  unchanged since it passed\n{second}  failed     1.5 s\n"
        "0 passed, 1 failed, 1 unchanged\n"
    )

    monkeypatch.setattr(run, "state_of", lambda program: "of a changed program")
    assert run.report(captures, run.read_passed(), write=False) == 1
    assert capsys.readouterr().out == (
        f"{first}  passed     1.5 s\n{second}  failed     1.5 s\n1 passed, 1 failed\n"
    )
