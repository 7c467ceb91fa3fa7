"""The machine that is looked at: where its kernel's texts stand, and who asks what may hang."""

import sys
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.probe.children import Children, Ended
from checker.probe.mount_table import Mount, parse_mac_mounts, parse_mounts
from checker.probe.plain_programs import system_folders

_MOST_PARTS = 256
_LEAST_SPAN = 0.5
"""Seconds between two looks that can be compared."""


class Unknown(NamedTuple):
    """Stands for the value of a fact that is not known."""

    reason: str


Findings = Dict[str, Any]
"""What a probe found: values, or `Unknown`, by the names of facts."""


class Machine:
    """The machine that the checker runs on, or a tree of files that was made like one."""

    def __init__(
        self,
        children: Children,
        *,
        root: str = "",
        system: str = "",
        folders: Sequence[str] = (),
        now: Optional[float] = None,
        since: float = 0.0,
        paths: Sequence[str] = (),
        network: bool = False,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Take what stands before `/proc` and `/sys`, and the time, which stands still if given."""
        self.children = children
        self.root = root
        self.system = system or ("linux" if root else sys.platform)
        """As Python names it: `linux`, `darwin`, `win32`; a tree of files is one of Linux."""
        self.folders = folders or system_folders()
        self.now = time.time() if now is None else now
        self._looked = time.monotonic() if now is None else None
        self.since = since
        """What the kernel said before this, in seconds since 1970, is of no interest."""
        self.began: Dict[int, float] = {}
        """When processes of a run began, in seconds since 1970, by their ids."""
        self.paths = paths
        """What the person named, absolute: its mounts are asked first."""
        self.readable: Sequence[str] = ()
        """Those of them, and the logs of a run, whose mounts answered."""
        self.network = network
        """Whether other hosts may be contacted; this one always may."""
        self.names: Sequence[str] = ()
        """Hosts that a run meets at."""
        self.subject = "self"
        """The process, as `/proc` names it, whose limits and cgroups are told."""
        self.say = say
        """Tells the person what is looked at."""
        self.logs: Dict[str, str] = {}
        """Texts that probes found and that are read like logs."""
        self._earlier: Dict[str, Tuple[float, Any]] = {}

    def remember(self, name: str, value: Any) -> None:
        """Keep what a first look read, for a second one to compare with."""
        self._earlier[name] = (time.monotonic(), value)

    def earlier(self, name: str) -> Optional[Tuple[float, Any]]:
        """Return how many seconds ago something was read, and what; None if it was just now."""
        at, value = self._earlier.get(name, (0.0, None))
        span = time.monotonic() - at
        return (span, value) if value is not None and span >= _LEAST_SPAN else None

    def now_again(self) -> float:
        """Return the time of this moment, where that of the look is too old."""
        return self.now + (0.0 if self._looked is None else time.monotonic() - self._looked)

    def text(self, path: str) -> str:
        """Read a text that the kernel makes, which cannot block; raise OSError."""
        parts = []
        with open(self.root + path, "rb", buffering=0) as file:
            # The kernel makes room for all that is asked for at once, and may refuse it.
            for _ in range(_MOST_PARTS):
                part = file.read(16384)
                if not part:
                    break
                parts.append(part)
        return b"".join(parts).decode("utf-8", "replace")

    def number(self, path: str) -> int:
        """Read a text that is one number; raise OSError or ValueError."""
        return int(self.text(path).split()[0])

    def fields(self, path: str) -> Dict[str, str]:
        """Read rows of a name and a value, with or without a colon."""
        rows = (row.replace(":", " ", 1).split(None, 1) for row in self.text(path).splitlines())
        return {row[0]: row[1].strip() for row in rows if len(row) == 2}

    def mounts(self) -> List[Mount]:
        """List the mounts that this process sees; raise OSError."""
        if self.system != "darwin":
            return parse_mounts(self.text("/proc/self/mountinfo"))
        reply = self.children.run_program("program mount", 5.0, ["mount"], self.folders)
        if not isinstance(reply.value, Ended):
            raise OSError(reply.unknown or "absent")
        return parse_mac_mounts(reply.value.output)


def taken(machine: Machine, path: str, name: str) -> Any:
    """Take the number of a row of a kernel's text, in bytes if it is in kB."""
    try:
        return amount(machine.fields(path).get(name))
    except OSError:
        return Unknown("absent")


def amount(text: Optional[str]) -> Any:
    """Turn `12 kB` into bytes and `12` into a number; what is no number is unknown."""
    words = (text or "").split()
    if not words or not words[0].isdigit():
        return Unknown("absent")
    return int(words[0]) * (1024 if words[1:] == ["kB"] else 1)
