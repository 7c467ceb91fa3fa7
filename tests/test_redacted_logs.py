"""Masking spoils no diagnosis: every log and every example gives the same ids when masked."""

from pathlib import Path

import pytest

from checker.judgement import Report
from checker.model import CONFIDENCE
from checker.pipeline import diagnose_paths, diagnose_texts
from checker.report.redact import masking, shown_texts
from tests.needs import ROOT
from tests.published import published_catalogue

LOGS = sorted(path for path in (ROOT / "tests/logs").glob("*/*") if path.is_dir())
EXAMPLES = [
    pytest.param(example, id=f"{entry.id}: {example['name']}")
    for entry in published_catalogue().entries
    for example in entry.rule()["examples"]
]


def told(report: Report) -> list[tuple[object, ...]]:
    """What the report says, without names."""
    return sorted(
        (
            item.rule["id"],
            CONFIDENCE[item.confidence],
            item.role,
            item.consequence_of or "",
            str(item.rank),
            item.ranks,
            str(item.attempt),
        )
        for item in (*report.diagnoses, *report.recovered)
    )


def masked_files(report: Report, files: dict[str, str]) -> dict[str, str]:
    """Mask names and texts of files with what the report knows of them."""
    texts, hosts = shown_texts(report)
    lines = [line for text in files.values() for line in text.split("\n")]
    mask, _ = masking([*texts, *files, *lines], hosts, published_catalogue())
    return {
        mask(name): "\n".join(mask(line) for line in text.split("\n"))
        for name, text in files.items()
    }


@pytest.mark.parametrize("folder", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_masked_log_is_diagnosed_alike(folder: Path, tmp_path: Path) -> None:
    """Ids, confidence, roles, ranks and attempts are those of the log as it was."""
    before = diagnose_paths(published_catalogue(), [str(folder)], None)
    files = {
        str(path.relative_to(folder)): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    for name, text in masked_files(before, files).items():
        place = tmp_path / folder.name / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))

    assert told(diagnose_paths(published_catalogue(), [str(tmp_path / folder.name)], None)) == told(
        before
    )


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_masked_example_is_diagnosed_alike(example: dict[str, dict[str, str]]) -> None:
    """So are the examples of all entries, near misses too."""
    given = example["facts"], example["versions"]
    before = diagnose_texts(published_catalogue(), example["files"], *given)
    masked = masked_files(before, example["files"])

    assert told(diagnose_texts(published_catalogue(), masked, *given)) == told(before)
