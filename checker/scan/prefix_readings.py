"""How prefixes are read: what a matched prefix says of its line is kept in a `Peeled`."""

import json
import re
from typing import Callable, Dict, List, Optional

from checker.lazy_patterns import lazy_pattern
from checker.model import Moment
from checker.scan.moments import TIME_PATTERN, ZONE_PATTERN, boot_moment, wall_moment

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

_NUMBER = lazy_pattern(r"[0-9]{1,18}$")


def _bounded_number(digits: str) -> Optional[int]:
    """Leave out a number that takes long to read, or that newer Pythons refuse."""
    return int(digits) if len(digits) < 20 else None


_JSON = json.JSONDecoder(parse_int=_bounded_number)


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
        "source",
        "task",
        "text",
    )

    def __init__(self, text: str) -> None:
        """Begin with the whole line."""
        self.text = text
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


PrefixReader = Callable[[Peeled, "re.Match[str]"], Optional[bool]]


def _set_moment(peeled: Peeled, moment: Optional[Moment]) -> None:
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


def _set_level(peeled: Peeled, word: Optional[str]) -> None:
    level = LEVELS.get((word or "").upper())
    if level:
        peeled.level = level


def read_time(peeled: Peeled, found: "re.Match[str]") -> None:
    """A time with all its pieces."""
    _set_moment(peeled, wall_moment(*found.groups()[:8]))


def read_plain(peeled: Peeled, found: "re.Match[str]") -> None:
    """Nothing but the shape is known."""


def read_level(peeled: Peeled, found: "re.Match[str]") -> None:
    """A level alone."""
    _set_level(peeled, found.group(1))


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
    _set_moment(peeled, wall_moment(None, month, day, hour, minute, second, fraction))
    peeled.level = LEVELS[letter]
    if peeled.source is None and file.startswith(_AGENT_FILES):
        peeled.source = "launcher"
    if thread:
        peeled.pid = int(thread)


def read_deepspeed(peeled: Peeled, found: "re.Match[str]") -> None:
    """DeepSpeed's head with file and function."""
    read_time(peeled, found)
    _set_level(peeled, found.group(9))
    if found.group(10) in ("launch.py", "runner.py", "multinode_runner.py"):
        peeled.source = "launcher"


def read_elastic_old(peeled: Peeled, found: "re.Match[str]") -> None:
    """The head of torchelastic up to 2.3."""
    read_time(peeled, found)
    _set_level(peeled, found.group(10))
    if ".elastic." in found.group(9) or found.group(9).endswith(".run"):
        peeled.source = peeled.source or "launcher"


def read_basic(peeled: Peeled, found: "re.Match[str]") -> None:
    """Python's basic logging format."""
    _set_level(peeled, found.group(1))
    if found.group(2).startswith(("torch.distributed.elastic", "torch.distributed.run")):
        peeled.source = peeled.source or "launcher"


def read_boot(peeled: Peeled, found: "re.Match[str]") -> None:
    """Seconds since boot."""
    _set_moment(peeled, boot_moment(found.group(1)))
    peeled.source = "kernel"


def read_kernel_time(peeled: Peeled, found: "re.Match[str]") -> None:
    """The wall time of `dmesg -T`."""
    month, day, hour, minute, second, year = found.groups()
    _set_moment(peeled, wall_moment(year, month, day, hour, minute, second))
    peeled.source = "kernel"


def read_journal(peeled: Peeled, found: "re.Match[str]") -> None:
    """The short form of the journal and of syslog."""
    month, day, hour, minute, second, host, program, pid = found.groups()
    _set_moment(peeled, wall_moment(None, month, day, hour, minute, second))
    _set_service(peeled, host, program, pid)


def read_syslog(peeled: Peeled, found: "re.Match[str]") -> None:
    """A syslog line with a full time."""
    read_time(peeled, found)
    host, program, pid = found.group(9), found.group(10), found.group(11)
    _set_service(peeled, host, program, pid if pid and _NUMBER.match(pid) else None)


def read_scheduler(peeled: Peeled, found: "re.Match[str]") -> None:
    """A line of one of Slurm's daemons, in their own log."""
    read_time(peeled, found)
    _set_level(peeled, found.group(9))
    peeled.source = "scheduler"


def _set_service(peeled: Peeled, host: str, program: str, pid: Optional[str]) -> None:
    peeled.host = host
    if program == "kernel":
        peeled.source = "kernel"
    elif program.startswith(("slurm", "pbs_")):
        peeled.source = "scheduler"
    else:
        peeled.source = "service"
    if pid:
        peeled.pid = int(pid)


def read_mpi(peeled: Peeled, found: "re.Match[str]") -> None:
    """The tag of an MPI launcher."""
    read_task(peeled, found)


def read_nccl(peeled: Peeled, found: "re.Match[str]") -> None:
    """Host, process and device of an NCCL line."""
    if found.group(1):
        _set_moment(peeled, wall_moment(*found.group(2, 3, 4, 5, 6, 7)))
    peeled.host = found.group(8)
    peeled.pid = int(found.group(9))
    peeled.source = "rank"
    _set_level(peeled, found.group(11))


def read_ray(peeled: Peeled, found: "re.Match[str]") -> None:
    """The tag of a Ray worker."""
    fields = dict(re.findall(r"(pid|ip|rank)=([\w.:]+)", found.group(1)))
    if _NUMBER.match(fields.get("pid", "")):
        peeled.pid = int(fields["pid"])
    if _NUMBER.match(fields.get("rank", "")):
        peeled.rank = int(fields["rank"])
    peeled.host = fields.get("ip", peeled.host)
    peeled.source = "rank"


def read_composer(peeled: Peeled, found: "re.Match[str]") -> None:
    """Composer's head."""
    peeled.rank, peeled.pid = int(found.group(1)), int(found.group(2))
    peeled.source = "rank"
    _set_level(peeled, found.group(3))


def read_nemo(peeled: Peeled, found: "re.Match[str]") -> None:
    """NeMo's head."""
    _set_level(peeled, found.group(1))
    _set_moment(peeled, wall_moment(*found.groups()[1:9]))


def read_json(peeled: Peeled, found: "re.Match[str]") -> Optional[bool]:
    """Open the JSON of a container or journal line; False where it is something else."""
    try:
        record = _JSON.decode(peeled.text)
    except (ValueError, RecursionError):
        return False
    if isinstance(record.get("log"), str) and "time" in record:
        time = re.match(TIME_PATTERN + ZONE_PATTERN, str(record["time"]))
        if time:
            _set_moment(peeled, wall_moment(*time.groups()))
        peeled.text = record["log"].rstrip("\n")
        return True
    message = record.get("MESSAGE")
    if isinstance(message, list):
        message = bytes(code for code in message if isinstance(code, int) and 0 <= code < 256)
        message = message.decode("utf-8", "replace")
    if not isinstance(message, str):
        return False
    stamp = str(record.get("__REALTIME_TIMESTAMP", ""))
    if _NUMBER.match(stamp):
        _set_moment(peeled, Moment(int(stamp) / 1e6, "utc", 1e-6))
    program = str(record.get("SYSLOG_IDENTIFIER", record.get("_TRANSPORT", "")))
    pid = str(record.get("_PID", ""))
    _set_service(
        peeled, str(record.get("_HOSTNAME", "")), program, pid if _NUMBER.match(pid) else None
    )
    peeled.text = message.replace("\n", " ")
    return True
