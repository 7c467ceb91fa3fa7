"""The packages that a run would use, and whether the driver suffices for them: facts leave.

It is the Python of the environment that is active, else the one that runs the checker. Nothing of
it is imported, and no path is touched before its mount answered.
"""

import os
import sys
from typing import Dict, List, Optional

from checker.lazy_patterns import lazy_pattern
from checker.model import Fact
from checker.probe.installed import distributions_in
from checker.probe.machine import Machine
from checker.probe.mount_table import mount_of
from checker.probe.storage import ask_mount

_SECONDS_FOR_PACKAGES = 3.0
_CUDA_OF_BUILD = lazy_pattern(r"\+cu(\d{2})\d{1,2}$")
_CUDA_OF_WHEELS = ("nvidia-nccl-cu", "nvidia-cudnn-cu")
_OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}
"""The major release of CUDA, and of the drivers that run it."""


def package_facts(machine: Machine, prefix: Optional[str] = None) -> List[Fact]:
    """List the versions of packages, and compare torch's CUDA with the loaded driver."""
    versions = _installed_below(machine, prefix or _prefix_of_plan())
    facts = [Fact("version " + name, version, None, None) for name, version in versions.items()]
    return [*facts, _driver_fact(machine, versions)]


def _prefix_of_plan() -> str:
    return os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX") or sys.prefix


def _installed_below(machine: Machine, prefix: str) -> Dict[str, str]:
    try:
        mount = mount_of(prefix, machine.mounts())
    except OSError:
        return {}
    if mount is None or ask_mount(machine, mount).silent:
        return {}
    place = machine.root + prefix

    def _found() -> Dict[str, str]:
        told: Dict[str, str] = {}
        for name in sorted(os.listdir(place + "/lib")):
            for site in ("site-packages", "dist-packages"):
                folder = "{}/lib/{}/{}".format(place, name, site)
                if name.startswith("python3") and os.path.isdir(folder):
                    told.update(distributions_in(folder))
        return told

    reply = machine.children.ask("packages " + prefix, _SECONDS_FOR_PACKAGES, _found)
    return dict(sorted((reply.value or {}).items()))


def _driver_fact(machine: Machine, versions: Dict[str, str]) -> Fact:
    name = "plan.driver_too_old"
    needed = _OLDEST_DRIVER.get(_cuda_of(versions))
    if needed is None:
        return Fact(name, None, "no torch with a known CUDA is installed", None)
    try:
        loaded = machine.text("/sys/module/nvidia/version").strip().partition(".")[0]
    except OSError:
        return Fact(name, None, "no NVIDIA driver is loaded", None)
    if not loaded.isdigit():
        return Fact(name, None, "not understood", None)
    return Fact(name, int(loaded) < needed, None, None)


def _cuda_of(versions: Dict[str, str]) -> int:
    """Tell the major release of CUDA that torch was built with; 0 where nothing tells."""
    found = _CUDA_OF_BUILD.search(versions.get("torch", ""))
    if found is not None:
        return int(found.group(1))
    if "torch" not in versions or "+" in versions["torch"]:
        return 0
    ends = [name[-2:] for name in versions if name.startswith(_CUDA_OF_WHEELS)]
    return max((int(end) for end in ends if end.isdigit()), default=0)
