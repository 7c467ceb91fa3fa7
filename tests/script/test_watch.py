"""The built checker as a watch, on every Python that it promises to run on."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.needs import PYTHONS, ROOT, find_python, needs
from tests.script.run import run

LOG = ROOT / "tests/logs/port_in_use/rank_0/console.log"


@pytest.mark.parametrize(
    "version", [pytest.param(one, marks=needs(f"python{one}")) for one in PYTHONS]
)
def test_a_command_and_a_log_are_watched(script: Path, tmp_path: Path, version: str) -> None:
    """What passes is unchanged, and the report tells the failure that the output shows."""
    python = find_python(version) or sys.executable
    report = tmp_path / "report.txt"
    wrapped = run(
        script, "watch", "-o", str(report), "--", "sh", "-c", f"cat {LOG}; exit 3",
        python=python,
    )  # fmt: skip

    assert wrapped == (3, LOG.read_bytes(), b"")
    assert " UTC: the command ended with exit status 3\n" in report.read_text()
    assert "master-port-address-in-use" in report.read_text()
    again = run(script, str(tmp_path / "report.snapshot.gz"), python=python)
    assert again.out.startswith(b"FAILED FIRST (certain), ")
    assert b"master-port-address-in-use" in again.out
    followed = run(script, "watch", str(LOG), python=python)
    assert followed.status == 1
    assert b"UTC: the logs show a failure\n" in followed.out


def test_lines_that_no_entry_recognizes_are_no_failure(script: Path, tmp_path: Path) -> None:
    """A healthy run may print the word error; what comes to grief later is told then."""
    log = tmp_path / "run.log"
    log.write_text("step 1 loss 2.0\nWARNING: validation error 0.3\n")
    watching = subprocess.Popen(
        [sys.executable, "-I", "-S", str(script), "watch", "--log", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(9)
    assert watching.poll() is None
    watching.kill()
    watching.communicate()
