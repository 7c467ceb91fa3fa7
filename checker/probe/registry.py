"""The probes: the one list of them. A machine enters, facts leave."""

import sys
from typing import Callable, List, NamedTuple, Sequence, Tuple

from checker.model import Fact
from checker.probe.children import why_refused
from checker.probe.control_groups import probe_memory_group, probe_task_group
from checker.probe.gpus import probe_gpu_bus, probe_gpu_state
from checker.probe.host import (
    probe_limits,
    probe_memory,
    probe_pressure,
    probe_system,
    probe_uptime,
)
from checker.probe.kernel_log import probe_kernel_log
from checker.probe.machine import Findings, Machine, Unknown
from checker.probe.storage import probe_mounts, probe_shared_memory


class Probe(NamedTuple):
    """One look at the machine; the docstring of its function is its reference."""

    run: Callable[[Machine], Findings]
    gives: str
    """The names of its facts (see `checker.facts`), with spaces between."""
    blocks: bool
    """It asks what may never answer, in a child."""
    root_adds: str
    """What it would tell if root asked; empty where that is the same."""


def probes() -> Tuple[Probe, ...]:
    """List the probes in the order in which they are asked: what cannot block comes first."""
    return (
        Probe(probe_uptime, "system.boot_time system.uptime", False, ""),
        Probe(
            probe_memory,
            "memory.total memory.available memory.shared memory.committed memory.dirty "
            "memory.writeback memory.swap.total memory.swap.free memory.oom_kills",
            False,
            "",
        ),
        Probe(probe_pressure, "pressure.memory pressure.io pressure.cpu", False, ""),
        Probe(
            probe_memory_group,
            "memory.cgroup.limit memory.cgroup.current memory.cgroup.peak "
            "memory.cgroup.limit_hits memory.cgroup.oom_kills",
            False,
            "",
        ),
        Probe(
            probe_task_group,
            "pids.cgroup.limit pids.cgroup.current pids.cgroup.refused",
            False,
            "",
        ),
        Probe(
            probe_limits,
            "files.open files.limit threads.current threads.limit pids.limit limit.open_files "
            "limit.processes limit.locked_memory",
            False,
            "",
        ),
        Probe(probe_system, "system.kernel system.wsl system.container", True, ""),
        Probe(
            probe_kernel_log,
            "kernel.log",
            True,
            "The log, where the kernel shows it to root only (`kernel.dmesg_restrict`).",
        ),
        Probe(
            probe_mounts,
            "mounts.network mounts.silent mounts.full mounts.no_inodes mounts.space",
            True,
            "Mounts that other users have made for themselves alone.",
        ),
        Probe(probe_shared_memory, "shm.size shm.free", True, ""),
        Probe(probe_gpu_bus, "gpu.pci.count gpu.driver.version", True, ""),
        Probe(
            probe_gpu_state,
            "gpu.answers gpu.trouble gpu.count gpu.errors gpu.states gpu.ecc.uncorrected",
            True,
            "",
        ),
        Probe(probe_children, "probes.left", False, ""),
    )


def probe_children(machine: Machine) -> Findings:
    """How many of the probes themselves could not be ended."""
    return {"probes.left": len(machine.children.left)}


def probe_machine(machine: Machine, asked: Sequence[Probe]) -> List[Fact]:
    """Ask probes; each name that they give has a value, or why there is none."""
    return [fact for probe in asked for fact in _facts_of(probe, machine)]


def _facts_of(probe: Probe, machine: Machine) -> List[Fact]:
    told: Findings = {}
    reason = "absent"
    try:
        if machine.root or sys.platform == "linux":
            told = probe.run(machine)
        else:
            reason = "not this system"
    except OSError as error:
        reason = why_refused(error)
    except (ValueError, IndexError):
        reason = "not understood"
    return [_fact(name, told.get(name, Unknown(reason))) for name in probe.gives.split()]


def _fact(name: str, value: object) -> Fact:
    if isinstance(value, Unknown):
        return Fact(name, None, value.reason, None)
    return Fact(name, value, None, None)
