"""Probes of TCP sockets: who holds the rendezvous port, and which peers of a run do not answer."""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.probe.job import LiveJob, name_of
from checker.probe.machine import Findings, Machine, Unknown
from checker.probe.processes import TrainingProcess, each_of

_SECONDS_OF_SOCKETS = 3.0
_DEFAULT_PORT = 29500
_ESTABLISHED, _ASKING, _CLOSED_BY_PEER, _LISTENING = "01", "02", "08", "0A"
_MOST_SOCKETS = 65536
_MOST_OWN_SOCKETS = 4096
_MOST_TOLD = 64
_NAMES_OF_HERE = ("localhost", "127.0.0.1", "::1", "")


class Socket(NamedTuple):
    """One row of the kernel's table of TCP sockets."""

    port: int
    """On this host."""
    peer: str
    """Address and port of the other end."""
    state: str
    unsent: int
    """Bytes that the peer has not confirmed."""
    tries: int
    """How often what waits was sent again."""
    inode: str


def parse_sockets(text: str) -> List[Socket]:
    """Read the rows that are whole."""
    found = []
    for row in text.splitlines()[1:_MOST_SOCKETS]:
        words = row.split()
        try:
            port = int(words[1].rpartition(":")[2], 16)
            unsent = int(words[4].partition(":")[0], 16)
            tries = int(words[6], 16)
            found.append(Socket(port, _address(words[2]), words[3], unsent, tries, words[9]))
        except (ValueError, IndexError):
            continue
    return found


def _address(text: str) -> str:
    """Write an address of the table as people do; its words of four bytes are little-endian."""
    digits, _, port = text.partition(":")
    number = bytes.fromhex(digits)
    if len(number) == 4:
        host = ".".join(str(byte) for byte in reversed(number))
    else:
        straight = b"".join(number[at : at + 4][::-1] for at in range(0, len(number), 4))
        host = straight.hex()
        host = "[{}]".format(":".join(host[at : at + 4] for at in range(0, len(host), 4)))
    return "{}:{}".format(host, int(port, 16))


def _sockets_seen_by(machine: Machine, pid: object) -> List[Socket]:
    """Read the table of a process's network, which a container has for itself."""
    found = parse_sockets(machine.text("/proc/{}/net/tcp".format(pid)))
    try:
        return found + parse_sockets(machine.text("/proc/{}/net/tcp6".format(pid)))
    except OSError:  # A kernel without IPv6.
        return found


def _own_inodes(machine: Machine, pid: int) -> List[str]:
    folder = "{}/proc/{}/fd/".format(machine.root, pid)
    inodes = []
    try:
        for number in os.listdir(folder)[:_MOST_OWN_SOCKETS]:
            target = os.readlink(folder + number)
            if target.startswith("socket:["):
                inodes.append(target[8:-1])
    except OSError:
        pass
    return inodes


def _sockets_of(machine: Machine, pid: int) -> List[Any]:
    own = set(_own_inodes(machine, pid))
    try:
        return [list(one) for one in _sockets_seen_by(machine, pid) if one.inode in own]
    except OSError:
        return []


def read_peers_before(machine: Machine, job: LiveJob) -> None:
    """Keep what the sockets of the ranks were."""
    machine.remember("peers", _waiting_peers(machine, job))


def probe_peers(machine: Machine, job: LiveJob) -> Findings:
    """Which peers of the ranks do not answer, or have closed their end, in two looks.

    A socket that asks for a connection, or that sends again what nobody confirms, in both of them
    waits for a host that is gone or for a firewall.
    """
    before = machine.earlier("peers")
    now = _waiting_peers(machine, job)
    if before is None:
        why = Unknown("looked at once only")
        return {"peers.silent": why, "peers.closed": why}
    told: Findings = {}
    for name in ("peers.silent", "peers.closed"):
        same = [text for text in now[name] if text in set(before[1][name])]
        told[name] = same[:_MOST_TOLD]
    return told


def _waiting_peers(machine: Machine, job: LiveJob) -> Dict[str, List[str]]:
    ranks = {one.pid: one for one in job.ranks}
    told, _ = each_of(machine, "sockets", list(ranks), lambda pid: _sockets_of(machine, pid))
    silent, closed = [], []
    for pid, rows in told.items():
        for one in (Socket(*row) for row in rows):
            if one.state == _ASKING:
                words = "{}: {} does not take its connection"
                silent.append(words.format(name_of(ranks[pid]), one.peer))
            elif one.state == _ESTABLISHED and one.unsent and one.tries:
                words = "{}: {} does not confirm what is sent"
                silent.append(words.format(name_of(ranks[pid]), one.peer))
            elif one.state == _CLOSED_BY_PEER:
                closed.append("{}: {} has closed".format(name_of(ranks[pid]), one.peer))
    return {"peers.silent": silent, "peers.closed": closed}


def probe_rendezvous(machine: Machine, job: LiveJob) -> Findings:
    """Who holds the port at which the ranks meet, and whether anybody does.

    The port is that of a rank's environment, else torch's default, 29500. It matters on the host
    of the rendezvous only; the holder's name is known of processes of the same user.
    """
    port, here = _meeting_place(machine, job.ranks)
    subject: object = job.ranks[0].pid if job.ranks else "self"
    reply = machine.children.ask(
        "sockets", _SECONDS_OF_SOCKETS, lambda: _holder(machine, subject, port, job.processes)
    )
    if reply.unknown is not None:
        return dict.fromkeys(("rendezvous.port", "rendezvous.holder"), Unknown(reply.unknown))
    told: Findings = {"rendezvous.port": port, "rendezvous.holder": reply.value}
    if here:
        told["rendezvous.listens"] = bool(reply.value)
    else:
        told["rendezvous.listens"] = Unknown("it is not known to be on this host")
    return told


def _meeting_place(machine: Machine, ranks: Sequence[TrainingProcess]) -> Tuple[int, bool]:
    for one in ranks:
        text = one.environment.get("MASTER_PORT", "")
        if text.isdigit() and 0 < int(text) < 65536:
            address = one.environment.get("MASTER_ADDR", "")
            here = address in _NAMES_OF_HERE or any(other.rank == 0 for other in ranks)
            return int(text), here
    return _DEFAULT_PORT, False


def _holder(
    machine: Machine, subject: object, port: int, processes: Sequence[TrainingProcess]
) -> str:
    """Name who listens at a port; empty where nobody does."""
    inodes = {
        one.inode
        for one in _sockets_seen_by(machine, subject)
        if one.state == _LISTENING and one.port == port
    }
    if not inodes:
        return ""
    known = [one.pid for one in processes]
    others = [int(name) for name in os.listdir(machine.root + "/proc") if name.isdigit()]
    for pid in [*known, *(other for other in others if other not in known)]:
        if inodes.intersection(_own_inodes(machine, pid)):
            return "process {} ({})".format(pid, _name_of_holder(machine, pid))
    return "a process that cannot be seen from here"


def _name_of_holder(machine: Machine, pid: int) -> str:
    try:
        return machine.text("/proc/{}/comm".format(pid)).strip()
    except OSError:
        return "?"


def listens_here(machine: Machine, subject: object, port: int) -> Optional[bool]:
    """Tell whether anybody listens at a port, without a connection; None if that is not told."""
    reply = machine.children.ask(
        "sockets",
        _SECONDS_OF_SOCKETS,
        lambda: any(
            one.state == _LISTENING and one.port == port
            for one in _sockets_seen_by(machine, subject)
        ),
    )
    return None if reply.unknown is not None else bool(reply.value)
