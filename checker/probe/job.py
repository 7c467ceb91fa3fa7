"""The run that is looked at: its processes, and what they have open, for probes that ask of it."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from checker.probe.children import Reply
from checker.probe.machine import Machine
from checker.probe.open_files import Holdings
from checker.probe.processes import TrainingProcess

_SECONDS_OF_PATH = 3.0


class LiveJob(NamedTuple):
    """The processes of a run on this machine."""

    processes: Tuple[TrainingProcess, ...]
    holdings: Dict[int, Holdings]
    logs: Tuple[str, ...] = ()
    """Its logs that can be read, as the checker reaches them."""

    @property
    def ranks(self) -> List[TrainingProcess]:
        """List the processes that train."""
        return [one for one in self.processes if one.role == "rank"]


NO_LIVE_JOB = LiveJob((), {})


def name_of(process: TrainingProcess) -> str:
    """Name a process as rows of facts do."""
    rank = "" if process.rank is None else "rank {}, ".format(process.rank)
    return "{}process {} ({})".format(rank, process.pid, process.title)


def ask_on_mount(
    machine: Machine, held: Optional[Holdings], path: str, work: Callable[[str], Any]
) -> Reply:
    """Call *work* with a path of a process as the checker reaches it, in the child of its mount.

    What lies on a mount that did not answer before is not touched again.
    """
    mount = held.mount_of(path) if held is not None and path.startswith("/") else None
    if held is None or mount is None:
        return Reply(None, "the mount of {} is not known".format(path))
    place = machine.root + held.prefix + path
    return machine.children.ask("mount " + mount.device, _SECONDS_OF_PATH, lambda: work(place))
