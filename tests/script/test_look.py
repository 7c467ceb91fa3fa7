"""The built checker looks at what runs, as it is invited to be started on a node that hangs."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.checker.probe.test_live import SAVING, ranks, readings
from tests.dead_mount import dead_mount
from tests.needs import TORCH, needs

SAVING_WITH_TORCH = (
    "import torch; model = torch.nn.Linear(512, 512)\n"
    "print('step 3 loss 2.07', flush=True)\n"
    "torch.save(model.state_dict(), sys.argv[2] + '/model.pt')"
)


def look(script: Path, pid: int, *words: str) -> tuple[int, str, list[str]]:
    """Start the checker from standard input in the root folder: status, report, what it left."""
    shell = f"cd / && exec {sys.executable} -I -S - --pid {pid} {' '.join(words)} < {script}"
    done = subprocess.run(
        ["sh", "-c", shell], capture_output=True, text=True, timeout=55, check=False
    )
    states = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True)
    left = [row for row in states.stdout.splitlines() if f"-I -S - --pid {pid}" in row]
    return done.returncode, done.stdout, left


@needs("root")
@needs("fuse")
@pytest.mark.parametrize(
    ("python", "program"),
    [
        (sys.executable, SAVING),
        pytest.param(str(TORCH), SAVING_WITH_TORCH, marks=needs("torch")),
    ],
)
def test_a_storage_stall_is_diagnosed_from_standard_input(
    script: Path, tmp_path: Path, python: str, program: str
) -> None:
    """The entry, with process, thread, wait point, mount and file; at most three children stay."""
    dead = tmp_path / "dead"
    more: dict[str, Any] = {"python": python, "seconds": 8 if "torch" in program else 1.5}
    with dead_mount(dead, "writes"), ranks(tmp_path, {"save": program}, output=dead, **more) as pid:
        began = time.monotonic()
        status, out, left = look(script, pid)
        took = time.monotonic() - began
    text = " ".join(out.split())

    assert status == 1
    assert text.startswith("FAILED FIRST (certain), rank 0: A mount does not answer")
    assert "storage-mount-does-not-answer" in text
    assert "waits in request_wait_answer" in text
    assert f"it writes {dead}/model.pt on {dead} (fuse.hangfs), which did not answer" in text
    assert took < 30
    assert len(left) <= 3


def test_a_healthy_run_is_not_called_stuck(script: Path, tmp_path: Path) -> None:
    """It works, and nothing is diagnosed."""
    program = "while True: sum(range(9**5)); print('step 1 loss 2.0', flush=True)"
    with ranks(tmp_path, {"train": program}) as pid:
        status, out, left = look(script, pid, "--format", "json")
    told = json.loads(out)

    assert status == 0
    assert told["diagnoses"] == []
    assert readings(told) == {0: "working"}
    assert left == []
