"""Which processes are one run."""

from typing import Any

from checker.probe.launches import label_of, launched_together
from checker.probe.processes import TrainingProcess


def process(pid: int, parent: int, role: str = "rank", **more: Any) -> TrainingProcess:
    """One process, as it was found."""
    environment = {"RANK": "0", "MASTER_PORT": "29500", **dict(more.get("env", {}))}
    return TrainingProcess(
        *(pid, parent, "python3", "S", role, ("python3", f"train_{parent}.py"), environment),
        *(more.get("rank", 0), 0, 0.0, True, 0, more.get("owner"), more.get("session", 1)),
    )


def groups(*processes: TrainingProcess) -> list[list[int]]:
    """List the ids of each run."""
    return [[one.pid for one in group] for group in launched_together(processes)]


def test_ranks_of_two_launchers() -> None:
    """Each with what the ranks started, also where both have a rank 0 at the same port."""
    assert groups(
        process(10, 1, "launcher"),
        process(11, 10),
        process(12, 10, rank=1),
        process(13, 12, "helper", owner=12),
        process(20, 1, "launcher"),
        process(21, 20),
    ) == [[10, 11, 12, 13], [20, 21]]


def test_ranks_without_a_launcher_that_is_seen() -> None:
    """They are of one run if they meet at one place, in one session and in one job."""
    assert groups(process(11, 5), process(12, 6, rank=1)) == [[11, 12]]
    assert groups(process(11, 5), process(12, 5, env={"MASTER_PORT": "1"})) == [[11], [12]]
    assert groups(process(11, 5), process(12, 5, session=2)) == [[11], [12]]
    assert groups(process(11, 5), process(12, 5, env={"SLURM_JOB_ID": "8"})) == [[11], [12]]


def test_programs_without_a_rank_are_runs_of_their_own() -> None:
    """Two of them in one shell have nothing to do with each other."""
    assert groups(process(11, 5, rank=None), process(12, 5, rank=None)) == [[11], [12]]


def test_a_run_is_named_by_its_program() -> None:
    """That of a rank, with the first process of the run."""
    launcher = process(10, 1, "launcher")
    assert label_of([launcher, process(11, 10)]) == "train_10.py (process 10)"
    assert label_of([launcher]) == "train_1.py (process 10)"
