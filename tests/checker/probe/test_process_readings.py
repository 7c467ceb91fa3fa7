"""What two looks at a process come to."""

from typing import Any

import pytest

from checker.probe.gpu_use import GpuUse
from checker.probe.mount_table import Mount
from checker.probe.open_files import Holdings, OpenFile
from checker.probe.process_readings import Looked, read_process
from checker.probe.processes import TrainingProcess
from checker.probe.sampling import Change, ThreadChange

DEAD = Mount("0:50", "/", "/ckpt", "rw", "fuse.sshfs", "host:/x", "rw")
NFS = Mount("0:51", "/", "/data", "rw", "nfs4", "fs:/data", "rw")
ROOT = Mount("8:1", "/", "/", "rw", "ext4", "/dev/sda", "rw")
SILENT = {"0:50": "did not answer in 3 s (state S, waits in request_wait_answer)"}


def thread(states: str, wait: str = "", seconds: float = 0.0, **more: Any) -> ThreadChange:
    """The main thread of process 412, or another one."""
    return ThreadChange(more.get("tid", 412), "python3", states, wait, seconds, int(seconds * 9))


def looked(
    *threads: ThreadChange,
    files: tuple[OpenFile, ...] = (),
    silent: dict[str, str] | None = None,
    helpers: tuple[Looked, ...] = (),
    io: dict[str, int] | None = None,
    **more: Any,
) -> Looked:
    """One process, its threads in two looks five seconds apart."""
    process = TrainingProcess(
        *(412, 1, more.get("name", "python3"), "S", "rank", ("python3", "train.py")),
        *({}, 3, 1, 0.0, True, 0),
    )
    streams = {1: more.get("output", "/w/run.log")}
    held = Holdings(files, streams, "/w", (), (ROOT, DEAD, NFS), "", {})
    change = Change(412, 5.0, threads, io or {})
    return Looked(process, change, held, silent or {}, helpers, more.get("gpu"))


FILE = OpenFile(7, "/ckpt/step-10/model.pt", True, 4096)
ON_NFS = OpenFile(7, "/data/x.bin", False, 0)


@pytest.mark.parametrize("state", ["S", "D", "SD"])
def test_a_write_to_a_mount_that_does_not_answer(state: str) -> None:
    """The first caller sleeps as if nothing was wrong; the state decides nothing."""
    found = read_process(looked(thread(state, "request_wait_answer"), files=(FILE,), silent=SILENT))

    assert found.kind == "storage-stall"
    assert found.text == (
        "waits for storage that does not answer: thread 412 (python3), state "
        f"{state}, waits in request_wait_answer, no time on a processor in 5.0 s; it writes "
        "/ckpt/step-10/model.pt on /ckpt (fuse.sshfs), which did not answer in 3 s"
    )


def test_a_thread_that_moved_waits_for_nothing() -> None:
    """The same place in both looks is not enough: it was on a processor in between."""
    moved = ThreadChange(412, "python3", "S", "request_wait_answer", 0.0, 12)
    found = read_process(looked(moved, files=(FILE,), silent=SILENT))

    assert found.kind != "storage-stall"


def test_a_wait_of_another_kind_is_not_for_that_mount() -> None:
    """A wait in NFS cannot be for a dead FUSE mount."""
    wait = thread("D", "rpc_wait_bit_killable")
    found = read_process(looked(wait, files=(FILE, ON_NFS), silent=SILENT))

    assert found.kind == "storage-wait"
    silent = {"0:51": "did not answer in 3 s"}
    found = read_process(looked(wait, files=(FILE, ON_NFS), silent=silent))
    assert found.kind == "storage-stall"
    assert found.text.endswith("it reads /data/x.bin on /data (nfs4), which did not answer in 3 s")


def test_a_parent_that_starts_a_program_is_no_stall() -> None:
    """It is in state D until its child has begun, also beside a mount that does not answer."""
    found = read_process(looked(thread("D", "kernel_clone"), silent=SILENT))

    assert found.kind == "starting"


ZOMBIE = looked(thread("Z"), name="python3")
WORKER = looked(thread("R", seconds=4.0), name="pt_data_worker")
STALLED = looked(thread("S", "request_wait_answer"), files=(FILE,), silent=SILENT)
IDLE = thread("S", "futex_do_wait")


@pytest.mark.parametrize(
    ("one", "kind"),
    [
        (looked(thread("T", "do_signal_stop")), "stopped"),
        (looked(thread("t", "ptrace_stop")), "stopped"),
        (looked(thread("D", "__refrigerator")), "frozen"),
        (looked(thread("Z")), "dead"),
        (looked(thread("Z"), thread("D", "request_wait_answer", tid=413)), "cannot-end"),
        (looked(thread("Z"), thread("R", seconds=1.0, tid=413)), "working"),
        (looked(thread("D", "uvm_va_space_mm_shutdown")), "driver-stall"),
        (looked(IDLE, thread("D", "nvidia_ioctl", tid=413)), "driver-stall"),
        (looked(IDLE, helpers=(ZOMBIE,)), "dead-child"),
        (looked(thread("R", seconds=4.9), helpers=(ZOMBIE,)), "working"),
        (looked(IDLE, helpers=(WORKER,)), "starved-by-data"),
        (looked(IDLE, helpers=(looked(thread("R", seconds=4.0), name="cicc"),)), "compiling"),
        (looked(IDLE, helpers=(STALLED,)), "storage-stall"),
        (looked(thread("S", "poll_schedule_timeout")), "waits-for-peer"),
        (looked(IDLE), "waits-for-lock"),
        (looked(thread("S", "hrtimer_nanosleep")), "sleeps"),
        (looked(thread("SR", seconds=0.5), io={"rchar": 90000}), "working"),
        (looked(thread("S", seconds=0.1), io={"wchar": 40}), "working"),
        (looked(thread("S", seconds=0.1), io={"wchar": 0}), "unclear"),
        (looked(thread("S")), "unclear"),
        (looked(), "unclear"),
    ],
)
def test_readings(one: Looked, kind: str) -> None:
    """Each from two signals, and the strongest of them first."""
    assert read_process(one).kind == kind


def test_what_works_without_a_word_may_only_buffer_it() -> None:
    """A process that uses a processor and writes nothing is not called stuck."""
    busy = thread("R", seconds=5.0)
    silent = read_process(looked(busy, io={"wchar": 0}))
    told = read_process(looked(busy, io={"wchar": 800}))
    seen = read_process(looked(busy, io={"wchar": 0}, output="/dev/pts/1"))

    assert (silent.kind, silent.stuck) == ("working", False)
    assert silent.text.endswith("what it prints may wait in the buffer of its output")
    assert told.text == seen.text == "works: 100 % of a processor in 5.0 s"


def test_a_process_that_is_gone() -> None:
    """It ended between the looks."""
    one = looked()._replace(change=None)

    assert read_process(one).kind == "gone"


SPINS = GpuUse(3, (100, 100), (92, 92), 400.0)
IDLES = GpuUse(3, (0, 0), (65, 65), 400.0)
WORKS = GpuUse(3, (97, 99), (380, 390), 400.0)


@pytest.mark.parametrize(
    ("gpu", "main", "io", "kind"),
    [
        (SPINS, thread("R", seconds=5.0), {"wchar": 0}, "waits-in-collective"),
        (SPINS, IDLE, {}, "waits-in-collective"),
        (SPINS, thread("R", seconds=5.0), {"wchar": 80}, "working"),
        (SPINS, thread("T", "do_signal_stop"), {}, "stopped"),
        (WORKS, IDLE, {"wchar": 0}, "working"),
        (IDLES, IDLE, {"wchar": 0}, "waits-for-lock"),
        (IDLES, thread("R", seconds=5.0), {"wchar": 0}, "working"),
    ],
)
def test_what_a_gpu_adds(gpu: GpuUse, main: ThreadChange, io: dict[str, int], kind: str) -> None:
    """Load without power is a wait, unless the process prints or is stopped."""
    found = read_process(looked(main, io=io, gpu=gpu))

    assert found.kind == kind
    assert found.stuck == (kind == "stopped")
    assert found.text.endswith(f"({gpu.words})")


@pytest.mark.parametrize(
    ("gpu", "kind"),
    [(IDLES, "starved-by-data"), (None, "starved-by-data"), (WORKS, "working")],
)
def test_workers_of_a_rank_whose_gpu_works(gpu: GpuUse | None, kind: str) -> None:
    """They prefetch, while its main thread waits for the GPU."""
    assert read_process(looked(IDLE, helpers=(WORKER,), gpu=gpu)).kind == kind


def test_a_rank_with_a_gpu_of_which_nothing_is_known() -> None:
    """It is not called starved: it may wait for its GPU."""
    one = looked(IDLE, helpers=(WORKER,))
    assert one.holdings is not None
    with_gpu = one._replace(holdings=one.holdings._replace(devices=("/dev/nvidia0",)))

    assert read_process(with_gpu).kind == "waits-for-lock"


def test_a_storage_stall_of_a_rank_whose_gpu_idles() -> None:
    """The second signal is told with it."""
    one = looked(thread("S", "request_wait_answer"), files=(FILE,), silent=SILENT, gpu=IDLES)

    assert read_process(one).kind == "storage-stall"
    assert read_process(one).text.endswith("in 3 s (GPU 3: load 0 %, 65 W of 400 W)")
