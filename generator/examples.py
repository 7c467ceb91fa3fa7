"""Run the entries' examples: every example of every entry, against all entries."""

from collections.abc import Iterable, Iterator

from checker.catalogue import Catalogue, read_catalogue
from checker.pipeline import diagnose_texts
from checker.selftest import example_problems
from generator.catalogue import Published, compile_catalogue, compile_rule


def failing_examples(entries: Iterable[Published]) -> Iterator[str]:
    """Give a line for whatever an example does not show as its entry says."""
    listed = list(entries)
    catalogue: Catalogue = read_catalogue(*compile_catalogue(listed))
    for item in listed:
        rule = compile_rule(item.id, item.entry)
        rule["refined_by"] = catalogue.by_id()[item.id].rule()["refined_by"]
        for example in rule["examples"]:
            report = diagnose_texts(
                catalogue, example["files"], example["facts"], example["versions"]
            )
            for problem in example_problems(rule, example, report):
                yield f"{item.id}: {example['name']}: {problem}"
