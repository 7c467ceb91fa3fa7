"""What buses, memory controllers, processors and AMD GPUs tell, in constructed trees."""

from pathlib import Path

from tests.checker.probe.trees import facts_of, machine_of, second_facts_of, tree

PCI = "/sys/bus/pci/devices/0000:{}/"


def device(place: str, vendor: str, kind: str, **more: str) -> dict[str, str]:
    """The kernel's texts about one device."""
    told = {"vendor": vendor, "class": kind, **more}
    return {PCI.format(place) + name: text + "\n" for name, text in told.items()}


def test_gpus_on_the_bus(tmp_path: Path) -> None:
    """One fell off, one has half of its lanes, one counts errors; a sound function is no GPU."""
    lanes = {"current_link_width": "16", "max_link_width": "16"}
    narrow = {"current_link_width": "8", "max_link_width": "16"}
    errors = "Undefined 0\nDLP 2\nTOTAL_ERR_FATAL 2"
    files = {
        **device("17:00.0", "0x10de", "0x030200", config="\x00de10", **lanes),
        **device("18:00.0", "0x10de", "0x030200", config="ok12", **narrow),
        **device("19:00.0", "0x1002", "0x038000", config="ok12", aer_dev_fatal=errors),
        **device("19:00.1", "0x10de", "0x040300", config="ok12", **narrow),
    }
    machine = machine_of(tmp_path, files)
    (tmp_path / ("root" + PCI.format("17:00.0") + "config")).write_bytes(b"\xff" * 64)

    told = facts_of(machine, "gpu.pci")
    del told["gpu.pci.count"]
    assert told == {
        "gpu.pci.gone": ["0000:17:00.0"],
        "gpu.pci.narrow": ["0000:18:00.0: 8 of 16 lanes"],
        "gpu.pci.errors": ["0000:19:00.0: 2 fatal errors"],
    }


def test_the_fabric_manager(tmp_path: Path) -> None:
    """It is known only where the driver is loaded."""
    driver = {"/proc/driver/nvidia/version": "NVRM version\n"}
    switch = {"/proc/driver/nvidia-nvswitch/devices/0000:05:00.0": "x\n"}
    runs = {"/proc/812/comm": "nv-fabricmanage\n"}
    folders = [tmp_path / name for name in "abc"]

    assert facts_of(machine_of(folders[0], {**driver, **switch}), "gpu.nvs") == {
        "gpu.nvswitches": 1
    }
    assert facts_of(machine_of(folders[0], {**driver, **switch}), "gpu.fabric") == {
        "gpu.fabric_manager": False
    }
    assert facts_of(machine_of(folders[1], {**driver, **runs}), "gpu.fabric") == {
        "gpu.fabric_manager": True
    }
    assert facts_of(machine_of(folders[2], runs), "gpu.fabric") == {
        "gpu.fabric_manager": ("absent",)
    }


def extended_space(control: int) -> bytes:
    """A configuration space with AER, and behind it ACS with this control word."""
    aer = (0x0001 | 1 << 16 | 0x148 << 20).to_bytes(4, "little")
    acs = (0x000D | 1 << 16).to_bytes(4, "little") + b"\0\0" + control.to_bytes(2, "little")
    return (b"\0" * 0x100 + aer).ljust(0x148, b"\0") + acs.ljust(64, b"\0")


def test_what_sends_traffic_of_gpus_around(tmp_path: Path) -> None:
    """The IOMMU and its words, and bridges with ACS; without root the latter cannot be read."""
    files = {
        "/proc/cmdline": "BOOT_IMAGE=/vmlinuz iommu=pt quiet intel_iommu=on\n",
        "/sys/class/iommu/dmar0/x": "",
        **device("16:00.0", "0x8086", "0x060400"),
        **device("17:00.0", "0x8086", "0x060400"),
    }
    machine = machine_of(tmp_path, files)
    root = tmp_path / "root"
    for place in ("16:00.0", "17:00.0"):
        (root / (PCI.format(place) + "config").lstrip("/")).write_bytes(bytes(64))
    refused = facts_of(machine, "pci.acs")
    for place, control in (("16:00.0", 0x1D), ("17:00.0", 0)):
        target = root / (PCI.format(place) + "config").lstrip("/")
        target.write_bytes(extended_space(control))

    assert refused == {"pci.acs": ("no right",)}
    assert facts_of(machine, "pci.acs") == {"pci.acs": ["0000:16:00.0"]}
    assert facts_of(machine, "iommu.") == {
        "iommu.on": True,
        "iommu.words": ["iommu=pt", "intel_iommu=on"],
    }


def test_errors_of_the_hosts_memory(tmp_path: Path) -> None:
    """The controllers' counts are added up."""
    base = "/sys/devices/system/edac/mc/mc{}/{}_count"
    files = {base.format(n, kind): f"{n + 1}\n" for n in range(2) for kind in ("ce", "ue")}

    assert facts_of(machine_of(tmp_path, files), "memory.ecc") == {
        "memory.ecc.corrected": 3,
        "memory.ecc.uncorrected": 3,
    }


def test_processors_that_are_slowed_down_for_heat(tmp_path: Path) -> None:
    """Only what is counted between the looks says something of now."""
    path = "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
    machine = machine_of(tmp_path, {path: "100\n"})

    assert facts_of(machine, "cpu.heat") == {"cpu.heat_throttles": ("looked at once only",)}
    told = second_facts_of(
        machine, "cpu.heat", lambda: str(tree(tmp_path / "root", {path: "104\n"})) and None
    )
    assert told == {"cpu.heat_throttles": 4}


def test_amd_gpus(tmp_path: Path) -> None:
    """What their driver does not tell is left out; an output of a card is none."""
    files = {
        "/sys/class/drm/card0/device/vendor": "0x1002\n",
        "/sys/class/drm/card0/device/gpu_busy_percent": "97\n",
        "/sys/class/drm/card0/device/mem_info_vram_used": "1024\n",
        "/sys/class/drm/card0-DP-1/device/vendor": "0x1002\n",
        "/sys/class/drm/card1/device/vendor": "0x10de\n",
    }

    assert facts_of(machine_of(tmp_path, files), "gpu.amd") == {
        "gpu.amd.count": 1,
        "gpu.amd.states": ["card0: load 97 %, 1024 bytes used"],
    }
