"""Probes of file systems that other machines serve: NFS, Lustre, GPFS, and quotas."""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from checker.probe.children import Ended
from checker.probe.machine import Findings, Machine, Unknown

_SECONDS_OF_REMOTE = 3.0
_SECONDS_OF_QUOTA = 5.0
_NFS_PORT = 2049
_SECONDS_TO_CONNECT = 2.0
_MOST_SERVERS = 16
_MOST_REMOTE_ROWS = 64


class _Nfs(NamedTuple):
    """What the client has counted for one mount."""

    sends: int
    answers: int
    connects: int
    timeouts: int


def read_nfs_before(machine: Machine) -> None:
    """Keep what the NFS client has counted."""
    reply = machine.children.ask(
        "mountstats", _SECONDS_OF_REMOTE, lambda: machine.text(_STATISTICS)
    )
    if reply.unknown is None:
        machine.remember("nfs", reply.value)


_STATISTICS = "/proc/self/mountstats"


def probe_nfs(machine: Machine) -> Findings:
    """Which NFS servers leave requests without an answer, as the client counts between two looks.

    With `--network`, it is also asked whether their port takes a connection.
    """
    names = ("nfs.mounts", "nfs.silent", "nfs.unreachable")
    reply = machine.children.ask(
        "mountstats", _SECONDS_OF_REMOTE, lambda: machine.text(_STATISTICS)
    )
    if reply.unknown is not None:
        return dict.fromkeys(names, Unknown(reply.unknown))
    now = parse_nfs(reply.value)
    before = machine.earlier("nfs")
    silent: Any = Unknown("looked at once only")
    if before is not None:
        silent = _silent_servers(parse_nfs(before[1]), now, before[0])
    return {
        "nfs.mounts": [
            "{}: {} requests, {} timeouts".format(name, told.sends, told.timeouts)
            for name, told in now.items()
        ][:_MOST_REMOTE_ROWS],
        "nfs.silent": silent,
        "nfs.unreachable": _unreachable(machine),
    }


def parse_nfs(text: str) -> Dict[str, _Nfs]:
    """Read the mounts of NFS with the sums over their connections and operations."""
    found: Dict[str, _Nfs] = {}
    name = ""
    for row in text.splitlines():
        words = row.split()
        if words[:1] == ["device"]:
            kind = words[words.index("fstype") + 1] if "fstype" in words[:-1] else ""
            name = "{} on {}".format(words[1], words[4]) if kind.startswith("nfs") else ""
        elif name and words[:1] == ["xprt:"]:
            found[name] = _plus(found.get(name), _of_connection(words[1:]))
        elif name and name in found and words[:1] and words[0].endswith(":") and len(words) > 8:
            late = int(words[3]) if words[3].isdigit() else 0
            found[name] = _plus(found[name], _Nfs(0, 0, 0, late))
    return found


def _of_connection(words: List[str]) -> _Nfs:
    numbers = [int(word) if word.lstrip("-").isdigit() else 0 for word in words]
    if words[:1] == ["udp"]:
        return _Nfs(numbers[3], numbers[4], 0, 0) if len(numbers) > 4 else _Nfs(0, 0, 0, 0)
    return _Nfs(numbers[6], numbers[7], numbers[3], 0) if len(numbers) > 7 else _Nfs(0, 0, 0, 0)


def _plus(one: Optional[_Nfs], other: _Nfs) -> _Nfs:
    return other if one is None else _Nfs(*(a + b for a, b in zip(one, other)))


def _silent_servers(before: Dict[str, _Nfs], now: Dict[str, _Nfs], span: float) -> List[str]:
    """List the mounts on which something was asked, or a connection tried, and nothing came."""
    found = []
    for name, told in now.items():
        earlier = before.get(name)
        if earlier is None or told.answers > earlier.answers:
            continue
        tried = told.sends + told.connects - earlier.sends - earlier.connects
        if tried > 0 or told.timeouts > earlier.timeouts:
            words = "{}: {} requests and connections in {:.0f} s, and no answer"
            found.append(words.format(name, tried, span))
    return found[:_MOST_REMOTE_ROWS]


def _unreachable(machine: Machine) -> Any:
    """Try the port of each server; nothing is sent."""
    if not machine.network:
        return Unknown("--network was not given")
    servers = _servers(machine)[:_MOST_SERVERS]
    if not servers:
        return []

    def _try() -> List[str]:
        return [text for text in (_why_not(host, port) for host, port in servers) if text]

    seconds = 1.0 + _SECONDS_TO_CONNECT * len(servers)
    reply = machine.children.ask("nfs servers", min(seconds, 10.0), _try)
    return reply.value if reply.unknown is None else Unknown(reply.unknown)


def _servers(machine: Machine) -> List[Tuple[str, int]]:
    found = []
    for mount in machine.mounts():
        if not mount.type.startswith("nfs"):
            continue
        options = dict(
            option.partition("=")[::2] for option in mount.super_options.split(",") if option
        )
        port = options.get("port", "0")
        number = int(port) if port.isdigit() and int(port) else _NFS_PORT
        if options.get("addr"):
            found.append((options["addr"], number))
    return list(dict.fromkeys(found))


def _why_not(host: str, port: int) -> str:
    import socket  # noqa: PLC0415 - costs every start, and is rarely needed

    try:
        socket.create_connection((host, port), timeout=_SECONDS_TO_CONNECT).close()
    except OSError as error:
        return "{}:{}: {}".format(host, port, error.strerror or str(error) or "no answer")
    return ""


def probe_lustre(machine: Machine) -> Findings:
    """Whether Lustre calls itself healthy, and which of its servers this client has lost."""
    names = ("lustre.health", "lustre.lost")
    reply = machine.children.ask("lustre", _SECONDS_OF_REMOTE, lambda: _lustre(machine))
    if reply.unknown is not None:
        return dict.fromkeys(names, Unknown(reply.unknown))
    return {
        name: Unknown("absent") if value is None else value
        for name, value in zip(names, reply.value)
    }


def _lustre(machine: Machine) -> List[Any]:
    health = None
    for path in ("/sys/fs/lustre/health_check", "/proc/fs/lustre/health_check"):
        try:
            health = machine.text(path).strip()
            break
        except OSError:
            continue
    lost = []
    for base in ("/sys/fs/lustre/", "/proc/fs/lustre/"):
        for kind in ("mdc", "osc", "mgc"):
            for name in _entries(machine, base + kind):
                state = _lustre_state(machine, "{}{}/{}/import".format(base, kind, name))
                if state not in ("", "FULL", "IDLE"):
                    lost.append("{}: {}".format(name, state))
    return [health, sorted(set(lost)) if health is not None else None]


def _entries(machine: Machine, folder: str) -> List[str]:
    try:
        return os.listdir(machine.root + folder)
    except OSError:
        return []


def _lustre_state(machine: Machine, path: str) -> str:
    try:
        return machine.fields(path).get("state", "")
    except OSError:
        return ""


def probe_gpfs(machine: Machine) -> Findings:
    """Whether the daemon of GPFS runs, on a host that has such a mount."""
    if not any(mount.type == "gpfs" for mount in machine.mounts()):
        return {"gpfs.runs": Unknown("absent")}

    def _runs() -> bool:
        names = (name for name in os.listdir(machine.root + "/proc") if name.isdigit())
        return any(_name_of_process(machine, pid) == "mmfsd" for pid in names)

    reply = machine.children.ask("processes", _SECONDS_OF_REMOTE, _runs)
    return {"gpfs.runs": reply.value if reply.unknown is None else Unknown(reply.unknown)}


def _name_of_process(machine: Machine, pid: str) -> str:
    try:
        return machine.text("/proc/{}/comm".format(pid)).strip()
    except OSError:
        return ""


def probe_quota(machine: Machine) -> Findings:
    """The file systems on which the user is over a quota; of remote ones with `--network` only."""
    words = ["quota", "-q", *([] if machine.network else ["-l"])]
    reply = machine.children.run_program("quota", _SECONDS_OF_QUOTA, words, machine.folders)
    ended = reply.value
    if reply.unknown is not None or not isinstance(ended, Ended):
        return {"quota.exceeded": Unknown(reply.unknown or "absent")}
    rows = [" ".join(row.split()) for row in ended.output.splitlines() if row.strip()]
    return {"quota.exceeded": rows[:_MOST_REMOTE_ROWS]}
