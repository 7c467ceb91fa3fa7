"""The prefixes of kernels, journals, system logs and containers: rows of the registry."""

from typing import Tuple

from checker.scan.json_readings import read_json, read_kernel_json
from checker.scan.machine_readings import (
    read_boot,
    read_journal,
    read_journal_boot,
    read_journal_full,
    read_journal_unix,
    read_kernel_minute,
    read_kernel_time,
    read_kmsg,
    read_scheduler,
    read_syslog,
)
from checker.scan.moments import TIME_PATTERN
from checker.scan.prefix_readings import LEVEL_PATTERN, read_host, read_plain, read_time
from checker.scan.recognizer import CAPITALS, DIGITS, FULL_TIME, LETTERS, Recognizer

_HOST_AND_PROGRAM = r"([\w.-]+) ([\w./@-]+?)(?:\[(\d+)\])?: "
# In front of other words only what names a process is one.
_HOST_AND_PROCESS = r"([\w.-]+) (kernel|[\w./@-]+?(?=\[))(?:\[(\d+)\])?: "
_SINCE_BEFORE = r"(?: <[ \d.]{1,20}[ *]?>)?"
# With the number of the thread or processor that printed, where the kernel was asked for it.
_CALLER = r"(?:\[ *[TC]\d{1,10}\] ?)?"

MACHINE_PREFIXES: Tuple[Recognizer, ...] = (
    Recognizer("json", "{", r'\{"(?:log|stream|time|[A-Z_]{2,64})"', read_json, False, '{"'),
    Recognizer("kernel-json", " \t", r'\s{1,40}"msg": "', read_kernel_json, True, '"msg": "'),
    Recognizer("quote", ">", r">(?!>>)(?: |$|(?=>))", read_plain, True),
    Recognizer("fence", "`~ ", r" {0,3}(?:`{3,9}|~{3,9}) ?[\w+-]{0,20}\r?$", read_plain, False, ""),
    Recognizer(
        "kernel-level",
        LETTERS,
        r"[a-z]\w{1,8} *:(?:emerg|alert|crit|err|warn|notice|info|debug) *: (?=\[|\d{4}-|[A-Z])",
        read_plain,
        False,
        " : ",
    ),
    # What a logger writes to all terminals stands below a line of its own.
    Recognizer(
        "kernel-wall",
        " k",
        r" {0,2}kernel: ?(?=\[ *\d+\.\d{6}\]|(?:NMI )?watchdog: BUG)",
        read_plain,
        False,
        "kernel:",
    ),
    Recognizer("kernel-raw", "<", r"<\d{1,3}>(?=\[ *\d+\.\d{6}\])", read_plain, False, ">["),
    Recognizer("kmsg", DIGITS, r"\d{1,4},\d{1,12},(\d{1,18}),[^;\s]{1,64};", read_kmsg, False, ";"),
    Recognizer(
        "syslog",
        "<",
        r"<\d{1,3}>1 " + FULL_TIME + r" (\S+) (\S+) (\S+) \S+ (?:-|\[[^\]]{0,512}\]) ?",
        read_syslog,
        False,
        ">1 ",
    ),
    Recognizer(
        "cri",
        DIGITS,
        FULL_TIME + r" (?:stdout|stderr) [FP](?::\w{1,40})* ?",
        read_time,
        False,
        " std",
    ),
    Recognizer(
        "kernel-iso",
        DIGITS,
        FULL_TIME + r" ([\w.-]+) (kernel)(): ",
        read_syslog,
        False,
        " kernel: ",
    ),
    Recognizer(
        "daemon-iso",
        DIGITS,
        FULL_TIME + r" ([\w.-]+) (systemd|kubelet|containerd|dockerd|slurm\w+)\[(\d+)\]: ",
        read_syslog,
        False,
        "]: ",
    ),
    Recognizer(
        "journal-iso",
        DIGITS,
        TIME_PATTERN
        + r"(Z|[+-]\d\d:?\d\d) (?!(?:"
        + LEVEL_PATTERN[1:-1]
        + r")\b)"
        + _HOST_AND_PROGRAM,
        read_syslog,
        True,
        ": ",
    ),
    Recognizer(
        "journal-unix",
        DIGITS,
        r"(\d{9,11}\.\d{6}) " + _HOST_AND_PROCESS,
        read_journal_unix,
        False,
        ": ",
        DIGITS,
    ),
    Recognizer(
        "journal",
        "JFMASOND",
        r"([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{6}))? " + _HOST_AND_PROGRAM,
        read_journal,
        False,
        ": ",
    ),
    Recognizer(
        "journal-full",
        "MTWFS",
        r"[A-Z][a-z]{2} (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{6}))? "
        r"([A-Z]{2,5}|[+-]\d\d(?:\d\d)?) " + _HOST_AND_PROGRAM,
        read_journal_full,
        False,
        ": ",
    ),
    Recognizer(
        "journal-boot",
        "[",
        r"\[ *(\d{1,9}\.\d{6})" + _SINCE_BEFORE + r"\] " + _HOST_AND_PROCESS,
        read_journal_boot,
        False,
        ": ",
        " " + DIGITS,
    ),
    Recognizer("journal-field", " M", r" {0,8}MESSAGE=", read_plain, True, "MESSAGE="),
    Recognizer(
        "boot",
        "[",
        r"\[ *(\d{1,9}\.\d{6})" + _SINCE_BEFORE + r"\] ?" + _CALLER,
        read_boot,
        False,
        ".",
        " " + DIGITS,
    ),
    Recognizer(
        "kernel-time",
        "[",
        r"\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})"
        + _SINCE_BEFORE
        + r"\] ?"
        + _CALLER,
        read_kernel_time,
        False,
        "]",
        CAPITALS,
    ),
    Recognizer(
        "kernel-minute",
        "[",
        r"\[(?:([A-Z][a-z]{2})([ \d]\d) (\d\d):(\d\d)| {1,6}\+\d{1,9}\.\d{6}|<[ \d.]{8,20}>)\] "
        + _CALLER,
        read_kernel_minute,
        False,
        "] ",
        CAPITALS + " <",
    ),
    Recognizer(
        "slurm-daemon",
        "[",
        r"\["
        + FULL_TIME
        + r"\] (?:\[\d{1,10}\.\w{1,20}(?:\+\d{1,6})?\] |(?=.{0,200}?\b(?:Step|Job)Id=))"
        r"(?=(error|fatal)?)",
        read_scheduler,
        False,
        "T",
        DIGITS,
    ),
    Recognizer("pod", "[", r"\[pod/([\w.-]+)/[\w.-]+\] ?", read_host, False, "[pod/"),
)
"""Outermost first, as far as shapes could be mistaken for each other."""
