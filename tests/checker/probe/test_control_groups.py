"""What the control groups tell, of both versions."""

from pathlib import Path

from tests.checker.probe.trees import facts_of, machine_of

VERSION_2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
VERSION_1 = (
    "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "35 31 0:32 /docker/a1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
    "40 31 0:36 /docker/a1 /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n"
)


def test_the_tightest_limit_of_version_2(tmp_path: Path) -> None:
    """The group above limits first, so its use and its kills are told."""
    group = "/sys/fs/cgroup/job"
    files = {
        "/proc/self/mountinfo": VERSION_2,
        "/proc/self/cgroup": "0::/job/step\n",
        group + "/memory.max": "8589934592\n",
        group + "/memory.current": "8589930496\n",
        group + "/memory.peak": "8589934592\n",
        group + "/memory.events": "low 0\nhigh 0\nmax 412\noom 2\noom_kill 2\n",
        group + "/pids.max": "max\n",
        group + "/pids.current": "120\n",
        group + "/step/memory.max": "max\n",
        group + "/step/memory.current": "4096\n",
        group + "/step/memory.events": "max 0\noom_kill 0\n",
        group + "/step/pids.max": "100\n",
        group + "/step/pids.current": "100\n",
        group + "/step/pids.events": "max 7\n",
    }
    machine = machine_of(tmp_path, files)

    assert facts_of(machine, "memory.cgroup") == {
        "memory.cgroup.limit": 8589934592,
        "memory.cgroup.current": 8589930496,
        "memory.cgroup.peak": 8589934592,
        "memory.cgroup.limit_hits": 412,
        "memory.cgroup.oom_kills": 2,
    }
    assert facts_of(machine, "pids.cgroup") == {
        "pids.cgroup.limit": 100,
        "pids.cgroup.current": 100,
        "pids.cgroup.refused": 7,
    }


def test_version_2_without_a_limit(tmp_path: Path) -> None:
    """The innermost group is told of; kernels before 5.19 keep no peak."""
    files = {
        "/proc/self/mountinfo": VERSION_2,
        "/proc/self/cgroup": "0::/user\n",
        "/sys/fs/cgroup/user/memory.max": "max\n",
        "/sys/fs/cgroup/user/memory.current": "4096\n",
        "/sys/fs/cgroup/user/memory.events": "max 0\noom_kill 0\n",
    }

    assert facts_of(machine_of(tmp_path, files), "memory.cgroup") == {
        "memory.cgroup.limit": ("no limit is set",),
        "memory.cgroup.current": 4096,
        "memory.cgroup.peak": ("absent",),
        "memory.cgroup.limit_hits": 0,
        "memory.cgroup.oom_kills": 0,
    }


def test_version_1_in_a_container(tmp_path: Path) -> None:
    """The container's group is mounted as the root of the tree."""
    memory, pids = "/sys/fs/cgroup/memory/", "/sys/fs/cgroup/pids/"
    files = {
        "/proc/self/mountinfo": VERSION_1,
        "/proc/self/cgroup": "8:pids:/docker/a1\n4:cpu,memory:/docker/a1\n0::/\n",
        memory + "memory.limit_in_bytes": "1073741824\n",
        memory + "memory.usage_in_bytes": "1073700000\n",
        memory + "memory.max_usage_in_bytes": "1073741824\n",
        memory + "memory.failcnt": "88\n",
        memory + "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
        pids + "pids.max": "max\n",
        pids + "pids.current": "12\n",
        pids + "pids.events": "max 0\n",
    }
    machine = machine_of(tmp_path, files)

    assert facts_of(machine, "memory.cgroup") == {
        "memory.cgroup.limit": 1073741824,
        "memory.cgroup.current": 1073700000,
        "memory.cgroup.peak": 1073741824,
        "memory.cgroup.limit_hits": 88,
        "memory.cgroup.oom_kills": 1,
    }
    assert facts_of(machine, "pids.cgroup") == {
        "pids.cgroup.limit": ("no limit is set",),
        "pids.cgroup.current": 12,
        "pids.cgroup.refused": 0,
    }


def test_version_1_writes_a_huge_number_for_no_limit(tmp_path: Path) -> None:
    """No machine has so much memory."""
    memory = "/sys/fs/cgroup/memory/"
    files = {
        "/proc/self/mountinfo": VERSION_1,
        "/proc/self/cgroup": "4:memory:/docker/a1\n",
        memory + "memory.limit_in_bytes": "9223372036854771712\n",
        memory + "memory.usage_in_bytes": "4096\n",
    }

    told = facts_of(machine_of(tmp_path, files), "memory.cgroup.limit")
    assert told["memory.cgroup.limit"] == ("no limit is set",)
