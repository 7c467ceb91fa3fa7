"""What a look at the machine finds in its kernel log, and whether it is of the run."""

from pathlib import Path

import pytest

from checker.judgement import Report
from checker.pipeline import diagnose_paths
from checker.probe.looking import MachineView
from checker.report.render_text import render_text
from tests.checker.failures import catalogue_of, told

pytestmark = pytest.mark.rule("machine")

KILLED = {
    "signs": {
        "kill": {"log": "Killed process <pid> (python", "source": "kernel", "onset": "earlier"},
        "nine": {"exit": {"signal": 9}, "onset": "earlier"},
    },
    "signatures": [
        {"decisive": ["kill", "nine", {"same": ["pid", "host"]}]},
        {"strong": ["kill"]},
        {"weak": ["nine"]},
    ],
}
CATALOGUE = catalogue_of("user-code-error", host_oom_killer=(KILLED, {}))
DEATH = (
    "E1130 10:37:41.042000 4096 torch/distributed/elastic/multiprocessing/api.py:1002] "
    "failed (exitcode: -9) local_rank: 1 (pid: 4318) of binary: /opt/venv/bin/python3\n"
)
STEPS = "[rank1]:2026-11-30 10:37:4{n},000{zone} INFO train rank 1: step {n} loss 2.0\n"
KILL = (
    "2026-11-30T{time}.160498+00:00 vm kernel: Memory cgroup out of memory: Killed process {pid} "
    "(python3.11) total-vm:1729336kB, anon-rss:1039332kB, file-rss:97956kB, shmem-rss:0kB, "
    "UID:0 pgtables:2572kB oom_score_adj:0\n"
)


def looked(folder: Path, log: str, kernel: str, began: float = 0.0) -> Report:
    """Diagnose a run's log with the kernel log that its machine showed."""
    path = folder / "console.log"
    path.write_text(log)
    view = MachineView((), {"kernel log (dmesg)": kernel}, (str(path),), (), began=began)
    return diagnose_paths(CATALOGUE, view.paths, None, view=view)


def test_kill_of_another_process_is_not_of_the_run(tmp_path: Path) -> None:
    """The log tells the ids of its ranks, and its clock cannot be compared with the kernel's."""
    report = looked(tmp_path, DEATH, KILL.format(time="15:56:08", pid=20645))

    (found,) = report.diagnoses
    assert told(report)[0][:2] == ("host-oom-killer", "possible")
    assert [s.sign for s in found.evidence] == ["nine"]


def test_kill_that_names_the_rank_is_of_the_run(tmp_path: Path) -> None:
    """Its process id ties it, whatever the clocks."""
    report = looked(tmp_path, DEATH, KILL.format(time="15:56:08", pid=4318))

    assert told(report)[0][:2] == ("host-oom-killer", "certain")


def test_kill_is_possible_where_the_log_names_no_process(tmp_path: Path) -> None:
    """The report says that it is of the machine only."""
    report = looked(tmp_path, STEPS.format(n=1, zone=""), KILL.format(time="15:56:08", pid=7))

    assert told(report)[0][:2] == ("host-oom-killer", "possible")
    assert "of this machine, not tied to this run" in render_text(report, CATALOGUE, False)


@pytest.mark.parametrize(
    ("time", "end", "expected"),
    [
        ("10:37:45", "", "likely"),
        ("10:37:45", DEATH, "possible"),
        ("10:37:39", "2026-11-30T10:37:41.481920331Z " + DEATH, "certain"),
        ("10:30:45", "2026-11-30T10:37:41.481920331Z " + DEATH, "possible"),
    ],
)
def test_clocks_that_can_be_compared_tie(
    tmp_path: Path, time: str, end: str, expected: str
) -> None:
    """Where the log tells other ids, as it does in a container, only a death at that moment."""
    log = "".join(STEPS.format(n=n, zone="+00:00") for n in range(4)) + end
    (row,) = told(looked(tmp_path, log, KILL.format(time=time, pid=7)))

    assert row[:2] == ("host-oom-killer", expected)


def test_error_from_before_the_run_is_none_of_it(tmp_path: Path) -> None:
    """What another run's disk or program suffered is no news, and does not hide a sound run."""
    broken = "2026-11-30T10:37:4{}.160498+00:00 vm kernel: I/O error, dev loop0, sector {}\n"
    kernel = broken.format(1, 40962) + broken.format(3, 41986)
    report = looked(tmp_path, STEPS.format(n=5, zone=""), kernel, began=1796035062.0)

    assert [line.text for line in report.unexplained] == ["I/O error, dev loop0, sector 41986"]
