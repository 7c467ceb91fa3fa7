"""Reports are what the reference says, for every real log and every example."""

import json
from pathlib import Path

import pytest

from checker.cli import main
from checker.pipeline import diagnose_texts
from checker.report.render_json import render_json
from generator.report_model import ReportTold
from generator.schema import report_schema
from tests.needs import ROOT
from tests.published import published_catalogue

LOGS = sorted(path for path in (ROOT / "tests/logs").glob("*/*") if path.suffix != ".md")


@pytest.mark.parametrize("log", LOGS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_report_of_a_real_log_has_the_fields_of_the_model(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No field is missing, none is unknown, and each value is of its kind."""
    main([str(log), "--format=json"], published_catalogue())
    ReportTold.model_validate_json(capsys.readouterr().out)


def test_reports_of_examples_have_the_fields_of_the_model() -> None:
    """What only constructed logs and facts bring forth is in the model too."""
    catalogue = published_catalogue()
    for entry in catalogue.entries:
        for example in entry.rule()["examples"]:
            report = diagnose_texts(
                catalogue, example["files"], example["facts"], example["versions"]
            )
            ReportTold.model_validate_json(render_json(report, catalogue))


def test_the_schema_asks_for_every_key() -> None:
    """A program may rely on the keys of a document, and on those of a diagnosis."""
    schema = report_schema()
    assert schema["required"] == list(schema["properties"])
    told = schema["$defs"]["DiagnosisTold"]
    assert told["required"] == list(told["properties"])
    assert told["additionalProperties"] is False
    assert json.dumps(schema).count("#/$defs/SightingTold") == 2
