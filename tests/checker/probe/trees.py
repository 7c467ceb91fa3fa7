"""Trees of files that look like a machine's `/proc` and `/sys`, and fakes of its programs."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checker.model import Fact
from checker.probe.children import Children
from checker.probe.job import LiveJob
from checker.probe.machine import Machine
from checker.probe.mount_table import Mount
from checker.probe.open_files import Holdings, OpenFile
from checker.probe.processes import TrainingProcess
from checker.probe.registry import (
    job_probes,
    probe_job,
    probe_machine,
    probes,
    read_first,
    read_job_first,
)


def tree(folder: Path, files: dict[str, str]) -> str:
    """Write the files below a folder, and name it."""
    for path, text in files.items():
        target = folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return str(folder)


def program(folder: Path, name: str, text: str) -> None:
    """Put a shell script into a folder of programs."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n" + text)
    (folder / name).chmod(0o755)


def machine_of(folder: Path, files: dict[str, str], **more: Any) -> Machine:
    """Make a machine of constructed files, whose programs lie in its folder `bin`."""
    root = folder / "root"
    root.mkdir(parents=True, exist_ok=True)
    return Machine(Children(30), root=tree(root, files), folders=(str(folder / "bin"),), **more)


def facts_of(machine: Machine, start: str) -> dict[str, Any]:
    """Ask for the facts whose names start so: values, or reasons in a tuple."""
    asked = [probe for probe in probes() if start in probe.gives]
    facts = probe_machine(machine, asked)
    return {fact.name: _told(fact) for fact in facts if fact.name.startswith(start)}


def second_facts_of(
    machine: Machine, start: str, change: Callable[[], None], seconds: float = 5.0
) -> dict[str, Any]:
    """Ask once, change what the machine shows, and ask again so many seconds later."""
    read_first(machine)
    change()
    let_pass(machine, seconds)
    return facts_of(machine, start)


def let_pass(machine: Machine, seconds: float) -> None:
    """Let what was read first be so much older."""
    then = time.monotonic() - seconds
    machine._earlier = {name: (then, value) for name, (_, value) in machine._earlier.items()}


def second_job_facts_of(
    machine: Machine, job: LiveJob, start: str, change: Callable[[], None]
) -> dict[str, Any]:
    """Ask about a run once, change what the machine shows, and ask again five seconds later."""
    read_job_first(machine, job)
    change()
    let_pass(machine, 5)
    return job_facts_of(machine, job, start)


def stays() -> None:
    """Change nothing between two looks."""


def job_facts_of(machine: Machine, job: LiveJob, start: str) -> dict[str, Any]:
    """Ask for the facts of a run whose names start so: values, or reasons in a tuple."""
    asked = [probe for probe in job_probes() if start in probe.gives]
    facts = probe_job(machine, job, asked)
    return {fact.name: _told(fact) for fact in facts if fact.name.startswith(start)}


def _told(fact: Fact) -> Any:
    return fact.value if fact.unknown is None else (fact.unknown,)


def run_of(machine: Machine, *held: Holdings, **more: Any) -> LiveJob:
    """Make a run of the ranks 0, 1, ... with the ids 700, 701, ..., one for each of *held*."""
    environment = {"MASTER_ADDR": "127.0.0.1", "HOME": "/home/u", **more.get("environment", {})}
    processes = tuple(
        TrainingProcess(
            *(700 + rank, 1, "python3", "S", "rank", ("python3", "train.py")),
            *(environment, rank, rank, 0.0, True, 0),
        )
        for rank in range(len(held))
    )
    return LiveJob(processes, dict(enumerate(held, 700)), more.get("logs", ()))


def holding(*files: OpenFile, **more: Any) -> Holdings:
    """What a process has open that sees one mount, and works in `/w`."""
    root = Mount("8:1", "/", "/", "rw", "ext4", "/dev/sda", "rw")
    return Holdings(files, {}, "/w", (), (root, *more.get("mounts", ())), "", {})
