"""Lines that report an error in general words are kept, whoever wrote them."""

from pathlib import Path

import pytest

from checker.pipeline import diagnose_paths
from checker.report.render_text import render_text
from checker.scan.observe import observe_texts
from tests.checker.failures import catalogue_of, diagnosed

HEALTHY = Path(__file__).parents[2] / "logs" / "healthy"
FATAL = [
    "Fatal Python error: Segmentation fault",
    "Segmentation fault (core dumped)",
    "./run.sh: line 3: 12676 Bus error               (core dumped) python3 train.py",
    "Bus error (core dumped)",
    "Aborted (core dumped)",
    "double free or corruption (!prev)",
    "free(): invalid pointer",
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "slurmstepd: error: *** JOB 811 ON node-a CANCELLED AT 2026-11-30T10:20:28 "
    "DUE TO TIME LIMIT ***",
    "node-a:1:2 [0] net_ib.cc:123 NCCL WARN Call to ibv_modify_qp failed with error "
    "Connection timed out",
    "[rank0]:[E1130 10:20:28.049767201 ProcessGroupNCCL.cpp:629] [Rank 0] Some unknown thing",
    "CRITICAL something broke",
    "bash: torchrun: command not found",
    "[  562.849352] EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm python3",
]
BEFORE = "".join(f"step {step} of 100\n" for step in range(80))


@pytest.mark.parametrize("line", FATAL)
def test_a_fatal_line_is_an_error(line: str) -> None:
    """It is kept wherever it stands, and quoted where no entry explains it."""
    text = BEFORE + line + "\n" + BEFORE
    seen = observe_texts({"train.log": text}, frozenset(), {}, {})
    assert [(error.number, error.shown) for error in seen.errors] == [(81, line)]
    report = diagnosed(catalogue_of("disk-full"), {"train.log": text})
    assert [error.number for error in report.unexplained] == [81]
    assert "The log reports errors that no entry explains" in " ".join(
        render_text(report, catalogue_of("disk-full"), False).split()
    )


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_loss_that_is_no_number_is_an_error(value: str) -> None:
    """Training goes on, but nothing that it does is of use."""
    asking = {
        "signs": {"zero": {"metric": "loss", "is": "zero", "for": 3}},
        "signatures": [{"strong": ["zero"]}],
    }
    text = "".join(f"{{'loss': {loss}, 'epoch': 0.1}}\n" for loss in (2.5, 2.4, value, value))
    report = diagnosed(catalogue_of("disk-full", loss_zero=(asking, {})), {"train.log": text})
    assert [(error.number, error.text) for error in report.unexplained] == [
        (3, f"{{'loss': {value}, 'epoch': 0.1}}")
    ]


def test_a_loss_that_is_a_number_again_is_no_error() -> None:
    """A trainer that scales the loss skips a step that overflows; two good values show that."""
    text = "".join(f"step {step} loss {loss}\n" for step, loss in enumerate([2.5, "inf", 2.4, 2.3]))
    assert diagnosed(catalogue_of("disk-full"), {"train.log": text}).unexplained == ()
    cut = text[: text.index("step 3")]
    report = diagnosed(catalogue_of("disk-full"), {"train.log": cut})
    assert [error.text for error in report.unexplained] == ["step 1 loss inf"]


def test_an_unknown_kind_of_failure_is_not_called_health() -> None:
    """Where nothing is known, the report says no more than that."""
    report = diagnosed(catalogue_of("disk-full"), {"train.log": "nothing of interest\n"})
    text = render_text(report, catalogue_of("disk-full"), False)
    assert text.splitlines()[:2] == [
        "No known failure recognized; no line is one that this version knows as an error.",
        "Whether the run ended well is not known.",
    ]


def test_handled_exceptions_are_told_apart_from_errors() -> None:
    """A healthy run that logged an exception gets the same form of verdict as others."""
    report = diagnose_paths(catalogue_of(), [str(HEALTHY / "tee")], None)
    text = render_text(report, catalogue_of(), False)
    assert " ".join(text.splitlines()[:3]) == (
        "No known failure recognized; the exceptions that were printed were handled, and no other "
        "line is one that this version knows as an error. Training ran to its end "
        "({}:142).".format(HEALTHY / "tee" / "console.log")
    )
