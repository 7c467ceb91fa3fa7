"""Who started a run, whether the clock is right, and whether the machine stayed up."""

import os
from pathlib import Path

import pytest

from tests.checker.probe.trees import (
    facts_of,
    holding,
    job_facts_of,
    machine_of,
    program,
    run_of,
)

POD = "11:memory:/kubepods.slice/kubepods-pod0a1b2c3d_0001_0002_0003_0a1b2c3d4e5f.slice/x\n"


@pytest.mark.parametrize(
    ("environment", "groups", "told"),
    [
        ({"SLURM_JOB_ID": "811"}, "", ("slurm", "811")),
        ({}, "4:memory:/slurm/uid_1000/job_812/step_0\n", ("slurm", "812")),
        ({}, POD, ("kubernetes", "0a1b2c3d-0001-0002-0003-0a1b2c3d4e5f")),
        ({"LSB_JOBID": "7"}, POD, ("lsf", "7")),
        ({}, "0::/user.slice\n", ("none", ("absent",))),
    ],
)
def test_who_started_the_run(
    tmp_path: Path, environment: dict[str, str], groups: str, told: tuple[object, object]
) -> None:
    """By its environment, else by its cgroup."""
    machine = machine_of(tmp_path, {"/proc/self/cgroup": groups})
    job = run_of(machine, holding(), environment=environment)

    assert tuple(job_facts_of(machine, job, "job.").values()) == told


def test_a_rank_that_is_gone(tmp_path: Path) -> None:
    """Its launcher runs, and the others know how many they were."""
    machine = machine_of(tmp_path, {})
    job = run_of(machine, holding(), holding(), environment={"LOCAL_WORLD_SIZE": "3"})
    launcher = job.processes[0]._replace(pid=600, role="launcher", rank=None, local_rank=None)
    launched = job._replace(processes=(launcher, *job.processes))

    assert job_facts_of(machine, launched, "ranks.") == {
        "ranks.missing": ["local rank 2 of 3 does not run"]
    }
    assert job_facts_of(machine, job, "ranks.") == {
        "ranks.missing": ("the number of ranks on this host is not known",)
    }


CHRONY = "0A000001,10.0.0.1,3,1790000000.1,-0.002500000,0,0,0,0,0,0,0,16.0,"


@pytest.mark.parametrize(
    ("programs", "told"),
    [
        ({}, (("absent",), ("absent",))),
        ({"timedatectl": "echo no"}, (False, ("absent",))),
        ({"timedatectl": "echo broken; exit 1"}, (("absent",), ("absent",))),
        ({"timedatectl": "echo no", "chronyc": f"echo {CHRONY}Normal"}, (True, 0.0025)),
        ({"chronyc": f"echo '{CHRONY}Not synchronised'"}, (False, 0.0025)),
        ({"chronyc": f"echo {CHRONY[9:]}Normal"}, (True, 0.0025)),
    ],
)
def test_the_clock(tmp_path: Path, programs: dict[str, str], told: tuple[object, object]) -> None:
    """As a time service tells, with or without the name of its source."""
    for name, text in programs.items():
        program(tmp_path / "bin", name, text + "\n")

    assert tuple(facts_of(machine_of(tmp_path, {}), "clock.").values()) == told


def test_a_machine_that_booted_after_the_log(tmp_path: Path) -> None:
    """The node ended, not the program."""
    machine = machine_of(tmp_path, {"/proc/stat": "btime 1790000000\n", "/a": "", "/b": ""})
    machine.readable = ["/a", "/b"]
    for name, written in (("a", 1), ("b", 1_790_000_050)):
        os.utime(tmp_path / "root" / name, (written, written))
    later = facts_of(machine, "system.rebooted")
    machine.readable = ["/a"]

    assert later == {"system.rebooted": False}
    assert facts_of(machine, "system.rebooted") == {"system.rebooted": True}
