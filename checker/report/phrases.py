"""The words of a report: records enter, short phrases such as `ranks 0-1, 3` leave."""

from typing import List, Optional, Sequence, Tuple

from checker.model import CONFIDENCE, Diagnosis, Exit, Line, Observations, RankState, Sighting
from checker.report.terminal import Excerpt, clip, visible

PROCESS_COUNT = "process.count"
_SHOWN_RANGES = 8
_AT_ONCE = ", all at once as far as the logs tell"
_HOST_COLUMNS = 40
_SIGNAL_NAMES = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    10: "SIGUSR1",
    11: "SIGSEGV",
    12: "SIGUSR2",
    13: "SIGPIPE",
    15: "SIGTERM",
    24: "SIGXCPU",
    25: "SIGXFSZ",
}


def counted(number: int, one: str, many: str = "") -> str:
    """Say a number with its noun: `1 file`, `1,234 files`."""
    return "{:,} {}".format(number, one if number == 1 else many or one + "s")


def ranks_phrase(ranks: Sequence[int]) -> str:
    """Name ranks in ranges: `rank 3`, `ranks 0-1, 3`."""
    ordered = sorted(set(ranks))
    if len(ordered) == 1:
        return "rank {}".format(ordered[0])
    ranges = _rank_ranges(ordered)
    shown = [
        str(low) if low == high else "{}-{}".format(low, high)
        for low, high in ranges[:_SHOWN_RANGES]
    ]
    text = "ranks " + ", ".join(shown)
    left = sum(high - low + 1 for low, high in ranges[_SHOWN_RANGES:])
    return text + (" and {:,} more".format(left) if left else "")


def doubts_of(sighting: Sighting) -> List[str]:
    """Say why it may not be about the run."""
    late = ["later than the last line of the run"] if sighting.late else []
    return late + (["of this machine, not tied to this run"] if sighting.untied else [])


def host_phrase(host: str) -> str:
    """Name a host that a log named, cut if it is absurdly long."""
    return "host " + clip(Excerpt(host, 0, len(host)), _HOST_COLUMNS)


def place_phrase(diagnosis: Diagnosis) -> str:
    """Say where a diagnosis began, or where a symptom shows, as far as that is known."""
    parts = []
    if diagnosis.rule["kind"] == "symptom" and diagnosis.ranks:
        parts.append(ranks_phrase(diagnosis.ranks))
    elif diagnosis.rank is not None:
        parts.append(ranks_phrase([diagnosis.rank]))
    elif diagnosis.ranks:
        parts.append(ranks_phrase(diagnosis.ranks))
    if diagnosis.host:
        parts.append(host_phrase(diagnosis.host))
    text = " on ".join(parts) if parts else "rank not known"
    return text + (_AT_ONCE if _is_of_no_one_rank(diagnosis) else "")


def _is_of_no_one_rank(diagnosis: Diagnosis) -> bool:
    """Tell whether several ranks failed, and nothing tells which of them did first."""
    failed = diagnosis.rule["kind"] in ("failure", "stop")
    return failed and diagnosis.rank is None and len(diagnosis.ranks) > 1


def silent_ranks(diagnosis: Diagnosis, observations: Observations) -> List[int]:
    """List the few ranks that do not show what most ranks show."""
    known = {state.rank for state in observations.ranks}
    known.update(range(observations.world_size or 0))
    silent = sorted(known - set(diagnosis.ranks))
    return silent if len(silent) < len(diagnosis.ranks) else []


def spread_phrase(diagnosis: Diagnosis) -> str:
    """Say on which ranks a diagnosis was seen, or on which host, or nothing."""
    if diagnosis.ranks:
        return ranks_phrase(diagnosis.ranks)
    if diagnosis.rank is not None:
        return ranks_phrase([diagnosis.rank])
    return host_phrase(diagnosis.host) if diagnosis.host else ""


def confidence_phrase(diagnosis: Diagnosis) -> str:
    """Say how sure a diagnosis is."""
    return CONFIDENCE[diagnosis.confidence]


def times_phrase(sighting: Sighting) -> str:
    """Say how often a sighting was repeated, or nothing."""
    if sighting.times < 2:
        return ""
    return "{}{}".format("" if sighting.exact else "at least ", counted(sighting.times, "time"))


def exit_phrase(ended: Optional[Exit]) -> str:
    """Say how a process ended, or nothing."""
    if ended is None:
        return ""
    if ended.signal is not None:
        name = _SIGNAL_NAMES.get(ended.signal)
        how = "ended by signal {}{}".format(ended.signal, " ({})".format(name) if name else "")
    elif ended.code == 0:
        return "ended normally"
    else:
        how = "ended with exit code {}".format(ended.code)
    by = {
        "launcher": " from the launcher",
        "scheduler": " from the scheduler",
        "kernel": " from the kernel",
        "person": " from a person",
    }
    return how + by.get(ended.by or "", "") if ended.signal is not None else how


def state_words(state: RankState) -> str:
    """Say where a rank stood and how it ended."""
    parts = []
    if state.last_step is not None:
        parts.append("last step {}".format(state.last_step))
    ended = exit_phrase(state.exit)
    return ", ".join(parts + ([ended] if ended else []))


def anything_read(observations: Observations) -> bool:
    """Tell whether there was at least one line to read, or somebody looked at what runs."""
    return any(given.status == "read" and given.lines != 0 for given in observations.inputs) or any(
        fact.name == PROCESS_COUNT for fact in observations.facts
    )


def absent_inputs(observations: Observations) -> List[str]:
    """Name the logs that were not among the inputs and could tell more."""
    absent = []
    known = {state.rank for state in observations.ranks}
    size = observations.world_size
    missing = [rank for rank in range(size) if rank not in known] if size else []
    if missing:
        absent.append("the logs of " + ranks_phrase(missing))
    if "launcher" not in observations.sources:
        absent.append("the launcher's console output")
    if "kernel" not in observations.sources:
        absent.append("the kernel log of the hosts (dmesg -T, as root)")
    return absent


def _rank_ranges(ordered: Sequence[int]) -> List[Tuple[int, int]]:
    ranges: List[Tuple[int, int]] = []
    for rank in ordered:
        if ranges and ranges[-1][1] == rank - 1:
            ranges[-1] = (ranges[-1][0], rank)
        else:
            ranges.append((rank, rank))
    return ranges


def place_text(line: Line) -> str:
    """Write the place of a line as editors take it."""
    path, number = line.place
    return "{}:{}".format(visible(path), number)
