"""The tasks for VS Code, as the page for editors gives them, run on real logs."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.needs import ROOT

LOGS = ROOT / "tests/logs"
SELECTED = "OSError: it's full; $(touch hit) `touch hit` '; touch hit; '"


@pytest.fixture(scope="module")
def tasks() -> dict[str, Any]:
    """Each task by its label."""
    page = (ROOT / "site_overrides/pages/editors.md").read_text(encoding="utf-8")
    block = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert block is not None
    return {task["label"]: task for task in json.loads(block.group(1))["tasks"]}


@pytest.fixture(scope="module")
def workspace(script: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checker and the logs of a real run."""
    folder = tmp_path_factory.mktemp("work space")
    shutil.copy(script, folder / "trainwreck.py")
    shutil.copytree(LOGS / "host_oom_kill/tee", folder / "logs")
    return folder


def run_task(task: dict[str, Any], workspace: Path, given: str = "", **variables: str) -> str:
    """Run a task as VS Code does, its variables replaced; return what the terminal shows."""
    variables = {"workspaceFolder": str(workspace), **variables}

    def filled(text: str) -> str:
        return re.sub(r"\$\{(\w+)\}", lambda found: variables[found.group(1)], text)

    environment = {k: filled(v) for k, v in task.get("options", {}).get("env", {}).items()}
    command = [filled(task["command"]), *(filled(word) for word in task.get("args", []))]
    if task["type"] == "shell":
        command = ["/bin/sh", "-c", shlex.join(command) if len(command) > 1 else command[0]]
    done = subprocess.run(
        command,
        cwd=workspace,
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) in ((0, ""), (1, ""))
    return done.stdout


def problems(task: dict[str, Any], shown: str) -> list[dict[str, str]]:
    """Read the output as the task's problem matcher does."""
    pattern = dict(task["problemMatcher"]["pattern"])
    found = re.compile(pattern.pop("regexp"))
    matches = [match for line in shown.splitlines() for match in [found.match(line)] if match]
    return [{part: match.group(group) for part, group in pattern.items()} for match in matches]


def test_the_folder_of_the_open_file_has_problems(tasks: dict[str, Any], workspace: Path) -> None:
    """Each leads to a line that is there, with level, message and the entry's id."""
    task = tasks["Trainwreck: folder of the open file"]
    shown = run_task(task, workspace, fileDirname=str(workspace / "logs"))
    first, *more = problems(task, shown)
    assert first == {
        "file": str(workspace / "logs/dmesg-T.log"),
        "line": "83",
        "column": "1",
        "severity": "error",
        "message": "FAILED FIRST (certain), rank 2: Host memory ran out and the kernel killed a "
        "rank or its loader worker (SIGKILL, OOMKilled)",
        "code": "host-oom-killer",
    }
    assert [(one["severity"], one["code"]) for one in more] == [
        ("note", "gloo-connection-closed-by-peer")
    ]
    assert len(shown.splitlines()) == 3


def test_the_open_file_has_problems(tasks: dict[str, Any], workspace: Path) -> None:
    """The console alone tells less, and that is found at its lines."""
    task = tasks["Trainwreck: open file"]
    file = workspace / "logs/console.log"
    lines = file.read_text(encoding="utf-8").splitlines()
    found = problems(task, run_task(task, workspace, file=str(file)))
    assert {one["file"] for one in found} == {str(file)}
    assert all(int(one["line"]) <= len(lines) for one in found)
    assert "exitcode: -9" in lines[int(found[0]["line"]) - 1]


def test_selected_text_is_diagnosed_and_never_obeyed(
    tasks: dict[str, Any], workspace: Path
) -> None:
    """A traceback gives its report; what looks like a command stays text."""
    task = tasks["Trainwreck: selected text"]
    traceback = (LOGS / "save_disk_full/file_object/console.log").read_text(encoding="utf-8")
    shown = run_task(task, workspace, selectedText=traceback[:60000])
    assert shown.startswith("FAILED FIRST (")
    run_task(task, workspace, selectedText=SELECTED)
    assert not (workspace / "hit").exists()


def test_pasted_text_is_diagnosed(tasks: dict[str, Any], workspace: Path) -> None:
    """A capture of a terminal comes by standard input."""
    capture = (LOGS / "save_disk_full/file_object/console.log").read_text(encoding="utf-8")
    shown = run_task(tasks["Trainwreck: pasted text"], workspace, capture)
    assert shown.startswith("FAILED FIRST (")
