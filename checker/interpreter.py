"""Refuse an interpreter that is too old, in one line that names the newer ones on the machine.

The assembler puts this module first, so that the refusal comes before anything that an old
interpreter could not run. It must therefore run on Python 3.6.
"""

import os
import re
import select
import sys
from typing import List, Tuple

OLDEST_PYTHON = (3, 8)
_SYSTEM_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/bin", "/usr/libexec")
_PATH_SECONDS = 2.0


def refuse_old_python(version: Tuple[int, ...]) -> None:
    """Leave with status 2 and one line on stderr if *version* is older than OLDEST_PYTHON."""
    if tuple(version[:2]) >= OLDEST_PYTHON:
        return
    found = newer_interpreters(_SYSTEM_FOLDERS) or _newer_on_path()
    where = "found: " + " ".join(found) if found else "none found in " + " ".join(_SYSTEM_FOLDERS)
    sys.stderr.write(
        "trainwreck needs Python {}.{} or newer, this is {}.{}; {}\n".format(
            OLDEST_PYTHON[0], OLDEST_PYTHON[1], version[0], version[1], where
        )
    )
    sys.exit(2)


def newer_interpreters(folders: Tuple[str, ...]) -> List[str]:
    """List the interpreters in *folders* whose names say that they are new enough, newest first."""
    found = []
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            match = re.match(r"python(\d+)\.(\d+)$", name)
            if match and (int(match.group(1)), int(match.group(2))) >= OLDEST_PYTHON:
                found.append((int(match.group(1)), int(match.group(2)), os.path.join(folder, name)))
    found.sort(key=lambda item: (-item[0], -item[1], item[2]))
    return [path for _, _, path in found]


def _newer_on_path() -> List[str]:
    """Look through PATH in a child, since a folder of PATH may lie on a mount that is dead."""
    folders = tuple(os.environ.get("PATH", "").split(os.pathsep))
    if not hasattr(os, "fork"):
        return newer_interpreters(folders)
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, "\n".join(newer_interpreters(folders)[:4]).encode("utf-8", "replace"))
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], _PATH_SECONDS)
    text = os.read(reader, 65536).decode("utf-8", "replace") if ready else ""
    return [line for line in text.split("\n") if line]
