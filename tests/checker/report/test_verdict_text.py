"""What the launcher named is told with why it is believed, or not."""

import pytest

from checker.report.verdict_text import json_verdict, launcher_sentence, verdict_reason
from tests.checker.report_records import VERDICT


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"why": "same"}, "what the logs show says the same."),
        (
            {"why": "stopped", "entry": "slurm-time-limit"},
            "but the run was ended from outside (slurm-time-limit).",
        ),
        (
            {"why": "teardown", "entry": "disk-full", "ranks": (0,)},
            "that is its own SIGTERM to a process that was left; rank 0 failed first (disk-full).",
        ),
        (
            {"why": "teardown", "entry": None},
            "that is its own SIGTERM to a process that was left.",
        ),
        (
            {"why": "abort", "entry": "gpu-lost", "ranks": ()},
            "that is the abort after a timeout; gpu-lost was first.",
        ),
        (
            {"why": "followed", "entry": "disk-full", "ranks": (0, 2)},
            "what rank 1 shows only followed; ranks 0, 2 failed first (disk-full).",
        ),
        (
            {"why": "waited", "entry": "collective-timeout"},
            "but rank 1 shows only collective-timeout, which another rank causes.",
        ),
        (
            {"why": "machine", "entry": "gpu-lost"},
            "it ran on the host on which gpu-lost was seen.",
        ),
        (
            {"why": "unknown", "others": 2},
            "nothing else tells whether it was the first, and it goes by the whole second in "
            "which it noticed an end, on one node. The 2 launchers of other nodes named their own.",
        ),
        (
            {"why": "unknown", "verdict": VERDICT.verdict._replace(recorded=True)},
            "nothing else tells whether it was the first, and its times are whole seconds of one "
            "node.",
        ),
    ],
)
def test_every_grade_has_its_reason(fields: dict[str, object], reason: str) -> None:
    """The reason names what overrules the launcher, and where that began."""
    assert verdict_reason(VERDICT._replace(**fields)) == reason  # type: ignore[arg-type]


def test_it_is_told_in_one_place() -> None:
    """Overruled it stands under the headline, else among the ranks."""
    told = [
        (bool(launcher_sentence(graded, True)), bool(launcher_sentence(graded, False)))
        for graded in (VERDICT._replace(agrees=False), VERDICT, VERDICT._replace(agrees=None), None)
    ]
    assert told == [(True, False), (False, True), (False, True), (False, False)]


def test_no_launcher_is_null() -> None:
    """Scripts see at once that there was no verdict."""
    assert json_verdict(None) is None
