"""Commands under the watch: to others it must look as if the watch were not there."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.checker.watch.started import on_terminal, program, resize, run, send, type_keys, watch

CATCHING = r"""
got = []
def note(number, frame):
    os.write(1, b"got %s\n" % signal.Signals(number).name.encode())
    got.append(number)
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"):
    signal.signal(getattr(signal, name), note)
os.write(1, b"ready\n")
until = time.monotonic() + 20
while time.monotonic() < until and signal.SIGTERM not in got:
    time.sleep(0.05)
print("done", flush=True)
sys.exit(7)
"""


def shell_words(words: list[str]) -> str:
    """Write a command line for a shell."""
    return " ".join(map(shlex.quote, words))


def test_output_input_and_status_are_those_of_the_command(tmp_path: Path) -> None:
    """Bytes of any kind pass, both streams stay apart, and the rest of what is open is kept."""
    text = r"""
sys.stdout.buffer.write(b"\x00\xff\r\nno end")
sys.stderr.buffer.write(sys.stdin.buffer.read() + b"\x1b[31m")
os.write(3, b"third")
print(os.isatty(1), os.isatty(2), file=sys.stderr)
sys.exit(33)
"""
    words = shell_words(watch(tmp_path, "-o", "/dev/null", "--", *program(tmp_path, text)))
    done = run(["bash", "-c", f"{words} 3> {tmp_path}/third"], input=b"given\n")

    assert (done.returncode, done.stdout, done.stderr) == (
        33,
        b"\x00\xff\r\nno end",
        b"given\n\x1b[31mFalse False\n",
    )
    assert (tmp_path / "third").read_bytes() == b"third"


def test_two_streams_of_one_target_keep_their_order(tmp_path: Path) -> None:
    """As with `2>&1 | tee`: both are one pipe for the command, too."""
    text = "for number in range(2000): os.write(1 + number % 2, b'%d\\n' % number)\n"
    done = run(watch(tmp_path, "--", *program(tmp_path, text)), stderr=subprocess.STDOUT)

    assert done.stdout == b"".join(b"%d\n" % number for number in range(2000))


def test_a_file_is_written_by_the_command_itself(tmp_path: Path) -> None:
    """So that nothing that happens to the watch loses a line."""
    text = "print(os.path.realpath('/proc/self/fd/1'), os.fstat(1).st_size)"
    log = tmp_path / "run.log"
    with log.open("ab") as file:
        file.write(b"before\n")
        file.flush()
        done = run(watch(tmp_path, "--", *program(tmp_path, text)), stdout=file)

    assert (done.returncode, log.read_text()) == (0, f"before\n{log} 7\n")


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT"])
def test_a_death_by_a_signal_is_passed_on_as_one(tmp_path: Path, name: str) -> None:
    """A shell then says `Killed` as it would without the watch; no second core is left."""
    text = f"print('last words', flush=True); os.kill(os.getpid(), signal.{name})"
    done = run(watch(tmp_path, "-o", str(tmp_path / "r"), "--", *program(tmp_path, text)))

    assert (done.returncode, done.stdout) == (-getattr(signal, name), b"last words\n")
    report = (tmp_path / "r").read_text()
    assert f"the command was ended by {name}" in report


def test_a_command_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    """With the statuses that shells give."""
    (tmp_path / "text").write_text("no program\n")
    missing = run(watch(tmp_path, "--", "there-is-no-such-program"))
    refused = run(watch(tmp_path, "--", str(tmp_path / "text")))

    assert (missing.returncode, missing.stderr) == (
        127,
        b"trainwreck: cannot run 'there-is-no-such-program': no such file or directory\n",
    )
    assert refused.returncode == 126


@pytest.mark.parametrize("to_all", [False, True])
def test_a_signal_comes_once_whether_it_goes_to_the_watch_or_to_all(
    tmp_path: Path, to_all: bool
) -> None:
    """Kubernetes signals the first process, Slurm all of them: torchrun minds a second SIGTERM."""
    command = watch(tmp_path, "--", *program(tmp_path, CATCHING))
    job = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"
    for name in ("SIGUSR1", "SIGHUP", "SIGTERM"):
        (os.killpg if to_all else os.kill)(job.pid, getattr(signal, name))
        # One that was passed on as well would come half a second later.
        time.sleep(0.8)

    assert job.communicate(timeout=20)[0] == b"got SIGUSR1\ngot SIGHUP\ngot SIGTERM\ndone\n"
    assert job.returncode == 7


def test_a_terminal_stays_a_terminal_of_its_size(tmp_path: Path) -> None:
    """Bytes pass as the terminal gets them from the command alone, also after a change of size."""
    text = """
print(os.isatty(0), os.isatty(1), os.isatty(2), os.get_terminal_size(1), flush=True)
print("\\tred \\x1b[31m", file=sys.stderr, flush=True)
until = time.monotonic() + 20
while os.get_terminal_size(1).columns == 91 and time.monotonic() < until: time.sleep(0.05)
print(os.get_terminal_size(2))
"""
    shown = on_terminal(watch(tmp_path, "--", *program(tmp_path, text)), (b"red", resize(30, 100)))

    assert shown == (
        b"True True True os.terminal_size(columns=91, lines=24)\n\tred \x1b[31m\n"
        b"os.terminal_size(columns=100, lines=30)\n",
        0,
    )


def test_a_change_of_size_is_told_once_to_a_command_whose_output_is_no_terminal(
    tmp_path: Path,
) -> None:
    """No terminal is stood in for that could have had the size of before."""
    text = """
got = []
signal.signal(signal.SIGWINCH, lambda number, frame: got.append(number))
os.write(2, b"ready\\n")
while not got: time.sleep(0.02)
time.sleep(0.7)
print(len(got))
"""
    words = shell_words(watch(tmp_path, "--", *program(tmp_path, text)))
    sized = "exec 2> >(cat >&2); " + words + " | cat"
    shown = on_terminal(["/bin/bash", "-c", sized], (b"ready", resize(30, 100)))

    assert shown == (b"ready\n1\n", 0)


def test_ctrl_c_reaches_the_command_once_each_time(tmp_path: Path) -> None:
    """And what a person ended is not reported as a failure."""
    shown = on_terminal(
        watch(tmp_path, "--", *program(tmp_path, CATCHING)),
        (b"ready", type_keys(b"\x03")),
        (b"got SIGINT\r\n", type_keys(b"\x03")),
        (b"got SIGINT\r\n^Cgot SIGINT\r\n", send(signal.SIGTERM)),
    )

    assert shown == (b"ready\n^Cgot SIGINT\n^Cgot SIGINT\ngot SIGTERM\ndone\n", 7)


def test_ctrl_z_stops_both_and_the_shell_can_go_on(tmp_path: Path) -> None:
    """A shell on a terminal shows the job as stopped, and `fg` continues it."""
    text = "print('ready', flush=True); time.sleep(2); print('do' + 'ne', flush=True)"
    command = shell_words(watch(tmp_path, "--", *program(tmp_path, text)))
    shown = on_terminal(
        ["/bin/bash", "--norc", "--noediting", "-i"],
        (b"bash-", type_keys(command.encode() + b"\n")),
        (b"\nready", type_keys(b"\x1a")),
        (b"Stopped", type_keys(b"fg\n")),
        (b"done", type_keys(b"exit $?\n")),
    )

    assert shown.status == 0
    assert b"Stopped" in shown.output


def test_a_reader_that_leaves_ends_the_command_as_ever(tmp_path: Path) -> None:
    """`| head -1` is no failure of the run."""
    text = "while True: print('step 1 loss 2.0', flush=True); time.sleep(0.02)"
    command = program(tmp_path, text)
    alone, watched = (
        run(["bash", "-c", f"{shell_words(words)} | head -1; exit ${{PIPESTATUS[0]}}"])
        for words in (command, watch(tmp_path, "-o", "/dev/null", "--", *command))
    )

    assert b"BrokenPipeError" in alone.stderr
    assert (watched.returncode, watched.stdout, watched.stderr) == (
        alone.returncode,
        alone.stdout,
        alone.stderr,
    )


def test_a_failure_is_reported_on_standard_error_or_in_a_file(tmp_path: Path) -> None:
    """With a file nothing is added to the streams of the command."""
    command = program(tmp_path, "print('step 1 loss 2.0'); sys.exit(3)")
    plain = run(watch(tmp_path, "--", *command))
    target = tmp_path / "report.txt"
    filed = run(
        watch(tmp_path, "-o", str(target), "--then", "echo $TRAINWRECK_EVENT", "--", *command)
    )

    assert (plain.stdout, plain.returncode) == (b"step 1 loss 2.0\n", 3)
    assert b" UTC: the command ended with exit status 3\n" in plain.stderr
    assert (filed.stdout, filed.stderr, filed.returncode) == (b"step 1 loss 2.0\n", b"failure\n", 3)
    kept = tmp_path / "report.snapshot.gz"
    told = " ".join(target.read_text().split())
    assert f" UTC: the command ended with exit status 3 snapshot: {kept} " in told
    assert kept.read_bytes()[:2] == b"\x1f\x8b"


def test_a_rank_that_is_stopped_is_a_stall_while_the_command_goes_on(tmp_path: Path) -> None:
    """The report is written at that moment, and names the process; the command is left alone."""
    text = """
os.environ["RANK"] = "0"
if len(sys.argv) == 1:
    child = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-I", "-S", __file__, "rank"])
    time.sleep(16)
    os.kill(child, signal.SIGCONT)
    os.waitpid(child, 0)
    sys.exit(5)
for step in range(60):
    print("step", step, "loss 2.0", flush=True)
    time.sleep(0.05)
os.kill(os.getpid(), signal.SIGSTOP)
print("step 60 loss 2.0", flush=True)
"""
    target = tmp_path / "stall.txt"
    words = ["-o", str(target), "--silence", "5", "--", *program(tmp_path, text)]
    done = run(watch(tmp_path, *words))

    # A machine that is very busy may let the steps themselves wait, and have a report of its own.
    reports = [" ".join(path.read_text().split()) for path in sorted(tmp_path.glob("stall*.txt"))]
    stalls = [text for text in reports if "is stopped (state T) by SIGSTOP" in text]
    assert done.returncode == 5
    assert done.stdout.endswith(b"step 59 loss 2.0\nstep 60 loss 2.0\n")
    assert stalls[0].startswith("stall at ")
    assert " UTC: no step for " in stalls[0]
    assert "; steps came every 0.0" in stalls[0]
    assert any("the command ended with exit status 5" in text for text in reports)


def test_nothing_of_the_watch_outlives_the_command(tmp_path: Path) -> None:
    """Neither the follower nor the witness."""
    marker = f"mark-{os.getpid()}"
    text = "print(os.popen('ps -ewwo args').read().count(sys.argv[1]))"
    done = run(watch(tmp_path, "--", *program(tmp_path, text), marker), stdout=subprocess.PIPE)
    assert int(done.stdout) >= 2

    time.sleep(1.5)
    left = run(["ps", "-ewwo", "args"]).stdout.count(marker.encode())
    assert left == 0, sys.platform
