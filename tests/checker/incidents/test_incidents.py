"""Of every incident the first failure and its rank are right, however its files are called."""

from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from checker.catalogue import Catalogue, read_catalogue
from checker.judgement import Report
from checker.model import CONFIDENCE, Diagnosis
from checker.pipeline import diagnose_texts
from checker.report.phrases import silent_ranks
from checker.report.story import current_of, recognized, without_lone_attempt
from generator.build import published
from generator.catalogue import compile_catalogue
from generator.lint import check
from tests.checker.incidents import (  # noqa: F401 - they register incidents
    clocks,
    desyncs,
    endings,
    failures,
)
from tests.checker.incidents.registry import INCIDENTS, Expected, Incident

ENTRIES = Path(__file__).parents[3] / "entries"


@cache
def published_catalogue() -> Catalogue:
    """The catalogue of the entries as they are."""
    compiled = compile_catalogue(published(check(ENTRIES)[0]))
    return read_catalogue(compiled.rows, compiled.sha256, compiled.date)


def story(report: Report) -> list[tuple[object, ...]]:
    """What a report tells, without the names of files."""
    return [
        (
            d.rule["id"],
            CONFIDENCE[d.confidence],
            d.role,
            d.rank,
            d.ranks,
            d.host,
            d.attempt,
            d.consequence_of,
            d.order,
        )
        for d in (*report.diagnoses, *report.recovered)
    ]


def led_to(origin: str, item: Diagnosis, items: list[Diagnosis]) -> bool:
    """Tell whether a diagnosis follows from an entry, directly or not."""
    causes = {other.rule["id"]: other.consequence_of for other in items}
    cause, seen = item.consequence_of, set()
    while cause is not None and cause not in seen:
        if cause == origin:
            return True
        seen.add(cause)
        cause = causes.get(cause)
    return False


def told(report: Report, expected: Expected) -> Expected:
    """What the report says of everything that is expected."""
    report = without_lone_attempt(report)
    current = [item for item in current_of(report) if recognized([item])]
    top = current[0] if current else None
    followed = {
        item.rule["id"] for item in current if top and led_to(top.rule["id"], item, current)
    }
    independent = {item.rule["id"] for item in current if item.role == "independent"}
    earlier = {d.rule["id"] for d in report.diagnoses if d not in current_of(report)}
    silent = silent_ranks(top, report.observations) if top and expected.silent else []
    return Expected(
        top.rule["id"] if top else None,
        top.rank if top and top.rule["kind"] == "failure" else None,
        top.role if top else "initiating",
        tuple(name for name in expected.followed if name in followed),
        tuple(sorted(independent)),
        tuple(silent),
        tuple(rank for lag in report.observations.lags for rank in lag.accused)
        if expected.lagging
        else (),
        tuple(
            name for name in expected.recovered if name in {d.rule["id"] for d in report.recovered}
        ),
        tuple(name for name in expected.earlier if name in earlier),
        top.host if top and expected.host else None,
        tuple(
            (item.rule["id"], item.order)
            for name, _ in expected.order
            for item in current
            if item.rule["id"] == name
        ),
        top.preceded_by if top else None,
        "any"
        if expected.agrees == "any"
        else (report.verdict.agrees if report.verdict else "no verdict"),
    )


CASES = [(one, layout) for one in INCIDENTS for layout in one.layouts]


@pytest.mark.parametrize(
    ("one", "layout"), CASES, ids=[f"{one.name}-{layout}" for one, layout in CASES]
)
def test_the_story_of_an_incident_is_right(one: Incident, layout: str) -> None:
    """The first failure, its rank and what followed are found, whatever the files are called."""
    run = one.build()
    stories = []
    for seed in (1, 2):
        report = diagnose_texts(published_catalogue(), getattr(run, layout)(seed), {}, {})
        assert told(report, one.expected) == one.expected
        stories.append(story(report))
    assert stories[0] == stories[1]


def rotated(files: dict[str, str], random: Random) -> dict[str, str]:
    """Cut every log anywhere, as rotation does."""
    parts = {}
    for path, text in files.items():
        lines = text.splitlines(keepends=True)
        cuts = sorted(random.sample(range(1, len(lines)), min(3, len(lines) - 1)))
        for index, (begin, end) in enumerate(pairwise([0, *cuts, len(lines)])):
            age = len(cuts) - index
            parts[f"{path}.{age}" if age else path] = "".join(lines[begin:end])
    return parts


@pytest.mark.parametrize("one", INCIDENTS, ids=[one.name for one in INCIDENTS])
def test_rotation_changes_no_story(one: Incident) -> None:
    """Logs that were cut at any line tell the same as whole ones, to the last quoted line."""
    whole = getattr(one.build(), one.layouts[0])(1)
    parts = rotated(whole, Random(len(one.name)))
    expected = diagnose_texts(published_catalogue(), whole, {}, {})
    report = diagnose_texts(published_catalogue(), parts, {}, {})
    assert story(report) == story(expected)
    assert sorted(quoted(report, parts)) == sorted(quoted(expected, whole))


def quoted(report: Report, files: dict[str, str]) -> list[str]:
    """The lines of the evidence, looked up where the report says that they stand."""
    places = [s.line.place for d in report.diagnoses for s in d.evidence if s.line is not None]
    return [files[path].splitlines()[number - 1] for path, number in places]


def test_there_are_enough_incidents() -> None:
    """Forty different ones at least, of 8 and of 64 ranks."""
    sizes = {one.name: one.build().ranks for one in INCIDENTS}
    assert len(sizes) >= 40
    assert {8, 64} <= set(sizes.values())
