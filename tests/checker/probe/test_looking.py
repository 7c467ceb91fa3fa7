"""The logs and their machine together, as the command line joins them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from checker.probe.looking import absolute_paths, look_around
from checker.probe.registry import probes
from tests.checker.probe.trees import machine_of, program
from tests.dead_mount import dead_mount
from tests.needs import ROOT, needs

pytestmark = pytest.mark.rule("machine")

START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from checker.__main__ import run;"
    "sys.exit(run(sys.argv[2:]))"
)


def command(folder: Path, *words: str) -> list[str]:
    """Write how the checker is started where neither home nor folder may be touched."""
    catalogue = folder / "catalogue.json"
    catalogue.write_text('{"entries": [], "sha256": "", "date": "2026-11-30"}')
    start = [
        sys.executable,
        "-I",
        "-S",
        "-B",
        "-c",
        START,
        str(ROOT),
        "--catalogue",
        str(catalogue),
    ]
    return [*start, *words]


def run(folder: Path, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the checker to its end, which an outside guard enforces."""
    return subprocess.run(
        command(folder, *words), capture_output=True, text=True, timeout=55, check=False, **more
    )


def test_lines_of_the_kernel_count_as_those_of_a_log(tmp_path: Path) -> None:
    """From an hour before the first of the named files was last written."""
    log = tmp_path / "root/run.log"
    kill = "Out of memory: Killed process 7 (python3) total-vm:1kB"
    program(tmp_path / "bin", "dmesg", f"echo '[  10.000000] old'; echo '[ 99000.000000] {kill}'\n")
    files = {"/proc/uptime": "99500.00 1.00\n", "/run.log": "step 1\n"}
    machine = machine_of(tmp_path, files)
    machine.now = log.stat().st_mtime
    view = look_around(machine, ["/run.log"])

    assert view.paths == ("/run.log",)
    assert view.refused == ()
    assert list(view.logs) == ["kernel log (dmesg)"]
    assert view.logs["kernel log (dmesg)"].endswith(" kernel: " + kill + "\n")
    assert view.logs["kernel log (dmesg)"].count("\n") == 1
    assert [fact.value for fact in view.facts if fact.name == "kernel.log"] == ["dmesg"]


def test_paths_are_completed_untouched() -> None:
    """Standard input has no path."""
    assert absolute_paths(["/a/../b", "-"]) == ["/b"]


def test_without_the_option_the_machine_is_not_looked_at(tmp_path: Path) -> None:
    """The report says so, and holds no fact of it."""
    (tmp_path / "run.log").write_text("step 1\n")
    told = json.loads(run(tmp_path, "--format", "json", str(tmp_path / "run.log")).stdout)

    assert told["machine"] == {"probed": False, "facts": []}


@needs("strace")
def test_nothing_is_written_and_nothing_is_contacted(tmp_path: Path) -> None:
    """All facts are there, each with a value or a reason; the system calls show the rest."""
    (tmp_path / "run.log").write_text("step 1\n")
    words = command(tmp_path, "--machine", "--format", "json", str(tmp_path / "run.log"))
    calls = "connect,bind,sendto,open,openat,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat"
    trace = tmp_path / "trace"
    done = subprocess.run(
        ["strace", "-f", "-q", "-o", trace, "-e", "trace=" + calls, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    told = json.loads(done.stdout)["machine"]
    suspects = [
        row
        for row in trace.read_text().splitlines()
        if not any(word in row for word in ("O_RDONLY", '"/dev/null"', "+++", "---"))
        and "AF_UNIX" not in row
    ]

    assert told["probed"] is True
    given = [name for probe in probes() for name in probe.gives.split()]
    assert [fact["name"] for fact in told["facts"]] == sorted(given)
    assert all((fact["value"] is None) == (fact["unknown"] is not None) for fact in told["facts"])
    assert suspects == []


@pytest.mark.parametrize(
    ("words", "trouble"),
    [
        (["--budget", "0", "x"], "trainwreck: --budget is a number of seconds, and '0' is none\n"),
        (["--network", "x"], "trainwreck: --network is for the look at the machine\n"),
        (["--budget", "5", "x"], "trainwreck: --budget is for the look at the machine\n"),
    ],
)
def test_words_that_cannot_be_done(tmp_path: Path, words: list[str], trouble: str) -> None:
    """Each with what to write instead."""
    done = run(tmp_path, *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(trouble)


@needs("root")
@needs("fuse")
def test_a_log_on_a_mount_that_does_not_answer(tmp_path: Path) -> None:
    """The others are read, and the report names the mount, from within it and with home on it."""
    dead = tmp_path / "dead"
    log = tmp_path / "run.log"
    log.write_text("step 1\n")
    with dead_mount(dead):
        done = run(
            *(tmp_path, "--machine", str(log), str(dead / "rank1.log"), "rank2.log"),
            cwd=dead,
            env={"HOME": str(dead), "PATH": f"{dead}/bin:/usr/bin"},
        )
        states = subprocess.run(
            ["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True
        )
    left = [row for row in states.stdout.splitlines() if str(tmp_path / "catalogue.json") in row]
    silent = "did not answer in 3 s (state S, waits in request_wait_answer)"

    assert done.returncode == 4
    # Other tests may have such a mount at the same time.
    machine = " ".join(done.stdout.split()).partition(" Machine - ")[2]
    assert f"{dead} (fuse.hangfs) {silent}" in machine
    assert "left behind: to end them is not possible until that answers" in machine
    assert done.stderr == (
        f"trainwreck: {dead}/rank1.log: its mount {silent}\n"
        f"trainwreck: rank2.log: its mount {silent}\n"
    )
    assert len(left) <= 3
