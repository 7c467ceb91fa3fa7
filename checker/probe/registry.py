"""The probes: the one list of them. A machine enters, and a run that is on it; facts leave."""

from typing import Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from checker.model import Fact
from checker.probe.children import why_refused
from checker.probe.control_groups import (
    probe_freezer,
    probe_memory_group,
    probe_processors,
    probe_task_group,
)
from checker.probe.gpus import probe_gpu_bus, probe_gpu_processes, probe_gpu_state
from checker.probe.hardware import (
    probe_amd,
    probe_fabric,
    probe_gpu_links,
    probe_heat,
    probe_iommu,
    probe_memory_errors,
    read_heat_before,
)
from checker.probe.host import (
    probe_limits,
    probe_memory,
    probe_pressure,
    probe_system,
    probe_uptime,
)
from checker.probe.installed import probe_libraries
from checker.probe.job import LiveJob
from checker.probe.kernel_log import probe_kernel_log
from checker.probe.machine import Findings, Machine, Unknown
from checker.probe.macos import mac_limits, mac_memory, mac_system, mac_uptime, plain_processors
from checker.probe.nccl_ras import probe_nccl_ras, read_ras_before
from checker.probe.network import (
    probe_cards,
    probe_hosts_file,
    probe_names,
    probe_ports,
    read_cards_before,
    read_ports_before,
)
from checker.probe.remote_storage import (
    probe_gpfs,
    probe_lustre,
    probe_nfs,
    probe_quota,
    read_nfs_before,
)
from checker.probe.run_files import (
    probe_checkpoints,
    probe_extension_locks,
    probe_logs,
    read_logs_before,
)
from checker.probe.sockets import probe_peers, probe_rendezvous, read_peers_before
from checker.probe.storage import probe_mounts, probe_shared_memory
from checker.probe.whereabouts import (
    probe_clock,
    probe_missing_ranks,
    probe_reboot,
    probe_scheduler,
)
from checker.probe.windows import (
    windows_drives,
    windows_memory,
    windows_system,
    windows_uptime,
)


class Probe(NamedTuple):
    """One look at the machine; the docstring of its function is its reference."""

    run: Callable[[Machine], Findings]
    gives: str
    """The names of its facts (see `checker.facts`), with spaces between."""
    blocks: bool
    """It asks what may never answer, in a child."""
    root_adds: str
    """What it would tell if root asked; empty where that is the same."""
    first: Optional[Callable[[Machine], None]] = None
    """Reads before what it compares with; it is then asked at the second look."""
    elsewhere: Mapping[str, Callable[[Machine], Findings]] = {}
    """What tells the same on systems other than Linux, as far as they tell it."""


class JobProbe(NamedTuple):
    """One look at a run; the docstring of its function is its reference."""

    run: Callable[[Machine, LiveJob], Findings]
    gives: str
    blocks: bool
    root_adds: str
    first: Optional[Callable[[Machine, LiveJob], None]] = None
    elsewhere: Sequence[str] = ()
    """Systems other than Linux on which it asks the same."""


_OTHER_USERS = "What belongs to processes of other users."


def probes() -> Tuple[Probe, ...]:
    """List the probes in the order in which they are asked: what cannot block comes first."""
    return (
        Probe(
            *(probe_uptime, "system.boot_time system.uptime", False, "", None),
            {"darwin": mac_uptime, "win32": windows_uptime},
        ),
        Probe(
            probe_memory,
            "memory.total memory.available memory.shared memory.committed memory.dirty "
            "memory.writeback memory.swap.total memory.swap.free memory.oom_kills",
            False,
            "",
            None,
            {"darwin": mac_memory, "win32": windows_memory},
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
            probe_processors,
            "cpu.count cpu.allowed cpu.cgroup.limit cpu.cgroup.throttled",
            False,
            "",
            None,
            {"darwin": plain_processors, "win32": plain_processors},
        ),
        Probe(probe_freezer, "cgroup.frozen", False, ""),
        Probe(
            probe_limits,
            "files.open files.limit threads.current threads.limit pids.limit limit.open_files "
            "limit.processes limit.locked_memory",
            False,
            "",
            None,
            {"darwin": mac_limits},
        ),
        Probe(
            *(probe_system, "system.kernel system.wsl system.container", True, "", None),
            {"darwin": mac_system, "win32": windows_system},
        ),
        Probe(probe_reboot, "system.rebooted", True, ""),
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
            None,
            {"darwin": probe_mounts, "win32": windows_drives},
        ),
        Probe(probe_shared_memory, "shm.size shm.free", True, ""),
        Probe(probe_gpu_bus, "gpu.pci.count gpu.driver.version", True, ""),
        Probe(
            probe_gpu_links,
            "gpu.pci.gone gpu.pci.narrow gpu.pci.errors",
            True,
            "",
        ),
        Probe(
            probe_gpu_state,
            "gpu.answers gpu.trouble gpu.count gpu.errors gpu.states gpu.throttled "
            "gpu.ecc.uncorrected gpu.ecc.corrected",
            True,
            "",
            None,
            {"win32": probe_gpu_state},
        ),
        Probe(probe_gpu_processes, "gpu.foreign", True, ""),
        Probe(probe_amd, "gpu.amd.count gpu.amd.states", True, ""),
        Probe(probe_fabric, "gpu.nvswitches gpu.fabric_manager", True, ""),
        Probe(
            probe_iommu,
            "iommu.on iommu.words pci.acs",
            True,
            "ACS, which stands in a part of the configuration space that only root can read.",
        ),
        Probe(probe_memory_errors, "memory.ecc.corrected memory.ecc.uncorrected", True, ""),
        Probe(probe_lustre, "lustre.health lustre.lost", True, "Servers that were lost."),
        Probe(probe_gpfs, "gpfs.runs", True, ""),
        Probe(probe_quota, "quota.exceeded", True, "Quotas of other users."),
        Probe(probe_hosts_file, "hosts.own_addresses hosts.own_loopback", True, ""),
        Probe(probe_names, "names.unknown", True, ""),
        Probe(probe_clock, "clock.synchronized clock.offset", True, ""),
        Probe(
            probe_cards,
            "network.down network.flaps network.errors tcp.retransmitted",
            True,
            "",
            read_cards_before,
        ),
        Probe(
            probe_ports,
            "ib.ports ib.down ib.link_downed ib.growing",
            True,
            "",
            read_ports_before,
        ),
        Probe(probe_heat, "cpu.heat_throttles", True, "", read_heat_before),
        Probe(probe_nfs, "nfs.mounts nfs.silent nfs.unreachable", True, "", read_nfs_before),
        Probe(
            *(probe_children, "probes.left", False, "", None),
            {"darwin": probe_children, "win32": probe_children},
        ),
    )


def job_probes() -> Tuple[JobProbe, ...]:
    """List the probes of a run that was found, in the order in which they are asked."""
    return (
        JobProbe(probe_scheduler, "job.scheduler job.id", False, ""),
        JobProbe(probe_missing_ranks, "ranks.missing", False, ""),
        JobProbe(
            probe_rendezvous,
            "rendezvous.port rendezvous.holder rendezvous.listens",
            True,
            _OTHER_USERS,
        ),
        JobProbe(
            probe_libraries,
            "library.loaded library.copies library.foreign",
            True,
            _OTHER_USERS,
        ),
        JobProbe(probe_extension_locks, "extension.locks_left", True, _OTHER_USERS),
        JobProbe(
            probe_checkpoints,
            "checkpoint.age checkpoint.interval checkpoint.overdue",
            True,
            "",
            None,
            ("darwin",),
        ),
        JobProbe(probe_nccl_ras, "nccl.ras", True, "", read_ras_before),
        JobProbe(probe_logs, "log.age log.grows", True, "", read_logs_before, ("darwin",)),
        JobProbe(probe_peers, "peers.silent peers.closed", True, _OTHER_USERS, read_peers_before),
    )


def probe_children(machine: Machine) -> Findings:
    """How many of the probes themselves could not be ended."""
    return {"probes.left": len(machine.children.left)}


def read_first(machine: Machine) -> None:
    """Read what those probes compare with that look twice."""
    for probe in probes():
        if probe.first is not None:
            _guarded(lambda probe=probe: probe.first(machine))  # type: ignore[misc]


def read_job_first(machine: Machine, job: LiveJob) -> None:
    """Read of a run what those probes compare with that look twice."""
    for probe in job_probes():
        if probe.first is not None:
            _guarded(lambda probe=probe: probe.first(machine, job))  # type: ignore[misc]


def _guarded(read: Callable[[], None]) -> None:
    """Read, or let the probe say later why it cannot."""
    try:  # noqa: SIM105 - what it would need costs every start
        read()
    except (OSError, ValueError, IndexError):
        pass


def probe_machine(machine: Machine, asked: Sequence[Probe]) -> List[Fact]:
    """Ask probes; each name that they give has a value, or why there is none."""
    return [fact for probe in asked for fact in _facts_of(probe.gives, _bound(machine, probe))]


def probe_job(machine: Machine, job: LiveJob, asked: Sequence[JobProbe]) -> List[Fact]:
    """Ask probes of a run; each name that they give has a value, or why there is none."""
    return [
        fact
        for probe in asked
        for fact in _facts_of(probe.gives, _bound_to_job(machine, job, probe))
    ]


def _bound(machine: Machine, probe: Probe) -> Optional[Callable[[], Findings]]:
    run = probe.run if machine.system == "linux" else probe.elsewhere.get(machine.system)
    return None if run is None else lambda: run(machine)


def _bound_to_job(
    machine: Machine, job: LiveJob, probe: JobProbe
) -> Optional[Callable[[], Findings]]:
    asks = machine.system in ("linux", *probe.elsewhere)
    return (lambda: probe.run(machine, job)) if asks else None


def _facts_of(gives: str, run: Optional[Callable[[], Findings]]) -> List[Fact]:
    told: Findings = {}
    reason = "absent" if run is not None else "not this system"
    try:
        told = {} if run is None else run()
    except OSError as error:
        reason = why_refused(error)
    except (ValueError, IndexError, KeyError, TypeError):
        reason = "not understood"
    return [_fact(name, told.get(name, Unknown(reason))) for name in gives.split()]


def _fact(name: str, value: object) -> Fact:
    if isinstance(value, Unknown):
        return Fact(name, None, value.reason, None)
    return Fact(name, value, None, None)
