"""NCCL's own word about its ranks, from the RAS service that listens on this host.

From NCCL 2.24 on every process takes part in it, and one of each host listens at a local port.
"""

import select
import time
from typing import Any, List, Optional, Sequence, Tuple, Union

from checker.collective.ras import RAS_ASKED
from checker.probe.job import LiveJob
from checker.probe.machine import Findings, Machine, Unknown
from checker.probe.processes import TrainingProcess
from checker.probe.sockets import listens_here

_PORT = 28028
_SECONDS_OF_RAS = 6.0
_SERVICE_SECONDS = 3
"""How long the service itself waits for the other hosts."""
_MOST_OF_STATUS = 1 << 20
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]", "::1", "")
_RAS_TROUBLE = ("MISMATCH", "INCOMPLETE", "DEAD", "ERROR", "TIMEOUT")
_MOST_RAS_ROWS = 32
RAS_LOG = "NCCL RAS of this machine"


def read_ras_before(machine: Machine, job: LiveJob) -> None:
    """Keep a first answer."""
    answer = _answer_of_ras(machine, job)
    if not isinstance(answer, Unknown):
        machine.remember(_memory_name(job), answer)


def probe_nccl_ras(machine: Machine, job: LiveJob) -> Findings:
    """What NCCL's RAS service says of the ranks of all hosts: who lags, who is missing.

    It is asked on the loopback address only, and only where something listens there already. One
    answer of a running job may show unequal counts without any fault. It is asked at both looks:
    counts that are the same a minute later (`--interval 60`) tell who holds the others up.
    """
    answer = _answer_of_ras(machine, job)
    if isinstance(answer, Unknown):
        return {"nccl.ras": answer}
    before = machine.earlier(_memory_name(job))
    machine.logs[RAS_LOG] = ("" if before is None else before[1] + "\n") + answer
    return {"nccl.ras": troubles_of(answer)}


def _memory_name(job: LiveJob) -> str:
    return "nccl ras at port {}".format(_told_port(job.ranks))


def _answer_of_ras(machine: Machine, job: LiveJob) -> Union[str, Unknown]:
    port = _told_port(job.ranks)
    if port is None:
        return Unknown("NCCL_RAS_ADDR is not of this host")
    subject: object = job.ranks[0].pid if job.ranks else "self"
    if not listens_here(machine, subject, port):
        return Unknown("nobody listens at port {}".format(port))
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(machine.now_again()))
    reply = machine.children.ask(
        "nccl ras", _SECONDS_OF_RAS, lambda: ask_ras(port, _SECONDS_OF_RAS - 1)
    )
    if reply.unknown is not None:
        return Unknown(reply.unknown)
    return "{}\n{}".format(RAS_ASKED.format(stamp), reply.value)


def _told_port(ranks: Sequence[TrainingProcess]) -> Optional[int]:
    for one in ranks:
        host, colon, port = one.environment.get("NCCL_RAS_ADDR", "").rpartition(":")
        if colon:
            return int(port) if host in _LOOPBACK and port.isdigit() else None
    return _PORT


def ask_ras(port: int, seconds: float) -> str:
    """Ask the service for the status of all ranks; raise OSError if it does not speak as RAS."""
    import socket  # noqa: PLC0415 - costs every start, and is rarely needed

    until = time.monotonic() + seconds
    with socket.create_connection(("127.0.0.1", port), timeout=1.0) as line:
        for asked, wanted in (
            ("CLIENT PROTOCOL 2", "SERVER PROTOCOL"),
            ("TIMEOUT {}".format(_SERVICE_SECONDS), "OK"),
        ):
            line.sendall(asked.encode("ascii") + b"\n")
            answer = _heard(line, until, True)
            if not answer.startswith(wanted):
                raise OSError("another service answers at port {}".format(port))
        line.sendall(b"VERBOSE STATUS\n")
        return _heard(line, until, False)


def _heard(line: Any, until: float, one_row: bool) -> str:
    """Read a row, or all until the other end closes."""
    parts: List[bytes] = []
    size = 0
    while size < _MOST_OF_STATUS:
        left = until - time.monotonic()
        if left <= 0 or not select.select([line], [], [], left)[0]:
            break
        part = line.recv(65536)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if one_row and part.endswith(b"\n"):
            break
    return b"".join(parts)[:_MOST_OF_STATUS].decode("utf-8", "replace")


def troubles_of(text: str) -> List[str]:
    """List what a status says is wrong: the row that names the kind, with the next that tells.

    A row of a communicator is `#0-1 (hash) MISMATCH`; one about the whole job is the kind alone.
    """
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    found: List[Tuple[str, str]] = []
    for row, following in zip(rows, [*rows[1:], ""]):
        words = row.split()
        if words[-1] in _RAS_TROUBLE and (len(words) == 1 or row.startswith("#")):
            found.append((row, following))
    return ["{}: {}".format(*pair) for pair in found[:_MOST_RAS_ROWS]]
