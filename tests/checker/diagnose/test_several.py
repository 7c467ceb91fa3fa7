"""Several runs in one reading."""

import json
from pathlib import Path

from checker.judgement import Report
from checker.model import CONFIDENCE
from checker.pipeline import diagnose_paths, diagnose_texts
from checker.report.render_json import render_json
from checker.report.render_runs import render_runs
from tests.checker.diagnose.test_runs import console
from tests.checker.failures import catalogue_of
from tests.needs import ROOT

LOGS = ROOT / "tests" / "logs"
KERNEL = "[  562.849352] Memory cgroup out of memory: Killed process {} (python3) total-vm:1kB\n"
KILLED = (
    console(100)
    .replace("exitcode: 1)", "exitcode: -9)")
    .replace("exitcode  : 1 (pid: 103)", "exitcode  : -9 (pid: 103)")
)


def told(report: Report) -> list[tuple[str | None, str, str, str, int | None]]:
    """Run, id, confidence, role and rank of every diagnosis."""
    return [
        (d.run, d.rule["id"], CONFIDENCE[d.confidence], d.role, d.rank) for d in report.diagnoses
    ]


def test_each_run_is_diagnosed_alone() -> None:
    """The kill of one run explains nothing in another, though their ranks have equal numbers."""
    lost = "[default1]:[rank1]: RuntimeError: [pair.cc:553] Connection closed by peer\n"
    files = {
        "a/console.log": KILLED,
        "a/dmesg.log": KERNEL.format(103),
        "b/console.log": console(200, 30) + lost,
    }
    report = diagnose_texts(catalogue_of(), files, {}, {})
    assert report.runs == ("a", "b")
    assert told(report) == [
        ("a", "host-oom-killer", "certain", "initiating", 2),
        ("b", "peer-connection-lost", "likely", "consequence", 1),
    ]
    assert report.diagnoses[1].consequence_of is None
    assert {(state.run, state.rank) for state in report.observations.ranks} == {
        (run, rank) for run in "ab" for rank in range(4)
    }


def test_shared_log_counts_where_it_joins_a_run() -> None:
    """A kernel log above two runs is evidence for the run whose process it names, only there."""
    files = {
        "a/console.log": KILLED,
        "b/console.log": console(200, 30),
        "dmesg.log": KERNEL.format(103),
    }
    report = diagnose_texts(catalogue_of(), files, {}, {})
    assert told(report) == [("a", "host-oom-killer", "certain", "initiating", 2)]


def test_real_logs_of_several_runs() -> None:
    """Sibling folders of captured runs are told apart, and their files are read again alone."""
    report = diagnose_paths(catalogue_of(), [str(LOGS / "host_oom_kill")], None)
    assert [(Path(run or "").name, *rest) for run, *rest in told(report)] == [
        ("busy_peers", "host-oom-killer", "certain", "initiating", 2),
        ("tee", "host-oom-killer", "certain", "initiating", 2),
        ("tee", "peer-connection-lost", "likely", "consequence", None),
    ]
    for folder in ("user_exception_one_rank/restarted", "user_exception_one_rank/log_dir"):
        assert diagnose_paths(catalogue_of(), [str(LOGS / folder)], None).runs == ()


def test_text_tells_of_each_run() -> None:
    """The first line says how many runs there are, and each has its own account."""
    files = {"a/console.log": KILLED, "a/dmesg.log": KERNEL.format(103)}
    files["b/console.log"] = console(200, 30)
    catalogue = catalogue_of()
    report = diagnose_texts(catalogue, files, {}, {})
    text = render_runs(report, catalogue, False)
    assert text.split("\n")[:3] == [
        "These look like 2 different runs; a known failure was recognized in 1.",
        "  Each is told alone. Point at one folder or file for its whole story.",
        "",
    ]
    headings = [line for line in text.split("\n") if line.startswith("Run ")]
    assert headings == ["Run 1 of 2: a", "Run 2 of 2: b"]
    assert text.split("Run 2 of 2: b\n")[1].startswith("  No known failure recognized.\n")


def test_json_names_the_run_of_each_diagnosis_and_rank() -> None:
    """Programs can tell the runs apart as well."""
    files = {"a/console.log": KILLED, "b/console.log": console(200, 30)}
    catalogue = catalogue_of()
    document = json.loads(render_json(diagnose_texts(catalogue, files, {}, {}), catalogue))
    assert [item["run"] for item in document["diagnoses"]] == ["a"]
    assert [state["run"] for state in document["ranks"]] == ["a"] * 4 + ["b"] * 4
