"""Probes of the host's hardware beside NVIDIA's driver: buses, memory errors, heat, AMD GPUs."""

import os
from typing import Any, Dict, List, Optional, Sequence

from checker.probe.machine import Findings, Machine, Unknown

_SECONDS_OF_BUS = 3.0
_DEVICES = "/sys/bus/pci/devices/"
_NVIDIA_VENDOR, _AMD_VENDOR = "0x10de", "0x1002"
_GPU_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")
_BRIDGE = "0x0604"
_FABRIC_MANAGERS = ("nv-fabricmanager", "nv-fabricmanage")
"""The kernel keeps fifteen letters of a name."""
_IOMMU_WORDS = ("iommu", "intel_iommu", "amd_iommu", "iommu.passthrough")
_FIRST_EXTENDED, _ACS = 0x100, 0x000D
_ACS_CONTROL, _SOURCE_VALIDATION = 6, 1


def _asked(machine: Machine, resource: str, names: Sequence[str], work: Any) -> Findings:
    """Give what a child found, or why nothing, for each of the names."""
    reply = machine.children.ask(resource, _SECONDS_OF_BUS, work)
    if reply.unknown is not None:
        return dict.fromkeys(names, Unknown(reply.unknown))
    return {
        name: Unknown("absent") if value is None else value
        for name, value in zip(names, reply.value)
    }


def _kernel_word(machine: Machine, path: str) -> str:
    try:
        return machine.text(path).strip()
    except OSError:
        return ""


def _listed_below(machine: Machine, folder: str) -> List[str]:
    try:
        return sorted(os.listdir(machine.root + folder))
    except OSError:
        return []


def probe_gpu_links(machine: Machine) -> Findings:
    """GPUs that do not answer on the PCI bus, and those whose link is narrower than it can be.

    The configuration space of a GPU that fell off the bus reads as ones.
    """
    names = ("gpu.pci.gone", "gpu.pci.narrow", "gpu.pci.errors")
    return _asked(machine, "pci", names, lambda: _gpu_links(machine))


def _gpu_links(machine: Machine) -> List[List[str]]:
    gone, narrow, errors = [], [], []
    for name in os.listdir(machine.root + _DEVICES):
        place = _DEVICES + name + "/"
        if _kernel_word(machine, place + "vendor") not in (_NVIDIA_VENDOR, _AMD_VENDOR):
            continue
        if not _kernel_word(machine, place + "class").startswith(_GPU_CLASSES):
            continue
        if _config(machine, place, 4) == b"\xff" * 4:
            gone.append(name)
            continue
        width = _kernel_word(machine, place + "current_link_width")
        most = _kernel_word(machine, place + "max_link_width")
        if width.isdigit() and most.isdigit() and 0 < int(width) < int(most):
            narrow.append("{}: {} of {} lanes".format(name, width, most))
        for kind in ("aer_dev_fatal", "aer_dev_nonfatal"):
            total = _kernel_word(machine, place + kind).rpartition("TOTAL_ERR_")[2].split()
            if len(total) == 2 and total[1].isdigit() and int(total[1]):
                errors.append("{}: {} {} errors".format(name, total[1], kind[8:]))
    return [sorted(gone), sorted(narrow), sorted(errors)]


def _config(machine: Machine, place: str, size: int) -> bytes:
    try:
        with open(machine.root + place + "config", "rb", buffering=0) as file:
            return file.read(size)
    except OSError:
        return b""


def probe_fabric(machine: Machine) -> Findings:
    """Whether the fabric manager runs, without which GPUs behind NVSwitches refuse CUDA."""
    names = ("gpu.nvswitches", "gpu.fabric_manager")
    return _asked(machine, "processes", names, lambda: _fabric(machine))


def _fabric(machine: Machine) -> List[Any]:
    switches = len(_listed_below(machine, "/proc/driver/nvidia-nvswitch/devices"))
    if not os.path.isdir(machine.root + "/proc/driver/nvidia"):
        return [None, None]
    names = (name for name in os.listdir(machine.root + "/proc") if name.isdigit())
    runs = any(
        _kernel_word(machine, "/proc/{}/comm".format(pid)) in _FABRIC_MANAGERS for pid in names
    )
    return [switches, runs]


def probe_iommu(machine: Machine) -> Findings:
    """Whether an IOMMU or ACS sends the traffic between GPUs through the processor.

    Both can make direct transfers between GPUs hang or crawl.
    """
    words = machine.text("/proc/cmdline").split()
    told = [word for word in words if word.partition("=")[0] in _IOMMU_WORDS]
    units = _listed_below(machine, "/sys/class/iommu")
    acs = machine.children.ask("pci", _SECONDS_OF_BUS, lambda: _acs_bridges(machine))
    return {
        "iommu.on": bool(units),
        "iommu.words": told,
        "pci.acs": acs.value if acs.unknown is None else Unknown(acs.unknown),
    }


def _acs_bridges(machine: Machine) -> List[str]:
    found, refused = [], True
    for name in sorted(os.listdir(machine.root + _DEVICES)):
        place = _DEVICES + name + "/"
        if not _kernel_word(machine, place + "class").startswith(_BRIDGE):
            continue
        space = _config(machine, place, 4096)
        refused = refused and len(space) <= _FIRST_EXTENDED
        if _validates_source(space):
            found.append(name)
    if refused and not found:
        raise PermissionError(13, "no right")
    return found


def _validates_source(space: bytes) -> bool:
    """Find ACS in the list of extended capabilities, and read whether it is switched on."""
    at, seen = _FIRST_EXTENDED, set()
    while at and at not in seen and at + 8 <= len(space):
        seen.add(at)
        head = int.from_bytes(space[at : at + 4], "little")
        if head & 0xFFFF == _ACS:
            return bool(space[at + _ACS_CONTROL] & _SOURCE_VALIDATION)
        at = head >> 20
    return False


def probe_memory_errors(machine: Machine) -> Findings:
    """Errors of the host's memory that its controllers have counted since boot."""
    names = ("memory.ecc.corrected", "memory.ecc.uncorrected")
    return _asked(machine, "edac", names, lambda: _memory_errors(machine))


def _memory_errors(machine: Machine) -> List[Optional[int]]:
    base = "/sys/devices/system/edac/mc/"
    found = []
    for kind in ("ce_count", "ue_count"):
        counts = [
            _kernel_word(machine, base + name + "/" + kind) for name in _listed_below(machine, base)
        ]
        known = [int(count) for count in counts if count.isdigit()]
        found.append(sum(known) if known else None)
    return found


def read_heat_before(machine: Machine) -> None:
    """Keep how often the processors were slowed down for heat."""
    reply = machine.children.ask("heat", _SECONDS_OF_BUS, lambda: _throttle_counts(machine))
    if reply.unknown is None:
        machine.remember("heat", reply.value)


def probe_heat(machine: Machine) -> Findings:
    """How often processors were slowed down for their heat between two looks."""
    reply = machine.children.ask("heat", _SECONDS_OF_BUS, lambda: _throttle_counts(machine))
    if reply.unknown is not None or not reply.value:
        return {"cpu.heat_throttles": Unknown(reply.unknown or "absent")}
    before = machine.earlier("heat")
    if before is None:
        return {"cpu.heat_throttles": Unknown("looked at once only")}
    return {"cpu.heat_throttles": sum(reply.value) - sum(before[1])}


def _throttle_counts(machine: Machine) -> List[int]:
    base = "/sys/devices/system/cpu/"
    paths = [
        base + name + "/thermal_throttle/core_throttle_count"
        for name in _listed_below(machine, base)
        if name[3:].isdigit()
    ]
    texts = [_kernel_word(machine, path) for path in paths]
    return [int(text) for text in texts if text.isdigit()]


def probe_amd(machine: Machine) -> Findings:
    """Load and memory of AMD GPUs, as their driver tells without a program."""
    names = ("gpu.amd.count", "gpu.amd.states")
    return _asked(machine, "amdgpu", names, lambda: _amd(machine))


def _amd(machine: Machine) -> List[Any]:
    states: List[str] = []
    base = "/sys/class/drm/"
    for card in _listed_below(machine, base):
        place = base + card + "/device/"
        if not card[4:].isdigit() or _kernel_word(machine, place + "vendor") != _AMD_VENDOR:
            continue
        told: Dict[str, str] = {
            "load {} %": _kernel_word(machine, place + "gpu_busy_percent"),
            "{} bytes used": _kernel_word(machine, place + "mem_info_vram_used"),
            "of {} bytes": _kernel_word(machine, place + "mem_info_vram_total"),
        }
        parts = [words.format(value) for words, value in told.items() if value.isdigit()]
        states.append("{}: {}".format(card, ", ".join(parts) or "tells nothing"))
    return [len(states), states] if states else [None, None]
