"""SARIF reports of all real logs; Microsoft's tool holds them against schema and GitHub."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.needs import ROOT, SARIF_MULTITOOL, needs
from tests.script.run import run

pytestmark = needs("sarif")
LOGS = sorted(path.name for path in (ROOT / "tests/logs").iterdir() if path.is_dir())
# The project has no address that could be given; and a file that the tool cannot read lacks it.
ACCEPTED = {("SARIF2005", "Warning_ProvideToolnformationUri")}


def complaints(folder: Path, reports: list[Path]) -> dict[str, set[tuple[str, str]]]:
    """Validate the reports with the rules of SARIF and of GitHub's code scanning."""
    answer = folder / "answer.json"
    command = [str(SARIF_MULTITOOL), "validate", "--rule-kind", "Sarif;Ghas", "-o", str(answer)]
    done = subprocess.run(
        [*command, "--level", "Error;Warning", *map(str, reports)],
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert answer.exists(), done.stdout + done.stderr
    found: dict[str, set[tuple[str, str]]] = {report.name: set() for report in reports}
    told: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8-sig"))["runs"][0]
    assert told["invocations"][0]["executionSuccessful"], done.stdout
    for result in told["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        found[Path(uri).name].add((result["ruleId"], result["message"]["id"]))
    return found


def test_every_report_is_accepted(script: Path, tmp_path: Path) -> None:
    """Schema, specification and GitHub's demands are met by the reports of all real runs."""
    reports = []
    for name in LOGS:
        report = tmp_path / f"{name}.sarif"
        done = run(script, "--format", "sarif", "-o", str(report), f"tests/logs/{name}")
        assert done.status in (0, 1)
        reports.append(report)

    assert complaints(tmp_path, reports) == {report.name: ACCEPTED for report in reports}


def test_a_broken_report_is_not_accepted(script: Path, tmp_path: Path) -> None:
    """The tool looks: without a place, and with a word that the schema lacks, it complains."""
    report = tmp_path / "broken.sarif"
    run(script, "--format", "sarif", "-o", str(report), "tests/logs/host_oom_kill")
    document = json.loads(report.read_text(encoding="ascii"))
    del document["runs"][0]["results"][0]["locations"]
    document["runs"][0]["unheard"] = 1
    report.write_text(json.dumps(document), encoding="ascii")

    rules = {rule for rule, _ in complaints(tmp_path, [report])["broken.sarif"]}
    assert {"GH1015", "JSON1005"} <= rules
