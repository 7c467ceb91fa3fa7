"""The kernel log, by each way that is allowed; its lines are then read as those of a log."""

import os
from typing import List, Mapping, Optional, Sequence

from checker.lazy_patterns import lazy_pattern
from checker.probe.children import Reply
from checker.probe.machine import Findings, Machine, Unknown
from checker.report.clock_text import civil_date

_SECONDS_OF_LOG = 5.0
_MOST_OF_LOG = 2 << 20
_AS_ROOT = "no right: as root, dmesg > dmesg.txt, and give that file too"
_PID_IN_ROW = lazy_pattern(r"(?i)(?:killed process|\bpid[=:]) ?(\d{1,10})\b")
SECONDS_OF_DOUBT = 2.0
"""Of the times of starts and of the kernel's log, in seconds."""
_BOOT_TIME = lazy_pattern(r"\[ *(\d{1,9}\.\d{1,9})\] ?(?:[\w.-]{1,64} kernel: )?(.*)$")
_KMSG_RECORD = lazy_pattern(r"\d{1,4},\d{1,12},(\d{1,18}),[^;\s]{1,64};(.*)$")


def probe_kernel_log(machine: Machine) -> Findings:
    """What the kernel said, from an hour before the first of the named logs was last written.

    Its lines count as those of a kernel log that was given: kills for memory, Xids, dead disks.
    """
    reasons: List[str] = []
    for name, ask in (
        ("dmesg", _ask_dmesg),
        ("/dev/kmsg", _ask_device),
        ("journalctl", _ask_journal),
    ):
        reply = ask(machine)
        if reply.unknown is None and reply.value.strip():
            machine.logs["kernel log ({})".format(name)] = dated_lines(
                reply.value, machine.now, _uptime(machine), machine.since, os.uname().nodename
            )
            _forget_reused(machine, "kernel log ({})".format(name))
            return {"kernel.log": name}
        reasons.append(reply.unknown or "no right")
    silent = next((reason for reason in reasons if reason.startswith("did not answer")), None)
    refused = _AS_ROOT if "no right" in reasons else "absent"
    return {"kernel.log": Unknown(silent or refused)}


def _ask_dmesg(machine: Machine) -> Reply:
    return _ask_program(machine, ["dmesg"])


def _ask_journal(machine: Machine) -> Reply:
    words = ["journalctl", "-k", "-b", "-q", "--no-pager", "-o", "short-monotonic", "-n", "20000"]
    return _ask_program(machine, words)


def _ask_program(machine: Machine, words: Sequence[str]) -> Reply:
    reply = machine.children.run_program(
        "program " + words[0], _SECONDS_OF_LOG, words, machine.folders
    )
    if reply.unknown is not None:
        return reply
    if reply.value.status or not reply.value.output.strip():
        return Reply(None, "no right")
    return Reply(reply.value.output[-_MOST_OF_LOG:], None)


def _ask_device(machine: Machine) -> Reply:
    path = machine.root + "/dev/kmsg"

    def _records() -> str:
        return read_records(path)

    return machine.children.ask("/dev/kmsg", _SECONDS_OF_LOG, _records)


def read_records(path: str) -> str:
    """Read the records that are there, one a call as the device gives them, without waiting."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    parts: List[bytes] = []
    while True:
        try:
            part = os.read(handle, 8192)
        except BlockingIOError:
            break
        except BrokenPipeError:
            continue  # A record was overwritten before it was read.
        if not part:
            break
        parts.append(part)
    os.close(handle)
    return b"".join(parts)[-_MOST_OF_LOG:].decode("utf-8", "replace")


def _uptime(machine: Machine) -> Optional[float]:
    try:
        return float(machine.text("/proc/uptime").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def dated_lines(text: str, now: float, uptime: Optional[float], since: float, host: str) -> str:
    """Write seconds since boot as times, as `dmesg -T` does, and leave out what is too old."""
    if uptime is None:
        return text
    lines: List[str] = []
    for row in text.splitlines():
        found, scale = _BOOT_TIME.match(row), 1.0
        if found is None:
            found, scale = _KMSG_RECORD.match(row), 1e-6
        if found is None:
            continue
        seconds = now - uptime + float(found.group(1)) * scale
        if seconds >= since:
            lines.append("{} {} kernel: {}".format(_iso_time(seconds), host, found.group(2)))
    return "".join(line + "\n" for line in lines)


def _forget_reused(machine: Machine, name: str) -> None:
    """Drop rows that name a process of the run before it began: another one had its number."""
    began = {pid: _iso_time(at - SECONDS_OF_DOUBT) for pid, at in machine.began.items()}
    if began:
        rows = machine.logs[name].splitlines(keepends=True)
        machine.logs[name] = "".join(row for row in rows if not _names_a_predecessor(row, began))


def _names_a_predecessor(row: str, began: Mapping[int, str]) -> bool:
    stamp = row.partition(" ")[0]
    named = (began.get(int(pid)) for pid in _PID_IN_ROW.findall(row))
    return any(start is not None and stamp < start for start in named)


def _iso_time(seconds: float) -> str:
    micros = round(seconds * 1e6)
    day, rest = divmod(micros // 1000000, 86400)
    return "{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}.{:06d}+00:00".format(
        *civil_date(day), rest // 3600, rest // 60 % 60, rest % 60, micros % 1000000
    )
