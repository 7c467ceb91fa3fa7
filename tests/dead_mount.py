"""A file system that never answers: `python dead_mount.py FOLDER` mounts and does not serve it.

Only the first request gets an answer, and that access is not checked, so that a process can begin
in the folder. With `writes` behind the folder, files can be made in it, and nothing is answered
from the first write on. With `reads`, it holds logs, of which the first bytes can be
read, and nothing is answered from the next read on. When the server ends, the kernel releases all
who wait; an alarm ends it after a minute, whatever became of the test that started it.
"""

import ctypes
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_INIT, _ACCESS, _LOOKUP, _GET_ATTRIBUTES, _OPEN = 26, 34, 1, 3, 14
_READ, _WRITE, _FLUSH, _CREATE, _IOCTL = 15, 16, 25, 35, 39
_OPEN_FOLDER, _READ_FOLDER = 27, 28
_NO_SUCH_FILE, _NOT_IMPLEMENTED = 2, 38
_FOLDER_MODE, _FILE_MODE = 0o40755, 0o100644
_SECONDS = 60
_LOG_SIZE = 1 << 24
_LOGS = (b"run.log", b"then.log")
_LOG_ROW = b"step 1 loss 2.0\n"


def serve(folder: str, until: str) -> None:
    """Mount on *folder*, say so, and leave every further request without an answer."""
    signal.alarm(_SECONDS)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"hangfs", folder.encode(), b"fuse.hangfs", 0, options.encode()):
        sys.exit("mount: " + os.strerror(ctypes.get_errno()))
    print("mounted", flush=True)
    while True:
        request = os.read(device, 1 << 20)
        _, operation, unique, node = struct.unpack_from("<IIQQ", request)
        answer = {"writes": _answer, "reads": _answer_of_log}.get(until, _no_answer)
        error, body = answer(operation, node, request)
        if operation in (_WRITE, _READ):
            until = ""
        if operation == _INIT:
            error, body = 0, _greeting(request)
        if operation == _ACCESS:
            error, body = _NOT_IMPLEMENTED, b""
        if error is not None:
            os.write(device, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)


def _greeting(request: bytes) -> bytes:
    _, minor, ahead = struct.unpack_from("<III", request, 40)
    body = struct.pack("<IIIIHHI", 7, min(minor, 31), ahead, 0, 0, 0, 4096)
    return (body + struct.pack("<IHHI", 1, 0, 0, 0)).ljust(64, b"\0")


def _answer(operation: int, node: int, request: bytes) -> tuple[int | None, bytes]:
    """Answer what comes before the first write: an error or 0, and what is told."""
    if operation == _LOOKUP:
        return _NO_SUCH_FILE, b""
    if operation in (_IOCTL, _FLUSH):
        return _NOT_IMPLEMENTED, b""
    if operation == _GET_ATTRIBUTES:
        return 0, struct.pack("<QII", 3600, 0, 0) + _attributes(node)
    if operation == _CREATE:
        made = struct.pack("<QQQQII", 2, 1, 3600, 3600, 0, 0) + _attributes(2)
        return 0, made + struct.pack("<QIi", 1, 0, 0)
    return None, b""


def _answer_of_log(operation: int, node: int, request: bytes) -> tuple[int | None, bytes]:
    """Answer what comes before the second read."""
    if operation == _LOOKUP:
        return 0, struct.pack("<QQQQII", 2, 1, 3600, 3600, 0, 0) + _attributes(2, _LOG_SIZE)
    if operation == _GET_ATTRIBUTES:
        return 0, struct.pack("<QII", 3600, 0, 0) + _attributes(node, _LOG_SIZE)
    if operation == _READ_FOLDER:
        (offset,) = struct.unpack_from("<Q", request, 48)
        rows = (
            struct.pack("<QQII", 2, 1, len(name), 8) + name.ljust(-(-len(name) // 8) * 8, b"\0")
            for name in _LOGS
        )
        return 0, b"" if offset else b"".join(rows)
    if operation in (_OPEN, _OPEN_FOLDER):
        return 0, struct.pack("<QIi", 1, 0, 0)
    if operation == _READ:
        _, _, size = struct.unpack_from("<QQI", request, 40)
        return 0, (_LOG_ROW * (size // len(_LOG_ROW) + 1))[:size]
    return None, b""


def _no_answer(operation: int, node: int, request: bytes) -> tuple[int | None, bytes]:
    return None, b""


def _attributes(node: int, size: int = 0) -> bytes:
    mode = _FOLDER_MODE if node == 1 else _FILE_MODE
    return struct.pack("<6Q10I", node, size, *[0] * 4, *[0] * 3, mode, 1, *[0] * 3, 4096, 0)


@contextmanager
def dead_mount(folder: Path, *until: str) -> Iterator[None]:
    """Have a mount on *folder* that never answers, or not from the first write or second read."""
    folder.mkdir()
    server = subprocess.Popen(
        [sys.executable, "-I", __file__, str(folder), *until], cwd="/", stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    try:
        assert server.stdout.readline() == b"mounted\n"
        yield
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
        subprocess.run(["umount", "-l", str(folder)], check=False)


if __name__ == "__main__":
    serve(sys.argv[1], "".join(sys.argv[2:]))
