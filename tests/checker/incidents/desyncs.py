"""Incidents in which the ranks do not meet in a collective, told by lines and by dumps."""

from tests.checker.incidents.building import Called, Run
from tests.checker.incidents.registry import (
    ALL,
    BY_RANK,
    ORDER,
    SIZES,
    STUCK,
    TIMEOUT,
    TORCHRUN,
    Expected,
    incident,
    started,
)

# One rank calls another operation, in another order, or with another size.


def _differing(ranks: int, odd: int, usual: list[Called], other: list[Called]) -> Run:
    """All give up in the first call that differs, and say of which group it is."""
    run, end = started(ranks)
    for rank in range(ranks):
        call = next(
            mine if rank == odd else its
            for mine, its in zip(other, usual, strict=True)
            if mine != its
        )
        at = end + 601 + rank / 1000
        run.gave_up(at, rank, call)
        run.status(at + 0.1, rank, call)
    return run


def _recorded(ranks: int, odd: int, usual: list[Called], other: list[Called]) -> Run:
    """The ranks end without a word about it, and only the flight recorder tells."""
    run, end = started(ranks)
    for rank in range(ranks):
        run.recorded(rank, other if rank == odd else usual)
        run.log(end + 601 + rank / 1000, rank, "the job is ended, dumps are written")
    return run


REDUCED, SENT = Called(812), Called(812, "BROADCAST")
IN_ORDER = [Called(811), Called(812), Called(813, "BROADCAST", 64)]
SWAPPED = [Called(811), Called(812, "BROADCAST", 64), Called(813)]
SMALLER = Called(812, "ALLREDUCE", 8184)


@incident(ALL, Expected(ORDER, 3, followed=(TIMEOUT,)))
def _another_operation() -> Run:
    return _differing(8, 3, [REDUCED], [SENT])


@incident(ALL, Expected(ORDER, 37, followed=(TIMEOUT,)))
def _another_operation_among_sixty_four() -> Run:
    return _differing(64, 37, [REDUCED], [SENT])


@incident(ALL, Expected(ORDER, 5, followed=(TIMEOUT,)))
def _another_order() -> Run:
    return _differing(8, 5, IN_ORDER, SWAPPED)


@incident(ALL, Expected(ORDER, 50, followed=(TIMEOUT,)))
def _another_order_among_sixty_four() -> Run:
    return _differing(64, 50, IN_ORDER, SWAPPED)


@incident(ALL, Expected(SIZES, 6, followed=(TIMEOUT,)))
def _another_size() -> Run:
    return _differing(8, 6, [REDUCED], [SMALLER])


@incident(ALL, Expected(SIZES, 19, followed=(TIMEOUT,)))
def _another_size_among_sixty_four() -> Run:
    return _differing(64, 19, [REDUCED], [SMALLER])


@incident((BY_RANK,), Expected(ORDER, 3))
def _another_operation_in_the_dumps() -> Run:
    return _recorded(8, 3, [Called(811), REDUCED], [Called(811), SENT])


@incident((BY_RANK,), Expected(ORDER, 37))
def _another_operation_in_the_dumps_of_sixty_four() -> Run:
    return _recorded(64, 37, [Called(811), REDUCED], [Called(811), SENT])


@incident((BY_RANK,), Expected(ORDER, 5))
def _another_order_in_the_dumps() -> Run:
    return _recorded(8, 5, IN_ORDER[:2], SWAPPED[:2])


@incident((BY_RANK,), Expected(ORDER, 50))
def _another_order_in_the_dumps_of_sixty_four() -> Run:
    return _recorded(64, 50, IN_ORDER[:2], SWAPPED[:2])


@incident((BY_RANK,), Expected(SIZES, 6))
def _another_size_in_the_dumps() -> Run:
    return _recorded(8, 6, [Called(811), REDUCED], [Called(811), SMALLER])


@incident((BY_RANK,), Expected(SIZES, 19))
def _another_size_in_the_dumps_of_sixty_four() -> Run:
    return _recorded(64, 19, [Called(811), REDUCED], [Called(811), SMALLER])


# One rank never calls what the others wait in.


def _never_enqueued(ranks: int, rank: int) -> Run:
    run, end = started(ranks)
    for other in run.others(rank):
        at = end + 601 + other / 1000
        run.gave_up(at, other, REDUCED)
        run.status(at + 0.1, other, REDUCED)
    run.notified(end + 602, rank, 811)
    return run


@incident(ALL, Expected(TIMEOUT, None, role="consequence", silent=(6,), lagging=(6,)))
def _a_collective_that_one_rank_never_enqueued() -> Run:
    return _never_enqueued(8, 6)


@incident(ALL, Expected(TIMEOUT, None, role="consequence", silent=(41,), lagging=(41,)))
def _a_collective_that_one_rank_of_sixty_four_never_enqueued() -> Run:
    return _never_enqueued(64, 41)


def _never_recorded(ranks: int, rank: int) -> Run:
    run, end = started(ranks)
    run.timed_out(end + 601, run.others(rank), 812)
    for other in run.others(rank):
        run.recorded(other, [Called(811), REDUCED])
    run.recorded(rank, [Called(810), Called(811)], waits=False)
    return run


@incident((BY_RANK,), Expected(TIMEOUT, None, role="consequence", silent=(6,), lagging=(6,)))
def _a_collective_that_is_missing_in_the_dump_of_one_rank() -> Run:
    return _never_recorded(8, 6)


@incident((BY_RANK,), Expected(TIMEOUT, None, role="consequence", silent=(41,), lagging=(41,)))
def _a_collective_that_is_missing_in_the_dump_of_one_rank_of_sixty_four() -> Run:
    return _never_recorded(64, 41)


def _stuck(ranks: int, rank: int) -> Run:
    run, end = started(ranks)
    run.in_group(
        end + 540,
        rank,
        "ProcessGroupNCCL.cpp:1684",
        "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in "
        "monitoring enqueued collectives. ",
    )
    for other in run.others(rank):
        at = end + 601 + other / 1000
        run.gave_up(at, other, REDUCED)
        run.status(at + 0.1, other, REDUCED)
    return run


@incident(TORCHRUN, Expected(STUCK, None, role="consequence", followed=(TIMEOUT,), lagging=(2,)))
def _a_frozen_process_whose_watchdog_got_stuck() -> Run:
    return _stuck(8, 2)


@incident(TORCHRUN, Expected(STUCK, None, role="consequence", followed=(TIMEOUT,), lagging=(33,)))
def _a_frozen_process_of_sixty_four_whose_watchdog_got_stuck() -> Run:
    return _stuck(64, 33)
