"""Probes of NVIDIA GPUs: the PCI bus, the loaded driver, and one query of `nvidia-smi`."""

import os
from typing import Any, Dict, List, Sequence

from checker.probe.children import Reply
from checker.probe.machine import Findings, Machine, Unknown

_SECONDS_OF_QUERY = 10.0
_NVIDIA = "0x10de"
_DISPLAYS = ("0x0300", "0x0302")
_QUERIES: Sequence[Sequence[str]] = (
    (
        *("index", "pci.bus_id", "utilization.gpu", "memory.used", "memory.total"),
        *("power.draw", "temperature.gpu", "ecc.errors.uncorrected.volatile.total"),
    ),
    ("index", "memory.used", "memory.total"),
)
"""The second is asked where a version does not know a field of the first."""
_NOT_TOLD = ("N/A", "Not Supported", "Not Available", "Insufficient Permissions")
_TEXTS = ("index", "pci.bus_id")
_SHOWN = (
    ("utilization.gpu", "load {} %"),
    ("memory.used", "{} MiB used"),
    ("memory.total", "of {} MiB"),
    ("power.draw", "{} W"),
    ("temperature.gpu", "{} C"),
)


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
    reply = Reply(None, "absent")
    for query in _QUERIES:
        reply = machine.children.run_program(
            "gpu",
            _SECONDS_OF_QUERY,
            ["nvidia-smi", "--query-gpu=" + ",".join(query), "--format=csv,noheader,nounits"],
            machine.folders,
        )
        if reply.unknown is not None:
            return _unanswered(reply)
        if "is not a valid field" not in reply.value.output + reply.value.errors:
            return _answered(query, reply.value.status, reply.value.output, reply.value.errors)
    return {"gpu.answers": True, "gpu.trouble": _first_row(reply.value.output)}


def _unanswered(reply: Reply) -> Findings:
    why = Unknown(reply.unknown or "")
    names = ("gpu.answers", "gpu.trouble", "gpu.count", "gpu.errors", "gpu.states")
    told: Findings = dict.fromkeys((*names, "gpu.ecc.uncorrected"), why)
    if reply.silent:
        told["gpu.answers"] = False
    return told


def _answered(query: Sequence[str], status: int, output: str, errors: str) -> Findings:
    rows = [[cell.strip() for cell in row.split(",")] for row in output.splitlines()]
    gpus = [dict(zip(query, row)) for row in rows if len(row) == len(query) and row[0].isdigit()]
    told: Findings = {"gpu.answers": True, "gpu.trouble": ""}
    if status or (not gpus and (output + errors).strip()):
        words = _first_row(output) or _first_row(errors)
        told["gpu.trouble"] = words or "ended with status {} and no word".format(status)
    if not gpus and status:
        return told
    told["gpu.count"] = len(gpus)
    told["gpu.errors"] = [text for gpu in gpus for text in _unreadable(gpu)]
    told["gpu.states"] = [_state(gpu) for gpu in gpus]
    counts = [gpu.get("ecc.errors.uncorrected.volatile.total", "") for gpu in gpus]
    known = [int(count) for count in counts if count.isdigit()]
    told["gpu.ecc.uncorrected"] = sum(known) if known else Unknown("absent")
    return told


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


def _state(gpu: Dict[str, str]) -> str:
    parts = [words.format(gpu[name]) for name, words in _SHOWN if _is_number(gpu.get(name, ""))]
    where = " (" + gpu["pci.bus_id"] + ")" if "pci.bus_id" in gpu else ""
    return "GPU {}{}: {}".format(gpu["index"], where, ", ".join(parts) or "tells nothing")
