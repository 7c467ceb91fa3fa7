"""Checks of the examples, by which an entry proves itself."""

from collections.abc import Iterator

from generator.errors import shortened
from generator.lint.registry import Finding, entry_check
from generator.load import Loaded
from generator.nodes import Step


@entry_check
def no_example(loaded: Loaded) -> Iterator[Finding]:
    """A published entry has an example that it diagnoses: the proof that it can."""
    if loaded.entry.status == "published" and not loaded.entry.examples.diagnosed:
        yield Finding(
            loaded,
            ("examples",),
            "no example is diagnosed",
            "add under 'diagnosed' a short log of this failure, with 'name' and 'origin'",
        )


@entry_check
def no_near_miss(loaded: Loaded) -> Iterator[Finding]:
    """A published entry has an example that looks like it and is not: the proof of its limits."""
    if loaded.entry.status == "published" and not loaded.entry.examples.not_diagnosed:
        yield Finding(
            loaded,
            ("examples",),
            "no example is a near miss",
            "add under 'not_diagnosed' a log that looks alike, such as one with the same message"
            " and another cause",
        )


@entry_check
def repeated_example(loaded: Loaded) -> Iterator[Finding]:
    """The examples of an entry have different names: reports of the tests show them."""
    seen: set[str] = set()
    for steps, name in _example_names(loaded):
        if name in seen:
            yield Finding(
                loaded, steps, f"another example is called '{name}'", "say in what the two differ"
            )
        seen.add(name)


@entry_check
def expecting_near_miss(loaded: Loaded) -> Iterator[Finding]:
    """A near miss expects no diagnosis, so that nothing can be expected of it."""
    for index, example in enumerate(loaded.entry.examples.not_diagnosed):
        if example.expect:
            yield Finding(
                loaded,
                ("examples", "not_diagnosed", index, "expect"),
                "a near miss has no diagnosis to expect something of",
                "remove 'expect', or move the example to 'diagnosed'",
            )


@entry_check
def bad_example_file(loaded: Loaded) -> Iterator[Finding]:
    """The files of an example lie in its own folder, or in folders below it."""
    for key in ("diagnosed", "not_diagnosed"):
        for index, example in enumerate(getattr(loaded.entry.examples, key)):
            for name in example.files:
                parts = name.replace("\\", "/").split("/")
                if not name.isprintable() or {"", ".", ".."} & set(parts):
                    yield Finding(
                        loaded,
                        ("examples", key, index, "files"),
                        f"'{shortened(name)}' is not the name of a file in the example's folder",
                        "write a name, or a path without '..', as rank0/stderr.log",
                    )


def _example_names(loaded: Loaded) -> Iterator[tuple[tuple[Step, ...], str]]:
    for key in ("diagnosed", "not_diagnosed"):
        for index, example in enumerate(getattr(loaded.entry.examples, key)):
            yield ("examples", key, index, "name"), example.name
