"""What Windows tells through PowerShell: a machine enters; facts and processes leave.

The names of properties are those of the classes `Win32_OperatingSystem`, `Win32_LogicalDisk` and
`Win32_Process`; `ConvertTo-Json` writes one object alone, and several as a list.
"""

import json
from typing import Any, Dict, List, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.probe.machine import Findings, Machine
from checker.probe.macos import said_by

_SECONDS_OF_QUESTION = 10.0
_NETWORK_DRIVE = 4
_LOCAL_DRIVES = (2, 3, 6)
_SYSTEM_PROPERTIES = (
    *("Caption", "Version", "LastBootUpTime", "TotalVisibleMemorySize", "FreePhysicalMemory"),
    *("TotalVirtualMemorySize", "FreeVirtualMemory"),
)
_DRIVE_PROPERTIES = ("DeviceID", "DriveType", "FileSystem", "FreeSpace", "Size", "ProviderName")
_PROCESS_PROPERTIES = ("ProcessId", "ParentProcessId", "Name", "CommandLine", "CreationDate")
_JSON_DATE = lazy_pattern(r"/Date\((-?\d{1,16})\)/")


def _instances(machine: Machine, kind: str, names: Tuple[str, ...]) -> List[Dict[str, Any]]:
    """Ask for the objects of a class, with some of their properties."""
    question = "Get-CimInstance {} | Select-Object {} | ConvertTo-Json -Compress"
    words = ["powershell", "-NoProfile", "-NonInteractive", "-Command"]
    text = said_by(machine, [*words, question.format(kind, ",".join(names))], _SECONDS_OF_QUESTION)
    told = json.loads(text.lstrip("\ufeff") or "[]")
    rows = told if isinstance(told, list) else [told]
    return [row for row in rows if isinstance(row, dict)]


def _operating_system(machine: Machine) -> Dict[str, Any]:
    rows = _instances(machine, "Win32_OperatingSystem", _SYSTEM_PROPERTIES)
    if not rows:
        raise ValueError("Win32_OperatingSystem")
    return rows[0]


def windows_system(machine: Machine) -> Findings:
    """Tell the version of Windows."""
    told = _operating_system(machine)
    text = "{} ({})".format(str(told.get("Caption")).strip(), told.get("Version"))
    return {"system.kernel": text, "system.wsl": False}


def windows_uptime(machine: Machine) -> Findings:
    """Tell when it booted."""
    booted = _seconds_of_json_date(_operating_system(machine).get("LastBootUpTime"))
    return {"system.boot_time": int(booted), "system.uptime": int(machine.now - booted)}


def windows_memory(machine: Machine) -> Findings:
    """Tell memory, and what is promised of it and of the page file; all is told in KiB."""
    told = _operating_system(machine)
    total, free, limit, left = (int(told[name]) * 1024 for name in _SYSTEM_PROPERTIES[3:])
    return {
        "memory.total": total,
        "memory.available": free,
        "memory.committed": limit - left,
        "memory.swap.total": max(0, limit - total),
    }


def windows_drives(machine: Machine) -> Findings:
    """Tell the room of drives; what a network drive says may be old."""
    space, full, network = [], [], []
    for drive in _instances(machine, "Win32_LogicalDisk", _DRIVE_PROPERTIES):
        name, kind = str(drive.get("DeviceID")), drive.get("DriveType")
        free, size = drive.get("FreeSpace"), drive.get("Size")
        if kind == _NETWORK_DRIVE:
            network.append("{} ({})".format(name, drive.get("ProviderName")))
        if kind not in (_NETWORK_DRIVE, *_LOCAL_DRIVES) or not size or free is None:
            continue
        words = "{} ({}) {} of {} bytes free"
        space.append(words.format(name, drive.get("FileSystem"), int(free), int(size)))
        if not int(free):
            full.append(name)
    return {"mounts.space": space, "mounts.full": full, "mounts.network": network}


def windows_processes(machine: Machine) -> List[Tuple[int, int, str, int, float, str]]:
    """List the processes whose command line may be seen, in the form of `mac_processes`."""
    found = []
    for row in _instances(machine, "Win32_Process", _PROCESS_PROPERTIES):
        line = row.get("CommandLine")
        if isinstance(line, str) and line:
            started = _seconds_of_json_date(row.get("CreationDate"))
            ids = int(row["ProcessId"]), int(row["ParentProcessId"])
            found.append((*ids, "", 0, max(0.0, machine.now - started), line.replace('"', "")))
    return found


def _seconds_of_json_date(value: Any) -> float:
    found = _JSON_DATE.search(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("no date")
    return int(found.group(1)) / 1000.0
