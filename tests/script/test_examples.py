"""Every example of every entry, through the built file, against all entries."""

import json
from pathlib import Path
from typing import Any

import pytest

from generator.lint import check
from tests.needs import ROOT
from tests.script.run import run

ENTRIES = check(ROOT / "entries")[0].entries
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
    found = {d["id"]: d for d in report["diagnoses"]}

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
