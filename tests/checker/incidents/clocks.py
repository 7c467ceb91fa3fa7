"""Incidents on hosts whose clocks differ: what was first, and what cannot be told."""

from datetime import datetime

from tests.checker.incidents.building import Run
from tests.checker.incidents.registry import (
    BY_RANK,
    CLOSED,
    CONSOLES,
    DISK_FULL,
    GPU_OOM,
    HOST_OOM,
    TIMEOUT,
    TORCHRUN,
    Expected,
    disk_full,
    incident,
    killed_by_kernel,
    out_of_gpu_memory,
    started,
)

MINUTES, HOURS = 420.0, 7200.0
NEW_YEAR = datetime(2026, 12, 31, 23, 59, 50)


def _two_failures(run: Run, at: float, gap: float) -> Run:
    """Rank 11 on the second node has no memory left; rank 1 on the first no disk, *gap* later."""
    for seconds, rank, fail in ((at, 11, out_of_gpu_memory), (at + gap, 1, disk_full)):
        run.log(seconds, rank, "training failed", "ERROR")
        fail(run, seconds, rank)
    return run


def _without_steps(run: Run) -> Run:
    """Ranks that print, but nothing that ranks of another host print at the same time."""
    run.ready()
    for rank in range(run.ranks):
        for number in range(8):
            run.log(2 + number, rank, "waiting for the first batch")
    return run


def _apart(ahead: float, gap: float) -> Run:
    run, end = started(16, offsets={1: ahead})
    return _two_failures(run, end + 60, gap)


MEMORY_FIRST = Expected(GPU_OOM, 11, independent=(DISK_FULL,), order=((DISK_FULL, "after"),))
UNTOLD = Expected(GPU_OOM, 11, independent=(DISK_FULL,), order=((DISK_FULL, "unknown"),))
"""Where the order cannot be told, equally sure ones stand in the order of their names."""
DISK_FIRST = Expected(DISK_FULL, 1, independent=(GPU_OOM,), order=((GPU_OOM, "after"),))


@incident(TORCHRUN, MEMORY_FIRST)
def _the_first_failure_is_on_a_host_seven_minutes_ahead() -> Run:
    return _apart(MINUTES, 40)


@incident(TORCHRUN, MEMORY_FIRST)
def _the_first_failure_is_on_a_host_two_hours_ahead() -> Run:
    return _apart(HOURS, 40)


@incident(TORCHRUN, DISK_FIRST)
def _the_second_failure_is_on_a_host_seven_minutes_behind() -> Run:
    return _apart(-MINUTES, -40)


@incident(TORCHRUN, DISK_FIRST)
def _the_second_failure_is_on_a_host_two_hours_behind() -> Run:
    return _apart(-HOURS, -40)


def _of_sixty_four(ahead: dict[int, float]) -> Run:
    run, end = started(64, offsets=ahead)
    _two_failures(run, end + 60, 40)
    run.timed_out(end + 661, [r for r in run.others(1, 11) if r % 8 < 2], 4711)
    return run


@incident(
    (BY_RANK, CONSOLES),
    Expected(
        GPU_OOM, 11, followed=(TIMEOUT,), independent=(DISK_FULL,), order=((DISK_FULL, "after"),)
    ),
)
def _two_failures_among_eight_clocks() -> Run:
    return _of_sixty_four({1: MINUTES, 2: -MINUTES, 3: HOURS, 4: -HOURS, 5: 3.0, 6: 86400.0})


@incident(TORCHRUN, UNTOLD)
def _two_failures_nearer_than_clocks_are_known() -> Run:
    """Nothing ties the two hosts, whose clocks a time server may have set."""
    return _two_failures(_without_steps(Run(16)), 30, 0.4)


@incident(TORCHRUN, DISK_FIRST)
def _zones_that_are_printed() -> Run:
    """Nothing but the zones ties the two hosts; by its digits the second failure is the first."""
    run = Run(16)
    run.zones = {0: 0, 1: -7}
    return _two_failures(_without_steps(run), 60, -40)


@incident(TORCHRUN, UNTOLD)
def _a_host_that_prints_its_zone_and_one_that_does_not() -> Run:
    """UTC and an unknown local time are in no order, however far they are apart."""
    run = Run(16)
    run.zones = {0: 0}
    return _two_failures(_without_steps(run), 60, 40)


@incident(TORCHRUN, MEMORY_FIRST)
def _a_host_that_prints_its_zone_and_one_that_counts_the_same_steps() -> Run:
    """What both count says how far the unknown local time is from UTC."""
    run = Run(16, offsets={1: 9 * 3600.0})
    run.zones = {0: 0}
    run.ready()
    return _two_failures(run, run.steps(1, 12, 5) + 60, 40)


@incident(TORCHRUN, Expected(GPU_OOM, 5, followed=(TIMEOUT,)))
def _times_without_a_year_after_new_year() -> Run:
    """The watchdogs' lines are of January, the steps of December, and only those have a year."""
    run, end = started(8, start=NEW_YEAR)
    run.log(end + 1, 5, "training failed", "ERROR")
    out_of_gpu_memory(run, end + 1, 5)
    run.timed_out(end + 601, run.others(5), 4711)
    return run


@incident(TORCHRUN, Expected(HOST_OOM, 5, followed=(CLOSED,), host="node-a"))
def _a_kill_around_new_year_in_a_journal_without_years() -> Run:
    run, end = started(8, start=NEW_YEAR)
    killed_by_kernel(run, end + 1, 5)
    run.lost_peer(end + 1.4, run.others(5))
    run.torchrun_ends(end + 2, 5, -9)
    return run


@incident(TORCHRUN, Expected(HOST_OOM, 11, followed=(CLOSED,), host="node-b", agrees=True))
def _a_kernel_that_counts_from_its_start() -> Run:
    """The process id joins what the clocks cannot."""
    run, end = started(16)
    run.booted = {0: 91234.5, 1: 1834512.25}
    killed_by_kernel(run, end + 1, 11)
    run.lost_peer(end + 1.4, run.others(11))
    run.torchrun_ends(end + 2, 11, -9)
    return run
