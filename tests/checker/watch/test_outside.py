"""Runs that others started, followed by their logs or by their process."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.checker.watch.started import program, run, watch
from tests.dead_mount import dead_mount
from tests.needs import needs


@contextmanager
def running(folder: Path, text: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program whose output goes to `run.log`."""
    with (folder / "run.log").open("wb") as log:
        job = subprocess.Popen(program(folder, text), stdout=log, stderr=subprocess.STDOUT)
    try:
        yield job
    finally:
        job.kill()
        job.wait()


def test_a_log_that_stands_still_already_is_reported_at_once(tmp_path: Path) -> None:
    """Its last change tells since when, and the times in it tell its pace."""
    log = tmp_path / "run.log"
    log.write_text(
        "".join(
            f"2026-11-30 10:{at // 60:02d}:{at % 60:02d},000 INFO step {at // 5} loss 2.0\n"
            for at in range(0, 600, 5)
        )
    )
    os.utime(log, (time.time() - 1200,) * 2)
    done = run(watch(tmp_path, str(log)))

    assert done.returncode == 1
    assert (
        b"UTC: no step for 20 min; steps came every 5 s, the\n  longest pause so far was 5 s\n"
        in done.stdout
    )
    assert done.stderr == f"trainwreck: watching {log}\n".encode()


@needs("root")
@needs("fuse")
def test_a_log_whose_mount_stops_to_answer_is_told_of(tmp_path: Path) -> None:
    """Neither the watch nor its report waits for the file, which the report names as not read."""
    log = tmp_path / "mount/run.log"
    with dead_mount(log.parent, "writes"):
        log.touch()
        done = run(watch(tmp_path, "--silence", "2", str(log)), timeout=30)

    told = " ".join(done.stdout.decode().split())
    assert done.returncode == 1
    assert "UTC: no line for " in told
    assert (
        f"its mount did not answer in 3 s (state S, waits in request_wait_answer) ({log})" in told
    )


def test_a_process_that_ends_is_the_end_of_the_watch(tmp_path: Path) -> None:
    """Its log is found by what it has open; without a known failure the run ended well."""
    with running(tmp_path, "print('step 1 loss 2.0', flush=True); time.sleep(6)") as job:
        time.sleep(1)
        watching = subprocess.Popen(
            watch(tmp_path, "--pid", str(job.pid)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        job.wait()
        out, err = watching.communicate(timeout=40)

    assert (out, watching.returncode) == (b"", 0)
    assert f"watching process {job.pid}, {tmp_path}/run.log\n" in err.decode()


def test_a_process_that_is_stopped_is_a_stall(tmp_path: Path) -> None:
    """What it waits for is told by two looks, which the report has."""
    text = """
for step in range(30): print("step", step, "loss 2.0", flush=True); time.sleep(0.1)
os.kill(os.getpid(), signal.SIGSTOP)
"""
    target = tmp_path / "report.txt"
    with running(tmp_path, text) as job:
        time.sleep(1)
        words = ["--pid", str(job.pid), "--silence", "6", "-o", str(target)]
        words += ["--then", "echo $TRAINWRECK_EVENT $TRAINWRECK_PID $TRAINWRECK_REPORT"]
        done = run(watch(tmp_path, *words))

    assert (done.returncode, done.stdout) == (1, b"")
    assert f"stall {job.pid} {target}\n" in done.stderr.decode()
    assert "is stopped (state T) by SIGSTOP" in " ".join(target.read_text().split())


def test_ctrl_c_ends_a_watch_from_outside(tmp_path: Path) -> None:
    """Nothing is left behind, and the run is not touched."""
    (tmp_path / "run.log").write_text("step 1 loss 2.0\n")
    job = subprocess.Popen(
        watch(tmp_path, str(tmp_path / "run.log")), stderr=subprocess.PIPE, start_new_session=True
    )
    assert job.stderr is not None
    assert job.stderr.readline().startswith(b"trainwreck: watching ")
    job.send_signal(2)

    assert (job.communicate(timeout=20)[1], job.returncode) == (b"", 130)
    time.sleep(2.5)
    assert str(tmp_path) not in run(["ps", "-ewwo", "args"]).stdout.decode()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to watch was named"),
        (["--pid", "x"], "--pid is the id of a process, and 'x' is none"),
        (["--pid", "999999999"], "there is no process 999999999"),
        (["--pid", "1", "--", "true"], "a command has a process of its own"),
        (["--silence", "0", "log"], "--silence is a number of seconds, and '0' is none"),
        (["-o", "/no/such/folder/r", "log"], "cannot write '/no/such/folder/r': there is no "),
    ],
)
def test_what_cannot_be_watched_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    """Before anything is started."""
    done = run(watch(tmp_path, *words))

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("trainwreck: " + said)
