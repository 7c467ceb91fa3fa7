"""Whose code it was, and which exceptions are the user's to mend."""

import pytest

from checker.diagnose.usercode import exception_text, is_user_frame, unexplained_blocks
from checker.match.scene import Scene
from checker.model import Frame, Raised, Traceback
from tests.checker.observed import block, ended, line, raised, sample, scene_of

pytestmark = pytest.mark.rule("user-code")

USER, LIBRARY = ("/workspace/train.py", "main"), ("/x/site-packages/torch/_tensor.py", "backward")


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/workspace/train.py", True),
        ("train.py", True),
        ("<stdin>", True),
        ("<ipython-input-3-0a1b2c3d4e5f>", True),
        ("/tmp/ipykernel_812/1234.py", True),
        ("C:\\work\\train.py", True),
        ("/opt/venv/lib/python3.11/site-packages/torch/_tensor.py", False),
        ("/usr/lib/python3/dist-packages/yaml/reader.py", False),
        ("/usr/lib/python3.11/json/decoder.py", False),
        ("C:\\Python311\\Lib\\json\\decoder.py", False),
        ("<frozen importlib._bootstrap>", False),
        ("<eval_with_key>.12", False),
        ("/tmp/torchinductor_user/ab/cabc.py", False),
        ("/home/user/DeepSpeed/deepspeed/runtime/engine.py", False),
        ("/home/user/new-stack/new_stack/engine.py", False),
    ],
)
def test_frame_is_the_users_unless_its_file_is_not(path: str, own: bool) -> None:
    """Installed, standard, generated and framework code is not the user's, wherever it lies."""
    assert is_user_frame(Frame(path, 1, "f", ""), frozenset(["new_stack"])) is own


def test_command_line_code_is_the_users_and_a_generated_method_is_not() -> None:
    """Both are printed as <string>."""
    assert is_user_frame(Frame("<string>", 1, "<module>", ""), frozenset())
    assert not is_user_frame(Frame("<string>", 2, "__init__", ""), frozenset())


def left(*blocks: Traceback, **records: object) -> list[str]:
    """The classes of the exceptions that are left over."""
    scene: Scene = scene_of(tracebacks=blocks, **records)
    return [found.parts[0].type for found in unexplained_blocks(scene, [])]


@pytest.mark.parametrize(
    "part",
    [
        raised("KeyError", "'input_ids'", USER),
        raised("ValueError", "bad shape", USER, LIBRARY),
        raised("FileNotFoundError", "[Errno 2] No such file or directory: 'x'", USER),
        raised("RuntimeError", "mat1 and mat2 shapes cannot be multiplied", USER, LIBRARY),
        raised("ValueError", "frames unknown"),
        raised("SyntaxError", "invalid syntax", USER),
        raised("AssertionError", "config says out of memory handler missing", USER),
        raised("KeyError", "'Broken pipe'", LIBRARY, USER),
    ],
)
def test_exception_of_the_users_code_is_left(part: Raised) -> None:
    """What went through the user's code, or whose frames are unknown, may be the user's."""
    assert left(block(part)) == [part.type]


@pytest.mark.parametrize(
    "part",
    [
        raised("KeyboardInterrupt", "", USER),
        raised("torch.distributed.elastic.multiprocessing.api.SignalException", "15", USER),
        raised("ConnectionResetError", "[Errno 104] Connection reset by peer", USER),
        raised("torch.distributed.DistBackendError", "NCCL error in: x", USER),
        raised("RuntimeError", "[pair.cc:553] Connection closed by peer [::1]:9", USER, LIBRARY),
        raised("RuntimeError", "CUDA error: device-side assert triggered\nmore", USER),
        raised("torch.OutOfMemoryError", "CUDA out of memory. Tried", USER, LIBRARY),
        raised("ValueError", "[Errno 28] No space left on device", USER, LIBRARY),
        raised("RuntimeError", "[Rank 1] Caught collective operation timeout: WorkNCCL(", USER),
        raised("RuntimeError", "Watchdog caught collective operation timeout: Work", USER, LIBRARY),
        raised("OSError", "[Errno 28] No space left on device", USER),
        raised("OSError", "[Errno 116] Stale file handle", USER),
        raised("ChildFailedError", "", USER),
        raised("ImportError", "libcudart.so.12", LIBRARY),
    ],
)
def test_what_is_not_the_users_to_mend_is_not_left(part: Raised) -> None:
    """Interrupts, lost peers, device, memory and system errors, and pure library errors are not."""
    assert left(block(part)) == []


@pytest.mark.parametrize(
    "said",
    [
        "[../third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer",
        "Connection reset by peer",
        "connect: Connection refused",
        "send failed: Broken pipe",
        "Timed out waiting 1800000ms for send operation to complete",
        "Socket Timeout",
        "wait timeout after 300000ms, keys: /default_pg/0//cuda//0",
        "Wait timeout",
        "monitoredBarrier failed",
        "connect() timed out.",
        "failed to recv, got 0 bytes",
        "Gloo connectFullMesh failed with",
        "Application timeout caused pair closure",
        "Rank 3 failed to pass monitoredBarrier in 10000 ms",
        "Rank 3 failed to pass",
        "NCCL error in: ProcessGroupNCCL.cpp:1",
        "NCCL communicator was aborted on rank 0.",
        "ncclSystemError: System call failed",
        "ncclRemoteError: A call failed possibly due to a network error",
        "ncclUnhandledCudaError: Call to CUDA function failed.",
        "CUDA error: an illegal memory access was encountered",
        "cuda runtime error (6) : the launch timed out and was terminated at THCTensorCopy.cpp:21",
        "CUDA driver initialization failed",
        "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
        "CUDNN_STATUS_NOT_INITIALIZED",
        "CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "cusolver error: CUSOLVER_STATUS_EXECUTION_FAILED",
        "HIP error: invalid device function",
        "device-side assert triggered",
        "[enforce fail at alloc_cpu.cpp:75] DefaultCPUAllocator: can't allocate memory",
        "HIP out of memory. Tried to allocate 2 GiB",
        "DataLoader worker (pid 91) is killed by signal: Killed. ",
        "DataLoader worker (pid(s) 91, 92) exited unexpectedly",
        "unexpected bus error encountered in worker",
        "write failed: No space left on device",
        "Disk quota exceeded",
        "Too many open files. Communication with the workers is no longer possible.",
        "Stale file handle",
        "Transport endpoint is not connected",
        "Input/output error",
        "Read-only file system",
        "Cannot allocate memory",
        "Resource temporarily unavailable",
        "Host is down",
        "No route to host",
        "can't start new thread",
        "unable to open shared memory object </torch_91_2> in read-write mode",
        "[Errno 122] quota",
        "[Errno 5] io",
    ],
)
def test_error_of_peers_device_memory_or_system_is_not_the_users(said: str) -> None:
    """Classes as general as RuntimeError hold them, so that the message decides."""
    assert left(block(raised("RuntimeError", said, USER, LIBRARY))) == []
    assert left(block(raised("RuntimeError", "shapes differ", USER, LIBRARY))) == ["RuntimeError"]


@pytest.mark.parametrize(
    "name",
    [
        "SystemExit",
        "GeneratorExit",
        "asyncio.exceptions.CancelledError",
        "torch.multiprocessing.spawn.ProcessExitedException",
        "subprocess.CalledProcessError",
        "BrokenPipeError",
        "ConnectionRefusedError",
        "EOFError",
        "TimeoutError",
        "torch.distributed.DistNetworkError",
        "torch.distributed.DistStoreError",
        "MemoryError",
        "torch.AcceleratorError",
        "UserWarning",
        "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
        "ray.exceptions.ActorDiedError",
    ],
)
def test_class_that_tells_of_another_failure_is_not_the_users(name: str) -> None:
    """Interrupts, wrappers, lost connections, memory, devices and warnings, whatever they say."""
    assert left(block(raised(name, "x", USER))) == []


def test_exception_that_the_launcher_printed_is_no_ranks() -> None:
    """The launcher's own traceback repeats what a rank's failure did to it."""
    own = raised("KeyError", "'x'", USER)
    assert left(block(own, first=line(source="launcher", rank=None))) == []


def test_frames_of_mixed_ranks_are_not_known() -> None:
    """Which frame was whose cannot be told, so a library's may hide the user's."""
    library = raised("KeyError", "'x'", LIBRARY)
    assert left(block(library)) == []
    assert left(block(library, separated=False)) == ["KeyError"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("", "RuntimeError"),
        ("no room\nfor it", "RuntimeError: no room"),
        ("\n  VERSION MISMATCH \nasked: 13.1", "RuntimeError: VERSION MISMATCH"),
        ("\n \n", "RuntimeError"),
    ],
)
def test_exception_is_told_with_the_first_line_that_says_something(message: str, text: str) -> None:
    """A message that begins with a line break is not left out."""
    assert exception_text(raised("RuntimeError", message, USER)) == text


def test_origin_of_a_chain_decides() -> None:
    """A barrier in `finally` that times out leaves the first exception the user's to mend."""
    own = raised("KeyError", "'x'", USER)
    barrier = raised("RuntimeError", "Timed out waiting 10000ms for recv operation", USER, LIBRARY)
    assert left(block(own, barrier)) == ["KeyError"]
    assert left(block(own, raised("KeyboardInterrupt", "", USER))) == ["KeyError"]
    assert left(block(barrier, own)) == []


def test_text_printed_after_the_exception_does_not_excuse_it() -> None:
    """What the process printed next is taken for more of the message, and is not it."""
    assert left(block(raised("KeyError", "'x'\nRuntimeError: Broken pipe", USER))) == ["KeyError"]


def test_exception_must_have_ended_its_process() -> None:
    """Further steps, a good end, or a log level below the end of the process speak against it."""
    own = raised("KeyError", "'x'", USER)
    assert left(block(own), samples=(sample(20, 1),)) == []
    assert left(block(own), exits=(ended(rank=0, code=0),)) == []
    assert left(block(own), exits=(ended(rank=0, signal=15, by="launcher"),)) == ["KeyError"]
    logged = block(own, first=line(level="ERROR"))
    assert left(logged) == []
    assert left(logged, exits=(ended(rank=0, code=1),)) == ["KeyError"]
    assert left(block(own, ignored=True)) == []


def test_explained_exception_is_not_left() -> None:
    """A block on which a likely failure rests is that failure's."""
    scene = scene_of(tracebacks=(block(raised("KeyError", "'x'", USER)),))
    assert unexplained_blocks(scene, [("a.log", 9)]) == []
    assert len(unexplained_blocks(scene, [("a.log", 10), ("b.log", 9)])) == 1
