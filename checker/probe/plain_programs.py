"""Programs of the system: where they lie, with what environment they run, how they are started.

On Linux a child of its own becomes the program. Elsewhere the library starts it: no start waits
there for a mount that does not answer.
"""

import os
import sys
import time
from typing import Any, Dict, NamedTuple, Optional, Sequence

SYSTEM_FOLDERS = (
    *("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"),
    "/usr/lib/wsl/lib",
)
"""Of Linux and macOS."""
NO_RIGHT_TO_RUN, NO_PROGRAM = 126, 127
SECONDS_TO_DIE = 0.3


class PlainRun(NamedTuple):
    """How a program ended that the library started."""

    status: Optional[int]
    """None where it was not started, or did not end in time."""
    output: bytes
    errors: bytes
    refused: Optional[OSError] = None
    left: Optional[int] = None
    """The process id of what could not be ended."""


def system_folders() -> Sequence[str]:
    """List where the system's own programs lie."""
    if sys.platform != "win32":
        return SYSTEM_FOLDERS
    system = os.environ.get("SYSTEMROOT", "C:\\Windows") + "\\System32"
    programs = os.environ.get("PROGRAMFILES", "C:\\Program Files")
    return (
        *(system, system + "\\WindowsPowerShell\\v1.0"),
        programs + "\\NVIDIA Corporation\\NVSMI",
    )


def bare_environment(folders: Sequence[str]) -> Dict[str, str]:
    """Make the environment of a program: nothing of the person's reaches it."""
    if sys.platform == "win32":
        # Without it hardly a program of Windows starts.
        kept = {name: os.environ.get(name, "") for name in ("SYSTEMROOT", "TEMP")}
        return {"PATH": ";".join(folders), **kept}
    return {"PATH": ":".join(folders), "LC_ALL": "C", "LANG": "C", "HOME": "/"}


def become_program(words: Sequence[str], folders: Sequence[str]) -> int:
    """Become a program of these folders; return the status that says why that is not possible."""
    status = NO_PROGRAM
    for folder in folders:
        try:
            os.execve(os.path.join(folder, words[0]), list(words), bare_environment(folders))
        except OSError as error:  # noqa: PERF203 - each folder is tried
            status = NO_RIGHT_TO_RUN if isinstance(error, PermissionError) else status
    return status


def run_by_library(words: Sequence[str], folders: Sequence[str], seconds: float) -> PlainRun:
    """Start a program by the library's means, and never wait for it without a limit."""
    import subprocess  # noqa: PLC0415 - costs every start, and Linux does not need it

    program = _program_in(folders, words[0])
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        if program is None:
            raise FileNotFoundError(words[0])
        child = subprocess.Popen(
            [program, *words[1:]],
            stdin=nothing,
            stdout=pipe,
            stderr=pipe,
            cwd=os.path.abspath(os.sep),
            env=bare_environment(folders),
        )
    except OSError as error:
        return PlainRun(None, b"", b"", error)
    try:
        output, errors = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return PlainRun(None, b"", b"", None, None if _is_ended(child) else child.pid)
    return PlainRun(child.returncode, output, errors)


def _program_in(folders: Sequence[str], name: str) -> Optional[str]:
    places = [os.path.join(folder, name + end) for folder in folders for end in ("", ".exe")]
    return next((place for place in places if os.path.isfile(place)), None)


def _is_ended(child: Any) -> bool:
    """Kill a process; tell whether it died of it."""
    child.kill()
    for stream in (child.stdout, child.stderr):
        if stream is not None:
            stream.close()
    until = time.monotonic() + SECONDS_TO_DIE
    while child.poll() is None:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
