"""What people reported in public is told right: by the entry that explains it, or as unknown.

tests/reports/README.md tells what the logs are. A log's folder is the right answer.
"""

import json
from pathlib import Path

import pytest

from checker.cli import main
from tests.needs import ROOT
from tests.published import published_catalogue

REPORTS = ROOT / "tests" / "reports"
LOGS = sorted(REPORTS.glob("*/*.log"))
NAMES = [f"{log.parent.name}/{log.stem}" for log in LOGS]
UNKNOWN = "unknown"
MOST_BYTES = 8_000


def told_of(log: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """Diagnose a log; list ids and confidences as they are told."""
    main([str(log), "--format=json"], published_catalogue())
    report = json.loads(capsys.readouterr().out)
    return [(found["id"], found["confidence"]) for found in report["diagnoses"]]


@pytest.mark.parametrize("log", LOGS, ids=NAMES)
def test_a_report_is_told_right(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry that explains it is told first, and nothing else is certain."""
    told = told_of(log, capsys)
    right = log.parent.name
    assert [name for name, confidence in told if confidence == "certain" and name != right] == []
    if right != UNKNOWN:
        assert [name for name, _ in told][:1] == [right]


@pytest.mark.parametrize(
    "log", [log for log in LOGS if log.parent.name == UNKNOWN], ids=lambda log: log.stem
)
def test_what_no_entry_explains_is_said_to_be_unknown(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of failures without an entry none is likely but that the training code raised."""
    told = told_of(log, capsys)
    likely = {name for name, confidence in told if confidence != "possible"}
    assert likely <= {"user-code-error"}


def test_the_right_answers_are_entries() -> None:
    """A folder that is no entry any more would prove nothing, and the logs stay small."""
    entries = {path.stem for path in (ROOT / "entries").glob("*.md")}
    assert {log.parent.name for log in LOGS} <= {*entries, UNKNOWN}
    assert [log.name for log in LOGS if log.stat().st_size > MOST_BYTES] == []
