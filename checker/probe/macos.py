"""What macOS tells through its own commands: a machine enters; facts, processes and files leave.

The forms are those of their manual pages: `sysctl`, `vm_stat`, `sw_vers`, `ps`, `lsof`.
"""

import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.probe.children import Ended
from checker.probe.machine import Findings, Machine, Unknown

_SECONDS_OF_COMMAND = 5.0
_MAC_BOOT_TIME = lazy_pattern(r"\{ sec = (\d{1,12}), usec = \d{1,9} \}")
_PAGE_SIZE = lazy_pattern(r"page size of (\d{1,9}) bytes")
_PAGES = lazy_pattern(r"(?m)^Pages (free|inactive|speculative): +(\d{1,15})\.")
_SWAP = lazy_pattern(r"(total|free) = (\d{1,9}(?:[.,]\d{1,4})?)M")
_PROCESS_AGE = lazy_pattern(r"(?:(?:(\d{1,6})-)?(\d{1,2}):)?(\d{1,2}):(\d{1,2})(?:\.\d{1,2})?$")
_PS_COLUMNS = "pid=,ppid=,uid=,state=,etime=,command="
_LSOF_STREAM = ("1", "2")


def said_by(machine: Machine, words: Sequence[str], seconds: float = _SECONDS_OF_COMMAND) -> str:
    """Run a command of the system for its output; raise OSError with the reason."""
    reply = machine.children.run_program("program " + words[0], seconds, words, machine.folders)
    ended = reply.value
    if not isinstance(ended, Ended):
        raise OSError(reply.unknown or "absent")
    if ended.status and not ended.output:
        raise OSError("{} ended with status {}".format(words[0], ended.status))
    return ended.output


def mac_system(machine: Machine) -> Findings:
    """Tell the version of macOS, by `sw_vers`."""
    rows = said_by(machine, ["sw_vers"]).splitlines()
    told = {name.strip(): value.strip() for name, _, value in (row.partition(":") for row in rows)}
    text = "macOS {} ({})".format(told["ProductVersion"], told["BuildVersion"])
    return {"system.kernel": text, "system.wsl": False}


def mac_uptime(machine: Machine) -> Findings:
    """Tell when it booted, by `sysctl`."""
    found = _MAC_BOOT_TIME.search(said_by(machine, ["sysctl", "-n", "kern.boottime"]))
    if found is None:
        raise ValueError("kern.boottime")
    booted = int(found.group(1))
    return {"system.boot_time": booted, "system.uptime": int(machine.now) - booted}


def mac_memory(machine: Machine) -> Findings:
    """Tell memory and swap, by `sysctl` and `vm_stat`; what is inactive can be given at once."""
    size, _, swap = said_by(machine, ["sysctl", "-n", "hw.memsize", "vm.swapusage"]).partition("\n")
    pages = said_by(machine, ["vm_stat"])
    page = _PAGE_SIZE.search(pages)
    counts = [int(count) for _, count in _PAGES.findall(pages)]
    swaps = {name: float(number.replace(",", ".")) for name, number in _SWAP.findall(swap)}
    told: Findings = {"memory.total": int(size)}
    if page is not None and counts:
        told["memory.available"] = int(page.group(1)) * sum(counts)
    for name, number in swaps.items():
        told["memory.swap." + name] = int(number * (1 << 20))
    return told


def mac_limits(machine: Machine) -> Findings:
    """Tell open files and limits, by `sysctl` and those of the checker itself."""
    import resource  # noqa: PLC0415 - is not there on every system

    counts = said_by(machine, ["sysctl", "-n", "kern.num_files", "kern.maxfiles"]).split()
    told: Findings = {"files.open": int(counts[0]), "files.limit": int(counts[1])}
    for name, limit in (
        ("limit.open_files", resource.RLIMIT_NOFILE),
        ("limit.processes", resource.RLIMIT_NPROC),
        ("limit.locked_memory", resource.RLIMIT_MEMLOCK),
    ):
        soft = resource.getrlimit(limit)[0]
        endless = soft in (resource.RLIM_INFINITY, -1)
        told[name] = Unknown("no limit is set") if endless else soft
    return told


def plain_processors(machine: Machine) -> Findings:
    """Count the processors."""
    count = os.cpu_count()
    return {"cpu.count": Unknown("absent") if count is None else count}


def mac_processes(machine: Machine) -> List[Tuple[int, int, str, int, float, str]]:
    """List all processes: id, parent, state, user, age in seconds, and the command line."""
    found = []
    for row in said_by(machine, ["ps", "-axwwo", _PS_COLUMNS]).splitlines():
        words = row.split(None, 5)
        age = _PROCESS_AGE.match(words[4]) if len(words) > 5 else None
        if age is not None and all(word.isdigit() for word in words[:3]):
            pid, parent, user = map(int, words[:3])
            found.append((pid, parent, words[3][:1], user, _seconds_of_age(age.groups()), words[5]))
    return found


def _seconds_of_age(parts: Sequence[Optional[str]]) -> float:
    days, hours, minutes, seconds = (int(part or 0) for part in parts)
    return ((days * 24.0 + hours) * 60 + minutes) * 60 + seconds


def mac_open_files(machine: Machine, pids: Sequence[int]) -> Dict[int, Dict[str, Any]]:
    """Tell of each process its folder, its streams, and the files that it has open.

    A file is a descriptor, a path, and whether it is written to.
    """
    words = ["lsof", "-nPw", "-F", "fan", "-p", ",".join(map(str, pids))]
    told: Dict[int, Dict[str, Any]] = {}
    here: Dict[str, Any] = {}
    number = access = ""
    for row in said_by(machine, words).splitlines():
        kind, value = row[:1], row[1:]
        if kind == "p" and value.isdigit():
            here = told[int(value)] = {"folder": "", "streams": {}, "files": []}
        elif kind == "f":
            number, access = value, ""
        elif kind == "a":
            access = value
        elif kind == "n" and here and number == "cwd":
            here["folder"] = value
        elif kind == "n" and here and number.isdigit():
            if number in _LSOF_STREAM:
                here["streams"][int(number)] = value
            if value.startswith("/"):
                here["files"].append((int(number), value, access in ("w", "u")))
    return told
