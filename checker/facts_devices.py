"""The facts of storage, GPUs and the processes of a run."""

from typing import Dict

from checker.fact_kind import FactKind


def storage_kinds() -> Dict[str, FactKind]:
    """Describe storage and what a run keeps on it."""
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
        "nfs.mounts": FactKind(
            "list", "", False, "NFS mounts with their requests and timeouts so far."
        ),
        "nfs.silent": FactKind(
            "list",
            "",
            False,
            "NFS mounts on which something was asked between the looks and nothing answered.",
        ),
        "nfs.unreachable": FactKind(
            "list", "", False, "NFS servers whose port takes no connection, asked with `--network`."
        ),
        "lustre.health": FactKind(
            "text", "", False, "What Lustre says of itself: `healthy` or `NOT HEALTHY`."
        ),
        "lustre.lost": FactKind(
            "list", "", False, "Servers of Lustre with which this client is not fully connected."
        ),
        "gpfs.runs": FactKind(
            "truth", "", False, "The daemon of GPFS runs, where such a file system is mounted."
        ),
        "quota.exceeded": FactKind(
            "list",
            "",
            False,
            "File systems on which the user is over a quota, as `quota` prints them.",
        ),
        "checkpoint.age": FactKind(
            "number", "s", False, "How long ago the newest checkpoint was last written."
        ),
        "checkpoint.interval": FactKind("number", "s", True, "Usual time between two checkpoints."),
        "checkpoint.overdue": FactKind(
            "truth", "", False, "Three usual intervals have passed without a new checkpoint."
        ),
        "log.age": FactKind(
            "number", "s", False, "How long ago the logs of the run were last written."
        ),
        "log.grows": FactKind("truth", "", False, "A log of the run grew between the looks."),
        "extension.locks_left": FactKind(
            "list", "", False, "Locks of builds of torch's extensions that no process has open."
        ),
    }


def gpu_kinds() -> Dict[str, FactKind]:
    """Describe GPUs and the buses that they hang on."""
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
        "gpu.throttled": FactKind(
            "list",
            "",
            False,
            "GPUs that are slowed down by heat, their power supply or their hardware.",
        ),
        "gpu.ecc.corrected": FactKind(
            "number", "errors", True, "Corrected memory errors of all GPUs since the driver load."
        ),
        "gpu.pci.gone": FactKind(
            "list", "", False, "GPUs that the PCI bus lists and that do not answer on it."
        ),
        "gpu.pci.narrow": FactKind(
            "list", "", False, "GPUs whose link has fewer lanes than it can have."
        ),
        "gpu.pci.errors": FactKind(
            "list", "", True, "GPUs with uncorrected errors of their PCI link."
        ),
        "gpu.foreign": FactKind(
            "list", "", False, "Processes that hold GPU memory and are not seen on this machine."
        ),
        "gpu.nvswitches": FactKind(
            "number", "switches", False, "NVSwitches that the driver knows."
        ),
        "gpu.fabric_manager": FactKind(
            "truth", "", False, "The fabric manager runs; known where NVIDIA's driver is loaded."
        ),
        "gpu.amd.count": FactKind("number", "GPUs", False, "AMD GPUs that their driver knows."),
        "gpu.amd.states": FactKind("list", "", False, "Load and memory of each AMD GPU."),
        "iommu.on": FactKind("truth", "", True, "An IOMMU is in use."),
        "iommu.words": FactKind(
            "list", "", True, "Words of the kernel's command line about the IOMMU."
        ),
        "pci.acs": FactKind(
            "list",
            "",
            True,
            "PCI bridges that send traffic between devices through the processor (ACS).",
        ),
    }


def process_kinds() -> Dict[str, FactKind]:
    """Describe the processes of a run."""
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
            "`dead`, `gone`, `working`, `waits-for-peer`, `waits-for-lock`, `waits-in-collective`, "
            "`waits-for-child`, `sleeps`, `throttled` or `unclear`.",
            True,
        ),
        "child.dead": FactKind(
            "number",
            "",
            False,
            "Id of a child of a rank that is dead and not asked how it ended.",
            True,
        ),
        "job.scheduler": FactKind(
            "text",
            "",
            True,
            "Who started the run: `slurm`, `pbs`, `lsf`, `grid engine`, `kubernetes` or `none`.",
        ),
        "job.id": FactKind("text", "", True, "Its number or name there."),
        "ranks.missing": FactKind(
            "list",
            "",
            False,
            "Ranks of this host that their launcher had started and that are gone.",
        ),
        "library.loaded": FactKind(
            "list", "", False, "Libraries of CUDA, NCCL and the network that the ranks have loaded."
        ),
        "library.copies": FactKind(
            "list", "", False, "Libraries of which one process has loaded two copies."
        ),
        "library.foreign": FactKind(
            "list",
            "",
            False,
            "Libraries loaded from elsewhere although the packages of that Python bring one.",
        ),
        "process.files_left": FactKind(
            "number", "files", False, "Files that the process may still open.", True
        ),
    }


def plan_kinds() -> Dict[str, FactKind]:
    """Describe what is asked before a run, of its folder for checkpoints and its port."""
    return {
        "plan.free": FactKind("number", "bytes", False, "Free space of the checkpoint folder."),
        "plan.shortage": FactKind(
            "number",
            "bytes",
            False,
            "Space that the checkpoint folder lacks for two checkpoints of the size that was "
            "named: the new one is written before the old one is removed.",
        ),
        "plan.port": FactKind("number", "", True, "The master port of the run."),
        "plan.port_taken": FactKind(
            "truth", "", False, "A program on this machine listens on the master port."
        ),
        "plan.driver_too_old": FactKind(
            "truth", "", True, "The loaded NVIDIA driver is too old for the CUDA of torch."
        ),
    }
