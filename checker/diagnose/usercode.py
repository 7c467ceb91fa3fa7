"""Whose code a frame is, and which exceptions remain for `user-code-error`.

Exception blocks enter; those leave that ended their process, that no other entry explains, and
that are neither an interrupt nor a lost connection nor a fault of memory, device or system.
"""

import re
from typing import Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from checker.match.living import exits_of, process_ended_next, samples_after
from checker.match.scene import Scene
from checker.model import Frame, Raised, Traceback

USER_CODE_ERROR = "user-code-error"

# Folders whose code belongs to a framework, wherever it was cloned; the packages that the
# catalogue speaks of are added. Names that people give their own folders are left out.
_FRAMEWORK_FOLDERS = """
    torch torchvision torchaudio torchdata torchtitan torchtune functorch triton transformers
    accelerate diffusers peft trl safetensors huggingface_hub deepspeed megatron pytorch_lightning
    lightning_fabric fairscale fairseq colossalai horovod jaxlib flax optax tensorflow keras numpy
    scipy pandas pyarrow vllm sglang transformer_engine flash_attn xformers bitsandbytes webdataset
    wandb omegaconf
"""
_LIBRARY_FOLDERS = ("/site-packages/", "/dist-packages/")
_STANDARD_LIBRARY = r"/lib(?:64)?/python\d(?:\.\d+)?/|/python\d+\.zip/|/Lib/[^/]+"
_GENERATED = (
    r"^<(?:frozen |eval_with_key|__array_function__|attrs generated|decorator-gen)"
    r"|torchinductor_|torch_compile_debug|/\.triton/|/triton/cache/|__pycache__"
)

# Wrappers, interrupts and signals: they tell of another failure, or of none.
_NO_FAULT = """
    KeyboardInterrupt SystemExit GeneratorExit SignalException ChildFailedError
    ProcessExitedException RendezvousClosedError RendezvousGracefulExitError CalledProcessError
    CancelledError
"""
_CONNECTION = """
    ConnectionResetError ConnectionRefusedError ConnectionAbortedError ConnectionError
    BrokenPipeError DistNetworkError DistStoreError DistBackendError EOFError
    RendezvousConnectionError RendezvousTimeoutError ActorDiedError RayActorError
    WorkerCrashedError TimeoutError RemoteDisconnected IncompleteRead
"""
_DEVICE_OR_MEMORY = "OutOfMemoryError MemoryError AcceleratorError XlaRuntimeError"
_EXCUSED = frozenset((_NO_FAULT + _CONNECTION + _DEVICE_OR_MEMORY).split())
# Phrases of errors of lost connections, devices, memory and system inside general classes.
_LOST_PEER = (
    "Connection closed by peer",
    "Connection reset by peer",
    "Connection refused",
    "Broken pipe",
    "Timed out waiting",
    "Socket Timeout",
    "ait timeout",
    "monitoredBarrier",
    "connect() timed out",
    "failed to recv",
    "onnectFullMesh",
    "Application timeout caused",
    "ollective operation timeout",
)
_EXCUSED_PHRASES = (
    *_LOST_PEER,
    "NCCL error",
    "NCCL communicator",
    "ncclSystemError",
    "ncclRemoteError",
    "ncclUnhandledCudaError",
    "CUDA error",
    "cuda runtime error",
    "CUDA driver",
    "CUDNN_STATUS",
    "cuDNN error",
    "CUBLAS_STATUS",
    "CUSOLVER_STATUS",
    "HIP error",
    "device-side assert",
    "out of memory",
    "can't allocate memory",
    "bus error",
    "No space left on device",
    "Disk quota exceeded",
    "Too many open files",
    "Stale file handle",
    "Transport endpoint is not connected",
    "Input/output error",
    "Read-only file system",
    "Cannot allocate memory",
    "Resource temporarily unavailable",
    "Host is down",
    "No route to host",
    "can't start new thread",
    "nable to open shared memory",
)
# What these say is the program's own words where it raised them itself.
_OWN_MISTAKES = frozenset(
    [
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "IndexError",
        "KeyError",
        "LookupError",
        "NameError",
        "NotImplementedError",
        "RecursionError",
        "TypeError",
        "UnboundLocalError",
        "ValueError",
        "ZeroDivisionError",
    ]
)
_EXCUSED_WORKER = r"DataLoader worker \(pid\(?s?\)?[^)]*\) (?:is killed|exited unexpectedly)"
_EXCUSED_RANK = r"Rank \d+ failed to pass"
_SYSTEM_ERRNO = r"\[Errno (\d+)\]"
# So torch says that a device failed some time before: the program had gone on to other code.
_ASYNCHRONOUS = "kernel errors might be asynchronously reported at some other API call"
# What raises in answer to a signal. The frames outside of it were merely interrupted.
_SIGNAL_HANDLERS = (
    ("torch/utils/data/_utils/signal_handling.py", "handler"),
    ("torch/distributed/elastic/multiprocessing/api.py", "_terminate_process_handler"),
)
# Missing files, wrong names, refused rights and the like are mistakes that a program can make.
_USER_ERRNOS = frozenset((1, 2, 7, 9, 13, 17, 18, 20, 21, 22, 27, 36, 39, 40))


def is_user_frame(frame: Frame, packages: FrozenSet[str]) -> bool:
    """Tell whether a frame's code is the user's own."""
    path = frame.path.replace("\\", "/")
    if re.search(_GENERATED, path) or any(folder in path for folder in _LIBRARY_FOLDERS):
        return False
    if path == "<string>":  # code given on a command line, or a generated method
        return frame.function == "<module>"
    if re.search(_STANDARD_LIBRARY, path):
        return False
    folders = set(path.split("/")[:-1])
    return folders.isdisjoint(packages) and folders.isdisjoint(_FRAMEWORK_FOLDERS.split())


def known_frames(block: Traceback, raised: Raised) -> Tuple[Frame, ...]:
    """Keep the frames that are known to be those of the exception, outermost first."""
    if not block.separated or _ASYNCHRONOUS in raised.message:
        return ()
    for index in range(len(raised.frames) - 1, -1, -1):
        if _is_signal_handler(raised.frames[index]):
            return raised.frames[index:]
    return raised.frames


def _is_signal_handler(frame: Frame) -> bool:
    path = frame.path.replace("\\", "/")
    return any(path.endswith(end) and frame.function == name for end, name in _SIGNAL_HANDLERS)


def last_user_frame(frames: Sequence[Frame], packages: FrozenSet[str]) -> Optional[Frame]:
    """Find the innermost frame of the user's code."""
    return next((frame for frame in reversed(frames) if is_user_frame(frame, packages)), None)


def class_name(raised: Raised) -> str:
    """Return the last part of the name of an exception's class."""
    return raised.type.rpartition(".")[2]


def is_no_fault(raised: Raised) -> bool:
    """Tell whether an exception is a wrapper, an interrupt, a signal or a warning."""
    name = class_name(raised)
    return name in _NO_FAULT.split() or name.endswith("Warning")


def is_lost_connection(raised: Raised) -> bool:
    """Tell whether an exception is one of those that a lost peer causes."""
    said = raised.message.lstrip().partition("\n")[0]
    lost = any(phrase in said for phrase in _LOST_PEER)
    return lost or class_name(raised) in _CONNECTION.split()


def exception_text(raised: Raised) -> str:
    """Write an exception as Python does, with the first line of its message that says something."""
    said = next((line.strip() for line in raised.message.split("\n") if line.strip()), "")
    return "{}: {}".format(raised.type, said) if said else raised.type


def unexplained_blocks(scene: Scene, explained: Iterable[Tuple[str, int]]) -> List[Traceback]:
    """List the blocks that `user-code-error` may speak of.

    *explained* holds path and line of all evidence of the failures that are likely or better.
    """
    numbers: Dict[str, List[int]] = {}
    for path, number in explained:
        numbers.setdefault(path, []).append(number)
    return [
        block
        for block in scene.observations.tracebacks
        if not any(
            block.line.number <= number <= block.end for number in numbers.get(block.line.path, ())
        )
        and _could_be_user_error(scene, block)
    ]


def _could_be_user_error(scene: Scene, block: Traceback) -> bool:
    if block.ignored or not block.parts or block.line.writer.source == "launcher":
        return False
    origin = block.parts[0]
    # What was raised while the first exception was on its way up only followed from it.
    known = known_frames(block, origin)
    own = bool(known) and is_user_frame(known[-1], scene.packages)
    if not (own and class_name(origin) in _OWN_MISTAKES) and _excused(origin):
        return False
    if not _ended_process(scene, block):
        return False
    if not known:
        return True
    return last_user_frame(known, scene.packages) is not None


def _excused(raised: Raised) -> bool:
    name = class_name(raised)
    if name in _EXCUSED:
        return True
    # What follows the first line may be the next thing that the process printed.
    said = raised.message.lstrip().partition("\n")[0]
    if name.endswith("Warning") or any(phrase in said for phrase in _EXCUSED_PHRASES):
        return True
    if "DataLoader worker (pid" in said and re.search(_EXCUSED_WORKER, said):
        return True
    if " failed to pass" in said and re.search(_EXCUSED_RANK, said):
        return True
    errno = re.search(_SYSTEM_ERRNO, said) if "[Errno " in said else None
    return errno is not None and int(errno.group(1)) not in _USER_ERRNOS


def _ended_process(scene: Scene, block: Traceback) -> bool:
    """Tell whether a block ended its process; a bare one did unless something shows otherwise."""
    if block.handled or block.line.level is not None:
        return process_ended_next(scene, block)
    if samples_after(scene, block.line, block.end):
        return False
    ends = exits_of(scene, block.line)
    return not ends or any(ended.signal is not None or ended.code for ended in ends)
