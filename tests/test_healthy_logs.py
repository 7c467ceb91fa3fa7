"""Runs in which nothing failed stay silent, however loud their logs are.

tests/logs/healthy/README.md tells what made each log, and which are constructed.
"""

import json
from pathlib import Path

import pytest

from checker.cli import main
from tests.needs import ROOT
from tests.published import published_catalogue

HEALTHY = ROOT / "tests" / "logs" / "healthy"
LOGS = sorted(path for path in HEALTHY.rglob("*.log"))
# Logs with lines at the level of an error, which are shown as what no entry explains.
WITH_ERRORS = {
    "constructed/inference_server": "a request that was refused",
    "constructed/kernel": "flaws of the firmware, and an error of PCI Express that was corrected",
    "data_workers": "records that were skipped, logged with log.exception",
    "keras_fit": "TensorFlow looks for a GPU where none is",
}
MOST_BYTES = 60_000


def folder_of(log: Path) -> str:
    """Name a log by its folder."""
    return log.parent.relative_to(HEALTHY).as_posix()


@pytest.mark.parametrize("log", LOGS, ids=folder_of)
def test_a_healthy_log_stays_silent(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status is 0, and nothing is shown: neither certain nor likely nor possible."""
    status = main([str(log), "--format=json"], published_catalogue())
    report = json.loads(capsys.readouterr().out)
    shown = [(found["id"], found["confidence"]) for found in report["diagnoses"]]
    assert (status, shown, report["recovered"]) == (0, [], [])
    assert bool(report["unexplained"]) == (folder_of(log) in WITH_ERRORS)


@pytest.mark.parametrize("named", WITH_ERRORS)
def test_every_reason_is_about_a_log(named: str) -> None:
    """A reason for a log that is gone is gone too."""
    assert named in map(folder_of, LOGS)


def test_healthy_logs_are_small_and_told() -> None:
    """They are read by people, and the README says of each what made it."""
    readme = (HEALTHY / "README.md").read_text(encoding="utf-8")
    assert [folder_of(log) for log in LOGS if f"`{folder_of(log)}/`" not in readme] == []
    assert [folder_of(log) for log in LOGS if log.stat().st_size > MOST_BYTES] == []
