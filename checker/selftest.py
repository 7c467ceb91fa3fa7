"""The self-test: the catalogue's own examples enter, what went wrong with each leaves.

Every example is diagnosed against all entries. Its entry must be found in an example of it, and
must not in a near miss; another entry may be certain or likely only where it is declared.
"""

from typing import List, NamedTuple, Set, Tuple

from checker.catalogue import Catalogue
from checker.judgement import Report
from checker.model import CONFIDENCE, Diagnosis, Rule
from checker.pipeline import diagnose_texts


class SelfTest(NamedTuple):
    """The outcome of all examples."""

    examples: int
    failures: Tuple[str, ...]
    """`ID: EXAMPLE: what is wrong`, in the order of the catalogue."""


def run_examples(catalogue: Catalogue) -> SelfTest:
    """Diagnose every example of every entry."""
    rules = {entry.id: entry.rule() for entry in catalogue.entries}
    examples = 0
    failures: List[str] = []
    for name, rule in rules.items():
        for example in rule["examples"]:
            examples += 1
            report = diagnose_texts(
                catalogue, example["files"], example["facts"], example["versions"]
            )
            failures += [
                "{}: {}: {}".format(name, example["name"], problem)
                for problem in example_problems(rule, example, report)
            ]
    return SelfTest(examples, tuple(failures))


def example_problems(rule: Rule, example: Rule, report: Report) -> List[str]:
    """Say what is wrong with the diagnosis of one example."""
    own = [item for item in report.diagnoses if item.rule["id"] == rule["id"]]
    if example["diagnosed"]:
        problems = _expectation_problems(rule, example, own, report)
    else:
        problems = [
            "is diagnosed ({}), and must not be".format(CONFIDENCE[item.confidence])
            for item in own
            if item.confidence > 1
        ]
    return problems + [
        "{} is diagnosed too ({}), undeclared".format(item.rule["id"], CONFIDENCE[item.confidence])
        for item in report.diagnoses
        if item.confidence > 1 and not _is_declared(rule, example, item.rule)
    ]


def _is_declared(rule: Rule, example: Rule, other: Rule) -> bool:
    """Tell whether another entry may be diagnosed from an example of *rule*."""
    return (
        other["id"] == rule["id"]
        or other["id"] in example["also"]
        or other["id"] in _related_ids(rule)
        or rule["id"] in _related_ids(other)
    )


def _expectation_problems(
    rule: Rule, example: Rule, own: List[Diagnosis], report: Report
) -> List[str]:
    expect = example["expect"]
    if not own:
        missing = [near.missing for near in report.nearest if near.id == rule["id"]]
        return ["is not diagnosed" + (": " + missing[0] if missing else "")]
    found = own[0]
    problems = []
    confidence = CONFIDENCE[found.confidence]
    if "confidence" in expect and confidence != expect["confidence"]:
        problems.append("is {}, expected {}".format(confidence, expect["confidence"]))
    if "confidence" not in expect and found.confidence < 2 and rule["kind"] != "benign":
        problems.append("is only {}; say so in 'expect' if that is right".format(confidence))
    if "rank" in expect and found.rank != expect["rank"]:
        problems.append("is on rank {}, expected {}".format(found.rank, expect["rank"]))
    if "role" in expect and found.role != expect["role"]:
        problems.append("is {}, expected {}".format(found.role, expect["role"]))
    return problems


def _related_ids(rule: Rule) -> Set[str]:
    return {step["id"] for step in rule["leads_to"]} | set(rule["refines"] + rule["refined_by"])
