"""What the report says of the machine."""

from typing import Any

from checker.model import Fact
from checker.report.machine_text import machine_rows

HUNG = "did not answer in 10 s (state D, waits in os_acquire_rwlock_read)"


def rows_of(known: dict[str, Any], unknown: dict[str, str]) -> list[str]:
    """Render facts that a probe gave."""
    facts = [Fact(name, value, None, None) for name, value in known.items()]
    facts += [Fact(name, None, reason, None) for name, reason in unknown.items()]
    return [text for _, text in machine_rows(facts)]


def test_a_healthy_machine_is_not_told_of() -> None:
    """Neither what is well nor what is not there."""
    known = {"mounts.silent": [], "mounts.space": ["/ (ext4) 1 of 2"], "gpu.trouble": ""}
    unknown = {"gpu.count": "absent", "memory.cgroup.limit": "no limit is set"}

    assert rows_of({**known, "probes.left": 0, "gpu.answers": True}, unknown) == []


def test_what_is_broken_and_what_gave_no_answer() -> None:
    """One row each; facts that lack the same answer share one."""
    known = {
        "mounts.silent": ["/data (nfs4) did not answer in 3 s"],
        "mounts.full": ["/scratch"],
        "mounts.no_inodes": ["/home"],
        "gpu.errors": [f"GPU {number}: power.draw is ERR!" for number in range(8)],
        "probes.left": 2,
    }
    unknown = {
        "kernel.log": "no right: as root, dmesg > dmesg.txt, and give that file too",
        "gpu.count": HUNG,
        "gpu.states": HUNG,
    }

    assert rows_of(known, unknown) == [
        "  - /data (nfs4) did not answer in 3 s",
        "  - no free space on /scratch",
        "  - no free inode on /home",
        *[f"  - GPU {number}: power.draw is ERR!" for number in range(6)],
        "  - gpu.errors: 2 more",
        "  - kernel.log: no right: as root, dmesg > dmesg.txt, and give that file too",
        "  - gpu.count, gpu.states: did not answer in 10 s (state D, waits in",
        "    os_acquire_rwlock_read)",
        "  - 2 probes left behind: to end them is not possible until that answers",
    ]


def test_what_two_looks_and_counters_tell() -> None:
    """What grows on sound networks too is left out, and so is a truth that is none."""
    known = {
        "ib.growing": ["mlx5_0/1: link_downed +1 in 5 s", "mlx5_0/1: out_of_sequence +9 in 5 s"],
        "network.down": ["eth1"],
        "system.rebooted": True,
        "cgroup.frozen": False,
        "gpfs.runs": False,
        "cpu.allowed": 1,
        "cpu.count": 64,
        "gpu.nvswitches": 4,
        "gpu.fabric_manager": False,
        "memory.ecc.uncorrected": 3,
    }

    assert rows_of(known, {}) == [
        "  - the network card eth1 has no link",
        "  - mlx5_0/1: link_downed +1 in 5 s",
        "  - the machine has booted since the logs were last written",
        "  - GPFS is mounted, and its daemon mmfsd does not run",
        "  - the GPUs are behind NVSwitches, and the fabric manager does not run",
        "  - the process may run on one of 64 processors",
        "  - 3 memory errors were not corrected",
    ]
    assert (
        rows_of({"cpu.allowed": 1, "cpu.count": 1, "cgroup.frozen": False, "gpu.nvswitches": 0}, {})
        == []
    )
