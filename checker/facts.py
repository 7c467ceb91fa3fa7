"""The facts that entries may ask for: their type, their unit and how long they hold."""

from typing import Dict, NamedTuple


class FactKind(NamedTuple):
    """What a fact of one name means."""

    type: str
    """`text`, `number`, `truth` or `list`."""
    unit: str
    """Empty where there is none."""
    lasting: bool
    """Holds since boot or until changed by hand; a fact that does not last says nothing of a
    run that has ended."""
    meaning: str
    of_process: bool = False
    """Told of one process after another; it is about the rank of each."""


def fact_kinds() -> Dict[str, FactKind]:
    """List what the facts mean, by name; a function, since few runs need it."""
    return {
        **_system_kinds(),
        **_memory_kinds(),
        **_limit_kinds(),
        **_storage_kinds(),
        **_gpu_kinds(),
        **_process_kinds(),
    }


def _system_kinds() -> Dict[str, FactKind]:
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
    }


def _memory_kinds() -> Dict[str, FactKind]:
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
            "number", "bytes", True, "The tightest memory limit of the checker's own cgroups."
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
    }


def _limit_kinds() -> Dict[str, FactKind]:
    return {
        "pids.cgroup.limit": FactKind(
            "number", "tasks", True, "The tightest limit on tasks of the checker's own cgroups."
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
            "number", "files", True, "Files that one process of the checker's shell may open."
        ),
        "limit.processes": FactKind(
            "number", "tasks", True, "Tasks that the user of the checker's shell may have."
        ),
        "limit.locked_memory": FactKind(
            "number", "bytes", True, "Memory that one process of the checker's shell may lock."
        ),
    }


def _storage_kinds() -> Dict[str, FactKind]:
    return {
        "mounts.network": FactKind(
            "list", "", True, "Mounts of network and user-space file systems, with their type."
        ),
        "mounts.silent": FactKind("list", "", False, "Mounts that did not answer in time."),
        "mounts.full": FactKind("list", "", False, "Writable mounts without free space."),
        "mounts.no_inodes": FactKind("list", "", False, "Writable mounts without a free inode."),
        "mounts.space": FactKind(
            "list", "", False, "Mounts that answered, with their free bytes and inodes."
        ),
        "shm.size": FactKind("number", "bytes", True, "Size of `/dev/shm`."),
        "shm.free": FactKind("number", "bytes", False, "Free space of `/dev/shm`."),
        "checkpoint.folder": FactKind(
            "text", "", True, "Folder into which the run writes its checkpoints."
        ),
        "checkpoint.mount.type": FactKind(
            "text", "", True, "File system type of the mount that holds the checkpoint folder."
        ),
        "checkpoint.mount.source": FactKind(
            "text", "", True, "What the kernel's mount table names as the source of that mount."
        ),
        "checkpoint.mount.answers": FactKind(
            "truth", "", False, "The mount that holds the checkpoint folder answered in time."
        ),
    }


def _gpu_kinds() -> Dict[str, FactKind]:
    return {
        "gpu.pci.count": FactKind("number", "GPUs", False, "NVIDIA GPUs on the PCI bus."),
        "gpu.driver.version": FactKind("text", "", True, "Version of the loaded NVIDIA driver."),
        "gpu.answers": FactKind("truth", "", False, "`nvidia-smi` answered in time."),
        "gpu.trouble": FactKind(
            "text", "", False, "What `nvidia-smi` said instead of an answer; empty if it answered."
        ),
        "gpu.count": FactKind("number", "GPUs", False, "GPUs that `nvidia-smi` listed."),
        "gpu.errors": FactKind(
            "list", "", False, "Fields that `nvidia-smi` could not read of a GPU, with its words."
        ),
        "gpu.states": FactKind(
            "list", "", False, "Load, memory, power and temperature of each GPU."
        ),
        "gpu.ecc.uncorrected": FactKind(
            "number", "errors", True, "Uncorrected memory errors of all GPUs since the driver load."
        ),
    }


def _process_kinds() -> Dict[str, FactKind]:
    return {
        "process.state": FactKind(
            "list",
            "",
            False,
            "Scheduler states (R, S, D, Z, T) of the main threads of the training processes.",
        ),
        "process.wait_point": FactKind(
            "list", "", False, "Kernel functions in which threads of the training processes wait."
        ),
        "process.count": FactKind(
            "number", "processes", False, "Training processes that run on the machine."
        ),
        "process.reading": FactKind(
            "text",
            "",
            False,
            "What two looks at a training process show: `storage-stall` (it waits for a file "
            "system that does not answer), `storage-wait`, `driver-stall`, `dead-child`, "
            "`starved-by-data`, `compiling`, `starting`, `stopped`, `frozen`, `cannot-end`, "
            "`dead`, `gone`, `working`, `waits-for-peer`, `waits-for-lock`, "
            "`waits-for-child`, `sleeps`, `throttled` or `unclear`.",
            True,
        ),
        "child.dead": FactKind(
            "list", "", False, "Process ids named in the logs that are gone or are zombies."
        ),
    }
