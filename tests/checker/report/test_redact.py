"""A report without what is private."""

import json
from pathlib import Path
from typing import Any

import pytest

from checker.arguments import Request
from checker.check import run_check
from checker.packed import FEW, packed_records
from checker.report.redact import redacted
from checker.why import run_why
from tests.checker.failures import catalogue_of
from tests.checker.report_records import KILL_CATALOGUE, KILL_REPORT

SECRET = "hf_" + "a1B2c3D4" * 5
LOG = (
    "gpu-17:4242:4242 [0] NCCL INFO NET/Socket : Using [0]eth0:10.20.30.40<0>\n"
    f"[rank1]: step 10 loss 2.3, pushed as jane.doe@lab.example with {SECRET}\n"
    "[rank1]: Traceback (most recent call last):\n"
    '[rank1]:   File "/home/jane/project/train.py", line 12, in main\n'
    "[rank1]:     spool.write(state)\n"
    "[rank1]: sample.errors.SpoolError: jane@gpu-17 lost 10.20.30.40, password=hunter2\n"
)
PRIVATE = ("gpu-17", "10.20.30.40", "jane", SECRET, "hunter2", "lab.example")
KNOWN = catalogue_of("host-oom-killer", "user-code-error")
FORMS = ("text", "json", "html", "sarif", "lines")


def options(**more: str) -> dict[str, str]:
    """The options of a command line that asks for a masked report."""
    return {
        "--redact": "",
        **{"--" + name.replace("_", "-"): value for name, value in more.items()},
    }


def written(tmp_path: Path, name: str = "gpu-17.log", **more: str) -> str:
    """The report on a log that lies in the home folder of its user."""
    path = tmp_path / "home/jane/logs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(LOG, encoding="utf-8")
    request = Request("check", True, (str(path.parent),), options(**more), False)
    return run_check(request, KNOWN).text


@pytest.mark.parametrize("form", FORMS)
def test_no_form_tells_what_is_private(form: str, tmp_path: Path) -> None:
    """Names, addresses and secrets are masked wherever a form shows them, in paths too."""
    shown = written(tmp_path, format=form)
    assert [name for name in PRIVATE if name in shown] == []
    assert "/home/user-1/logs/host-1.log" in shown.replace("home/user-1", "/home/user-1").replace(
        "//", "/"
    )


def test_lines_drafts_and_traces_tell_nothing_either(tmp_path: Path) -> None:
    """Each says what was masked, and never what that was."""
    asked = str(tmp_path / "home/jane/logs/gpu-17.log") + ":6"
    line = written(tmp_path, explain_line=asked)
    draft = written(tmp_path, draft="")
    paths = (str(tmp_path),)
    words = ("user-code-error", *paths)
    trace = run_why(Request("why", True, words, options(), False), KNOWN).text
    for shown in (line, draft, trace):
        assert [name for name in PRIVATE if name in shown] == []
        assert "Masked: " in shown


@pytest.mark.parametrize("more", [{"format": "text"}, {"format": "json"}, {"draft": ""}])
def test_host_that_only_an_unused_line_tells_is_masked(
    more: dict[str, str], tmp_path: Path
) -> None:
    """NCCL's first lines prove nothing, but name the host; a token is known before it is cut."""
    log = (
        "gpu-17:4242:4242 [0] NCCL INFO NET/Socket : Using [0]eth0:10.20.30.40<0>\n"
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "/workspace/train.py", line 12, in main\n'
        f"[rank1]: sample.errors.SpoolError: gpu-17 is gone {'x ' * 183}{SECRET}\n"
    )
    path = tmp_path / "gpu-17.log"
    path.write_text(log, encoding="utf-8")
    shown = run_check(Request("check", True, (str(path),), options(**more), False), KNOWN).text
    assert "is gone" in shown
    assert [name for name in ("gpu-17", SECRET[:12]) if name in shown] == []


def test_the_pace_of_the_steps_is_kept(tmp_path: Path) -> None:
    """In words and as data; who counted, and where, is masked."""
    log = LOG.splitlines(keepends=True)[0] + "".join(
        f"2026-08-14 03:{minute:02}:00,000 INFO train: step {minute} loss 2.5\n"
        for minute in range(1, 9)
    )
    path = tmp_path / "gpu-17.log"
    path.write_text(log + "2026-08-14 05:00:00,000 WARNING on jane@gpu-17\n", encoding="utf-8")
    asked = Request("check", True, (str(path),), options(format="json"), False)
    (pace,) = json.loads(run_check(asked, KNOWN).text)["paces"]
    assert pace["path"].endswith("/host-1.log")
    assert (pace["usual_seconds"], pace["last_step"], pace["stalled"]) == (60.0, 8, True)
    text = run_check(asked._replace(options=options()), KNOWN).text
    assert "steps 1-8, usually 60 s a step; then none in the 1 h 52 min" in " ".join(text.split())


def test_a_report_says_what_was_masked(tmp_path: Path) -> None:
    """By kind and number, in data and in words."""
    document = json.loads(written(tmp_path, format="json"))
    sarif = json.loads(written(tmp_path, format="sarif"))
    counts = {"host": 1, "user": 1, "address": 1, "mail": 0, "secret": 1}
    assert document["masked"] == counts
    assert sarif["runs"][0]["properties"]["masked"] == counts
    assert "Masked: 1 host name, 1 user name, 1 address, 1 secret." in " ".join(
        written(tmp_path).split()
    )


def test_pseudonyms_do_not_depend_on_what_was_read_first() -> None:
    """The same name has the same pseudonym everywhere, and names are numbered by themselves."""
    seen = KILL_REPORT.observations
    other = KILL_REPORT._replace(
        observations=seen._replace(inputs=seen.inputs[::-1], ranks=seen.ranks[::-1])
    )
    first, second = redacted(KILL_REPORT, KILL_CATALOGUE), redacted(other, KILL_CATALOGUE)
    assert first.diagnoses == second.diagnoses
    assert first.diagnoses[0].host == "host-1"


def test_a_record_that_many_ranks_hold_is_masked_once() -> None:
    """All ranks of a group share what is known of it; to go into it for each takes hours."""
    shared: Any = ("group of gpu-17.internal",)
    ranks = tuple(state._replace(exit=shared) for state in KILL_REPORT.observations.ranks)
    seen = KILL_REPORT.observations._replace(ranks=ranks)
    masked = redacted(KILL_REPORT._replace(observations=seen), KILL_CATALOGUE).observations.ranks
    assert masked[0].exit == ("group of host-1",)
    assert all(state.exit is masked[0].exit for state in masked)


def test_what_thousands_of_ranks_showed_is_masked() -> None:
    """Many records are packed, and no less private."""
    lead = KILL_REPORT.diagnoses[0]
    shown = lead.evidence[0]._replace(text="lost gpu-17.internal", host="gpu-17.internal")
    many = packed_records(shown._replace(rank=rank) for rank in range(2 * FEW))
    assert not isinstance(many, tuple)
    told = KILL_REPORT._replace(diagnoses=(lead._replace(evidence=many),))
    evidence = redacted(told, KILL_CATALOGUE).diagnoses[0].evidence
    assert len(evidence) == 2 * FEW
    assert {one.rank for one in evidence} == set(range(2 * FEW))
    assert not any("gpu-17" in repr(one) for one in evidence)


def test_nothing_is_masked_unasked() -> None:
    """A report is for the person whose logs they are."""
    assert KILL_REPORT.masked is None
