"""The registry of prefixes that stand before what a program printed.

A recognizer is one row of `RECOGNIZERS`: its name, the characters a line with it can begin with,
the expression, how it is read, and whether it counts only where its shape recurs in the file.
"""

import re
from typing import Dict, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.machine_prefixes import MACHINE_PREFIXES
from checker.scan.moments import TIME_PATTERN
from checker.scan.prefix_readings import (
    LEVEL_PATTERN,
    read_actions,
    read_basic,
    read_composer,
    read_date_first,
    read_deepspeed,
    read_elastic_old,
    read_glog,
    read_host,
    read_level,
    read_level_time,
    read_local_rank,
    read_mpi,
    read_nccl,
    read_plain,
    read_rank,
    read_ray,
    read_task,
    read_time,
    read_vllm,
)
from checker.scan.recognizer import CAPITALS, DIGITS, FULL_TIME, LETTERS, Recognizer

_GLOG = r"([IWEF])(\d{1,2}?)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})"
# Open MPI 4 prints no blank behind its tag, PMIx one. What programs indent, they indent evenly.
_TAG_ENDS = r"(?: (?=(?:  ){0,40}(?:\S|$)))?"
# `torch.OutOfMemoryError: ` looks like a host's full name.
_EXCEPTION_CLASS = (
    r"(?:[\w-]{1,80}\.){0,8}(?:\w{0,80}(?:[Ee]rror|Exception|Warning|Interrupt|Exit|timeout)"
    r"|(?<=\.)[A-Z]\w{0,80}): "
)

_PROGRAM_PREFIXES: Tuple[Recognizer, ...] = (
    Recognizer(
        "horovod", "[", r"\[(\d{1,7})\]<std(?:out|err)>:(?! )", read_rank, False, "]<std", DIGITS
    ),
    Recognizer(
        "mpi",
        "[" + CAPITALS,
        r"(?:[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4}))?"
        r"(?:\[(?:(?:[\w.-]+@)?\d+,)?(?:mpirank:)?(\d{1,7})(?:,[\w-]+)?\] ?"
        r"(?:\[([\w.-]+):(\d{1,9}|unknown)\])?)?"
        r"<std(?:out|err|diag)> ?:" + _TAG_ENDS,
        read_mpi,
        False,
        "<std",
    ),
    Recognizer("default", "[", r"\[default(\d{1,5})\]:", read_local_rank, False, "[default"),
    Recognizer("rank", "[", r"\[rank(\d{1,7})\]: ?", read_rank, False, "[rank"),
    Recognizer("lightning-rank", "[", r"\[rank: (\d{1,7})\] ", read_rank, False, "[rank: "),
    Recognizer(
        "role", "[", r"\[[A-Za-z][A-Za-z_.-]*?:?(\d{1,5})\]:", read_local_rank, True, "]:", LETTERS
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
        r"\[NeMo ([DIWE]) " + FULL_TIME + r" [^\]]{0,80}\] ?",
        read_level_time,
        False,
        "[NeMo ",
    ),
    Recognizer(
        "nccl",
        LETTERS + DIGITS + "[",
        r"(\[(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\] )?([\w.-]+):(\d+):(?:\d+) \[(-?\d+)\] "
        r"(?=(?:\S+:\d+ (?:\([^()]{1,120}(?:\(\))?\) )?)?"
        r"NCCL (INFO|WARN|ERROR|TRACE|ABORT|DEBUG|VERSION)?)",
        read_nccl,
        False,
        "NCCL ",
    ),
    Recognizer(
        "bracket-time", "[ ", r" ?\[" + FULL_TIME + r"\][ :]*", read_time, False, ":", "[" + DIGITS
    ),
    Recognizer(
        "vllm",
        CAPITALS,
        LEVEL_PATTERN + r" (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) \[?[\w./-]{1,160}:\d{1,6}\] ?",
        read_vllm,
        False,
        ":",
        CAPITALS,
    ),
    Recognizer(
        "submitit",
        "s",
        r"submitit " + LEVEL_PATTERN + r" \(" + FULL_TIME + r"\) - ",
        read_level_time,
        False,
        "submitit ",
        "u",
    ),
    Recognizer(
        "level-first",
        CAPITALS + "[",
        r"\[?" + LEVEL_PATTERN + r"\]?[ :|-]{1,3}\[?" + FULL_TIME + r"\]?[,:]?(?: ?[-|]+)? ?",
        read_level_time,
        False,
        ":",
        CAPITALS,
    ),
    Recognizer(
        "clock",
        DIGITS + "[",
        r"\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]? ?(?:[-|] ?)?\[?"
        + LEVEL_PATTERN
        + r"\]?(?: ?[-|:] ?| )",
        read_level,
        False,
        ":",
        DIGITS,
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
        r"\((raylet|autoscaler(?: \+\w{1,12})?"
        r"|(?:[^()]{1,80}(?:\([^()]{0,160}\))?,? )?(?:pid|rank)=\w{1,12}(?:,? ?pid=\d{1,10})?)"
        r"(?:, ?ip=[\w.:]{2,45})?\) ?",
        read_ray,
        False,
        ")",
    ),
    Recognizer("mpich", "[", r"\[(\d{1,7})\] ", read_task, True, "] ", DIGITS),
    Recognizer("time", DIGITS, FULL_TIME + r"[,:]?(?: ?[-|]+)? ?", read_time, False, ":", DIGITS),
    Recognizer(
        "date-first",
        DIGITS + "[",
        r"\[?(\d\d)/(\d\d)(?:/(\d{4}))? (\d\d):(\d\d):(\d\d)(?:[.,]\d{1,6})?"
        r"(?:(?: [\w.]{1,40})?\]:?)?(?: ?[-|]+)? ?",
        read_date_first,
        False,
        "/",
        DIGITS,
    ),
    Recognizer(
        "actions",
        "#",
        r"##\[(error|warning|debug|notice|group|endgroup|section|command)\]",
        read_actions,
        False,
        "##[",
    ),
    Recognizer(
        "actions-step",
        LETTERS + DIGITS,
        r"[^\t]{1,120}\t[^\t]{1,120}\t\ufeff?(?=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z )",
        read_plain,
        False,
        "Z ",
    ),
    Recognizer(
        "composer",
        "r:",
        r":? ?rank(\d+)\[(\d+)\]\[[\w-]+\]: " + LEVEL_PATTERN + r": (?:[\w.]{1,80}: )?",
        read_composer,
        False,
        "rank",
    ),
    Recognizer("basic", CAPITALS, LEVEL_PATTERN + r":([\w.]+):", read_basic, False, ":", CAPITALS),
    Recognizer(
        "srun",
        " " + DIGITS,
        r"(?!\d\d:\d\d:\d\d) {0,6}(\d{1,7}):(?!\t) ?",
        read_task,
        True,
        ":",
        " " + DIGITS + ":",
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
        "compose",
        LETTERS + DIGITS,
        r"(?=\S{0,120}[-_\d])([A-Za-z0-9][\w.-]{1,120}) {2,60}\| ",
        read_host,
        True,
        "  | ",
    ),
    Recognizer(
        "stern-all",
        LETTERS,
        r"[a-z][a-z0-9-]{0,62} (?=\S{0,253}\d)([a-z][a-z0-9]*(?:-[a-z0-9]+)+) "
        r"[a-z][a-z0-9-]* (?=\S)",
        read_host,
        True,
        "-",
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
RECOGNIZERS = MACHINE_PREFIXES + _PROGRAM_PREFIXES
"""Outermost first, as far as shapes could be mistaken for each other."""

PATTERNS: Dict[str, "re.Pattern[str]"] = {
    recognizer.name: lazy_pattern(recognizer.pattern) for recognizer in RECOGNIZERS
}
