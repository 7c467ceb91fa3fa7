"""The matrix: every example of every entry, diagnosed against all entries."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from checker.catalogue import Catalogue, read_catalogue
from checker.model import CONFIDENCE
from checker.pipeline import diagnose_texts
from checker.selftest import example_problems
from generator.catalogue import Published, compile_catalogue, compile_rule


class Found(NamedTuple):
    """One entry that was diagnosed from an example."""

    id: str
    confidence: str
    role: str


class Outcome(NamedTuple):
    """What became of one example."""

    id: str
    """The entry that the example belongs to."""
    example: str
    """The example's name."""
    diagnosed: bool
    """Whether its entry must be diagnosed from it; otherwise it is a near miss."""
    found: tuple[Found, ...]
    """Everything that was diagnosed, in the order of the report."""
    problems: tuple[str, ...]
    """What is not as the entry says."""

    @property
    def others(self) -> tuple[Found, ...]:
        """The entries beside its own that are certain or likely."""
        return tuple(
            one for one in self.found if one.id != self.id and one.confidence != CONFIDENCE[1]
        )


def outcomes(
    entries: Iterable[Published], named: Collection[str] = frozenset()
) -> Iterator[Outcome]:
    """Run the examples of published entries, or only those of the named ones.

    A named draft is taken for published, so that its examples are tried before it is.
    """
    tried = _tried(entries, named)
    catalogue = read_catalogue(*compile_catalogue(tried))
    for item in tried:
        if named and item.id not in named:
            continue
        rule = compile_rule(item.id, item.entry)
        rule["refined_by"] = catalogue.by_id()[item.id].rule()["refined_by"]
        for example in rule["examples"]:
            report = diagnose_texts(
                catalogue, example["files"], example["facts"], example["versions"]
            )
            yield Outcome(
                item.id,
                example["name"],
                example["diagnosed"],
                tuple(
                    Found(one.rule["id"], CONFIDENCE[one.confidence], one.role)
                    for one in report.diagnoses
                ),
                tuple(example_problems(rule, example, report)),
            )


def failures(results: Iterable[Outcome]) -> list[str]:
    """Give a line for whatever an example does not show as its entry says."""
    return [f"{one.id}: {one.example}: {problem}" for one in results for problem in one.problems]


def tried_catalogue(entries: Iterable[Published], named: Collection[str]) -> Catalogue:
    """Compile the published entries, and the named ones even if they are drafts."""
    return read_catalogue(*compile_catalogue(_tried(entries, named)))


def _tried(entries: Iterable[Published], named: Collection[str]) -> list[Published]:
    return [item for item in (_taken_for_published(one, named) for one in entries) if item]


def _taken_for_published(item: Published, named: Collection[str]) -> Published | None:
    """Return an entry as it is tried: a named draft as published, another draft not at all."""
    if item.id in named:
        return item._replace(entry=item.entry.model_copy(update={"status": "published"}))
    return item if item.entry.status == "published" else None
