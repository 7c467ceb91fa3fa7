"""What is told of TCP sockets."""

import os
from pathlib import Path

from checker.probe.sockets import Socket, parse_sockets
from tests.checker.probe.trees import (
    holding,
    job_facts_of,
    machine_of,
    run_of,
    second_job_facts_of,
    stays,
)

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt inode\n"


def row(local: str, peer: str, state: str, inode: int, waits: tuple[int, int] = (0, 0)) -> str:
    """One row of the kernel's table; *waits* are bytes that nobody confirmed, and tries."""
    sizes = f"{waits[0]:08X}:00000000 02:0000012C {waits[1]:08X}"
    return f"   0: {local} {peer} {state} {sizes}  1000 0 {inode} 2 0\n"


def test_rows_of_both_families() -> None:
    """Addresses are written as people write them; rows that are cut are left out."""
    long = "0000000000000000FFFF00000400000A:733C"
    text = HEAD + row("0100007F:733C", "00000000:0000", "0A", 11)
    text += row("0500000A:C000", "0400000A:733C", "02", 12, (1, 3))
    text += row(long, long, "01", 13) + "   3: broken\n"

    assert parse_sockets(text) == [
        Socket(29500, "0.0.0.0:0", "0A", 0, 0, "11"),
        Socket(49152, "10.0.0.4:29500", "02", 1, 3, "12"),
        Socket(29500, "[0000:0000:0000:0000:0000:ffff:0a00:0004]:29500", "01", 0, 0, "13"),
    ]


def sockets_of(root: Path, pid: int, *inodes: int) -> None:
    """Let a process have these sockets open."""
    folder = root / f"proc/{pid}/fd"
    folder.mkdir(parents=True, exist_ok=True)
    for number, inode in enumerate(inodes, 3):
        os.symlink(f"socket:[{inode}]", folder / str(number))


def test_peers_that_do_not_answer_in_two_looks(tmp_path: Path) -> None:
    """A connection that is asked for, data that nobody confirms, and an end that was closed."""
    text = HEAD + row("0500000A:C000", "0400000A:733C", "02", 12)
    text += row("0500000A:C001", "0600000A:C350", "01", 13, (4096, 5))
    text += row("0500000A:C002", "0700000A:C350", "08", 14)
    text += row("0500000A:C003", "0800000A:C350", "01", 15, (4096, 0))
    text += row("0500000A:C004", "0900000A:C350", "02", 99)
    machine = machine_of(tmp_path, {"/proc/700/net/tcp": text})
    sockets_of(tmp_path / "root", 700, 12, 13, 14, 15)
    job = run_of(machine, holding())
    once = job_facts_of(machine, job, "peers.")

    assert once == dict.fromkeys(("peers.silent", "peers.closed"), ("looked at once only",))
    assert second_job_facts_of(machine, job, "peers.", stays) == {
        "peers.silent": [
            "rank 0, process 700 (train.py): 10.0.0.4:29500 does not take its connection",
            "rank 0, process 700 (train.py): 10.0.0.6:50000 does not confirm what is sent",
        ],
        "peers.closed": ["rank 0, process 700 (train.py): 10.0.0.7:50000 has closed"],
    }


def test_who_holds_the_port_at_which_the_ranks_meet(tmp_path: Path) -> None:
    """By the environment of a rank, and by the sockets that processes have open."""
    text = HEAD + row("00000000:7531", "00000000:0000", "0A", 21)
    files = {"/proc/700/net/tcp": text, "/proc/650/comm": "python3\n"}
    machine = machine_of(tmp_path, files)
    sockets_of(tmp_path / "root", 650, 21)
    job = run_of(machine, holding(), environment={"MASTER_PORT": "30001"})
    other = run_of(machine, holding(), environment={"MASTER_PORT": "30002"})

    assert job_facts_of(machine, job, "rendezvous.") == {
        "rendezvous.port": 30001,
        "rendezvous.holder": "process 650 (python3)",
        "rendezvous.listens": True,
    }
    assert job_facts_of(machine, other, "rendezvous.") == {
        "rendezvous.port": 30002,
        "rendezvous.holder": "",
        "rendezvous.listens": False,
    }


def test_a_holder_that_cannot_be_seen(tmp_path: Path) -> None:
    """Such as a process of another user."""
    text = HEAD + row("00000000:733C", "00000000:0000", "0A", 21)
    machine = machine_of(tmp_path, {"/proc/self/net/tcp": text})

    assert job_facts_of(machine, run_of(machine), "rendezvous.") == {
        "rendezvous.port": 29500,
        "rendezvous.holder": "a process that cannot be seen from here",
        "rendezvous.listens": ("it is not known to be on this host",),
    }
