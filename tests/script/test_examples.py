"""Every example of every entry, through the built file, against all entries."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator.build import published
from generator.catalogue import compile_rule
from generator.lint import check
from tests.needs import ROOT
from tests.script.run import run

COLLECTION = check(ROOT / "entries")[0]
ENTRIES = COLLECTION.entries
PUBLISHED = published(COLLECTION)
EXAMPLES = [
    pytest.param(loaded.id, example, wanted, id=f"{loaded.id}: {example.name}")
    for loaded in ENTRIES.values()
    for wanted, examples in (
        (True, loaded.entry.examples.diagnosed),
        (False, loaded.entry.examples.not_diagnosed),
    )
    for example in examples
    if not example.facts and not example.versions
]


def test_the_script_passes_its_own_self_test(script: Path) -> None:
    """The examples inside the file hold on this interpreter, off the diagonal too."""
    done = run(script, "self-test")

    assert (done.status, done.err) == (0, b""), done.out.decode()
    assert done.out.decode().endswith(" 0 failures\n")


ALL_EXAMPLES = """
import json, runpy, sys

script = runpy.run_path(sys.argv[1])
rows = (script["CATALOGUE_ROWS"], script["CATALOGUE_SHA256"], script["CATALOGUE_DATE"])
catalogue = script["read_catalogue"](*rows)
rules = {entry.id: entry.rule() for entry in catalogue.entries}
for name, examples in json.load(sys.stdin).items():
    for example in examples:
        report = script["diagnose_texts"](
            catalogue, example["files"], example["facts"], example["versions"]
        )
        for problem in script["example_problems"](rules[name], example, report):
            print("{}: {}: {}".format(name, example["name"], problem))
"""


def test_all_examples_hold_in_the_built_file_against_all_entries(script: Path) -> None:
    """Also those with facts and versions, which no log on disk can give."""
    examples = {item.id: compile_rule(item.id, item.entry)["examples"] for item in PUBLISHED}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALL_EXAMPLES, str(script)],
        input=json.dumps(examples),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.stdout == ""


def test_there_is_something_to_diagnose() -> None:
    """An empty list of examples would pass every test of them."""
    assert len(EXAMPLES) >= 2 * len(ENTRIES) > 0


@pytest.mark.parametrize(("entry", "example", "wanted"), EXAMPLES)
def test_an_example_on_disk_is_diagnosed_as_the_entry_says(
    entry: str, example: Any, wanted: bool, script: Path, tmp_path: Path
) -> None:
    """Read from files, an example gives the diagnosis that the self-test gives."""
    for name, text in (example.files or {"example.log": example.log}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    done = run(script, "--format", "json", str(tmp_path))
    report = json.loads(done.out)
    sure = {d["id"] for d in report["diagnoses"] if d["confidence"] != "possible"}
    # One failure may be found at two devices; the first of them is what the entry speaks of.
    found = {d["id"]: d for d in reversed(report["diagnoses"])}

    allowed = {entry, *example.also, *_related(entry)}
    assert sure <= allowed
    if wanted:
        assert entry in found
        expect = example.expect.model_dump(exclude_none=True) if example.expect else {}
        assert {key: found[entry][key] for key in expect} == expect
    else:
        assert entry not in sure


def _related(entry: str) -> set[str]:
    relations = ENTRIES[entry].entry.relations
    ours = {step.id for step in relations.leads_to} | set(relations.refines)
    theirs = {
        other.id
        for other in ENTRIES.values()
        if entry in {step.id for step in other.entry.relations.leads_to}
        or entry in other.entry.relations.refines
    }
    return ours | theirs
