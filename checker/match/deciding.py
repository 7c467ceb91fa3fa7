"""What would tell whether a sign is true that is unknown so far: a sign enters, words leave."""

from checker.facts import fact_kinds
from checker.model import Sign

_LOGS = {
    "kernel": "the kernel log of the host (dmesg -T, as root)",
    "scheduler": "the scheduler's log of the job",
    "service": "the service log of the host (journalctl)",
    "launcher": "the launcher's console output",
    "rank": "the logs of the ranks",
}


def nothing_decides(sign: Sign) -> str:
    """Know of nothing that would tell."""
    return ""


def log_decides(sign: Sign) -> str:
    """Name the log in which the line would stand."""
    return _LOGS.get(sign["source"], "")


def traceback_decides(sign: Sign) -> str:
    """Name what would show the frames of the exception itself."""
    return (
        "the log of each rank in a file of its own; after a device error, a run with"
        " CUDA_LAUNCH_BLOCKING=1"
    )


def exit_decides(sign: Sign) -> str:
    """Name who tells of ends."""
    return _LOGS.get(sign["exit"]["by"], "the launcher's console output, to its end")


def metric_decides(sign: Sign) -> str:
    """Name a log that prints the series."""
    return "a log in which '{}' is printed".format(sign["metric"])


_COUNTER_INPUTS = {
    "stopped": "a log that goes on after the last {}, of any rank, or a stack of the process",
    "finished": "the launcher's console output, to its end",
    "moving": "the log of each rank, with its {}s",
    "none_yet": "a log that goes on, of any rank: it has to show that a minute passed",
}


def progress_decides(sign: Sign) -> str:
    """Name what tells whether a counter still moves."""
    return _COUNTER_INPUTS.get(sign["progress"], "").format(sign["of"])


def collective_decides(_: Sign) -> str:
    """Name what shows where every rank stood."""
    return "the logs of all ranks, or the flight recorder's dumps of all ranks"


def stack_decides(sign: Sign) -> str:
    """Name what shows frames."""
    return "a stack dump of each stuck process (py-spy dump --pid PID)"


def fact_decides(sign: Sign) -> str:
    """Name what has to be known of the machine."""
    known = fact_kinds().get(sign["fact"])
    meaning = " ({})".format(known.meaning.rstrip(".")) if known else ""
    return "a look at the machine for {}{}".format(sign["fact"], meaning)


def version_decides(sign: Sign) -> str:
    """Name who knows a version."""
    return "a log that names the version of {}".format(sign["version"])


def missing_decides(sign: Sign) -> str:
    """Name what shows that time passed."""
    return "a log that goes on, of any rank: it has to show that {} passed".format(sign["within"])
