"""Trees of files that look like a machine's `/proc` and `/sys`, and fakes of its programs."""

from pathlib import Path
from typing import Any

from checker.model import Fact
from checker.probe.children import Children
from checker.probe.machine import Machine
from checker.probe.registry import probe_machine, probes


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
    root.mkdir(exist_ok=True)
    return Machine(Children(30), root=tree(root, files), folders=(str(folder / "bin"),), **more)


def facts_of(machine: Machine, start: str) -> dict[str, Any]:
    """Ask for the facts whose names start so: values, or reasons in a tuple."""
    asked = [probe for probe in probes() if start in probe.gives]
    facts = probe_machine(machine, asked)
    return {fact.name: _told(fact) for fact in facts if fact.name.startswith(start)}


def _told(fact: Fact) -> Any:
    return fact.value if fact.unknown is None else (fact.unknown,)
