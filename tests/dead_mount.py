"""A file system that never answers: `python dead_mount.py FOLDER` mounts and does not serve it.

Only the first request gets an answer, and that access is not checked, so that a process can begin
in the folder. When the server ends, the kernel releases all who wait; an
alarm ends it after a minute, whatever became of the test that started it.
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

_INIT, _ACCESS = 26, 34
_NOT_IMPLEMENTED = 38
_SECONDS = 60


def serve(folder: str) -> None:
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
        _, operation, unique = struct.unpack_from("<IIQ", request)
        if operation == _INIT:
            _, minor, ahead = struct.unpack_from("<III", request, 40)
            body = struct.pack("<IIIIHHI", 7, min(minor, 31), ahead, 0, 0, 0, 4096)
            body = (body + struct.pack("<IHHI", 1, 0, 0, 0)).ljust(64, b"\0")
            os.write(device, struct.pack("<IiQ", 16 + len(body), 0, unique) + body)
        if operation == _ACCESS:
            os.write(device, struct.pack("<IiQ", 16, -_NOT_IMPLEMENTED, unique))


@contextmanager
def dead_mount(folder: Path) -> Iterator[None]:
    """Have a mount on *folder* that never answers."""
    folder.mkdir()
    server = subprocess.Popen(
        [sys.executable, "-I", __file__, str(folder)], cwd="/", stdout=subprocess.PIPE
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
    serve(sys.argv[1])
