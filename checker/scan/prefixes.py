"""The registry of prefixes that stand before what a program printed.

A recognizer is one row of `RECOGNIZERS`: its name, the characters a line with it can begin with,
the expression, how it is read, and whether it counts only where its shape recurs in the file.
"""

import re
from typing import Dict, NamedTuple, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.moments import TIME_PATTERN, ZONE_PATTERN
from checker.scan.prefix_readings import (
    LEVEL_PATTERN,
    PrefixReader,
    read_basic,
    read_boot,
    read_composer,
    read_deepspeed,
    read_elastic_old,
    read_glog,
    read_host,
    read_journal,
    read_json,
    read_kernel_time,
    read_level,
    read_local_rank,
    read_mpi,
    read_nccl,
    read_nemo,
    read_plain,
    read_rank,
    read_ray,
    read_scheduler,
    read_syslog,
    read_task,
    read_time,
)


class Recognizer(NamedTuple):
    """One shape of prefix."""

    name: str
    starts: str
    """Characters it can begin with; empty where any will do."""
    pattern: str
    read: PrefixReader
    recurring: bool
    """Counts only where at least three lines of the file have it."""
    mark: str = ""
    """Stands in every such prefix or directly behind it: tested before the expression."""
    next: str = ""
    """Characters that can come second; empty where any will do."""


DIGITS = "0123456789"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS = CAPITALS + CAPITALS.lower()


_GLOG = r"([IWEF])(\d{1,2}?)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})"
_FULL_TIME = TIME_PATTERN + ZONE_PATTERN
# `torch.OutOfMemoryError: ` looks like a host's full name.
_EXCEPTION_CLASS = (
    r"(?:[\w-]{1,80}\.){0,8}(?:\w{0,80}(?:[Ee]rror|Exception|Warning|Interrupt|Exit|timeout)"
    r"|(?<=\.)[A-Z]\w{0,80}): "
)

RECOGNIZERS: Tuple[Recognizer, ...] = (
    Recognizer("json", "{", r'\{"(?:log|__|_|MESSAGE|PRIORITY|SYSLOG)', read_json, False, '{"'),
    Recognizer("quote", ">", r"> ?", read_plain, True),
    Recognizer("kernel-level", "<", r"<\d{1,3}>(?=\[ *\d+\.\d{6}\])", read_plain, False, ">["),
    Recognizer(
        "syslog",
        "<",
        r"<\d{1,3}>1 " + _FULL_TIME + r" (\S+) (\S+) (\S+) \S+ (?:-|\[[^\]]{0,512}\]) ?",
        read_syslog,
        False,
        ">1 ",
    ),
    Recognizer("cri", DIGITS, _FULL_TIME + r" (?:stdout|stderr) [FP] ?", read_time, False, " std"),
    Recognizer(
        "kernel-iso",
        DIGITS,
        _FULL_TIME + r" ([\w.-]+) (kernel)(): ",
        read_syslog,
        False,
        " kernel: ",
    ),
    Recognizer(
        "daemon-iso",
        DIGITS,
        _FULL_TIME + r" ([\w.-]+) (systemd|kubelet|containerd|dockerd|slurm\w+)\[(\d+)\]: ",
        read_syslog,
        False,
        "]: ",
    ),
    Recognizer(
        "journal-iso",
        DIGITS,
        _FULL_TIME + r" ([\w.-]+) ([\w./@-]+?)(?:\[(\d+)\])?: ",
        read_syslog,
        True,
        ": ",
    ),
    Recognizer(
        "journal",
        "JFMASOND",
        r"([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) ([\w.-]+) ([\w./@-]+?)(?:\[(\d+)\])?: ",
        read_journal,
        False,
        ": ",
    ),
    Recognizer("boot", "[", r"\[ *(\d{1,9}\.\d{6})\] ?", read_boot, False, ".", " " + DIGITS),
    Recognizer(
        "kernel-time",
        "[",
        r"\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})\] ?",
        read_kernel_time,
        False,
        "]",
        CAPITALS,
    ),
    Recognizer("pod", "[", r"\[pod/([\w.-]+)/[\w.-]+\] ?", read_host, False, "[pod/"),
    Recognizer(
        "mpi",
        "[",
        r"\[(?:[\w.-]+@)?\d+,(?:mpirank:)?(\d{1,7})(?:,[\w-]+)?\] ?<std(?:out|err)> ?: ?",
        read_mpi,
        False,
        "<std",
    ),
    Recognizer(
        "horovod", "[", r"\[(\d{1,7})\]<std(?:out|err)>: ?", read_rank, False, "]<std", DIGITS
    ),
    Recognizer("default", "[", r"\[default(\d{1,5})\]:", read_local_rank, False, "[default"),
    Recognizer("rank", "[", r"\[rank(\d{1,7})\]: ?", read_rank, False, "[rank"),
    Recognizer("lightning-rank", "[", r"\[rank: (\d{1,7})\] ", read_rank, False, "[rank: "),
    Recognizer(
        "role", "[", r"\[[A-Za-z][\w.-]*?:?(\d{1,5})\]:", read_local_rank, True, "]:", LETTERS
    ),
    Recognizer(
        "c10d", "[", r"\[" + _GLOG + r"()[ ]([\w./-]+):\d+\] ?", read_glog, False, ":", "IWEF"
    ),
    Recognizer(
        "glog", "IWEF", _GLOG + r" +(\d+) ([\w./-]+):\d+\] ?", read_glog, False, "]", DIGITS
    ),
    Recognizer(
        "deepspeed",
        "[",
        r"\[" + TIME_PATTERN + r"()\] \[" + LEVEL_PATTERN + r"\] \[([\w.-]+):\d+:[^\]]{0,80}\] ?",
        read_deepspeed,
        False,
        "] [",
        DIGITS,
    ),
    Recognizer(
        "elastic-old",
        "[",
        r"\[" + TIME_PATTERN + r"()\] ([\w.]+): \[" + LEVEL_PATTERN + r"\] ?",
        read_elastic_old,
        False,
        ": [",
        DIGITS,
    ),
    Recognizer(
        "nemo",
        "[",
        r"\[NeMo ([DIWE]) " + _FULL_TIME + r" [^\]]{0,80}\] ?",
        read_nemo,
        False,
        "[NeMo ",
    ),
    Recognizer(
        "nccl",
        LETTERS + DIGITS + "[",
        r"(\[(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\] )?([\w.-]+):(\d+):(?:\d+) \[(\d+)\] "
        r"(?=(?:\S+:\d+ )?NCCL (INFO|WARN|ERROR|TRACE|ABORT|DEBUG|VERSION)?)",
        read_nccl,
        False,
        "NCCL ",
    ),
    Recognizer(
        "slurm-daemon",
        "[",
        r"\["
        + _FULL_TIME
        + r"\] (?:\[\d{1,10}\.\w{1,20}(?:\+\d{1,6})?\] |(?=.{0,200}?\b(?:Step|Job)Id=))"
        r"(?=(error|fatal)?)",
        read_scheduler,
        False,
        "T",
        DIGITS,
    ),
    Recognizer(
        "bracket-time", "[ ", r" ?\[" + _FULL_TIME + r"\][ :]*", read_time, False, ":", "[" + DIGITS
    ),
    Recognizer("titan", "[", r"\[titan\] ", read_plain, False, "[titan] "),
    Recognizer(
        "log-rank", "[", r"\[Rank (\d{1,7})\] (?=step=|time |rank=)", read_rank, False, "[Rank "
    ),
    Recognizer(
        "transformers",
        "[",
        r"\[" + LEVEL_PATTERN + r"\|[\w./-]+:\d+\] ",
        read_level,
        False,
        "|",
        CAPITALS,
    ),
    Recognizer(
        "ray",
        "(",
        r"\(([\w.:-]+(?:\(\w+\))?(?:,? ?(?:pid|rank|ip)=[\w.:]+)+)\) ?",
        read_ray,
        False,
        "=",
    ),
    Recognizer("mpich", "[", r"\[(\d{1,7})\] ", read_task, True, "] ", DIGITS),
    Recognizer("time", DIGITS, _FULL_TIME + r"[,:]?(?: ?[-|]+)? ?", read_time, False, ":", DIGITS),
    Recognizer(
        "composer",
        "r:",
        r":? ?rank(\d+)\[(\d+)\]\[\w+\]: " + LEVEL_PATTERN + r": ",
        read_composer,
        False,
        "rank",
    ),
    Recognizer("basic", CAPITALS, LEVEL_PATTERN + r":([\w.]+):", read_basic, False, ":", CAPITALS),
    Recognizer(
        "srun", " " + DIGITS, r" {0,6}(\d{1,7}): ?", read_task, True, ":", " " + DIGITS + ":"
    ),
    Recognizer(
        "pdsh",
        LETTERS,
        r"(?=\S*[\d.-])(?!" + _EXCEPTION_CLASS + r")([A-Za-z][\w.-]{1,80}): (?!No such|line \d)",
        read_host,
        True,
        ": ",
    ),
    Recognizer(
        "stern",
        LETTERS,
        r"([a-z][a-z0-9]*(?:-[a-z0-9]+)+) [a-z][a-z0-9-]* (?=\S)",
        read_host,
        True,
        "-",
    ),
)
"""Outermost first, as far as shapes could be mistaken for each other."""

PATTERNS: Dict[str, "re.Pattern[str]"] = {
    recognizer.name: lazy_pattern(recognizer.pattern) for recognizer in RECOGNIZERS
}
