"""Probes of NVIDIA GPUs: the PCI bus, the loaded driver, and queries of `nvidia-smi`."""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.probe.children import Reply
from checker.probe.machine import Findings, Machine, Unknown

_SECONDS_OF_QUERY = 10.0
_NVIDIA = "0x10de"
_DISPLAYS = ("0x0300", "0x0302")
_ERRORS = "ecc.errors.uncorrected.volatile.total"
_CORRECTED = "ecc.errors.corrected.volatile.total"
_COMMON = (
    *("index", "pci.bus_id", "uuid", "utilization.gpu", "memory.used", "memory.total"),
    *("power.draw", "enforced.power.limit", "temperature.gpu", _ERRORS, _CORRECTED),
)
_THROTTLE_FIELDS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
"""The driver has renamed it."""
_QUERIES: Sequence[Sequence[str]] = (
    (*_COMMON, _THROTTLE_FIELDS[0]),
    (*_COMMON, _THROTTLE_FIELDS[1]),
    ("index", "utilization.gpu", "memory.used", "memory.total", "power.draw"),
    ("index", "memory.used", "memory.total"),
)
"""The next is asked where a version does not know a field of the one before."""
_NOT_TOLD = ("N/A", "Not Supported", "Not Available", "Insufficient Permissions")
_TEXTS = ("index", "pci.bus_id", "uuid", *_THROTTLE_FIELDS)
_SHOWN = (
    ("utilization.gpu", "load {} %"),
    ("memory.used", "{} MiB used"),
    ("memory.total", "of {} MiB"),
    ("power.draw", "{} W"),
    ("temperature.gpu", "{} C"),
)
_THROTTLES = (
    (0x08, "hardware slowdown"),
    (0x20, "heat, by the driver"),
    (0x40, "heat, by the hardware"),
    (0x80, "the power supply"),
)
"""Bits of what slows a GPU down that are no part of normal work."""
_MOST_FOREIGN = 64


class GpuLoad(NamedTuple):
    """What one GPU did at one look."""

    number: int
    uuid: str
    load: Optional[float]
    """Percent."""
    power: Optional[float]
    limit: Optional[float]
    """Watts, both."""


def probe_gpu_bus(machine: Machine) -> Findings:
    """How many NVIDIA GPUs the PCI bus shows, and which driver is loaded."""
    root = machine.root
    try:
        driver: Any = machine.text("/sys/module/nvidia/version").strip()
    except OSError:
        driver = Unknown("absent")

    def _count() -> int:
        folder = root + "/sys/bus/pci/devices"
        return sum(_is_gpu(os.path.join(folder, name)) for name in os.listdir(folder))

    reply = machine.children.ask("pci", 3, _count)
    count = reply.value if reply.unknown is None else Unknown(reply.unknown)
    return {"gpu.pci.count": count, "gpu.driver.version": driver}


def _is_gpu(folder: str) -> bool:
    texts = []
    for name in ("vendor", "class"):
        with open(os.path.join(folder, name), "rb") as file:
            texts.append(file.read(64).decode("utf-8", "replace").strip())
    return texts[0] == _NVIDIA and texts[1].startswith(_DISPLAYS)


def probe_gpu_state(machine: Machine) -> Findings:
    """What the driver answers about each GPU: a query that hangs is a finding."""
    reply, query = _first_answer(machine, _QUERIES)
    if reply.unknown is not None:
        return _unanswered(reply)
    if not query:
        return {"gpu.answers": True, "gpu.trouble": _first_row(reply.value.output)}
    return _answered(query, reply.value.status, reply.value.output, reply.value.errors)


def _first_answer(
    machine: Machine, queries: Sequence[Sequence[str]]
) -> Tuple[Reply, Sequence[str]]:
    """Ask until a version knows all fields; the query is empty if it knows none."""
    reply = Reply(None, "absent")
    for query in queries:
        reply = _ask(machine, ["--query-gpu=" + ",".join(query)])
        if reply.unknown is not None:
            break
        if "is not a valid field" not in reply.value.output + reply.value.errors:
            return reply, query
    return reply, ()


def _ask(machine: Machine, words: List[str]) -> Reply:
    return machine.children.run_program(
        "gpu",
        _SECONDS_OF_QUERY,
        ["nvidia-smi", *words, "--format=csv,noheader,nounits"],
        machine.folders,
    )


def _unanswered(reply: Reply) -> Findings:
    why = Unknown(reply.unknown or "")
    names = ("gpu.answers", "gpu.trouble", "gpu.count", "gpu.errors", "gpu.states")
    more = ("gpu.ecc.uncorrected", "gpu.ecc.corrected", "gpu.throttled")
    told: Findings = dict.fromkeys((*names, *more), why)
    if reply.silent:
        told["gpu.answers"] = False
    return told


def _answered(query: Sequence[str], status: int, output: str, errors: str) -> Findings:
    gpus = _rows_of_gpus(query, output)
    told: Findings = {"gpu.answers": True, "gpu.trouble": ""}
    if status or (not gpus and (output + errors).strip()):
        words = _first_row(output) or _first_row(errors)
        told["gpu.trouble"] = words or "ended with status {} and no word".format(status)
    if not gpus and status:
        return told
    told["gpu.count"] = len(gpus)
    told["gpu.errors"] = [text for gpu in gpus for text in _unreadable(gpu)]
    told["gpu.states"] = [_state(gpu) for gpu in gpus]
    told["gpu.throttled"] = [text for gpu in gpus for text in _throttled(gpu)]
    told["gpu.ecc.uncorrected"] = _summed(gpus, _ERRORS)
    told["gpu.ecc.corrected"] = _summed(gpus, _CORRECTED)
    return told


def _rows_of_gpus(query: Sequence[str], output: str) -> List[Dict[str, str]]:
    rows = [[cell.strip() for cell in row.split(",")] for row in output.splitlines()]
    return [dict(zip(query, row)) for row in rows if len(row) == len(query) and row[0].isdigit()]


def _summed(gpus: Sequence[Dict[str, str]], name: str) -> Any:
    known = [int(gpu[name]) for gpu in gpus if gpu.get(name, "").isdigit()]
    return sum(known) if known else Unknown("absent")


def _first_row(text: str) -> str:
    return next((row.strip()[:200] for row in text.splitlines() if row.strip()), "")


def _unreadable(gpu: Dict[str, str]) -> List[str]:
    return [
        "GPU {}: {} is {}".format(gpu["index"], name, value)
        for name, value in gpu.items()
        if name not in _TEXTS and not _is_number(value) and value.strip("[]") not in _NOT_TOLD
    ]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _throttled(gpu: Dict[str, str]) -> List[str]:
    text = next((gpu[name] for name in _THROTTLE_FIELDS if name in gpu), "")
    try:
        bits = int(text, 16)
    except ValueError:
        return []
    return ["GPU {}: {}".format(gpu["index"], why) for bit, why in _THROTTLES if bits & bit]


def _state(gpu: Dict[str, str]) -> str:
    parts = [words.format(gpu[name]) for name, words in _SHOWN if _is_number(gpu.get(name, ""))]
    where = " (" + gpu["pci.bus_id"] + ")" if "pci.bus_id" in gpu else ""
    return "GPU {}{}: {}".format(gpu["index"], where, ", ".join(parts) or "tells nothing")


def probe_gpu_processes(machine: Machine) -> Findings:
    """Processes that hold memory of GPUs and are not there: left over, or of another container."""
    reply = _ask(machine, ["--query-compute-apps=gpu_uuid,pid,used_memory"])
    if reply.unknown is not None or reply.value.status:
        return {"gpu.foreign": Unknown(reply.unknown or "absent")}
    found = []
    for _, pid, memory in _applications(reply.value.output):
        if not os.path.isdir("{}/proc/{}".format(machine.root, pid)):
            found.append("process {} is not seen here and holds {} MiB".format(pid, memory))
    return {"gpu.foreign": found[:_MOST_FOREIGN]}


def _applications(output: str) -> List[Tuple[str, int, str]]:
    rows = [[cell.strip() for cell in row.split(",")] for row in output.splitlines()]
    return [
        (row[0], int(row[1]), row[2] if _is_number(row[2]) else "unknown")
        for row in rows
        if len(row) == 3 and row[1].isdigit()
    ]


def gpu_loads(machine: Machine) -> Dict[int, GpuLoad]:
    """Read what each GPU does now, by its index; nothing where nobody answers."""
    query = ("index", "uuid", "utilization.gpu", "power.draw", "enforced.power.limit")
    reply, known = _first_answer(machine, (query, ("index", "uuid", "utilization.gpu")))
    if reply.unknown is not None or not known:
        return {}
    found = {}
    for gpu in _rows_of_gpus(known, reply.value.output):
        numbers = [
            float(gpu[name]) if _is_number(gpu.get(name, "")) else None
            for name in ("utilization.gpu", "power.draw", "enforced.power.limit")
        ]
        found[int(gpu["index"])] = GpuLoad(int(gpu["index"]), gpu["uuid"], *numbers)
    return found


def gpu_users(machine: Machine) -> Dict[int, List[str]]:
    """List the GPUs on which each process computes, as the driver tells."""
    reply = _ask(machine, ["--query-compute-apps=gpu_uuid,pid,used_memory"])
    found: Dict[int, List[str]] = {}
    if reply.unknown is None and not reply.value.status:
        for uuid, pid, _ in _applications(reply.value.output):
            found.setdefault(pid, []).append(uuid)
    return found
