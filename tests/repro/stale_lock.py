"""A lock that a killed build left holds every later load of that torch extension, without a word.

Made by a process that takes the lock as a build does and is killed before it gives it back. The
ranks show their stacks while they wait, then rank 0 ends the run. Run with
`python tests/repro/run.py stale_lock`.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import torch.distributed as dist
from torch.utils.cpp_extension import load
from training import build_model, connect, log, random_batch, train

_WAITED = [
    # torch 2.13 logs what older versions print, below its usual level.
    "train rank 0: loading /tmp/torch_extensions/fused_ops.cpp",
    "Timeout (0:00:08)!",
    "torch/utils/file_baton.py",
    " in wait",
    "torch/utils/cpp_extension.py",
    " in _jit_compile",
]

CAPTURES = {
    "faulthandler": {
        "torchrun": ["--standalone", "--nproc-per-node=4", "--tee=3"],
        "exit": 1,
        "expect": {"console.log": _WAITED},
        "absent": ["Loading extension module fused_ops..."],
    },
}

NAME = "fused_ops"
LOOK_AFTER_SECONDS = 8
BUILDER = """
import os, signal, sys
from torch.utils.file_baton import FileBaton
assert FileBaton(sys.argv[1]).try_acquire()
os.kill(os.getpid(), signal.SIGKILL)
"""


def leave_lock(folder: Path) -> None:
    """Take the lock of the build in a process that is then killed."""
    folder.mkdir(parents=True)
    builder = subprocess.run(
        [sys.executable, "-c", BUILDER, str(folder / "lock")], check=False, capture_output=True
    )
    assert builder.returncode == -signal.SIGKILL, builder.stderr


def end() -> None:
    """End the run when all have shown their stacks."""
    os._exit(1)


def main() -> None:
    """Train a step, and load an extension whose build was killed earlier."""
    rank = connect()
    root = Path(tempfile.gettempdir()) / "torch_extensions"
    os.environ["TORCH_EXTENSIONS_DIR"] = str(root)
    source = root / f"{NAME}.cpp"
    if rank == 0:
        leave_lock(root / NAME)
        source.write_text("int unused;\n", encoding="utf-8")
    dist.barrier()
    faulthandler.dump_traceback_later(LOOK_AFTER_SECONDS, file=sys.stderr)
    if rank == 0:
        threading.Timer(LOOK_AFTER_SECONDS + 3, end).start()
    log.info("loading %s", source)
    load(NAME, [str(source)], verbose=True)
    train(build_model(), (random_batch(step) for step in range(5)))


if __name__ == "__main__":
    main()
