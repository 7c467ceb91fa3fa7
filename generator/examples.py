"""Run the entries' examples: every example of every entry, against all entries."""

from collections.abc import Collection, Iterable, Iterator

from checker.catalogue import Catalogue, read_catalogue
from checker.pipeline import diagnose_texts
from checker.selftest import example_problems
from generator.catalogue import Published, compile_catalogue, compile_rule


def failing_examples(
    entries: Iterable[Published], named: Collection[str] = frozenset()
) -> Iterator[str]:
    """Give a line for whatever an example does not show as its entry says.

    The examples of published entries are run, or only those of the named ones; a named draft is
    taken for published, so that its examples are tried before it is.
    """
    listed = [item for item in (taken_for_published(one, named) for one in entries) if item]
    catalogue: Catalogue = read_catalogue(*compile_catalogue(listed))
    for item in listed:
        if named and item.id not in named:
            continue
        rule = compile_rule(item.id, item.entry)
        rule["refined_by"] = catalogue.by_id()[item.id].rule()["refined_by"]
        for example in rule["examples"]:
            report = diagnose_texts(
                catalogue, example["files"], example["facts"], example["versions"]
            )
            for problem in example_problems(rule, example, report):
                yield f"{item.id}: {example['name']}: {problem}"


def taken_for_published(item: Published, named: Collection[str]) -> Published | None:
    """Return an entry as it is tried: a named draft as published, another draft not at all."""
    if item.id in named:
        return item._replace(entry=item.entry.model_copy(update={"status": "published"}))
    return item if item.entry.status == "published" else None
