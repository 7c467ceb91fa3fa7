"""What NCCL's RAS service is asked, with a server that speaks as it does."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from checker.probe.job import LiveJob
from checker.probe.machine import Machine
from checker.probe.nccl_ras import troubles_of
from checker.probe.registry import read_job_first
from tests.checker.probe.test_sockets import HEAD, row
from tests.checker.probe.trees import holding, job_facts_of, let_pass, machine_of, run_of

# Constructed from NCCL's source (2.30, src/ras/client_support.cc).
STATUS = """NCCL version 2.27.5 compiled with CUDA 12.8

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    0         1         2         8        16        15   RUNNING  INCOMPLETE,MISMATCH

Errors
======

INCOMPLETE
  Missing communicator data from 1 job process
  Process 4711 on node 10.0.0.7 managing GPU 3

#0-0 (5a3c1d) INCOMPLETE
  Missing communicator data from 1 rank

Warnings
========

#0-0 (5a3c1d) MISMATCH
  Communicator ranks have different AllReduce operation counts
  14 ranks have launched up to operation 120
"""


@contextmanager
def service(greeting: str, asked: list[str], port: int = 0) -> Iterator[int]:
    """Listen as RAS does; keep what was asked."""

    def answer() -> None:
        line, _ = server.accept()
        with line, line.makefile("rw", newline="\n") as text:
            for reply in (greeting, "OK\n", STATUS):
                asked.append(text.readline())
                if not asked[-1]:
                    return
                text.write(reply)
                text.flush()

    with socket.create_server(("127.0.0.1", port)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        yield server.getsockname()[1]
        thread.join(10)


def told_at(tmp_path: Path, port: int, address: str = "127.0.0.1") -> object:
    """Ask where the tables say that somebody listens at the port."""
    machine, job = asked_at(tmp_path, port, address)
    told = job_facts_of(machine, job, "nccl.ras")["nccl.ras"]
    return told, timeless(machine.logs)


def timeless(logs: dict[str, str]) -> dict[str, str]:
    """What was answered, whenever that was."""
    return {name: re.sub(r"asked at [\d :-]{19}", "asked at DATE", logs[name]) for name in logs}


def asked_at(tmp_path: Path, port: int, address: str = "127.0.0.1") -> tuple[Machine, LiveJob]:
    """A machine and a run whose tables say that somebody listens at the port."""
    listening = HEAD + row(f"0100007F:{port:04X}", "00000000:0000", "0A", 5)
    machine = machine_of(tmp_path, {"/proc/700/net/tcp": listening})
    return machine, run_of(machine, holding(), environment={"NCCL_RAS_ADDR": f"{address}:{port}"})


def test_what_the_service_calls_wrong(tmp_path: Path) -> None:
    """Each with the row below it; the whole answer is read like a log."""
    asked: list[str] = []
    with service("SERVER PROTOCOL 2\n", asked) as port:
        told = told_at(tmp_path, port)

    assert asked == ["CLIENT PROTOCOL 2\n", "TIMEOUT 3\n", "VERBOSE STATUS\n"]
    assert told == (
        [
            "INCOMPLETE: Missing communicator data from 1 job process",
            "#0-0 (5a3c1d) INCOMPLETE: Missing communicator data from 1 rank",
            "#0-0 (5a3c1d) MISMATCH: Communicator ranks have different AllReduce operation counts",
        ],
        {"NCCL RAS of this machine": "asked at DATE UTC\n" + STATUS},
    )


def test_it_is_asked_at_both_looks(tmp_path: Path) -> None:
    """Both answers are read together, each with its time."""
    with service("SERVER PROTOCOL 2\n", []) as port:
        machine, job = asked_at(tmp_path, port)
        read_job_first(machine, job)
    with service("SERVER PROTOCOL 2\n", [], port) as port:
        let_pass(machine, 60)
        job_facts_of(machine, job, "nccl.ras")

    asked = "asked at DATE UTC\n"
    told = timeless(machine.logs)["NCCL RAS of this machine"]
    assert told == f"{asked}{STATUS}\n{asked}{STATUS}"


def test_another_service_at_that_port(tmp_path: Path) -> None:
    """It is asked nothing more."""
    asked: list[str] = []
    with service("220 mail.example ESMTP\n", asked) as port:
        told = told_at(tmp_path, port)

    assert told == ((f"another service answers at port {port}",), {})
    assert asked == ["CLIENT PROTOCOL 2\n", ""]


def test_another_host_is_never_contacted(tmp_path: Path) -> None:
    """And nobody is, where nobody listens."""
    machine = machine_of(tmp_path, {"/proc/self/net/tcp": HEAD})

    assert told_at(tmp_path, 28028, "10.0.0.9") == (("NCCL_RAS_ADDR is not of this host",), {})
    assert job_facts_of(machine, run_of(machine), "nccl.ras") == {
        "nccl.ras": ("nobody listens at port 28028",)
    }


def test_a_status_without_trouble() -> None:
    """The head of its table is none."""
    assert troubles_of("Errors\n======\n\nWarnings\n========\n") == []
