"""How prefixes of kernels, journals and daemons are read: what they say is kept in a `Peeled`."""

import re
from typing import Optional

from checker.lazy_patterns import lazy_pattern
from checker.model import Moment
from checker.scan.moments import boot_moment, wall_moment
from checker.scan.prefix_readings import Peeled, keep_level, keep_moment, read_time

NUMBER = lazy_pattern(r"[0-9]{1,18}$")


def read_boot(peeled: Peeled, found: "re.Match[str]") -> None:
    """Seconds since boot."""
    keep_moment(peeled, boot_moment(found.group(1)))
    peeled.source = "kernel"


def read_kmsg(peeled: Peeled, found: "re.Match[str]") -> None:
    """A record of `/dev/kmsg`, whose time is in microseconds since boot."""
    micros = int(found.group(1))
    keep_moment(peeled, Moment(micros / 1e6, "boot", 1e-6))
    peeled.source = "kernel"


def read_kernel_time(peeled: Peeled, found: "re.Match[str]") -> None:
    """The wall time of `dmesg -T`."""
    month, day, hour, minute, second, year = found.groups()
    keep_moment(peeled, wall_moment(year, month, day, hour, minute, second))
    peeled.source = "kernel"


def read_kernel_minute(peeled: Peeled, found: "re.Match[str]") -> None:
    """The minute of `dmesg -H`, where it changes; between those are only differences."""
    month, day, hour, minute = found.groups()
    if month:
        moment = wall_moment(None, month, day, hour, minute, "0")
        keep_moment(peeled, moment._replace(precision=60.0) if moment else None)
    peeled.source = "kernel"


def read_journal(peeled: Peeled, found: "re.Match[str]") -> None:
    """The short form of the journal and of syslog."""
    month, day, hour, minute, second, fraction, host, program, pid = found.groups()
    keep_moment(peeled, wall_moment(None, month, day, hour, minute, second, fraction))
    _keep_service(peeled, host, program, pid)


def read_journal_full(peeled: Peeled, found: "re.Match[str]") -> None:
    """The journal's form with weekday and zone; other zones than UTC have no offset."""
    year, month, day, hour, minute, second, fraction, zone, host, program, pid = found.groups()
    offset = "Z" if zone == "UTC" else zone if zone[0] in "+-" else None
    keep_moment(peeled, wall_moment(year, month, day, hour, minute, second, fraction, offset))
    _keep_service(peeled, host, program, pid)


def read_journal_unix(peeled: Peeled, found: "re.Match[str]") -> None:
    """The journal's form with seconds since 1970."""
    keep_moment(peeled, Moment(float(found.group(1)), "utc", 1e-6))
    _keep_service(peeled, *found.groups()[1:4])


def read_journal_boot(peeled: Peeled, found: "re.Match[str]") -> None:
    """The journal's form with seconds since boot."""
    keep_moment(peeled, boot_moment(found.group(1)))
    _keep_service(peeled, *found.groups()[1:4])


def read_syslog(peeled: Peeled, found: "re.Match[str]") -> None:
    """A syslog line with a full time."""
    read_time(peeled, found)
    host, program, pid = found.group(9), found.group(10), found.group(11)
    _keep_service(peeled, host, program, pid if pid and NUMBER.match(pid) else None)


def read_scheduler(peeled: Peeled, found: "re.Match[str]") -> None:
    """A line of one of Slurm's daemons, in their own log."""
    read_time(peeled, found)
    keep_level(peeled, found.group(9))
    peeled.source = "scheduler"


def _keep_service(peeled: Peeled, host: str, program: str, pid: Optional[str]) -> None:
    peeled.host = host
    peeled.source = source_of_program(program)
    if pid:
        peeled.pid = int(pid)


def source_of_program(program: str) -> str:
    """Tell who writes under a program's name in the journal."""
    if program == "kernel":
        return "kernel"
    return "scheduler" if program.startswith(("slurm", "pbs_")) else "service"
