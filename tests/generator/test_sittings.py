"""Whoever writes an entry from its page writes what gives the same diagnoses.

tests/generator/sittings/README.md tells how the sittings came about.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from checker.catalogue import Catalogue, read_catalogue
from checker.judgement import Report
from checker.model import Diagnosis
from checker.pipeline import diagnose_paths, diagnose_texts
from generator.build import published
from generator.catalogue import Published, compile_catalogue
from generator.detection import Detect
from generator.lint import check
from tests.needs import ROOT

SITTINGS = Path(__file__).parent / "sittings"
PAIRS = sorted(path.name for path in SITTINGS.iterdir() if path.is_dir())
CAPTURES = sorted(path for path in (ROOT / "tests" / "logs").glob("*/*") if path.is_dir())


def catalogue_with(sitting: Path, entries: list[Published]) -> Catalogue:
    """Compile all entries, of which one looks for what the sitting says."""
    written = yaml.safe_load(sitting.read_text(encoding="utf-8"))["detect"]
    changed = {"detect": Detect.model_validate(written)}
    return read_catalogue(
        *compile_catalogue(
            item._replace(entry=item.entry.model_copy(update=changed))
            if item.id == sitting.parent.name
            else item
            for item in entries
        )
    )


def told(report: Report) -> list[list[tuple[object, ...]]]:
    """Give all that was diagnosed, and on which lines; names of signs are everybody's own."""
    return [[_told(one) for one in group] for group in (report.diagnoses, report.recovered)]


def _told(one: Diagnosis) -> tuple[object, ...]:
    seen = ({seen.line[:2] for seen in group if seen.line} for group in (one.evidence, one.against))
    return (one.rule["id"], *one[1:9], *(sorted(lines) for lines in seen))


def reports(catalogue: Catalogue, entries: list[Published]) -> Iterator[tuple[str, Report]]:
    """Diagnose every capture, and every example of every entry."""
    for folder in CAPTURES:
        yield str(folder), diagnose_paths(catalogue, [str(folder)], None)
    for item in entries:
        logs = item.entry.examples
        for example in (*logs.diagnosed, *logs.not_diagnosed):
            files = example.files or {"example.log": example.log or ""}
            report = diagnose_texts(catalogue, files, example.facts, example.versions)
            yield f"{item.id}: {example.name}", report


@pytest.mark.parametrize("named", PAIRS)
def test_two_sittings_give_the_same_diagnoses(named: str) -> None:
    """Of every log both find the same failures, as sure, in the same roles, on the same lines."""
    entries = list(published(check(ROOT / "entries")[0]))
    one, other = (
        {
            case: told(report)
            for case, report in reports(catalogue_with(SITTINGS / named / name, entries), entries)
        }
        for name in ("one.yaml", "other.yaml")
    )
    assert one == other
    found = [case for case, groups in one.items() if any(d[0] == named for g in groups for d in g)]
    assert len(found) > 3


def test_every_pair_is_told() -> None:
    """The README says of each pair how independent it was."""
    readme = (SITTINGS / "README.md").read_text(encoding="utf-8")
    assert [named for named in PAIRS if f"| `{named}` |" not in readme] == []
