"""What the host's texts tell, on trees as real kernels write them."""

from pathlib import Path

import pytest

from tests.checker.probe.trees import facts_of, machine_of

MEMINFO = """MemTotal:       263868284 kB
MemFree:         1052288 kB
MemAvailable:    2104576 kB
Dirty:             20480 kB
Writeback:          1024 kB
Shmem:           4096000 kB
SwapTotal:       8388604 kB
SwapFree:              0 kB
Committed_AS:  270000000 kB
HugePages_Total:       0
"""
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max processes             unlimited            unlimited            processes
Max open files            1024                 524288               files
Max locked memory         67108864             67108864             bytes
"""


def test_memory_in_bytes(tmp_path: Path) -> None:
    """Kilobytes of the kernel become bytes; the count of kills stands elsewhere."""
    files = {"/proc/meminfo": MEMINFO, "/proc/vmstat": "nr_free_pages 263072\noom_kill 3\n"}

    assert facts_of(machine_of(tmp_path, files), "memory.")["memory.oom_kills"] == 3
    told = facts_of(machine_of(tmp_path, files), "memory.")
    others = ("memory.cgroup.", "memory.ecc.")
    assert {name: value for name, value in told.items() if not name.startswith(others)} == {
        "memory.total": 270201122816,
        "memory.available": 2155085824,
        "memory.shared": 4194304000,
        "memory.committed": 276480000000,
        "memory.dirty": 20971520,
        "memory.writeback": 1048576,
        "memory.swap.total": 8589930496,
        "memory.swap.free": 0,
        "memory.oom_kills": 3,
    }


def test_boot_and_uptime(tmp_path: Path) -> None:
    """Both in whole seconds."""
    files = {"/proc/uptime": "17603.45 30000.10\n", "/proc/stat": "cpu 1 2\nbtime 1796033087\n"}

    assert facts_of(machine_of(tmp_path, files), "system.boot") == {"system.boot_time": 1796033087}
    assert facts_of(machine_of(tmp_path, files), "system.up") == {"system.uptime": 17603}


@pytest.mark.parametrize(
    ("release", "files", "wsl", "container"),
    [
        ("6.8.0-45-generic\n", {"/proc/self/cgroup": "0::/user.slice\n"}, False, "none"),
        (
            "5.15.167.4-microsoft-standard-WSL2\n",
            {"/proc/self/cgroup": "0::/\n"},
            True,
            "none",
        ),
        (
            "6.8.0-45-generic\n",
            {"/proc/self/cgroup": "0::/\n", "/.dockerenv": ""},
            False,
            "docker",
        ),
        (
            "4.18.0-553.el8.x86_64\n",
            {"/proc/self/cgroup": "4:memory:/kubepods/burstable/pod1/2\n"},
            False,
            "kubernetes",
        ),
    ],
)
def test_which_system_it_is(
    tmp_path: Path, release: str, files: dict[str, str], wsl: bool, container: str
) -> None:
    """A WSL2 guest by its kernel, a container by its control groups or by a mark in its root."""
    files = {"/proc/sys/kernel/osrelease": release, **files}
    told = facts_of(machine_of(tmp_path, files), "system.")

    assert told["system.kernel"] == release.strip()
    assert (told["system.wsl"], told["system.container"]) == (wsl, container)


def test_pressure_of_the_last_minute(tmp_path: Path) -> None:
    """A kernel that does not count gives no value."""
    row = " avg10=9.00 avg60=12.50 avg300=1.00 total=1\n"
    files = {
        "/proc/pressure/io": "some avg10=0.00 avg60=50.00 avg300=0.00 total=1\nfull" + row,
        "/proc/pressure/cpu": "some" + row,
    }

    assert facts_of(machine_of(tmp_path, files), "pressure") == {
        "pressure.memory": ("absent",),
        "pressure.io": 12.5,
        "pressure.cpu": 12.5,
    }


def test_limits(tmp_path: Path) -> None:
    """The soft limit is the one that programs run into."""
    files = {
        "/proc/self/limits": LIMITS,
        "/proc/sys/fs/file-nr": "1427\t0\t2466193\n",
        "/proc/loadavg": "0.50 0.40 0.30 2/1523 9999\n",
        "/proc/sys/kernel/threads-max": "192731\n",
        "/proc/sys/kernel/pid_max": "32768\n",
    }
    machine = machine_of(tmp_path, files)

    assert facts_of(machine, "limit.") == {
        "limit.open_files": 1024,
        "limit.processes": ("no limit is set",),
        "limit.locked_memory": 67108864,
    }
    assert facts_of(machine, "files.") == {"files.open": 1427, "files.limit": 2466193}
    assert facts_of(machine, "threads.") == {"threads.current": 1523, "threads.limit": 192731}
    assert facts_of(machine, "pids.limit") == {"pids.limit": 32768}
