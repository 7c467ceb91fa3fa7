"""The built file on every interpreter that it promises to run on."""

import subprocess
from pathlib import Path

import pytest

from tests.needs import PYTHONS, ROOT, TOO_OLD, find_python, needs
from tests.script.run import run

LOGS = ("--format", "json", "tests/logs")


@pytest.fixture(scope="module")
def expected(script: Path) -> bytes:
    """What this interpreter prints for all real logs."""
    done = run(script, *LOGS)
    assert (done.status, done.err) == (1, b"")
    return done.out


@pytest.mark.parametrize("version", [pytest.param(v, marks=needs(f"python{v}")) for v in PYTHONS])
def test_every_python_gives_the_same_bytes(version: str, script: Path, expected: bytes) -> None:
    """A report does not depend on the interpreter that happened to be on the node."""
    done = run(script, *LOGS, python=find_python(version) or "")

    assert (done.status, done.err) == (1, b"")
    assert done.out == expected


@needs("pyodide")
def test_python_3_14_in_a_browser_s_runtime_gives_the_same_bytes(
    script: Path, expected: bytes
) -> None:
    """The very script runs where there are no processes, as on the page for pasted logs."""
    (ROOT / "build").mkdir(exist_ok=True)
    copy = ROOT / "build" / "trainwreck-for-pyodide.py"
    copy.write_bytes(script.read_bytes())
    command = ["node", "run_in_pyodide.mjs", str(ROOT), "build/trainwreck-for-pyodide.py", *LOGS]
    done = subprocess.run(
        command, cwd=ROOT / "tests/script", capture_output=True, timeout=300, check=False
    )

    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout == expected


@pytest.mark.parametrize("version", [pytest.param(v, marks=needs(f"python{v}")) for v in TOO_OLD])
def test_an_interpreter_that_is_too_old_says_what_is_needed(version: str, script: Path) -> None:
    """One line names the need, the interpreter at hand and the newer ones on the machine."""
    done = run(script, "tests/logs", python=find_python(version) or "")
    line = done.err.decode()

    assert (done.status, done.out) == (2, b"")
    assert line.startswith(f"trainwreck needs Python 3.8 or newer, this is {version}; ")
    assert line.count("\n") == 1
    assert "found: /" in line or "none found in /usr/bin" in line
