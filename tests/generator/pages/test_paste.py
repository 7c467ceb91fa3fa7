"""The page that diagnoses in the browser, as text."""

import json

from generator.pages import render
from tests.generator.pages.rendering import sample_collection

CHECKER = {"trainwreck.py": "print(1)\n"}


def test_the_page_names_the_checker_by_its_digest() -> None:
    """Who downloads the checker can compare."""
    page = render(sample_collection(), CHECKER)["paste.md"]

    digest = "cc42155088fca5730758db72b2a5bca33112a941dfaa2d43098ec422ce4ea213"
    assert f"-   SHA-256: `{digest}`" in page


def test_without_the_runtime_there_is_no_form() -> None:
    """The page says so and offers the checker; there are no samples to try."""
    pages = render(sample_collection(), CHECKER)

    assert "This copy of the site was built without the Python" in pages["paste.md"]
    assert "<!-- form -->" not in pages["paste.md"]
    assert "paste-samples.json" not in pages


def test_samples_are_captured_logs_the_longest_of_each_entry() -> None:
    """What is offered to try really happened, and is long enough to be worth reading."""
    collection = sample_collection()
    sample = collection.entries["sample-writer-stalls"]
    constructed = sample.entry.examples.diagnosed[0]
    logs = {"short": "a\n", "long": "a\nb\n" * 50}
    captured = [
        constructed.model_copy(update={"name": name, "origin": "captured", "log": log, "files": {}})
        for name, log in logs.items()
    ]
    examples = sample.entry.examples.model_copy(update={"diagnosed": [constructed, *captured]})
    sample = sample._replace(entry=sample.entry.model_copy(update={"examples": examples}))
    collection = collection._replace(entries={**collection.entries, sample.id: sample})

    pages = render(collection, CHECKER, runs_python=True)

    title = "Sample trainer: a save to a shared folder never returns from write()"
    assert json.loads(pages["paste-samples.json"]) == [
        {"name": title, "files": {"train.log": "a\nb\n" * 50}}
    ]
    assert "<!-- form -->" in pages["paste.md"]
