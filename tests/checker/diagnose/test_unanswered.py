"""Facts whose probe did not answer, where an entry could not be judged without them."""

import pytest

from checker.check import report_status, trouble_lines
from checker.diagnose.diagnosis import diagnose
from checker.judgement import Report
from checker.model import Fact
from tests.checker.failures import catalogue_of
from tests.checker.observed import NOTHING, fact, hit
from tests.checker.report_records import read_input

SILENT = "did not answer in 3 s (state S, waits in request_wait_answer)"
FULL = {
    "signs": {
        "failed": {"log": "shared memory failed"},
        "small": {"fact": "shm.size", "is": "below", "value": 1000},
        "lost": {"fact": "gpu.pci.gone", "is": "contains", "value": "0000"},
        "dense": {"fact": "gpu.count", "is": "above", "value": 7},
    },
    "signatures": [
        {"strength": "strong", "all": ["failed", "small"], "none": ["dense"]},
        {"decisive": ["lost"]},
    ],
}
OFF_THE_BUS = {
    "signs": {"xid": {"log": "NVRM: Xid", "source": "kernel"}},
    "signatures": [{"decisive": ["xid"]}],
}
CATALOGUE = catalogue_of(
    "peer-connection-lost", shared_memory_full=(FULL, {}), off_the_bus=(OFF_THE_BUS, {})
)
SMALL, LOST = fact("shm.size", 1), fact("gpu.pci.gone", unknown=SILENT)
FAILED = hit("shared memory failed", "shared memory failed")


def judged(*facts: Fact, failed: bool) -> Report:
    """Diagnose a log, in which shared memory failed or did not, and facts beside it."""
    seen = NOTHING._replace(
        inputs=(read_input("a.log"),), facts=facts, hits=(FAILED,) if failed else ()
    )
    return diagnose(CATALOGUE, seen._replace(sources=frozenset({"rank"})))


@pytest.mark.parametrize(
    ("facts", "failed", "open_for", "status"),
    [
        ([fact("shm.size", unknown=SILENT)], True, ("shm.size",), 4),
        ([LOST], False, ("gpu.pci.gone",), 4),
        ([fact("kernel.log", unknown=SILENT)], False, ("kernel.log",), 4),
        # What the entry asks besides is not there, so the answer would decide nothing.
        ([fact("shm.size", unknown=SILENT)], False, (), 0),
        # The diagnosis is a possible one only, until that is excluded.
        ([SMALL, fact("gpu.count", unknown=SILENT)], True, ("gpu.count",), 4),
        # Another machine has told what decides.
        ([fact("gpu.pci.gone", []), LOST], False, (), 0),
        # A diagnosis counts more than what is not known.
        ([SMALL, fact("gpu.count", 8), LOST], True, ("gpu.pci.gone",), 4),
        ([SMALL, fact("gpu.count", 1), LOST], True, ("gpu.pci.gone",), 1),
        ([fact("gpu.states", unknown=SILENT)], True, (), 0),
        ([fact("shm.size", unknown="no right")], True, (), 0),
        ([fact("shm.size", unknown="absent")], True, (), 0),
        ([fact("shm.size", unknown="not this system")], True, (), 0),
        ([fact("shm.size", unknown="not asked: the 30 s for all probes were over")], True, (), 0),
    ],
)
def test_a_probe_that_did_not_answer_counts_where_an_entry_is_open_without_it(
    facts: list[Fact], failed: bool, open_for: tuple[str, ...], status: int
) -> None:
    """The exit status says so, unless something was diagnosed."""
    report = judged(*facts, failed=failed)

    assert report.unanswered == open_for
    assert report_status(report) == status


def test_standard_error_names_the_fact() -> None:
    """Once, however many machines say the same."""
    silent = fact("shm.size", unknown=SILENT)
    report = judged(
        silent, silent._replace(host="b"), fact("gpu.states", unknown=SILENT), failed=True
    )

    assert trouble_lines(report, ("a.log",), report_status(report)) == [
        "not known: shm.size: " + SILENT
    ]


def test_the_log_that_was_given_stands_for_the_one_that_did_not_answer() -> None:
    """A kernel log among the inputs is what entries ask for."""
    seen = NOTHING._replace(
        inputs=(read_input("a.log"),),
        facts=(fact("kernel.log", unknown=SILENT),),
        sources=frozenset({"kernel"}),
    )

    assert diagnose(CATALOGUE, seen).unanswered == ()
