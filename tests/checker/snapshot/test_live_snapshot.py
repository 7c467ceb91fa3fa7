"""The snapshot of a live machine on which a mount does not answer."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checker.probe.test_live import SAVING, ranks
from tests.checker.probe.test_looking import START
from tests.dead_mount import dead_mount
from tests.needs import ROOT, needs
from tests.published import published_catalogue

pytestmark = pytest.mark.rule("live")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the checker with all entries, from outside of the job."""
    known = published_catalogue()
    entries = [{**entry.rule(), "keys": list(entry.keys)} for entry in known.entries]
    catalogue = folder / "known.json"
    catalogue.write_text(json.dumps({"entries": entries, "sha256": "", "date": known.date}))
    start = [sys.executable, "-I", "-S", "-c", START, str(ROOT), "--catalogue", str(catalogue)]
    return subprocess.run(
        [*start, *words], capture_output=True, text=True, timeout=55, check=False, cwd="/"
    )


def told(text: str) -> list[tuple[Any, ...]]:
    """What a report says, without names."""
    found = json.loads(text)["diagnoses"]
    return [(one["id"], one["role"], one["confidence"], one["ranks"]) for one in found]


@needs("root")
@needs("fuse")
def test_a_snapshot_is_not_written_to_a_mount_that_does_not_answer(tmp_path: Path) -> None:
    """That is said, instead of waiting for ever; nothing else is begun."""
    dead = tmp_path / "dead"
    with dead_mount(dead):
        done = run(tmp_path, "snapshot", "-o", f"{dead}/a.snap")

    assert done.returncode == 2
    assert done.stderr.startswith(
        f"trainwreck: cannot write '{dead}/a.snap': its folder did not answer in 3 s (state "
    )
    assert done.stderr.endswith(
        "\ntrainwreck: help: name a file elsewhere, such as /dev/shm/report\n"
    )


@needs("root")
@needs("fuse")
def test_a_storage_stall_is_told_alike_from_its_snapshot(tmp_path: Path) -> None:
    """On any machine, at any time, and masked: the mount, the thread and the file are evidence."""
    dead, kept, masked = tmp_path / "dead", tmp_path / "a.snap", tmp_path / "b.snap"
    with dead_mount(dead, "writes"), ranks(tmp_path, {"save": SAVING}, output=dead) as pid:
        live = run(tmp_path, "--pid", str(pid), "--interval", "1", "--format", "json")
        asked = ["snapshot", "--pid", str(pid), "--interval", "1"]
        taken = run(tmp_path, *asked, "-o", str(kept))
        again = run(tmp_path, *asked, "--redact", "--salt", "x", "-o", str(masked))
    after = run(tmp_path, str(kept), "--format", "json")
    hidden = run(tmp_path, str(masked), "--format", "json")

    assert (taken.returncode, again.returncode) == (0, 0)
    assert told(live.stdout)[0][:2] == ("storage-mount-does-not-answer", "initiating")
    assert told(after.stdout) == told(live.stdout)
    assert told(hidden.stdout) == told(live.stdout)
    facts = json.loads(after.stdout)["machine"]["facts"]
    (found,) = [fact for fact in facts if fact["name"] == "process.reading"]
    assert f"it writes {dead}/model.pt on {dead} (fuse.hangfs), which did not" in found["text"]
    assert after.returncode == live.returncode == 1
