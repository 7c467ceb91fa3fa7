"""Probes of storage: which mounts answer, and what room they have."""

import os
from typing import Any, Dict, List

from checker.probe.machine import Findings, Machine, Unknown
from checker.probe.mount_table import Mount, mount_of, visible_mounts

_SECONDS = 3.0
_MOST_MOUNTS = 64
_NETWORK = (
    *("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "lustre", "ceph", "gpfs", "beegfs"),
    *("afs", "wekafs", "drvfs", "glusterfs", "pvfs2", "orangefs", "panfs"),
    *("smbfs", "afpfs", "webdav", "macfuse", "osxfuse"),
)
_DISKS = (
    *("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "overlay", "tmpfs"),
    *("ramfs", "vfat", "exfat", "ntfs", "ntfs3", "hfsplus", "aufs"),
    *("apfs", "hfs"),
)


def probe_mounts(machine: Machine) -> Findings:
    """Which mounts answer, each asked for its room in a child; the named paths' mounts first."""
    mounts = visible_mounts(machine.mounts())
    told: Dict[str, List[str]] = {
        name: [] for name in ("mounts.silent", "mounts.full", "mounts.no_inodes", "mounts.space")
    }
    for mount in _asked_mounts(machine, mounts):
        reply = ask_mount(machine, mount)
        if reply.silent:
            told["mounts.silent"].append(
                "{} ({}) {}".format(mount.point, mount.type, reply.unknown)
            )
        if reply.unknown is None:
            _keep_room(told, mount, reply.value)
    return {
        "mounts.network": [
            "{} ({})".format(mount.point, mount.type) for mount in mounts if is_remote(mount)
        ],
        **told,
    }


def is_remote(mount: Mount) -> bool:
    """Tell the file systems that another machine or a program serves."""
    return mount.type in _NETWORK or mount.type.startswith(("fuse.", "fuseblk", "nfs"))


def _asked_mounts(machine: Machine, mounts: List[Mount]) -> List[Mount]:
    """Choose the mounts that hold data, one for each file system."""
    named = [mount_of(path, mounts) for path in machine.paths]
    kept = [mount for mount in mounts if is_remote(mount) or mount.type in _DISKS]
    remote = [mount for mount in kept if is_remote(mount)]
    chosen: Dict[str, Mount] = {}
    for mount in [*[one for one in named if one in kept], *remote, *kept]:
        if mount is not None:
            chosen.setdefault(mount.device, mount)
    return list(chosen.values())[:_MOST_MOUNTS]


def ask_mount(machine: Machine, mount: Mount, prefix: str = "") -> Any:
    """Ask a mount for its room: bytes and inodes, all and free.

    *prefix* leads to where another process sees it.
    """
    place = machine.root + prefix + mount.point

    def _room() -> List[int]:
        room = os.statvfs(place)
        size = room.f_frsize
        return [room.f_blocks * size, room.f_bavail * size, room.f_files, room.f_favail]

    return machine.children.ask("mount " + mount.device, _SECONDS, _room)


def _keep_room(told: Dict[str, List[str]], mount: Mount, room: List[int]) -> None:
    size, free, inodes, free_inodes = room
    if not size:
        return
    told["mounts.space"].append(
        "{} ({}) {} of {} bytes free, {} of {} inodes".format(
            mount.point, mount.type, free, size, free_inodes, inodes
        )
    )
    if "ro" in mount.options.split(",") or "ro" in mount.super_options.split(","):
        return
    if not free:
        told["mounts.full"].append(mount.point)
    if inodes and not free_inodes:
        told["mounts.no_inodes"].append(mount.point)


def probe_shared_memory(machine: Machine) -> Findings:
    """How much room `/dev/shm` has, by which loader workers and NCCL pass data."""
    mount = mount_of("/dev/shm", machine.mounts())
    if mount is None or mount.point != "/dev/shm":
        return {"shm.size": Unknown("not mounted"), "shm.free": Unknown("not mounted")}
    reply = ask_mount(machine, mount)
    if reply.unknown is not None:
        return {"shm.size": Unknown(reply.unknown), "shm.free": Unknown(reply.unknown)}
    return {"shm.size": reply.value[0], "shm.free": reply.value[1]}
