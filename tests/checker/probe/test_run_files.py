"""What the files of a run tell: logs, checkpoints, dumps and locks, in constructed trees."""

import os
from pathlib import Path

import pytest

from checker.probe.machine import Machine
from checker.probe.open_files import OpenFile
from checker.probe.run_files import find_dumps
from tests.checker.probe.trees import (
    holding,
    job_facts_of,
    machine_of,
    run_of,
    second_job_facts_of,
    stays,
    tree,
)

NOW = 1_790_000_000.0
WRITES = OpenFile(9, "/w/out/checkpoint-100/model.pt", True, 0)


def machine_with(tmp_path: Path, files: dict[str, float]) -> Machine:
    """A machine on which these files were last written so many seconds ago."""
    machine = machine_of(tmp_path, dict.fromkeys(files, "x\n"), now=NOW)
    for path, age in files.items():
        os.utime(tmp_path / "root" / path.lstrip("/"), (NOW - age, NOW - age))
        folder = (tmp_path / "root" / path.lstrip("/")).parent
        os.utime(folder, (NOW - age, NOW - age))
    return machine


def test_logs_in_two_looks(tmp_path: Path) -> None:
    """The newest counts; one that grows is enough."""
    machine = machine_with(tmp_path, {"/l/a.log": 700, "/l/b.log": 90})
    job = run_of(machine, holding(), logs=("/l/a.log", "/l/b.log", "/l/gone.log"))

    assert job_facts_of(machine, job, "log.") == {
        "log.age": 90,
        "log.grows": ("looked at once only",),
    }
    assert second_job_facts_of(machine, job, "log.", stays)["log.grows"] is False
    told = second_job_facts_of(
        machine, job, "log.", lambda: str(tree(Path(machine.root), {"/l/a.log": "x\nmore\n"}))
    )
    assert told["log.grows"] is True


@pytest.mark.parametrize(
    ("ages", "told"),
    [
        ([400, 300, 200, 100], (100, 100, False)),
        ([4000, 3900, 3800, 3700], (3700, 100, True)),
        ([150, 50], (50, ("fewer than three checkpoints",), ("fewer than three checkpoints",))),
    ],
)
def test_checkpoints_beside_their_usual_interval(
    tmp_path: Path, ages: list[int], told: tuple[object, ...]
) -> None:
    """Three intervals without a new one are too long."""
    names = {f"/w/out/checkpoint-{n}00/model.pt": float(age) for n, age in enumerate(ages, 1)}
    machine = machine_with(tmp_path, {**names, "/w/out/notes/x": 5})
    facts = job_facts_of(machine, run_of(machine, holding(WRITES)), "checkpoint.")

    assert tuple(facts.values()) == told


def test_no_checkpoint(tmp_path: Path) -> None:
    """A folder that is empty, or none that is known, tells nothing."""
    machine = machine_with(tmp_path, {"/w/out/notes/x": 5})
    none = dict.fromkeys(
        ("checkpoint.age", "checkpoint.interval", "checkpoint.overdue"),
        ("no checkpoint was found",),
    )

    assert job_facts_of(machine, run_of(machine, holding()), "checkpoint.") == none


def test_dumps_of_this_run(tmp_path: Path) -> None:
    """Where the environment says, else where torch writes them; an older one is of another run."""
    home = "/home/u/.cache/torch/comm_lib_trace_rank_"
    files = {home + "0": 60.0, "/tmp/nccl_trace_rank_0": 9000.0, "/d/fr_1": 50.0, home + "1": 5.0}
    machine = machine_with(tmp_path, files)
    tree(Path(machine.root), {"/proc/uptime": "1000.00 1.0\n"})
    told = {"TORCH_FR_DUMP_TEMP_FILE": "/d/fr_"}

    assert find_dumps(machine, run_of(machine, holding())) == [home + "0"]
    assert find_dumps(machine, run_of(machine, holding(), holding(), environment=told)) == [
        "/d/fr_1"
    ]


def test_locks_of_builds_that_nobody_has_open(tmp_path: Path) -> None:
    """One that is a minute old and not open was left by a build that was killed."""
    cache = "/home/u/.cache/torch_extensions/py311_cu124/"
    files = {cache + "fused/lock": 4000.0, cache + "built/lock": 900.0, cache + "new/lock": 5.0}
    machine = machine_with(tmp_path, files)
    folder = tmp_path / "root/proc/650/fd"
    folder.mkdir(parents=True)
    os.symlink(cache + "built/lock", folder / "7")
    job = run_of(machine, holding())
    (tmp_path / "other").mkdir()
    empty = machine_of(tmp_path / "other", {})

    assert job_facts_of(machine, job, "extension.") == {
        "extension.locks_left": [cache + "fused/lock, 4000 s old"]
    }
    assert job_facts_of(empty, run_of(empty, holding()), "extension.") == {
        "extension.locks_left": []
    }
