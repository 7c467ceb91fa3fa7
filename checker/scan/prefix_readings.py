"""How prefixes are read: what a matched prefix says of its line is kept in a `Peeled`."""

import re
from typing import Callable, Dict, List, Optional

from checker.lazy_patterns import lazy_pattern
from checker.model import Moment
from checker.scan.moments import wall_moment

LEVELS: Dict[str, str] = {
    "D": "DEBUG",
    "I": "INFO",
    "W": "WARNING",
    "E": "ERROR",
    "F": "FATAL",
    "TRACE": "DEBUG",
    "WARN": "WARNING",
    "CRITICAL": "FATAL",
    "DEBUG": "DEBUG",
    "INFO": "INFO",
    "NOTICE": "INFO",
    "WARNING": "WARNING",
    "ERROR": "ERROR",
    "FATAL": "FATAL",
}
_AGENT_FILES = (
    "torch/distributed/elastic/",
    "torch/distributed/run.py",
    "torch/distributed/launch",
)
LEVEL_PATTERN = r"(TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)"

# Ray prints once what several workers say, and tells so at the end of the line.
_RAY_REPEATED = lazy_pattern(
    r" \[repeated \d{1,9}x across cluster\](?: \(Ray deduplicates logs by default\..{0,400})?$"
)
_NUMBER = lazy_pattern(r"[0-9]{1,18}$")


class Peeled:
    """What the prefixes of one line said."""

    __slots__ = (
        "host",
        "level",
        "local_rank",
        "moment",
        "names",
        "other_moment",
        "pid",
        "rank",
        "shown",
        "source",
        "task",
        "text",
    )

    def __init__(self, text: str) -> None:
        """Begin with the whole line."""
        self.text = text
        self.shown = text
        """The line as a person would have seen it: outside a record, or inside one."""
        self.source: Optional[str] = None
        self.rank: Optional[int] = None
        self.local_rank: Optional[int] = None
        self.task: Optional[int] = None
        self.host: Optional[str] = None
        self.pid: Optional[int] = None
        self.moment: Optional[Moment] = None
        self.other_moment: Optional[Moment] = None
        """Of another clock."""
        self.level: Optional[str] = None
        self.names: List[str] = []

    def with_text(self, text: str) -> "Peeled":
        """Say the same of another text."""
        other = Peeled(text)
        for name in self.__slots__:
            if name not in ("text", "shown"):
                setattr(other, name, getattr(self, name))
        other.names = list(self.names)
        return other

    @property
    def can_be_launcher(self) -> bool:
        """Whether no prefix says that one of a launcher's processes printed the line.

        A task of srun or mpirun may be a launcher itself, which starts the ranks of a node.
        """
        if self.source != "rank":
            return self.source is None
        return self.task is not None and (self.rank, self.local_rank) == (None, None)


PrefixReader = Callable[[Peeled, "re.Match[str]"], Optional[bool]]


def keep_moment(peeled: Peeled, moment: Optional[Moment]) -> None:
    """Keep a time of the line, and one of another clock beside it."""
    if moment is None:
        return
    # The innermost time is the program's own, but one with a zone is comparable everywhere, and
    # seconds since boot nowhere else.
    kept, other = moment, peeled.moment
    if other is not None and (other.clock == "utc" or moment.clock == "boot"):
        kept, other = other, moment
    peeled.moment = kept
    if other is not None and other.clock != kept.clock:
        peeled.other_moment = other


def keep_level(peeled: Peeled, word: Optional[str]) -> None:
    """Keep a level of the line."""
    level = LEVELS.get((word or "").upper())
    if level:
        peeled.level = level


def read_time(peeled: Peeled, found: "re.Match[str]") -> None:
    """A time with all its pieces."""
    keep_moment(peeled, wall_moment(*found.groups()[:8]))


def read_plain(peeled: Peeled, found: "re.Match[str]") -> None:
    """Nothing but the shape is known."""


def read_level(peeled: Peeled, found: "re.Match[str]") -> None:
    """A level alone."""
    keep_level(peeled, found.group(1))


def read_rank(peeled: Peeled, found: "re.Match[str]") -> None:
    """A rank of the run."""
    peeled.rank = int(found.group(1))
    peeled.source = "rank"


def read_task(peeled: Peeled, found: "re.Match[str]") -> None:
    """The number of a launched task: a rank only where each rank is a task of its own."""
    peeled.task = int(found.group(1))
    peeled.source = "rank"


def read_local_rank(peeled: Peeled, found: "re.Match[str]") -> None:
    """A local rank."""
    peeled.local_rank = int(found.group(1))
    peeled.source = "rank"


def read_host(peeled: Peeled, found: "re.Match[str]") -> None:
    """A host, pod or node."""
    peeled.host = found.group(1)


def read_glog(peeled: Peeled, found: "re.Match[str]") -> None:
    """The head of Google's logging, as torch and its launcher print it."""
    letter, month, day, hour, minute, second, fraction, thread, file = found.groups()
    keep_moment(peeled, wall_moment(None, month, day, hour, minute, second, fraction))
    peeled.level = LEVELS[letter]
    if peeled.can_be_launcher and file.startswith(_AGENT_FILES):
        peeled.source = "launcher"
    if thread:
        peeled.pid = int(thread)


def read_deepspeed(peeled: Peeled, found: "re.Match[str]") -> None:
    """DeepSpeed's head with file and function."""
    read_time(peeled, found)
    keep_level(peeled, found.group(9))
    if found.group(10) in ("launch.py", "runner.py", "multinode_runner.py"):
        peeled.source = "launcher"


def read_elastic_old(peeled: Peeled, found: "re.Match[str]") -> None:
    """The head of torchelastic up to 2.3."""
    read_time(peeled, found)
    keep_level(peeled, found.group(10))
    of_agent = ".elastic." in found.group(9) or found.group(9).endswith(".run")
    if of_agent and peeled.can_be_launcher:
        peeled.source = "launcher"


def read_basic(peeled: Peeled, found: "re.Match[str]") -> None:
    """Python's basic logging format."""
    keep_level(peeled, found.group(1))
    of_agent = found.group(2).startswith(("torch.distributed.elastic", "torch.distributed.run"))
    if of_agent and peeled.can_be_launcher:
        peeled.source = "launcher"


def read_mpi(peeled: Peeled, found: "re.Match[str]") -> None:
    """The tag of an MPI launcher, with a time, and host and process, where it was asked for."""
    month, day, hour, minute, second, year, rank, host, pid = found.groups()
    if month:
        keep_moment(peeled, wall_moment(year, month, day, hour, minute, second))
    if rank:
        peeled.task = int(rank)
    peeled.source = "rank"
    if host:
        peeled.host = host
        peeled.pid = int(pid)


def read_nccl(peeled: Peeled, found: "re.Match[str]") -> None:
    """Host, process and device of an NCCL line."""
    if found.group(1):
        keep_moment(peeled, wall_moment(*found.group(2, 3, 4, 5, 6, 7)))
    peeled.host = found.group(8)
    peeled.pid = int(found.group(9))
    peeled.source = "rank"
    keep_level(peeled, found.group(11))


def read_ray(peeled: Peeled, found: "re.Match[str]") -> None:
    """The tag of a Ray worker, or of one of Ray's own daemons."""
    fields = dict(re.findall(r"\b(pid|ip|rank)=([\w.:]+)", found.group()))
    if _NUMBER.match(fields.get("pid", "")):
        peeled.pid = int(fields["pid"])
    if _NUMBER.match(fields.get("rank", "")):
        peeled.rank = int(fields["rank"])
    peeled.host = fields.get("ip", peeled.host)
    peeled.source = "service" if "pid" not in fields and "rank" not in fields else "rank"
    peeled.text = _RAY_REPEATED.sub("", peeled.text[found.end() :])


def read_composer(peeled: Peeled, found: "re.Match[str]") -> None:
    """Composer's head."""
    peeled.rank, peeled.pid = int(found.group(1)), int(found.group(2))
    peeled.source = "rank"
    keep_level(peeled, found.group(3))


def read_level_time(peeled: Peeled, found: "re.Match[str]") -> None:
    """A level, then a time with all its pieces, as NeMo and submitit print them."""
    keep_level(peeled, found.group(1))
    keep_moment(peeled, wall_moment(*found.groups()[1:9]))


def read_date_first(peeled: Peeled, found: "re.Match[str]") -> None:
    """A date as Americans write it, with or without a year."""
    month, day, year, hour, minute, second = found.groups()
    keep_moment(peeled, wall_moment(year, month, day, hour, minute, second))


def read_vllm(peeled: Peeled, found: "re.Match[str]") -> None:
    """The head of vLLM, whose times have no year."""
    keep_level(peeled, found.group(1))
    keep_moment(peeled, wall_moment(None, *found.group(2, 3, 4, 5, 6)))


def read_actions(peeled: Peeled, found: "re.Match[str]") -> None:
    """The command with which a step of GitHub Actions marks a line."""
    keep_level(peeled, found.group(1))
