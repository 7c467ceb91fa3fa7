"""The registry of prefixes that stand before what a program printed.

A recognizer is one row of `RECOGNIZERS`: its name, the characters a line with it can begin with,
the expression, how it is read, and whether it counts only where its shape recurs in the file.
"""

import json
import re
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from checker.model import Moment
from checker.moments import TIME_PATTERN, ZONE_PATTERN, boot_moment, wall_moment

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
LEVEL_PATTERN = r"(TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)"


class Peeled:
    """What the prefixes of one line said."""

    __slots__ = ("host", "level", "local_rank", "moment", "names", "pid", "rank", "source", "text")

    def __init__(self, text: str) -> None:
        """Begin with the whole line."""
        self.text = text
        self.source: Optional[str] = None
        self.rank: Optional[int] = None
        self.local_rank: Optional[int] = None
        self.host: Optional[str] = None
        self.pid: Optional[int] = None
        self.moment: Optional[Moment] = None
        self.level: Optional[str] = None
        self.names: List[str] = []


Reader = Callable[[Peeled, "re.Match[str]"], Optional[bool]]


class Recognizer(NamedTuple):
    """One shape of prefix."""

    name: str
    starts: str
    """Characters it can begin with; empty where any will do."""
    pattern: str
    read: Reader
    recurring: bool
    """Counts only where at least three lines of the file have it."""


DIGITS = "0123456789"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS = CAPITALS + CAPITALS.lower()


def _set_moment(peeled: Peeled, moment: Optional[Moment]) -> None:
    # The innermost time is the program's own, but one with a zone is comparable everywhere.
    if moment and (peeled.moment is None or peeled.moment.clock not in ("utc", "boot")):
        peeled.moment = moment


def _set_level(peeled: Peeled, word: Optional[str]) -> None:
    level = LEVELS.get((word or "").upper())
    if level:
        peeled.level = level


def _read_time(peeled: Peeled, found: "re.Match[str]") -> None:
    _set_moment(peeled, wall_moment(*found.groups()[:8]))


def _read_plain(peeled: Peeled, found: "re.Match[str]") -> None:
    """Nothing but the shape is known."""


def _read_level(peeled: Peeled, found: "re.Match[str]") -> None:
    _set_level(peeled, found.group(1))


def _read_rank(peeled: Peeled, found: "re.Match[str]") -> None:
    peeled.rank = int(found.group(1))
    peeled.source = "rank"


def _read_local_rank(peeled: Peeled, found: "re.Match[str]") -> None:
    peeled.local_rank = int(found.group(1))
    peeled.source = "rank"


def _read_host(peeled: Peeled, found: "re.Match[str]") -> None:
    peeled.host = found.group(1)


def _read_glog(peeled: Peeled, found: "re.Match[str]") -> None:
    letter, month, day, hour, minute, second, fraction, thread, file = found.groups()
    _set_moment(peeled, wall_moment(None, month, day, hour, minute, second, fraction))
    peeled.level = LEVELS[letter]
    if peeled.source is None and file.startswith("torch/distributed/"):
        if file.startswith(("torch/distributed/elastic/", "torch/distributed/run.py")) or (
            file.startswith("torch/distributed/launch")
        ):
            peeled.source = "launcher"
    if thread:
        peeled.pid = int(thread)


def _read_deepspeed(peeled: Peeled, found: "re.Match[str]") -> None:
    _read_time(peeled, found)
    _set_level(peeled, found.group(9))
    if found.group(10) in ("launch.py", "runner.py", "multinode_runner.py"):
        peeled.source = "launcher"


def _read_elastic_old(peeled: Peeled, found: "re.Match[str]") -> None:
    _read_time(peeled, found)
    _set_level(peeled, found.group(10))
    if ".elastic." in found.group(9) or found.group(9).endswith(".run"):
        peeled.source = peeled.source or "launcher"


def _read_basic(peeled: Peeled, found: "re.Match[str]") -> None:
    _set_level(peeled, found.group(1))
    if found.group(2).startswith(("torch.distributed.elastic", "torch.distributed.run")):
        peeled.source = peeled.source or "launcher"


def _read_boot(peeled: Peeled, found: "re.Match[str]") -> None:
    _set_moment(peeled, boot_moment(found.group(1)))
    peeled.source = "kernel"


def _read_kernel_time(peeled: Peeled, found: "re.Match[str]") -> None:
    month, day, hour, minute, second, year = found.groups()
    _set_moment(peeled, wall_moment(year, month, day, hour, minute, second))
    peeled.source = "kernel"


def _read_journal(peeled: Peeled, found: "re.Match[str]") -> None:
    month, day, hour, minute, second, host, program, pid = found.groups()
    _set_moment(peeled, wall_moment(None, month, day, hour, minute, second))
    _set_service(peeled, host, program, pid)


def _read_syslog(peeled: Peeled, found: "re.Match[str]") -> None:
    _read_time(peeled, found)
    host, program, pid = found.group(9), found.group(10), found.group(11)
    _set_service(peeled, host, program, pid if pid and pid.isdigit() else None)


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


def _read_mpi(peeled: Peeled, found: "re.Match[str]") -> None:
    _read_rank(peeled, found)


def _read_nccl(peeled: Peeled, found: "re.Match[str]") -> None:
    if found.group(1):
        _set_moment(peeled, wall_moment(*found.group(2, 3, 4, 5, 6, 7)))
    peeled.host = found.group(8)
    peeled.pid = int(found.group(9))
    peeled.source = "rank"
    _set_level(peeled, found.group(11))


def _read_ray(peeled: Peeled, found: "re.Match[str]") -> None:
    fields = dict(re.findall(r"(pid|ip|rank)=([\w.:]+)", found.group(1)))
    if fields.get("pid", "").isdigit():
        peeled.pid = int(fields["pid"])
    if fields.get("rank", "").isdigit():
        peeled.rank = int(fields["rank"])
    peeled.host = fields.get("ip", peeled.host)
    peeled.source = "rank"


def _read_composer(peeled: Peeled, found: "re.Match[str]") -> None:
    peeled.rank, peeled.pid = int(found.group(1)), int(found.group(2))
    peeled.source = "rank"
    _set_level(peeled, found.group(3))


def _read_nemo(peeled: Peeled, found: "re.Match[str]") -> None:
    _set_level(peeled, found.group(1))
    _set_moment(peeled, wall_moment(*found.groups()[1:9]))


def _read_json(peeled: Peeled, found: "re.Match[str]") -> Optional[bool]:
    """Open the JSON of a container or journal line; False where it is something else."""
    try:
        record = json.loads(peeled.text)
    except ValueError:
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
    if stamp.isdigit():
        _set_moment(peeled, Moment(int(stamp) / 1e6, "utc", 1e-6))
    program = str(record.get("SYSLOG_IDENTIFIER", record.get("_TRANSPORT", "")))
    pid = str(record.get("_PID", ""))
    _set_service(peeled, str(record.get("_HOSTNAME", "")), program, pid if pid.isdigit() else None)
    peeled.text = message.replace("\n", " ")
    return True


_GLOG = r"([IWEF])(\d{1,2}?)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})"
_FULL_TIME = TIME_PATTERN + ZONE_PATTERN

RECOGNIZERS: Tuple[Recognizer, ...] = (
    Recognizer("json", "{", r'\{"(?:log|__|_|MESSAGE|PRIORITY|SYSLOG)', _read_json, False),
    Recognizer("quote", ">", r"> ?", _read_plain, True),
    Recognizer("kernel-level", "<", r"<\d{1,3}>(?=\[ *\d+\.\d{6}\])", _read_plain, False),
    Recognizer(
        "syslog",
        "<",
        r"<\d{1,3}>1 " + _FULL_TIME + r" (\S+) (\S+) (\S+) \S+ (?:-|\[[^\]]{0,512}\]) ?",
        _read_syslog,
        False,
    ),
    Recognizer("cri", DIGITS, _FULL_TIME + r" (?:stdout|stderr) [FP] ?", _read_time, False),
    Recognizer(
        "journal-iso",
        DIGITS,
        _FULL_TIME + r" ([\w.-]+) ([\w./@-]+?)(?:\[(\d+)\])?: ",
        _read_syslog,
        True,
    ),
    Recognizer(
        "journal",
        "JFMASOND",
        r"([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) ([\w.-]+) ([\w./@-]+?)(?:\[(\d+)\])?: ",
        _read_journal,
        False,
    ),
    Recognizer("boot", "[", r"\[ *(\d{1,9}\.\d{6})\] ?", _read_boot, False),
    Recognizer(
        "kernel-time",
        "[",
        r"\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})\] ?",
        _read_kernel_time,
        False,
    ),
    Recognizer("pod", "[", r"\[pod/([\w.-]+)/[\w.-]+\] ?", _read_host, False),
    Recognizer(
        "mpi",
        "[",
        r"\[(?:[\w.-]+@)?\d+,(?:mpirank:)?(\d{1,7})(?:,[\w-]+)?\] ?<std(?:out|err)> ?: ?",
        _read_mpi,
        False,
    ),
    Recognizer("horovod", "[", r"\[(\d{1,7})\]<std(?:out|err)>: ?", _read_rank, False),
    Recognizer("default", "[", r"\[default(\d{1,5})\]:", _read_local_rank, False),
    Recognizer("rank", "[", r"\[rank(\d{1,7})\]: ?", _read_rank, False),
    Recognizer("lightning-rank", "[", r"\[rank: (\d{1,7})\] ", _read_rank, False),
    Recognizer("role", "[", r"\[[A-Za-z][\w.-]*?:?(\d{1,5})\]:", _read_local_rank, True),
    Recognizer("c10d", "[", r"\[" + _GLOG + r"()[ ]([\w./-]+):\d+\] ?", _read_glog, False),
    Recognizer("glog", "IWEF", _GLOG + r" +(\d+) ([\w./-]+):\d+\] ?", _read_glog, False),
    Recognizer(
        "deepspeed",
        "[",
        r"\[" + TIME_PATTERN + r"()\] \[" + LEVEL_PATTERN + r"\] \[([\w.-]+):\d+:[^\]]{0,80}\] ?",
        _read_deepspeed,
        False,
    ),
    Recognizer(
        "elastic-old",
        "[",
        r"\[" + TIME_PATTERN + r"()\] ([\w.]+): \[" + LEVEL_PATTERN + r"\] ?",
        _read_elastic_old,
        False,
    ),
    Recognizer(
        "nemo", "[", r"\[NeMo ([DIWE]) " + _FULL_TIME + r" [^\]]{0,80}\] ?", _read_nemo, False
    ),
    Recognizer(
        "nccl",
        LETTERS + DIGITS + "[",
        r"(\[(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\] )?([\w.-]+):(\d+):(?:\d+) \[(\d+)\] "
        r"(?=(?:\S+:\d+ )?NCCL (INFO|WARN|ERROR|TRACE|ABORT|DEBUG|VERSION)?)",
        _read_nccl,
        False,
    ),
    Recognizer("bracket-time", "[ ", r" ?\[" + _FULL_TIME + r"\][ :]*", _read_time, False),
    Recognizer("titan", "[", r"\[titan\] ", _read_plain, False),
    Recognizer("log-rank", "[", r"\[Rank (\d{1,7})\] (?=step=|time |rank=)", _read_rank, False),
    Recognizer(
        "transformers", "[", r"\[" + LEVEL_PATTERN + r"\|[\w./-]+:\d+\] ", _read_level, False
    ),
    Recognizer(
        "ray",
        "(",
        r"\(([\w.:-]+(?:\(\w+\))?(?:,? ?(?:pid|rank|ip)=[\w.:]+)+)\) ?",
        _read_ray,
        False,
    ),
    Recognizer("mpich", "[", r"\[(\d{1,7})\] ", _read_rank, True),
    Recognizer("time", DIGITS, _FULL_TIME + r"[,:]?(?: ?[-|]+)? ?", _read_time, False),
    Recognizer(
        "composer",
        "r:",
        r":? ?rank(\d+)\[(\d+)\]\[\w+\]: " + LEVEL_PATTERN + r": ",
        _read_composer,
        False,
    ),
    Recognizer("basic", CAPITALS, LEVEL_PATTERN + r":([\w.]+):", _read_basic, False),
    Recognizer("srun", " " + DIGITS, r" {0,6}(\d{1,7}): ?", _read_rank, True),
    Recognizer(
        "pdsh",
        LETTERS,
        r"(?=\S*[\d.-])([A-Za-z][\w.-]{1,80}): (?!No such|line \d)",
        _read_host,
        True,
    ),
    Recognizer(
        "stern",
        LETTERS,
        r"([a-z][a-z0-9]*(?:-[a-z0-9]+)+) [a-z][a-z0-9-]* (?=\S)",
        _read_host,
        True,
    ),
)
"""Outermost first, as far as shapes could be mistaken for each other."""
