"""The built checker looks at what runs, as it is invited to be started on a node that hangs."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.checker.probe.test_live import RANKS, SAVING, free_port, ranks, readings
from tests.dead_mount import dead_mount
from tests.needs import PYTHONS, ROOT, TORCH, find_python, needs

SAVING_WITH_TORCH = (
    "import torch; model = torch.nn.Linear(512, 512)\n"
    "print('step 3 loss 2.07', flush=True)\n"
    "torch.save(model.state_dict(), sys.argv[2] + '/model.pt')"
)


def look(script: Path, pid: int, *words: str) -> tuple[int, str, list[str]]:
    """Start the checker from standard input in the root folder: status, report, what it left."""
    return look_and_hear(script, pid, *words)[:3]


def look_and_hear(script: Path, pid: int, *words: str) -> tuple[int, str, list[str], list[str]]:
    """Do the same, and tell what standard error says."""
    shell = f"cd / && exec {sys.executable} -I -S - --pid {pid} {' '.join(words)} < {script}"
    done = subprocess.run(
        ["sh", "-c", shell], capture_output=True, text=True, timeout=90, check=False
    )
    # What was killed last may need a moment to be gone.
    until = time.monotonic() + 3
    while (left := rows_of(f"-I -S - --pid {pid}")) and time.monotonic() < until:
        time.sleep(0.2)
    return done.returncode, done.stdout, left, done.stderr.splitlines()


def rows_of(words: str) -> list[str]:
    """List state and command line of the processes whose command line holds these words."""
    states = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True)
    return [row for row in states.stdout.splitlines() if words in row]


STARTS = {
    "file": "exec {python} -I -S {script} {words}",
    "standard input": "cd / && exec {python} -I -S - {words} < {script}",
}
PLACES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    # What of the run, and what of the checker besides the checkpoint, lies on the dead mount.
    "checkpoint": ({}, {}),
    "working folder": ({"cwd": "{dead}"}, {"cwd": "{dead}"}),
    "home folder": ({}, {"HOME": "{dead}"}),
    "PATH folder": ({}, {"PATH": "{dead}/bin:/usr/bin:/bin"}),
    "log": ({"log": "{dead}"}, {}),
}


@needs("root")
@needs("fuse")
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("place", PLACES)
def test_a_storage_stall_is_diagnosed(script: Path, tmp_path: Path, start: str, place: str) -> None:
    """The entry, with process, thread, wait point, mount and file, wherever else the mount is.

    At most three children stay. After a minute the alarm of the mount's server ends it, and with
    it whatever waits for the mount.
    """
    dead = tmp_path / "dead"
    of_run, of_checker = (
        {name: text.format(dead=dead) for name, text in part.items()} for part in PLACES[place]
    )
    with (
        dead_mount(dead, "writes"),
        ranks(tmp_path, {"save": SAVING}, output=dead, **of_run) as pid,
    ):
        words = f"--pid {pid} --interval 2"
        began = time.monotonic()
        done = subprocess.run(
            [
                "/bin/sh",
                "-c",
                STARTS[start].format(python=sys.executable, script=script, words=words),
            ],
            cwd=of_checker.pop("cwd", "/"),
            env={"PATH": "/usr/bin:/bin", **of_checker},
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        took = time.monotonic() - began
        left = rows_of(words)
    text = " ".join(done.stdout.split())
    file = dead / ("save.log" if place == "log" else "model.pt")

    assert done.returncode == 1
    assert text.startswith("FAILED FIRST (certain), rank 0: A mount does not answer")
    assert "storage-mount-does-not-answer" in text
    assert re.search(r"process \d+ \(save\.py\).* thread \d+ \(python", text)
    assert "waits in request_wait_answer" in text
    assert f"it writes {file} on {dead} (fuse.hangfs), which did not answer" in text
    assert took < 30
    assert len(left) <= 3


@needs("root")
@needs("fuse")
@needs("torch")
def test_a_storage_stall_of_torch_is_diagnosed(script: Path, tmp_path: Path) -> None:
    """A real save, whose writer is the thread that waits."""
    dead = tmp_path / "dead"
    more: dict[str, Any] = {"python": str(TORCH), "seconds": 8}
    programs = {"save": SAVING_WITH_TORCH}
    with dead_mount(dead, "writes"), ranks(tmp_path, programs, output=dead, **more) as pid:
        status, out, left = look(script, pid)
    text = " ".join(out.split())

    assert status == 1
    assert text.startswith("FAILED FIRST (certain), rank 0: A mount does not answer")
    assert f"it writes {dead}/model.pt on {dead} (fuse.hangfs), which did not answer" in text
    assert len(left) <= 3


def test_a_healthy_run_is_not_called_stuck(script: Path, tmp_path: Path) -> None:
    """It works, and nothing is diagnosed but what this machine's kernel may have said before."""
    program = "while True: sum(range(9**5)); print('step 1 loss 2.0', flush=True)"
    with ranks(tmp_path, {"train": program}) as pid:
        status, out, left = look(script, pid, "--format", "json")
    told = json.loads(out)

    assert status == 0
    assert [d for d in told["diagnoses"] if d["confidence"] != "possible"] == []
    assert readings(told) == {0: "working"}
    assert left == []


WRITER = """
child = os.fork()
if child == 0:
    os._exit(1)
print('[DecoupledCheckpointEngine]: Create checkpoint process self.global_rank=0 '
      f' self.ckpt_process.pid={child} self.dp_writer_config=x', flush=True)
print('[user rank0] before save_checkpoint', flush=True)
threading.Event().wait()
"""


def test_a_rank_that_waits_for_its_dead_writer(script: Path, tmp_path: Path) -> None:
    """The writer that the log names is the dead child that the kernel shows."""
    with ranks(tmp_path, {"train": WRITER}) as pid:
        status, out, _ = look(script, pid)
    text = " ".join(out.split())

    assert status == 1
    assert text.startswith("FAILED FIRST (certain), rank 0:")
    assert "deepspeed-decoupled-checkpoint-hang" in text
    assert "is dead and not asked how it ended" in text


def test_a_lock_that_a_killed_build_has_left(script: Path, tmp_path: Path) -> None:
    """The rank sleeps, is silent, and nobody has the lock open."""
    lock = tmp_path / "cache/py311_cu124/fused_ops/lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    os.utime(lock, (time.time() - 4000, time.time() - 4000))
    program = (
        f"print('loading', flush=True); os.utime('{tmp_path}/train.log', (1, 1))\n"
        f"while os.path.exists('{lock}'): time.sleep(0.1)"
    )
    environment = {"TORCH_EXTENSIONS_DIR": str(tmp_path / "cache")}
    with ranks(tmp_path, {"train": program}, env=environment) as pid:
        status, out, _ = look(script, pid)
    text = " ".join(out.split())

    assert status == 0
    assert "torch-extensions-stale-lock-hang" in text


@needs("root")
@needs("fuse")
def test_what_a_dead_mount_keeps_from_being_known(script: Path, tmp_path: Path) -> None:
    """The folder of locks does not answer, and what stands there would decide: status 4."""
    dead = tmp_path / "dead"
    program = (
        f"print('loading', flush=True); os.utime('{tmp_path}/train.log', (1, 1))\n"
        "while True: time.sleep(0.1)"
    )
    environment = {"TORCH_EXTENSIONS_DIR": str(dead)}
    with dead_mount(dead), ranks(tmp_path, {"train": program}, env=environment) as pid:
        status, out, left, told = look_and_hear(script, pid)

    assert status == 4
    assert "No known failure recognized" in out
    assert told[-1].startswith("trainwreck: not known: extension.locks_left: did not answer in 3 s")
    assert len(left) <= 3


GREEDY = "kept = []\nwhile True: kept.append(bytes(10_000_000))"


@pytest.fixture
def small_group() -> Iterator[Path]:
    """A memory cgroup of 64 MiB, of either version."""
    first = Path("/sys/fs/cgroup/memory")
    group = (first if first.is_dir() else Path("/sys/fs/cgroup")) / "trainwreck-test"
    try:
        group.mkdir()
        limit = "memory.limit_in_bytes" if first.is_dir() else "memory.max"
        (group / limit).write_text("67108864")
    except OSError as error:
        pytest.skip(f"no memory cgroup can be made: {error}")
    yield group
    for _ in range(50):
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.1)


@needs("root")
def test_a_kill_of_the_memory_cgroup(script: Path, tmp_path: Path, small_group: Path) -> None:
    """The kernel's count of a living rank's cgroup proves the bare end of another."""
    (tmp_path / "greedy.py").write_text(GREEDY)
    program = (
        f"open('{small_group}/cgroup.procs', 'w').write(str(os.getpid()))\n"
        f"import subprocess; done = subprocess.run([sys.executable, '{tmp_path}/greedy.py'])\n"
        "print('failed (exitcode: %d) local_rank: 1 (pid: 77) of binary: python' "
        "% done.returncode); print('ready', flush=True); threading.Event().wait()"
    )
    with ranks(tmp_path, {"train": program}) as pid:
        status, out, _ = look(script, pid)
        _, told, _ = look(script, pid, "--format", "json")
    facts = {f["name"]: f["value"] for f in json.loads(told)["machine"]["facts"]}

    assert facts["memory.cgroup.oom_kills"] == 1
    assert facts["memory.cgroup.limit"] == 67108864
    assert status == 1
    assert "host-oom-killer" in out


@needs("root")
def test_a_full_file_system_and_one_without_inodes(script: Path, tmp_path: Path) -> None:
    """Both are told, and which is which."""
    full, crowded = tmp_path / "full", tmp_path / "crowded"
    for folder, options in ((full, "size=65536"), (crowded, "size=1m,nr_inodes=4")):
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        with pytest.raises(OSError, match="No space left"):
            (full / "model.pt").write_bytes(bytes(1 << 20))
        for number in range(3):
            (crowded / str(number)).touch()
        (tmp_path / "run.log").write_text("OSError: [Errno 28] No space left on device: 'x'\n")
        done = subprocess.run(
            [sys.executable, "-I", "-S", script, "--machine", tmp_path / "run.log"],
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    finally:
        for folder in (full, crowded):
            subprocess.run(["umount", "-l", folder], check=True)

    text = "".join(done.stdout.split())
    assert f"nofreespaceon{full}" in text
    assert f"nofreeinodeon{crowded}" in text


def seen_by(python: str, script: Path, pid: int, *words: str) -> dict[int, str]:
    """Tell what an interpreter sees the ranks do."""
    done = subprocess.run(
        [python, *words, script, "--pid", str(pid), "--interval", "1", "--format", "json"],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        cwd="/",
    )
    return readings(json.loads(done.stdout))


@pytest.mark.parametrize("version", [pytest.param(v, marks=needs(f"python{v}")) for v in PYTHONS])
def test_every_python_sees_the_same(version: str, script: Path, tmp_path: Path) -> None:
    """Isolated and without packages."""
    programs = {name: RANKS[name] for name in ("dead_child", "stopped")}
    with ranks(tmp_path, programs) as pid:
        told = seen_by(find_python(version) or "", script, pid, "-I", "-S")

    assert told == {0: "dead-child", 1: "stopped"}


def test_psutil_changes_nothing(script: Path, tmp_path: Path) -> None:
    """On Linux the kernel tells all; a Python that has the package sees what one without sees."""
    programs = {name: RANKS[name] for name in ("dead_child", "stopped")}
    with ranks(tmp_path, programs) as pid:
        with_it = seen_by(sys.executable, script, pid)
        without = seen_by(sys.executable, script, pid, "-I", "-S")

    assert with_it == without == {0: "dead-child", 1: "stopped"}


def test_the_recipe_by_ssh_works_as_it_is_written(script: Path, tmp_path: Path) -> None:
    """With a stand-in for ssh that runs what it is told in a shell here, as the other end would.

    One node cannot be reached.
    """
    page = (ROOT / "site_overrides/pages/snapshots.md").read_text()
    recipe = page.partition("# by ssh, from a list of nodes")[2].partition("\n\n")[0]
    recipe = recipe[recipe.index("for node in ") :]
    stand_in = tmp_path / "bin/ssh"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/sh\nshift 2; [ "$1" != node-c ] && shift && exec sh -c "$*"\n')
    stand_in.chmod(0o755)
    (tmp_path / "nodes.txt").write_text("node-a\nnode-b\nnode-c\n")
    shutil.copy(script, tmp_path / "trainwreck.py")
    with ranks(tmp_path, {"train": WRITER}) as pid:
        looking = recipe.replace("snapshot -o -", f"snapshot -o - --interval 1 --pid {pid}")
        done = subprocess.run(
            ["bash", "-c", looking],
            env={"PATH": f"{stand_in.parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
            cwd=tmp_path,
        )

    assert done.returncode == 1
    assert done.stdout.startswith("FAILED FIRST (certain), rank 0")
    assert "deepspeed-decoupled-checkpoint-hang" in done.stdout
    assert (tmp_path / "all.snap").stat().st_size > 1000
    assert "trainwreck: node-c.snap: empty" in done.stderr.splitlines()


BINDS = """
import torch.distributed, traceback
try:
    torch.distributed.TCPStore('127.0.0.1', int(os.environ['MASTER_PORT']), 2, True)
except Exception:
    traceback.print_exc()
print('ready', flush=True)
time.sleep(40)
"""


@needs("torch")
def test_a_port_that_another_program_holds(script: Path, tmp_path: Path) -> None:
    """Who holds it is told beside the failure."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with ranks(tmp_path, {"train": BINDS}, python=str(TORCH), port=port) as pid:
            status, out, _ = look(script, pid, "--interval", "1")
            _, told, _ = look(script, pid, "--interval", "1", "--format", "json")
    facts = {f["name"]: f["value"] for f in json.loads(told)["machine"]["facts"]}

    assert status == 1
    assert "master-port-address-in-use" in out
    assert facts["rendezvous.holder"].startswith(f"process {os.getpid()} ")


LOADS = """
import torch.utils.data as data
class Slow(data.Dataset):
    def __len__(self): return 99
    def __getitem__(self, number):
        print('ready', flush=True)
        while True: sum(range(9**5))
next(iter(data.DataLoader(Slow(), num_workers=1)))
"""


@needs("torch")
def test_a_rank_that_its_loader_starves(script: Path, tmp_path: Path) -> None:
    """The worker is busy, and the rank waits for it: it is not called stuck."""
    (tmp_path / "home").mkdir()
    environment = {"HOME": str(tmp_path / "home")}
    with ranks(tmp_path, {"train": LOADS}, python=str(TORCH), env=environment) as pid:
        status, told, _ = look(script, pid, "--format", "json")

    assert readings(json.loads(told)) == {0: "starved-by-data"}
    assert status == 0


KILLED = """
import os, signal, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
if dist.get_rank() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
dist.all_reduce(torch.ones(1))
print("step 1 loss 2.0", flush=True)
if dist.get_rank() == 1:
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(40)
"""


@needs("torch")
def test_a_rank_of_torchrun_that_was_killed(script: Path, tmp_path: Path) -> None:
    """The launcher says nothing before the others have ended; the look says who is gone."""
    (tmp_path / "train.py").write_text(KILLED)
    launch = f"-m torch.distributed.run --nproc-per-node 2 --master-port {free_port()}"
    log = tmp_path / "console.log"
    with log.open("w") as file:
        launcher = subprocess.Popen(
            ["timeout", "-s", "KILL", "150", TORCH, *launch.split(), tmp_path / "train.py"],
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        for _ in range(300):
            if "closing signal SIGTERM" in log.read_text():
                break
            time.sleep(0.1)
        _, out, _ = look(script, launcher.pid)
    finally:
        os.killpg(launcher.pid, signal.SIGKILL)
        launcher.wait()

    assert "- local rank 1 of 2 does not run" in out
