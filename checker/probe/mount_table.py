"""The kernel's mount table: its text enters, mounts leave; no path is touched."""

from typing import Iterable, List, NamedTuple, Optional

_MOUNT_ESCAPES = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))


class Mount(NamedTuple):
    """One row of `/proc/PID/mountinfo`."""

    device: str
    """Major and minor number."""
    root: str
    """The folder of the file system that is mounted."""
    point: str
    options: str
    type: str
    source: str
    super_options: str


def parse_mounts(text: str) -> List[Mount]:
    """Read the rows that are whole."""
    mounts = []
    for row in text.splitlines():
        words = row.split(" ")
        if "-" not in words[6:] or len(words) < 10:
            continue
        end = words.index("-", 6)
        kind, source, options = [*words[end + 1 :], "", "", ""][:3]
        device, root, point = words[2], _unescaped(words[3]), _unescaped(words[4])
        mounts.append(
            Mount(device, root, point, words[5], kind, _unescaped(source), _unescaped(options))
        )
    return mounts


def parse_mac_mounts(text: str) -> List[Mount]:
    """Read what `mount` prints on macOS: `/dev/disk1s1 on /Volumes/data (apfs, local, ...)`."""
    mounts = []
    for row in text.splitlines():
        source, on, rest = row.partition(" on ")
        point, paren, told = rest.rpartition(" (")
        if on and paren and point.startswith("/") and told.endswith(")"):
            kind, _, options = told[:-1].partition(", ")
            plain = "ro" if "read-only" in options.split(", ") else "rw"
            mounts.append(Mount(point, "/", point, plain, kind, source, ""))
    return mounts


def _unescaped(text: str) -> str:
    for escape, character in _MOUNT_ESCAPES:
        text = text.replace(escape, character)
    return text


def mount_of(path: str, mounts: Iterable[Mount]) -> Optional[Mount]:
    """Find the mount that an absolute path lies on: the longest prefix, the latest of equals."""
    found = None
    for mount in mounts:
        base = mount.point.rstrip("/")
        if path != mount.point and not path.startswith(base + "/"):
            continue
        if found is None or len(mount.point) >= len(found.point):
            found = mount
    return found


def visible_mounts(mounts: List[Mount]) -> List[Mount]:
    """Leave out mounts that lie below a later one, which no path leads to."""
    latest = {mount.point: mount for mount in mounts}
    return [mount for mount in mounts if latest[mount.point] is mount]
