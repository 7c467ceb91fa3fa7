"""What is known on systems that are no plain Linux host, in constructed trees."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from checker.model import Fact
from checker.probe.children import Children
from checker.probe.live import Wish, look_at_training
from checker.probe.machine import Machine
from checker.probe.processes import find_processes
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


# Constructed from the manual pages and the documented classes: nobody ran these on such a system.
MAC = {
    "sw_vers": "ProductName:\t\tmacOS\nProductVersion:\t\t14.5\nBuildVersion:\t\t23F79\n",
    "mount": (
        "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        "devfs on /dev (devfs, local, nobrowse)\n"
        "//me@files/data on /Volumes/my data (smbfs, nodev, nosuid, mounted by me)\n"
    ),
    "vm_stat": (
        "Mach Virtual Memory Statistics: (page size of 16384 bytes)\n"
        "Pages free:                               10000.\n"
        "Pages active:                            400000.\n"
        "Pages inactive:                          200000.\n"
        "Pages speculative:                         5000.\n"
    ),
    "ps": (
        "    1     0     0 Ss   10-02:03:04 /sbin/launchd\n"
        "  500     1   {user} S          01:05 /{folder}/venv/bin/python train.py --lr 0.1\n"
        "  501     1   {user} U       02:00:05 /Applications/Notes.app/Contents/MacOS/Notes\n"
    ),
    "lsof": (
        "p500\nfcwd\na \nn/{folder}\nftxt\na \nn/{folder}/venv/bin/python\nf0\nar\nn/dev/null\n"
        "f1\naw\nn/{folder}/run.log\nf2\naw\nn/{folder}/run.log\nf3\naw\nn->0x1f2e3d4c\n"
    ),
}
SWAP = "total = 2048.00M  used = 1012.25M  free = 1035.75M  (encrypted)"
SYSCTL = f"""case "$2" in
kern.boottime) echo "{{ sec = 1716888000, usec = 123456 }} Tue May 28 11:20:00 2024" ;;
hw.memsize) printf '17179869184\\n{SWAP}\\n' ;;
kern.num_files) printf '8000\\n245760\\n' ;;
esac
"""


def mac_at(folder: Path) -> Machine:
    """A machine that answers as macOS does."""
    place = str(folder).lstrip("/")
    for name, text in MAC.items():
        said = text.replace("{folder}", place).replace("{user}", str(os.geteuid()))
        (folder / name).write_text(said)
        program(folder / "bin", name, f"cat {folder}/{name}\n")
    program(folder / "bin", "sysctl", SYSCTL)
    children = Children(30)
    children.plainly = True
    return Machine(children, system="darwin", folders=(str(folder / "bin"), "/bin"), now=1716888060)


def known(facts: Iterable[Fact]) -> dict[str, object]:
    """The values of the facts that are known."""
    return {fact.name: fact.value for fact in facts if fact.unknown is None and fact.line is None}


def test_macos_tells_by_its_own_commands(tmp_path: Path) -> None:
    """Memory, mounts, limits and versions; what only Linux tells is unknown with that reason."""
    facts = probe_machine(mac_at(tmp_path), probes())
    told = known(facts)

    for name in ("limit.open_files", "limit.processes", "limit.locked_memory", "mounts.space"):
        told.pop(name, None)
    assert told == {
        "system.boot_time": 1716888000,
        "system.uptime": 60,
        "system.kernel": "macOS 14.5 (23F79)",
        "system.wsl": False,
        "memory.total": 17179869184,
        "memory.available": 215000 * 16384,
        "memory.swap.total": 2048 << 20,
        "memory.swap.free": 1086062592,
        "cpu.count": os.cpu_count(),
        "files.open": 8000,
        "files.limit": 245760,
        "mounts.network": ["/Volumes/my data (smbfs)"],
        "mounts.silent": [],
        "mounts.full": [],
        "mounts.no_inodes": [],
        "probes.left": 0,
    }
    reasons = {fact.unknown for fact in facts} - {None, "absent", "no limit is set"}
    assert reasons == {"not this system"}


def test_a_run_on_macos_is_found_with_its_log(tmp_path: Path) -> None:
    """By `ps` and `lsof`: its log is read, and the versions of its packages are listed."""
    (tmp_path / "run.log").write_text("step 1 loss 2.0\n")
    (tmp_path / "venv/lib/python3.11/site-packages/torch-2.6.0.dist-info").mkdir(parents=True)
    view = look_at_training(mac_at(tmp_path), Wish(None, 0.1))

    assert view.paths == (str(tmp_path / "run.log"),)
    told = known(view.facts)
    assert (told["process.count"], told["version torch"]) == (1, "2.6.0")
    assert [fact.unknown for fact in view.facts if fact.name == "log.age"] == [None]
    assert not any(fact.name == "process.reading" for fact in view.facts)


def test_windows_tells_by_powershell(tmp_path: Path) -> None:
    """Memory, drives, processes, and the GPUs by its nvidia-smi."""
    system = {
        **{"Caption": "Microsoft Windows 11 Pro", "Version": "10.0.22631"},
        **{"LastBootUpTime": "/Date(1716888000500)/", "TotalVisibleMemorySize": 33000000},
        **{"FreePhysicalMemory": 4000000, "TotalVirtualMemorySize": 40000000},
        **{"FreeVirtualMemory": 1000000},
    }
    drive = {"DeviceID": "C:", "DriveType": 3, "FileSystem": "NTFS", "FreeSpace": 0, "Size": 9}
    share = {"DeviceID": "Z:", "DriveType": 4, "FileSystem": "NTFS", "ProviderName": "\\\\f\\d"}
    running = {"Name": "python.exe", "CreationDate": "/Date(1716888000500)/", "ParentProcessId": 1}
    lines = {7: '"C:\\py\\python.exe" train.py', 8: None}
    processes = [{**running, "ProcessId": pid, "CommandLine": line} for pid, line in lines.items()]
    for name, told in (
        ("Win32_OperatingSystem", system),
        ("Win32_LogicalDisk", [drive, share]),
        ("Win32_Process", processes),
    ):
        (tmp_path / name).write_text(json.dumps(told))
    program(tmp_path / "bin", "powershell", f"set -- $4\ncat {tmp_path}/$2\n")
    program(
        tmp_path / "bin",
        "nvidia-smi",
        "echo '0, 00000000:01:00.0, G, 3, 1, 8, 9, 9, 40, 0, 0, 0'\n",
    )
    children = Children(30)
    children.plainly = True
    folders = (str(tmp_path / "bin"), "/bin")
    machine = Machine(children, system="win32", folders=folders, now=1716888060.5)

    assert known(probe_machine(machine, probes())) == {
        "system.boot_time": 1716888000,
        "system.uptime": 60,
        "system.kernel": "Microsoft Windows 11 Pro (10.0.22631)",
        "system.wsl": False,
        "memory.total": 33000000 * 1024,
        "memory.available": 4000000 * 1024,
        "memory.committed": 39000000 * 1024,
        "memory.swap.total": 7000000 * 1024,
        "cpu.count": os.cpu_count(),
        "mounts.space": ["C: (NTFS) 0 of 9 bytes free"],
        "mounts.full": ["C:"],
        "mounts.network": ["Z: (\\\\f\\d)"],
        "gpu.answers": True,
        "gpu.trouble": "",
        "gpu.count": 1,
        "gpu.errors": [],
        "gpu.states": ["GPU 0 (00000000:01:00.0): load 3 %, 1 MiB used, of 8 MiB, 9 W, 40 C"],
        "gpu.throttled": [],
        "gpu.ecc.uncorrected": 0,
        "gpu.ecc.corrected": 0,
        "probes.left": 0,
    }
    found = find_processes(machine, None).processes
    assert [(one.pid, one.title, one.started) for one in found] == [(7, "train.py", 1716888000.5)]


def test_a_command_elsewhere_that_hangs_is_ended(tmp_path: Path) -> None:
    """After its time, and it is not asked again."""
    program(tmp_path / "bin", "sw_vers", "exec /bin/sleep 60\n")
    children = Children(30)
    children.plainly = True
    first = children.run_program("program sw_vers", 0.3, ["sw_vers"], (str(tmp_path / "bin"),))
    again = children.run_program("program sw_vers", 0.3, ["sw_vers"], (str(tmp_path / "bin"),))

    assert first == again == (None, "did not answer in 0.3 s", True)
    assert children.left == []


def test_another_system() -> None:
    """What is asked of Linux only says so; nothing fails, and nothing is looked for."""
    machine = Machine(Children(5), system="sunos5")
    facts = probe_machine(machine, probes())
    view = look_at_training(machine, Wish(None, 1.0))

    assert {fact.unknown for fact in facts} == {"not this system"}
    assert view.processes == ()
    assert [fact.unknown for fact in view.facts if fact.name == "process.count"] == [
        "not this system"
    ]
