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


FACTS: Dict[str, FactKind] = {
    "system.wsl": FactKind("truth", "", True, "The machine is a WSL2 guest."),
    "checkpoint.mount.type": FactKind(
        "text", "", True, "File system type of the mount that holds the checkpoint folder."
    ),
    "checkpoint.mount.source": FactKind(
        "text", "", True, "What the kernel's mount table names as the source of that mount."
    ),
    "checkpoint.mount.answers": FactKind(
        "truth", "", False, "The mount that holds the checkpoint folder answered in time."
    ),
    "process.state": FactKind(
        "list",
        "",
        False,
        "Scheduler states (R, S, D, Z, T) of the main threads of the training processes.",
    ),
    "process.wait_point": FactKind(
        "list", "", False, "Kernel functions in which threads of the training processes wait."
    ),
    "child.dead": FactKind(
        "list", "", False, "Process ids named in the logs that are gone or are zombies."
    ),
    "memory.cgroup.oom_kills": FactKind(
        "number", "kills", True, "Processes that the memory cgroup's limit has killed so far."
    ),
    "memory.oom_kills": FactKind(
        "number", "kills", True, "Processes that the kernel has killed for memory since boot."
    ),
}
