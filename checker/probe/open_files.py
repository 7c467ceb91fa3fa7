"""What processes have open: links of `/proc/PID/fd` are read in children; files leave.

To read such a link touches no file. Which mount a file lies on is told by the process's own
table of mounts, since a container has another one.
"""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.probe.children import why_refused
from checker.probe.machine import Machine
from checker.probe.macos import mac_open_files
from checker.probe.mount_table import Mount, mount_of, parse_mounts
from checker.probe.processes import TrainingProcess, each_of, living_folder

_MOST_DESCRIPTORS = 4096
_MOST_FILES_OPEN = 128
_ACCESS, _READ_ONLY = 3, 0
_PSEUDO = ("/dev/", "/proc/", "/sys/", "/memfd:", "/run/", "/usr/lib/", "/lib/", "/lib64/")
_CHECKPOINT_WORDS = (
    *("checkpoint", "ckpt", ".safetensors", ".pt", ".pth", ".distcp", "pytorch_model", "optim"),
    *("global_step", "consolidated", "model_states", "zero_pp_rank"),
)
_SETTINGS = (".py", ".json", ".yaml", ".yml", ".toml")
_LOG_ENDS = (".log", ".out", ".err", ".txt", ".stdout", ".stderr", ".jsonl")


class OpenFile(NamedTuple):
    """One open file of a process."""

    number: int
    path: str
    writes: bool
    position: int


class Holdings(NamedTuple):
    """What one process has open, and what its paths mean."""

    files: Tuple[OpenFile, ...]
    """Those that writing goes to first."""
    streams: Dict[int, str]
    """What its standard output and error lead to, as the kernel names it."""
    folder: str
    """Where it works; empty where that is not told."""
    devices: Tuple[str, ...]
    """GPU devices that it has open."""
    mounts: Tuple[Mount, ...]
    """As the process sees them."""
    prefix: str
    """What leads from here to its paths: nothing if it sees the same mounts as the checker."""
    pipes: Dict[str, bool]
    """Pipes that it has open, and whether it writes into them."""
    opened: int = 0
    """How many descriptors it has."""
    most: Optional[int] = None
    """How many it may have; None where that is not told."""

    def mount_of(self, path: str) -> Optional[Mount]:
        """Find the mount of one of its paths."""
        return mount_of(path, self.mounts)


def holdings_of(machine: Machine, pids: Sequence[int]) -> Tuple[Dict[int, Holdings], Optional[str]]:
    """Read what processes have open."""
    if machine.system != "linux":
        return _held_elsewhere(machine, pids)
    told, unknown = each_of(machine, "open files", pids, lambda pid: _open_now(machine, pid))
    own = _namespace(machine, "self")
    return {pid: _holdings(pid, one, own) for pid, one in told.items()}, unknown


def _held_elsewhere(
    machine: Machine, pids: Sequence[int]
) -> Tuple[Dict[int, Holdings], Optional[str]]:
    """Ask `lsof`, which comes with macOS."""
    if machine.system != "darwin" or not pids:
        return {}, "not this system"
    try:
        told, mounts = mac_open_files(machine, pids), tuple(machine.mounts())
    except OSError as error:
        return {}, why_refused(error)
    found = {}
    for pid, one in told.items():
        files = [
            OpenFile(number, path, writes, 0)
            for number, path, writes in one["files"]
            if not path.startswith(_PSEUDO)
        ]
        files.sort(key=lambda file: not file.writes)
        streams, folder = one["streams"], one["folder"]
        kept = tuple(files[:_MOST_FILES_OPEN])
        found[pid] = Holdings(kept, streams, folder, (), mounts, "", {}, len(one["files"]))
    return found, None


def _namespace(machine: Machine, pid: object) -> str:
    return _link(machine, "/proc/{}/ns/mnt".format(pid))


def _link(machine: Machine, path: str) -> str:
    try:
        return os.readlink(machine.root + path)
    except OSError:
        return ""


def _open_now(machine: Machine, pid: int) -> Dict[str, Any]:
    folder = living_folder(machine, pid)
    try:
        numbers = sorted(int(name) for name in os.listdir(machine.root + folder + "fd"))
    except (OSError, ValueError):
        numbers = []
    rows = [
        row for row in (_descriptor(machine, folder, n) for n in numbers[:_MOST_DESCRIPTORS]) if row
    ]
    rows.sort(key=lambda row: (row[0] > 2, not row[2]))
    try:
        mounts = machine.text(folder + "mountinfo")
    except OSError:
        mounts = ""
    return {
        "rows": [row for row in rows if _is_kept(row)][: _MOST_FILES_OPEN * 4],
        "folder": _link(machine, folder + "cwd"),
        "mounts": mounts,
        "namespace": _namespace(machine, pid),
        "opened": len(numbers),
        "most": _most_files(machine, folder),
    }


def _most_files(machine: Machine, folder: str) -> Optional[int]:
    try:
        rows = machine.text(folder + "limits").splitlines()
    except OSError:
        return None
    words = next((row[14:].split() for row in rows if row.startswith("Max open files")), [])
    return int(words[0]) if words and words[0].isdigit() else None


def _is_kept(row: List[Any]) -> bool:
    return bool(row[0] < 3 or row[1].startswith(("/", "pipe:")))


def _descriptor(machine: Machine, folder: str, number: int) -> List[Any]:
    target = _link(machine, "{}fd/{}".format(folder, number))
    if not target:
        return []
    flags, position = 0, 0
    if target.startswith(("/", "pipe:")):
        try:
            fields = machine.fields("{}fdinfo/{}".format(folder, number))
            flags, position = int(fields["flags"], 8), int(fields["pos"])
        except (OSError, KeyError, ValueError):
            pass
    return [number, target, flags & _ACCESS != _READ_ONLY, position]


def _holdings(pid: int, told: Dict[str, Any], own: str) -> Holdings:
    files = [OpenFile(*row) for row in told["rows"]]
    elsewhere = bool(own) and told["namespace"] not in ("", own)
    return Holdings(
        tuple(one for one in files if is_of_disk(one.path))[:_MOST_FILES_OPEN],
        {one.number: one.path for one in files if one.number in (1, 2)},
        told["folder"],
        tuple(sorted({one.path for one in files if _is_gpu_device(one.path)})),
        tuple(parse_mounts(told["mounts"])),
        "/proc/{}/root".format(pid) if elsewhere else "",
        {one.path: one.writes for one in files if one.path.startswith("pipe:")},
        told["opened"],
        told["most"],
    )


def is_of_disk(path: str) -> bool:
    """Tell paths of data from those of the system and of programs."""
    return path.startswith("/") and (not path.startswith(_PSEUDO) or path.startswith("/dev/shm/"))


def _is_gpu_device(path: str) -> bool:
    return path.startswith(("/dev/nvidia", "/dev/dxg", "/dev/kfd"))


def log_files(one: Holdings) -> List[str]:
    """List the files that hold what a process prints, its standard streams first."""
    streams = [path for path in one.streams.values() if is_of_disk(path)]
    others = [
        file.path for file in one.files if file.writes and file.path.lower().endswith(_LOG_ENDS)
    ]
    found: List[str] = []
    for path in streams + others:
        if path not in found and not path.endswith(" (deleted)"):
            found.append(path)
    return found


def pipe_readers(wanted: Dict[str, bool], holdings: Dict[int, Holdings]) -> List[int]:
    """List the processes that read what others write into these pipes."""
    return [
        pid
        for pid, one in holdings.items()
        if any(name in wanted and not writes for name, writes in one.pipes.items())
    ]


def checkpoint_folder(process: TrainingProcess, one: Holdings) -> Optional[str]:
    """Find where a process writes checkpoints: by an open file, else by its options."""
    for file in one.files:
        name = file.path.lower()
        if file.writes and file.number > 2 and any(word in name for word in _CHECKPOINT_WORDS):
            return file.path.rpartition("/")[0] or "/"
    named = [path for path in process.folders if not path.endswith(_SETTINGS)]
    return next(iter(absolute_folders(named, one.folder)), None)


def absolute_folders(paths: Sequence[str], base: str) -> List[str]:
    """Complete paths as a process that works in *base* would."""
    complete = [path if path.startswith("/") else base.rstrip("/") + "/" + path for path in paths]
    return [path for path in complete if path.startswith("/")]
