"""The look at what runs, with real processes on this machine."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from checker.probe.children import Children
from checker.probe.live import Wish, look_at_training
from checker.probe.machine import Machine
from tests.checker.probe.test_looking import command
from tests.checker.probe.trees import program
from tests.needs import ROOT, needs

pytestmark = pytest.mark.rule("live")

# Each begins as a rank does, says so, and then does what its name says.
RANKS = {
    "healthy": "while True: sum(range(9**5)); print('step 1 loss 2.0', flush=True)",
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    # The parent of a vfork is in state D until the child starts a program; `sleep` never does.
    "vfork": (
        "stack = ctypes.create_string_buffer(65536); libc = ctypes.CDLL(None);"
        "top = ctypes.c_void_p(ctypes.addressof(stack) + 65520);"
        "libc.clone(libc.sleep, top, 0x4111, ctypes.c_void_p(50))"
    ),
    "buffered": "while True: sum(range(9**7)); print('step 1 loss 2.0')",
    "dead_child": "os.fork() or os._exit(1); threading.Event().wait()",
    "starved": (
        "r, w = os.pipe();\nif os.fork() == 0:\n while True: sum(range(9**5))\nos.read(r, 1)"
    ),
    "peer": (
        "s = socket.socket(); s.bind(('127.0.0.1', int(os.environ['MASTER_PORT'])));"
        "s.listen(); print('ready', flush=True); s.accept()"
    ),
    # A busy loop may be work as well as a fault: it is not called stuck.
    "spins": "\nwhile True: pass",
    # The first thread ends, and another one holds the process: it tells when that is so.
    "half_dead": (
        "def hold():\n"
        " while ') Z ' not in open('/proc/self/stat').read(): time.sleep(0.05)\n"
        " print('ready', flush=True); time.sleep(99)\n"
        "threading.Thread(target=hold).start(); ctypes.CDLL(None).syscall(60, 0)"
    ),
    # A child that bears the name of a compiler.
    "compiles": ("os.fork() or [ctypes.CDLL(None).prctl(15, b'ptxas'), time.sleep(99)]; os.wait()"),
    "files": (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); kept = []\n"
        "try:\n while True: kept.append(open('/dev/null'))\n"
        "except OSError: print('ready', flush=True); threading.Event().wait()"
    ),
}
BEGINNING = "import ctypes, os, signal, socket, sys, threading, time; print('began', flush=True)\n"


def free_port() -> int:
    """Find a port that nobody listens at; another process of tests begins elsewhere."""
    for port in range(20000 + os.getpid() * 7 % 9000, 32000):
        with socket.socket() as probed:
            if probed.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("all ports are taken")


PORT = free_port()


@contextmanager
def ranks(folder: Path, programs: dict[str, str], **more: Any) -> Iterator[int]:
    """Run programs as the ranks of one job below one process; give its id. All ends after 150 s."""
    names = []
    python = more.get("python", sys.executable) + " -I"
    python += "" if "import torch" in "".join(programs.values()) else " -S"
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(BEGINNING + text + "\n")
        names.append(name)
    start = "".join(
        f"RANK={rank} WORLD_SIZE={len(names)} MASTER_PORT={more.get('port', PORT)} "
        f"MASTER_ADDR=127.0.0.1 {python} {folder}/{name}.py "
        f"--output-dir {more.get('output', folder)} > {more.get('log', folder)}/{name}.log 2>&1 &\n"
        for rank, name in enumerate(names)
    )
    job = subprocess.Popen(
        ["timeout", "--foreground", "-s", "KILL", "150", "sh", "-c", start + "wait"],
        cwd=more.get("cwd", "/"),
        env={"PATH": os.environ["PATH"], **more.get("env", {})},
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    try:
        if "log" not in more:
            wait_for(
                {
                    folder / f"{name}.log": "ready" if "'ready'" in text else "began"
                    for name, text in programs.items()
                }
            )
        time.sleep(more.get("seconds", 0.3))
        yield job.pid
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def wait_for(logs: dict[Path, str]) -> None:
    """Wait until each program has said its word."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if all(log.exists() and word in log.read_text() for log, word in logs.items()):
            return
        time.sleep(0.1)


def look(folder: Path, pid: int, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Look at a job from outside of it, which an outside guard ends."""
    return subprocess.run(
        command(folder, "--pid", str(pid), *words),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        **{"cwd": "/", **more},
    )


def readings(told: dict[str, Any]) -> dict[int, str]:
    """Map ranks to what they were seen to do."""
    facts = told["machine"]["facts"]
    return {f["rank"]: f["value"] for f in facts if f["name"] == "process.reading"}


def test_what_two_looks_tell_of_each_rank(tmp_path: Path) -> None:
    """Who is starting a program, works, or buffers what it prints is not called stuck."""
    with ranks(tmp_path, RANKS) as pid:
        done = look(tmp_path, pid, "--format", "json")
    told = json.loads(done.stdout)

    seen = readings(told)
    assert {name: seen.get(rank) for rank, name in enumerate(RANKS)} == {
        "healthy": "working",
        "stopped": "stopped",
        "vfork": "starting",
        "buffered": "working",
        "dead_child": "dead-child",
        "starved": "starved-by-data",
        "peer": "waits-for-peer",
        "spins": "working",
        "half_dead": "cannot-end",
        "compiles": "compiling",
        "files": "waits-for-lock",
    }
    texts = [f["text"] for f in told["machine"]["facts"] if f["name"] == "process.reading"]
    assert "may wait in the buffer" not in texts[0]
    assert texts[3].endswith("what it prints may wait in the buffer of its output")
    assert {given["path"] for given in told["inputs"]} >= {
        str(tmp_path / f"{name}.log") for name in RANKS
    }
    assert done.returncode == 0
    assert "trainwreck: looking for training processes\n" in done.stderr
    facts = told["machine"]["facts"]
    left = {f["rank"]: f["value"] for f in facts if f["name"] == "process.files_left"}
    assert left[10] == 0 < left[0]
    (dead,) = [f for f in facts if f["name"] == "child.dead"]
    assert dead["rank"] == 4
    assert f"has a dead child, {dead['value']} (" in dead["text"]
    known = {f["name"]: f["value"] for f in facts}
    assert known["rendezvous.port"] == PORT
    assert known["rendezvous.holder"].startswith("process ")
    assert known["rendezvous.listens"] is True


SAVING = (
    "file = open(sys.argv[2] + '/model.pt', 'wb', buffering=0)\n"
    "print('saving', flush=True); file.write(bytes(99999))"
)


SLURM = """
# What Slurm's programs have open while a job runs: its step reads the rank, and `srun` writes.
import ctypes, os, subprocess, sys, time
folder = sys.argv[1]
def became(name, **more):
    code = "import ctypes, sys, time; ctypes.CDLL(None).prctl(15, sys.argv[1].encode()); "
    return [sys.executable, "-I", "-S", "-c", code + more["code"], name]
daemon = open(folder + "/daemon.log", "a")
rank = subprocess.Popen(
    [sys.executable, "-I", "-S", folder + "/train.py"],
    stdout=subprocess.PIPE, env={"SLURM_PROCID": "0", "SLURM_JOB_ID": "7", "RANK": "0"})
for name, job, log in (("srun", "8", "other"), ("srun", "7", "own"), ("slurmd", "7", daemon)):
    file = log if log is daemon else open(f"{folder}/{log}.out", "a")
    subprocess.Popen(
        became(name, code="time.sleep(99)"), pass_fds=[file.fileno()],
        stdout=subprocess.DEVNULL if log is daemon else file, env={"SLURM_JOB_ID": job})
ctypes.CDLL(None).prctl(15, b"slurmstepd")
print(rank.stdout.readline().decode(), flush=True)
time.sleep(99)
"""


def test_the_log_of_a_job_of_slurm_is_what_its_srun_writes(tmp_path: Path) -> None:
    """Neither the log of Slurm's daemon, which the reader of the pipe has open, nor another job's.

    A stand-in, seen as `/proc` shows it of Slurm 22.05.
    """
    (tmp_path / "train.py").write_text(BEGINNING + "time.sleep(99)\n")
    (tmp_path / "slurm.py").write_text(SLURM)
    with subprocess.Popen(
        ["timeout", "-s", "KILL", "99", sys.executable, tmp_path / "slurm.py", tmp_path],
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as slurm:
        try:
            assert slurm.stdout is not None
            assert slurm.stdout.readline() == b"began\n"
            until = time.monotonic() + 20
            while time.monotonic() < until:
                rows = rows_of_session(slurm.pid)
                if {row[1] for row in rows} >= {"slurmd", "srun", "slurmstepd"}:
                    break
                time.sleep(0.1)
            (rank,) = [int(row[0]) for row in rows if row[-1] == str(tmp_path / "train.py")]
            done = look(tmp_path, rank)
        finally:
            os.killpg(slurm.pid, signal.SIGKILL)
    logs = [row for row in done.stderr.splitlines() if "its log" in row]

    assert logs == [f"trainwreck: its log: {tmp_path}/own.out"]


def rows_of_session(leader: int) -> list[list[str]]:
    """Tell number, name and words of the processes of a session."""
    words = ["ps", "-ww", "-s", str(leader), "-o", "pid=,comm=,args="]
    told = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return [row.split() for row in told.splitlines()]


def test_nothing_to_look_at_is_said(tmp_path: Path) -> None:
    """The machine is probed all the same, and how to give a log is shown."""
    with subprocess.Popen(["sleep", "50"]) as other:
        try:
            done = look(tmp_path, 999999999)
        finally:
            other.kill()

    assert done.returncode == 0
    assert done.stdout.startswith(
        "No training process of this user was found on this machine. One of another user\n"
        "or in a container is seen by root, or from inside. To diagnose a log, name it:\n"
        "python3 trainwreck.py LOG.\n"
    )


def test_ctrl_c_tells_what_is_known_so_far(tmp_path: Path) -> None:
    """The look ends, the report does not."""
    with ranks(tmp_path, {"peer": RANKS["peer"]}) as pid:
        looking = subprocess.Popen(
            command(tmp_path, "--pid", str(pid), "--interval", "40"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
        )
        assert looking.stderr is not None
        for line in looking.stderr:
            if "to look again" in line:
                break
        looking.send_signal(signal.SIGINT)
        text, _ = looking.communicate(timeout=30)

    assert looking.returncode == 130
    assert "1 training process: what it does is not known." in " ".join(text.split())


def test_two_runs_on_one_machine(tmp_path: Path) -> None:
    """They are told apart by where their ranks meet, each with its own logs and readings."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with (
        ranks(first, {"train": RANKS["healthy"]}),
        ranks(second, {"train": RANKS["stopped"]}, port=PORT + 1),
    ):
        done = subprocess.run(
            command(tmp_path, "--pid", str(os.getpid())),
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    text = " ".join(done.stdout.split())

    assert "These look like 2 different runs" in text
    assert "Run 1 of 2: train.py (process " in text
    assert "Run 2 of 2: train.py (process " in text
    assert "is stopped (state T) by SIGSTOP" in text
    assert "2 runs: each is told alone" in done.stderr


NOBODY = 65534
SYSTEM_PYTHON = Path("/usr/bin/python3")


@needs("root")
@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="there is no /usr/bin/python3")
def test_another_user_needs_no_root() -> None:
    """Its own run is told of as root would; what it may not see has the reason."""
    folder = Path(tempfile.mkdtemp(prefix="look"))
    folder.chmod(0o777)
    (folder / "train.py").write_text(BEGINNING + RANKS["dead_child"] + "\n")
    shutil.copytree(ROOT / "checker", folder / "checker")
    more: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
    with (folder / "out.log").open("w") as log:
        training = subprocess.Popen(
            ["timeout", "-s", "KILL", "150", SYSTEM_PYTHON, "-I", "-S", folder / "train.py"],
            env={"RANK": "0"},
            stdout=log,
            **more,
        )
    try:
        wait_for({folder / "out.log": "began"})
        time.sleep(1)
        words = command(folder, "--format", "json")
        words[0], words[words.index(str(ROOT))] = str(SYSTEM_PYTHON), str(folder)
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=55, check=False, **more
        )
    finally:
        training.kill()
        training.wait()
        shutil.rmtree(folder)
    told = json.loads(done.stdout)

    assert readings(told) == {0: "dead-child"}
    assert all((f["value"] is None) == (f["unknown"] is not None) for f in told["machine"]["facts"])


GPU_PROGRAM = """\
case "$1" in
*compute-apps*) echo "GPU-a, $(cat {pid}), 71000" ;;
*) echo "0, GPU-a, 100, 96.10, 400.00" ;;
esac
"""


def test_a_rank_that_spins_in_a_collective(tmp_path: Path) -> None:
    """With a fake of the driver's program: full load at a quarter of the power, and no word."""
    program(tmp_path / "bin", "nvidia-smi", GPU_PROGRAM.format(pid=tmp_path / "pid"))
    with ranks(tmp_path, {"train": RANKS["spins"]}) as pid:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        (rank,) = Path(f"/proc/{children[0]}/task/{children[0]}/children").read_text().split()
        (tmp_path / "pid").write_text(rank)
        machine = Machine(Children(30), folders=(str(tmp_path / "bin"), "/bin"))
        view = look_at_training(machine, Wish(pid, 2.0))
    (found,) = [fact for fact in view.facts if fact.name == "process.reading"]

    assert (found.value, found.line and found.line.writer.rank) == ("waits-in-collective", 0)
    assert found.line is not None
    assert found.line.text.endswith(
        "waits for its peers in a collective, as load without power shows "
        "(GPU 0: load 100 %, 96 W of 400 W)"
    )


LOOPBACK = ("AF_UNIX", "127.0.0.1", '"::1"', "AF_NETLINK")
HARMLESS = ("O_RDONLY", '"/dev/null"', "+++", "---", "resumed", "O_NOCTTY")


CALLS = "connect,bind,sendto,open,openat,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,kill"


def suspects(folder: Path, words: list[str]) -> tuple[list[str], str]:
    """Run under strace: the system calls that write, contact or signal, and the output."""
    trace = folder / "trace"
    done = subprocess.run(
        ["strace", "-f", "-q", "-o", trace, "-e", "trace=" + CALLS, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd="/",
    )
    rows = trace.read_text().splitlines()
    known = (*LOOPBACK, *HARMLESS)
    return [row for row in rows if not any(word in row for word in known)], done.stdout


@needs("strace")
def test_a_look_writes_nothing_and_contacts_nobody(tmp_path: Path) -> None:
    """Neither does it signal a process that it did not start; system calls show it."""
    with ranks(tmp_path, {"peer": RANKS["peer"]}) as pid:
        looked_at = command(tmp_path, "--pid", str(pid), "--interval", "1", "--format", "json")
        found, out = suspects(tmp_path, looked_at)

    assert readings(json.loads(out)) == {0: "waits-for-peer"}
    assert found == []


@needs("strace")
@pytest.mark.parametrize("words", [["preflight", "--output", "/tmp"], ["snapshot", "-o"]])
def test_no_other_command_writes_or_contacts_more(tmp_path: Path, words: list[str]) -> None:
    """A snapshot writes its one file and gives it its name, and that is all."""
    target = tmp_path / "only.snap"
    more = [str(target), "--pid", "999999999"] if "-o" in words else []
    found, _ = suspects(tmp_path, command(tmp_path, *words, *more))

    assert [row for row in found if str(target) not in row] == []
    assert target.exists() == ("-o" in words)
