"""The kernel log, by each way and by none."""

import os
import re
from pathlib import Path

import pytest

from checker.probe.kernel_log import dated_lines
from tests.checker.probe.trees import facts_of, machine_of, program

NOW, UPTIME = 1796050800.0, {"/proc/uptime": "1000.00 1.00\n"}
KILL = "Out of memory: Killed process 7 (python3) total-vm:1kB"
REFUSED = "no right: as root, dmesg > dmesg.txt, and give that file too"


def test_seconds_since_boot_become_times() -> None:
    """In all forms of the kernel log; what is too old and what has no time is left out."""
    text = (
        "[  100.000000] too old\n"
        "[  900.250000] " + KILL + "\n"
        "not of the kernel\n"
        "[  901.000000] node3 kernel: by the journal\n"
        "3,812,902000000,-;by the device\n"
        " SUBSYSTEM=pci\n"
    )

    assert dated_lines(text, NOW, 1000.0, NOW - 600, "node3") == (
        "2026-11-30T14:58:20.250000+00:00 node3 kernel: " + KILL + "\n"
        "2026-11-30T14:58:21.000000+00:00 node3 kernel: by the journal\n"
        "2026-11-30T14:58:22.000000+00:00 node3 kernel: by the device\n"
    )


@pytest.mark.parametrize(
    ("programs", "device", "way"),
    [
        ({"dmesg": f"echo '[  900.000000] {KILL}'\n"}, None, "dmesg"),
        ({"dmesg": "echo no >&2; exit 1\n"}, f"6,1,900000000,-;{KILL}\n", "/dev/kmsg"),
        ({"journalctl": f"echo '[  900.000000] node3 kernel: {KILL}'\n"}, None, "journalctl"),
    ],
)
def test_each_way(tmp_path: Path, programs: dict[str, str], device: str | None, way: str) -> None:
    """The first that is allowed gives the lines."""
    for name, script in programs.items():
        program(tmp_path / "bin", name, script)
    files = {**UPTIME, **({"/dev/kmsg": device} if device else {})}
    machine = machine_of(tmp_path, files, now=NOW)

    assert facts_of(machine, "kernel.") == {"kernel.log": way}
    (name,) = machine.logs
    assert name == f"kernel log ({way})"
    assert machine.logs[name].startswith("2026-11-30T14:58:20.000000+00:00 ")
    assert machine.logs[name].endswith(" kernel: " + KILL + "\n")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1\n", REFUSED),
        (None, "absent"),
    ],
)
def test_where_it_cannot_be_read(tmp_path: Path, script: str | None, reason: str) -> None:
    """The one command is named that root would give."""
    if script is not None:
        program(tmp_path / "bin", "dmesg", script)
    machine = machine_of(tmp_path, UPTIME)

    assert facts_of(machine, "kernel.") == {"kernel.log": (reason,)}
    assert machine.logs == {}


def test_a_process_that_had_the_number_before_is_another(tmp_path: Path) -> None:
    """Numbers are given again: what the kernel said before a process began is not of it."""
    rows = "".join(f"echo '[  {at}.000000] {KILL}'\n" for at in (800, 900))
    program(tmp_path / "bin", "dmesg", rows)
    machine = machine_of(tmp_path, UPTIME, now=NOW)
    (pid,) = re.findall(r"Killed process (\d+)", KILL)
    machine.began = {int(pid): NOW - 1000 + 850}

    facts_of(machine, "kernel.")
    (log,) = machine.logs.values()
    assert log == f"2026-11-30T14:58:20.000000+00:00 {os.uname().nodename} kernel: {KILL}\n"
