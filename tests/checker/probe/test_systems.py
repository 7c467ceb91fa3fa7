"""What is known on systems that are no plain Linux host, in constructed trees."""

import sys
from pathlib import Path

import pytest

from checker.probe.children import Children
from checker.probe.live import Wish, look_at_training
from checker.probe.machine import Machine
from checker.probe.registry import probe_machine, probes
from tests.checker.probe.trees import facts_of, machine_of, program

WSL_MOUNTS = (
    "60 1 8:32 / / rw - ext4 /dev/sdc rw,discard\n"
    "61 60 0:40 / /usr/lib/wsl/lib rw - overlay none rw\n"
    "74 60 0:59 / /mnt/c rw,noatime - 9p C:\\134 rw,aname=drvfs;path=C:\\134;uid=1000,trans=fd\n"
)


def test_a_wsl2_guest(tmp_path: Path) -> None:
    """A Windows drive is a mount of another machine, and a missing GPU log is no trouble."""
    program(tmp_path / "bin", "nvidia-smi", "echo '0, [N/A], [N/A], 3, [N/A], 24564'\n")
    files = {
        "/proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n",
        "/proc/self/cgroup": "0::/\n",
        "/proc/self/mountinfo": WSL_MOUNTS,
        "/mnt/c/x": "",
        "/usr/lib/wsl/lib/x": "",
    }
    machine = machine_of(tmp_path, files)

    assert facts_of(machine, "system.")["system.wsl"] is True
    told = facts_of(machine, "mounts.")
    assert told["mounts.network"] == ["/mnt/c (9p)"]
    assert told["mounts.silent"] == []
    assert [row.split(" ")[0] for row in told["mounts.space"]] == [
        "/mnt/c",
        "/",
        "/usr/lib/wsl/lib",
    ]
    assert facts_of(machine, "gpu.pci") == dict.fromkeys(
        ("gpu.pci.count", "gpu.pci.gone", "gpu.pci.narrow", "gpu.pci.errors"), ("absent",)
    )


def test_a_container_with_a_namespace_of_cgroups(tmp_path: Path) -> None:
    """Its own group is the root of what it sees."""
    files = {
        "/.dockerenv": "",
        "/proc/sys/kernel/osrelease": "6.8.0\n",
        "/proc/self/cgroup": "0::/\n",
        "/proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
        "/proc/self/status": "Cpus_allowed_list:\t0-3,8\n",
        "/proc/stat": "cpu 1\n" + "".join(f"cpu{n} 1\n" for n in range(16)),
        "/sys/fs/cgroup/memory.max": "8589934592\n",
        "/sys/fs/cgroup/memory.current": "4096\n",
        "/sys/fs/cgroup/memory.events": "max 0\noom_kill 0\n",
        "/sys/fs/cgroup/cpu.max": "250000 100000\n",
        "/sys/fs/cgroup/cpu.stat": "usage_usec 1\nnr_periods 200\nnr_throttled 50\n",
        "/sys/fs/cgroup/cgroup.events": "populated 1\nfrozen 0\n",
    }
    machine = machine_of(tmp_path, files)

    assert facts_of(machine, "system.container") == {"system.container": "docker"}
    assert facts_of(machine, "memory.cgroup")["memory.cgroup.limit"] == 8589934592
    assert facts_of(machine, "cpu.") == {
        "cpu.count": 16,
        "cpu.allowed": 5,
        "cpu.cgroup.limit": 2.5,
        "cpu.cgroup.throttled": 25.0,
        "cpu.heat_throttles": ("absent",),
    }
    assert facts_of(machine, "cgroup.") == {"cgroup.frozen": False}


def test_processors_of_version_1(tmp_path: Path) -> None:
    """No quota is -1; a frozen group says so."""
    files = {
        "/proc/self/mountinfo": (
            "35 31 0:32 / /c/cpu ro - cgroup cgroup rw,cpu,cpuacct\n"
            "36 31 0:33 / /c/freezer ro - cgroup cgroup rw,freezer\n"
        ),
        "/proc/self/cgroup": "4:cpu,cpuacct:/job\n5:freezer:/job\n",
        "/proc/self/status": "Cpus_allowed_list:\t3\n",
        "/proc/stat": "cpu0 1\n",
        "/c/cpu/job/cpu.cfs_quota_us": "-1\n",
        "/c/cpu/job/cpu.cfs_period_us": "100000\n",
        "/c/cpu/cpu.cfs_quota_us": "400000\n",
        "/c/cpu/cpu.cfs_period_us": "100000\n",
        "/c/freezer/job/freezer.state": "FROZEN\n",
        "/c/freezer/freezer.state": "THAWED\n",
    }
    machine = machine_of(tmp_path, files)

    assert facts_of(machine, "cgroup.") == {"cgroup.frozen": True}
    assert facts_of(machine, "cpu.cgroup") == {
        "cpu.cgroup.limit": 4.0,
        "cpu.cgroup.throttled": ("absent",),
    }


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_another_system(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    """What is asked of Linux only says so; nothing fails, and nothing is looked for."""
    monkeypatch.setattr(sys, "platform", platform)
    facts = probe_machine(Machine(Children(5)), probes())
    view = look_at_training(Machine(Children(5)), Wish(None, 1.0))

    assert {fact.unknown for fact in facts} == {"not this system"}
    assert view.processes == ()
    assert [fact.unknown for fact in view.facts if fact.name == "process.count"] == [
        "not this system"
    ]
