"""What file systems of other machines tell, with constructed texts of the kernel."""

import socket
from pathlib import Path

import pytest

from checker.probe.remote_storage import parse_nfs
from tests.checker.probe.trees import facts_of, machine_of, program, second_facts_of, tree

STATS = "/proc/self/mountstats"


def mountstats(sends: int, answers: int, connects: int = 1, late: int = 0) -> str:
    """The kernel's text about one NFS mount, beside one that is none (net/sunrpc, fs/nfs)."""
    return (
        "device proc mounted on /proc with fstype proc\n"
        "device fs:/ckpt mounted on /ckpt with fstype nfs4 statvers=1.1\n"
        "\topts:\trw,vers=4.2,hard\n\tage:\t7261\n"
        "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
        f"\txprt:\ttcp 801 1 {connects} 0 12 {sends} {answers} 0 5 0 2 0 0\n"
        "\tper-op statistics\n"
        "\t        NULL: 1 1 0 44 24 0 0 0 0\n"
        f"\t       WRITE: 90 95 {late} 9 9 0 8 9 0\n"
    )


def test_the_counters_of_nfs() -> None:
    """Sums over connections and operations, of NFS mounts only."""
    told = parse_nfs(mountstats(500, 498, 3, 2))

    assert {name: tuple(counts) for name, counts in told.items()} == {
        "fs:/ckpt on /ckpt": (500, 498, 3, 2)
    }
    assert parse_nfs("device a mounted on /b with fstype nfs4\n\txprt:\ttcp x\n junk\n") == {
        "a on /b": (0, 0, 0, 0)
    }


@pytest.mark.parametrize(
    ("later", "silent"),
    [
        (mountstats(520, 518), []),
        (mountstats(500, 498), []),
        (
            mountstats(504, 498, 3),
            ["fs:/ckpt on /ckpt: 6 requests and connections in 5 s, and no answer"],
        ),
    ],
)
def test_a_server_that_leaves_requests_unanswered(
    tmp_path: Path, later: str, silent: list[str]
) -> None:
    """In two looks; who is asked nothing has nothing to answer."""
    machine = machine_of(tmp_path, {STATS: mountstats(500, 498)})
    told = second_facts_of(
        machine, "nfs.", lambda: str(tree(tmp_path / "root", {STATS: later})) and None
    )

    assert told["nfs.silent"] == silent
    assert told["nfs.unreachable"] == ("--network was not given",)


def test_ports_of_servers_are_tried_only_with_the_network(tmp_path: Path) -> None:
    """One takes a connection, at the port that the mount names; the other does not."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        row = "40 22 0:45 / /{} rw - nfs4 fs:/x rw,port={},addr=127.0.0.1\n"
        files = {STATS: "", "/proc/self/mountinfo": row.format("a", port) + row.format("b", 1)}
        told = facts_of(machine_of(tmp_path, files, network=True), "nfs.unreachable")

    assert told == {"nfs.unreachable": ["127.0.0.1:1: Connection refused"]}


def test_lustre(tmp_path: Path) -> None:
    """What it calls itself, and servers that this client has lost."""
    base = "/sys/fs/lustre/"
    osc = "{}osc/scratch-OST{:04d}-osc-ff/import"
    files = {
        base + "health_check": "NOT HEALTHY\n",
        osc.format(base, 1): "import:\n    name: a\n    state: FULL\n",
        osc.format(base, 2): "import:\n    name: b\n    state: EVICTED\n",
    }

    assert facts_of(machine_of(tmp_path, files), "lustre.") == {
        "lustre.health": "NOT HEALTHY",
        "lustre.lost": ["scratch-OST0002-osc-ff: EVICTED"],
    }


def test_gpfs(tmp_path: Path) -> None:
    """Its daemon is looked for where such a file system is mounted."""
    mounted = {"/proc/self/mountinfo": "40 22 0:45 / /g rw - gpfs gpfs0 rw\n"}
    runs = {**mounted, "/proc/900/comm": "mmfsd\n"}

    assert facts_of(machine_of(tmp_path / "a", mounted), "gpfs.") == {"gpfs.runs": False}
    assert facts_of(machine_of(tmp_path / "b", runs), "gpfs.") == {"gpfs.runs": True}


def test_quotas(tmp_path: Path) -> None:
    """Those that are exceeded; of remote file systems only with the network."""
    script = 'test "$2" = -l && exit 0; echo "  Over  file limit on fs:/home"\n'
    program(tmp_path / "bin", "quota", script)

    assert facts_of(machine_of(tmp_path, {}), "quota.") == {"quota.exceeded": []}
    assert facts_of(machine_of(tmp_path, {}, network=True), "quota.") == {
        "quota.exceeded": ["Over file limit on fs:/home"]
    }
