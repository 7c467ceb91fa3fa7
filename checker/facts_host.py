"""The facts of a host: its system, memory, limits and network."""

from typing import Dict

from checker.fact_kind import FactKind


def system_kinds() -> Dict[str, FactKind]:
    """Describe the system."""
    return {
        "system.wsl": FactKind("truth", "", True, "The machine is a WSL2 guest."),
        "system.kernel": FactKind("text", "", True, "Release of the running kernel."),
        "system.container": FactKind(
            "text", "", True, "Kind of the container that the checker ran in, or `none`."
        ),
        "system.boot_time": FactKind(
            "number", "s", True, "When the machine booted, in seconds since 1970."
        ),
        "system.uptime": FactKind("number", "s", False, "How long the machine has been up."),
        "probes.left": FactKind(
            "number", "probes", False, "Probes that wait in the kernel and cannot be ended."
        ),
        "kernel.log": FactKind("text", "", False, "The way by which the kernel log was read."),
        "system.rebooted": FactKind(
            "truth", "", True, "The machine has booted since the named logs were last written."
        ),
        "clock.synchronized": FactKind("truth", "", False, "The clock follows a time server."),
        "clock.offset": FactKind(
            "number", "s", False, "How far off the clock is, as its time service says."
        ),
        "cpu.count": FactKind("number", "processors", True, "Processors of the machine."),
        "cpu.allowed": FactKind(
            "number", "processors", False, "Processors on which the process may run."
        ),
        "cpu.cgroup.limit": FactKind(
            "number", "processors", True, "Processors that the cgroups let it fill."
        ),
        "cpu.cgroup.throttled": FactKind(
            "number", "%", False, "Share of the periods in which its cgroup was held back."
        ),
        "cpu.heat_throttles": FactKind(
            "number",
            "times",
            False,
            "How often processors were slowed down for heat between the looks.",
        ),
        "cgroup.frozen": FactKind("truth", "", False, "The cgroup of the process is frozen."),
    }


def memory_kinds() -> Dict[str, FactKind]:
    """Describe memory and what waited for it."""
    return {
        "memory.total": FactKind("number", "bytes", True, "Memory of the machine."),
        "memory.available": FactKind(
            "number", "bytes", False, "Memory that programs can still get without swapping."
        ),
        "memory.shared": FactKind(
            "number", "bytes", False, "Memory in tmpfs and shared segments, such as `/dev/shm`."
        ),
        "memory.committed": FactKind("number", "bytes", False, "Memory promised to programs."),
        "memory.dirty": FactKind("number", "bytes", False, "Data that waits to be written."),
        "memory.writeback": FactKind("number", "bytes", False, "Data that is being written."),
        "memory.swap.total": FactKind("number", "bytes", True, "Swap space of the machine."),
        "memory.swap.free": FactKind("number", "bytes", False, "Swap space that is free."),
        "memory.oom_kills": FactKind(
            "number", "kills", True, "Processes that the kernel has killed for memory since boot."
        ),
        "memory.cgroup.limit": FactKind(
            "number",
            "bytes",
            True,
            "The tightest memory limit of the cgroups of the run, or of the checker.",
        ),
        "memory.cgroup.current": FactKind(
            "number", "bytes", False, "Memory that the cgroup with that limit uses."
        ),
        "memory.cgroup.peak": FactKind(
            "number", "bytes", True, "The most memory that this cgroup has used."
        ),
        "memory.cgroup.limit_hits": FactKind(
            "number", "times", True, "How often this cgroup has run into its limit."
        ),
        "memory.cgroup.oom_kills": FactKind(
            "number", "kills", True, "Processes that the memory cgroup's limit has killed so far."
        ),
        "pressure.memory": FactKind(
            "number", "%", False, "Share of a minute in which all work waited for memory."
        ),
        "pressure.io": FactKind(
            "number", "%", False, "Share of a minute in which all work waited for disks."
        ),
        "pressure.cpu": FactKind(
            "number", "%", False, "Share of a minute in which some work waited for a processor."
        ),
        "memory.ecc.corrected": FactKind(
            "number", "errors", True, "Errors of the host's memory that were corrected since boot."
        ),
        "memory.ecc.uncorrected": FactKind(
            "number",
            "errors",
            True,
            "Errors of the host's memory that were not corrected since boot.",
        ),
    }


def limit_kinds() -> Dict[str, FactKind]:
    """Describe limits."""
    return {
        "pids.cgroup.limit": FactKind(
            "number",
            "tasks",
            True,
            "The tightest limit on tasks of the cgroups of the run, or of the checker.",
        ),
        "pids.cgroup.current": FactKind(
            "number", "tasks", False, "Tasks in the cgroup with that limit."
        ),
        "pids.cgroup.refused": FactKind(
            "number", "times", True, "How often this cgroup refused to start a task."
        ),
        "threads.current": FactKind("number", "threads", False, "Threads on the machine."),
        "threads.limit": FactKind("number", "threads", True, "Threads the kernel allows."),
        "pids.limit": FactKind("number", "ids", True, "Process and thread ids there are."),
        "files.open": FactKind("number", "files", False, "Files open on the whole machine."),
        "files.limit": FactKind("number", "files", True, "Files the whole machine can open."),
        "limit.open_files": FactKind(
            "number",
            "files",
            True,
            "Files that one process of the run, or of the checker, may open.",
        ),
        "limit.processes": FactKind(
            "number", "tasks", True, "Tasks that the user of the run, or of the checker, may have."
        ),
        "limit.locked_memory": FactKind(
            "number",
            "bytes",
            True,
            "Memory that one process of the run, or of the checker, may lock.",
        ),
    }


def network_kinds() -> Dict[str, FactKind]:
    """Describe network cards, ports and peers."""
    return {
        "network.down": FactKind(
            "list", "", False, "Network cards that are switched on and have no link."
        ),
        "network.flaps": FactKind(
            "list", "", False, "Network cards whose link changed between the looks."
        ),
        "network.errors": FactKind(
            "list", "", False, "Error counters of network cards that grew between the looks."
        ),
        "tcp.retransmitted": FactKind(
            "number", "%", False, "Share of TCP segments that were sent again between the looks."
        ),
        "ib.ports": FactKind("list", "", False, "InfiniBand and RoCE ports with their states."),
        "ib.down": FactKind("list", "", False, "InfiniBand and RoCE ports that are not active."),
        "ib.link_downed": FactKind(
            "number",
            "times",
            True,
            "How often the links of these ports were lost since their counters began.",
        ),
        "ib.growing": FactKind(
            "list", "", False, "Error counters of these ports that grew between the looks."
        ),
        "hosts.own_addresses": FactKind(
            "list", "", True, "Addresses of this host's own name in `/etc/hosts`."
        ),
        "hosts.own_loopback": FactKind(
            "truth", "", True, "`/etc/hosts` leads the host's own name to loopback addresses only."
        ),
        "names.unknown": FactKind(
            "list", "", False, "Names that the resolver does not know, asked with `--network`."
        ),
        "rendezvous.port": FactKind(
            "number", "port", False, "Port at which the ranks meet, or torch's default."
        ),
        "rendezvous.holder": FactKind(
            "text", "", False, "Who listens at that port of this host; empty where nobody does."
        ),
        "rendezvous.listens": FactKind(
            "truth",
            "",
            False,
            "Somebody listens at the port at which the ranks meet; known on the host of rank 0.",
        ),
        "peers.silent": FactKind(
            "list",
            "",
            False,
            "Peers of ranks that took no connection or confirmed nothing in both looks.",
        ),
        "peers.closed": FactKind(
            "list",
            "",
            False,
            "Peers that have closed a connection which their rank still holds, in both looks.",
        ),
        "nccl.ras": FactKind("list", "", False, "What NCCL's RAS service calls wrong."),
    }
