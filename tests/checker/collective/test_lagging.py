"""Which rank holds the others up: twelve situations, and those in which nothing tells."""

import pytest

from tests.checker.collective.printed import (
    lags_of,
    notified,
    ruled,
    status,
    stuck,
    waits,
    watchdog,
    world,
)


def test_straggler_by_its_own_counters() -> None:
    """A rank that was notified, and called one less than the others wait in, lags."""
    assert ruled(waits(0, 167), waits(1, 167), waits(3, 167), notified(2, 166, 166)) == [
        (
            "0",
            "straggler",
            (2,),
            "rank 2 had not enqueued ALLREDUCE 167, in which ranks 0-1, 3 wait",
        )
    ]


def test_two_stragglers() -> None:
    """Several ranks can lag at once."""
    told = ruled(*(waits(rank, 9) for rank in range(6)), notified(6, 8, 8), notified(7, 8, 8))
    assert told == [
        (
            "0",
            "straggler",
            (6, 7),
            "ranks 6-7 had not enqueued ALLREDUCE 9, in which ranks 0-5 wait",
        )
    ]


def test_straggler_that_went_on_counting() -> None:
    """A rank that counts while all others wait is not in the collective."""
    step = "[rank3]: 2026-08-14 03:09:02,000 INFO train: step 167 loss 2.1"
    assert ruled(world(4), waits(0, 167), waits(1, 167), waits(2, 167), step) == [
        ("0", "straggler", (3,), "rank 3 went on counting while the others waited")
    ]


def test_different_operations_under_one_number() -> None:
    """Ranks that wait in different operations of one group called different collectives."""
    told = ruled(
        waits(0, 167), waits(1, 167), waits(2, 167), waits(3, 167, op="BROADCAST", numel=1)
    )
    assert told == [
        (
            "0",
            "op_mismatch",
            (3,),
            "under the same number 167 the ranks differ: ranks 0-2 in ALLREDUCE, "
            "rank 3 in BROADCAST",
        )
    ]


def test_different_operations_half_and_half_accuse_nobody() -> None:
    """Where as many ranks do the one as the other, neither is wrong for certain."""
    told = ruled(waits(0, 7), waits(1, 7, op="BROADCAST"))
    assert told == [
        (
            "0",
            "op_mismatch",
            (),
            "under the same number 7 the ranks differ: rank 1 in BROADCAST, rank 0 in ALLREDUCE",
        )
    ]


def test_different_sizes_of_one_operation() -> None:
    """An operation that needs equal sizes was called with different ones."""
    told = ruled(waits(0, 12), waits(1, 12), waits(2, 12, numel=1000))
    assert told == [
        (
            "0",
            "size_mismatch",
            (2,),
            "the sizes of ALLREDUCE 12 differ: ranks 0-1 with 1024 elements, "
            "rank 2 with 1000 elements",
        )
    ]


def test_sizes_that_may_differ_are_no_mismatch() -> None:
    """Ranks may gather parts of different sizes."""
    told = ruled(
        world(2), waits(0, 12, op="ALLGATHER", numel=10), waits(1, 12, op="ALLGATHER", numel=11)
    )
    assert told[0][1] == "nobody_lags"


def test_nobody_lags() -> None:
    """Where all ranks of the group wait in the same call, data does not flow."""
    assert ruled(world(4), *(waits(rank, 31) for rank in range(4))) == [
        ("0", "nobody_lags", (), "all 4 ranks of the group called ALLREDUCE 31, with equal sizes")
    ]


def test_nobody_lags_where_the_last_one_was_only_notified() -> None:
    """A rank that called the collective later is in it too."""
    told = ruled(world(3), waits(0, 31), waits(1, 31), notified(2, 31, 30))
    assert told[0][:3] == ("0", "nobody_lags", ())


def test_dead_peer() -> None:
    """A rank that ended while the others waited cannot come."""
    end = (
        "E0814 03:04:10.123000 77 torch/distributed/elastic/multiprocessing/api.py:869] failed "
        "(exitcode: -11) local_rank: 2 (pid: 4242) of binary: /usr/bin/python"
    )
    told = lags_of({"console.log": "\n".join([world(3), *waits(0, 5), *waits(1, 5), end]) + "\n"})
    assert [(lag.verdict, lag.accused, lag.why) for lag in told] == [
        ("dead_peer", (2,), "rank 2 had ended while the others waited")
    ]


def test_frozen_process() -> None:
    """A rank whose own watchdog got stuck, and that waits nowhere, stands still."""
    told = ruled(world(3), waits(0, 5), waits(1, 5), stuck(2))
    assert told == [("0", "frozen", (2,), "the watchdog of rank 2 itself got stuck")]


def test_desync_report_names_the_laggards() -> None:
    """The report's lines have no prefix, and number the ranks of the group."""
    told = ruled(
        "[rank1]:[E814 03:12:02.456123456 ProcessGroupNCCL.cpp:2432] Rank 1",
        "\t - [1] Timeout at collective: ALLREDUCE, #5",
        "\t - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:",
        "\t     [3] finished collective #4, but didn't join collective #5 (count from 1)",
    )
    assert told == [
        (
            "desync report",
            "straggler",
            (3,),
            "rank 3 had not enqueued ALLREDUCE 5, in which rank 1 waits",
        )
    ]


def test_desync_report_of_ranks_that_never_came() -> None:
    """Ranks that joined no collective at all are named outright."""
    told = ruled(
        "\t - [1] Timeout at collective: ALLREDUCE, #1",
        "\t - To our best knowledge, ranks [0, 2] are the lagging ranks that caused this timeout. "
        "They never joined any collectives",
    )
    assert told == [
        (
            "desync report",
            "straggler",
            (0, 2),
            "ranks 0, 2 did not come",
        )
    ]


def test_monitored_barrier_names_the_missing_rank() -> None:
    """Rank 0 says who did not come."""
    told = ruled(
        "[rank0]:[E1103 10:20:21.872282132 ProcessGroupGloo.cpp:145] [Rank 0]: Ranks 1, 3 failed "
        "to pass monitoredBarrier in 3000 ms"
    )
    assert told == [
        (
            "monitored barrier",
            "straggler",
            (1, 3),
            "ranks 1, 3 did not come",
        )
    ]


def test_rank_that_a_barrier_misses_had_crashed() -> None:
    """Nobody waits for a straggler who is dead."""
    told = ruled(
        "[rank0]:[E1103 10:20:21.872282132 ProcessGroupGloo.cpp:145] [Rank 0]: Rank 2 failed "
        "to pass monitoredBarrier in 3000 ms",
        "E1103 10:20:10.123000 77 torch/distributed/elastic/multiprocessing/api.py:869] failed "
        "(exitcode: -11) local_rank: 2 (pid: 4242) of binary: /usr/bin/python",
    )
    assert told == [("monitored barrier", "dead_peer", (2,), "rank 2 had ended")]


DETAIL = (
    "[rank{0}]: RuntimeError: Detected mismatch between collectives on ranks. Rank {0} is running "
    "collective: CollectiveFingerPrint(SequenceNumber=5, OpType={1}, TensorShape=[{2}], "
    "TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default))), but Rank {3} is "
    "running collective: CollectiveFingerPrint(SequenceNumber=5, OpType={4}, TensorShape=[{5}], "
    "TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default)))."
)


def test_debug_check_finds_other_operations() -> None:
    """What TORCH_DISTRIBUTED_DEBUG=DETAIL prints is of one call for certain."""
    told = ruled(
        DETAIL.format(1, "ALLREDUCE", 4, 0, "BROADCAST", 4),
        DETAIL.format(2, "ALLREDUCE", 4, 0, "BROADCAST", 4),
    )
    assert told == [("debug check", "op_mismatch", (0,), "ranks 0-2 call different collectives")]


def test_debug_check_finds_other_sizes() -> None:
    """Equal operations with other shapes."""
    told = ruled(DETAIL.format(1, "ALLREDUCE", "4, 2", 0, "ALLREDUCE", "4, 3"))
    assert told == [
        (
            "debug check",
            "size_mismatch",
            (),
            "ranks 0-1 call one collective with different sizes or types",
        )
    ]


def test_debug_check_that_shows_no_operation_accuses_nobody() -> None:
    """`OpType=REDUCE` is the number 3 there: how long the other rank's description is."""
    line = DETAIL.format(1, "ALLGATHER", 1, 7, "X", 1)
    cut = line[: line.index("CollectiveFingerPrint(SequenceNumber=5, OpType=X")]
    told = ruled(cut + "CollectiveFingerPrint(SequenceNumber=0OpType=REDUCE).")
    assert told == [
        ("debug check", "undecided", (), "ranks 1, 7 differ in what the check does not show")
    ]


def test_all_watchdogs_stuck_accuse_nobody() -> None:
    """A device that hangs on all ranks shows no first one."""
    told = ruled(world(2), stuck(0), stuck(1))
    assert told == [("0", "frozen", (), "the watchdog of ranks 0-1 itself got stuck")]


def test_one_stuck_watchdog_among_many_ranks() -> None:
    """It alone stands still."""
    assert ruled(world(8), stuck(5))[0][:3] == ("0", "frozen", (5,))


# What follows must not become an accusation.


def test_silence_alone_proves_nothing() -> None:
    """A rank that printed nothing is no laggard: its log may be cut, or not there."""
    assert ruled(world(4), waits(0, 167), waits(1, 167), waits(2, 167)) == [
        ("0", "undecided", (), "no word of rank 3 in this group")
    ]


def test_counting_early_in_the_wait_proves_nothing() -> None:
    """A rank can run ahead of its device for a while."""
    step = "[rank3]: 2026-08-14 03:02:40,000 INFO train: step 167 loss 2.1"
    told = ruled(world(4), waits(0, 167), waits(1, 167), waits(2, 167), step)
    assert told == [("0", "undecided", (), "no word of rank 3 in this group")]


ENDED = (
    "E0814 {} 77 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {}) "
    "local_rank: 2 (pid: 4242) of binary: /usr/bin/python"
)


@pytest.mark.parametrize(
    ("time", "code", "verdict"),
    [
        ("03:04:10.123000", "1", "dead_peer"),
        ("03:04:10.123000", "-9", "dead_peer"),
        ("03:12:05.123000", "1", "undecided"),  # after the others had given up
        ("03:04:10.123000", "-15", "undecided"),  # ended by others
        ("03:12:05.123000", "-6", "undecided"),  # the watchdog's own end
    ],
)
def test_an_end_counts_if_it_was_first_and_its_own(time: str, code: str, verdict: str) -> None:
    """Ranks that a launcher ended, or that gave up as the others did, are victims."""
    end = ENDED.format(time, code)
    lines = [world(3), *waits(0, 5), *waits(1, 5), end]
    (lag,) = lags_of({"console.log": "\n".join(lines) + "\n"})
    assert (lag.verdict, lag.accused) == (verdict, (2,) if verdict == "dead_peer" else ())


def test_counters_of_sends_do_not_count() -> None:
    """Sends and receives have counters of their own, that differ by right."""
    assert ruled(waits(0, 12, op="SEND"), waits(1, 40, op="RECV")) == [
        (
            "0",
            "undecided",
            (),
            "counters of send, receive and coalesced work compare with nothing",
        )
    ]


def test_counter_that_sends_may_have_written_accuses_nobody() -> None:
    """Last enqueued 3 where the others wait in 167 is no lag of 164 collectives."""
    assert ruled(waits(0, 167), waits(1, 167), notified(2, 3, 3)) == [
        (
            "0",
            "undecided",
            (),
            "the counters of rank 2 do not fit to ALLREDUCE 167: they may be of sends and receives",
        )
    ]


def test_counter_below_what_completed_accuses_nobody() -> None:
    """Two kinds of work wrote into this pair of counters."""
    assert ruled(waits(0, 167), waits(1, 167), notified(2, 166, 400))[0][1] == "undecided"


def test_counters_of_a_process_that_ran_nothing_accuse_nobody() -> None:
    """-1 on a rank says that nothing ran there, not why."""
    assert ruled(waits(0, 1), waits(1, 1), notified(2, -1, -1))[0][1] == "undecided"


def test_numbers_without_a_group_are_not_compared() -> None:
    """Up to torch 2.2 the lines name no group."""
    assert ruled(watchdog(0, 5), watchdog(1, 5), watchdog(2, 9), watchdog(3, 9)) == [
        (
            "",
            "undecided",
            (),
            "the lines name no process group, and counters of different groups say nothing",
        )
    ]


def test_lines_that_number_parts_of_the_run_are_not_mixed() -> None:
    """`[Rank 0]` of rank 2 is of a group that begins elsewhere."""
    lines = [watchdog(0, 5), watchdog(1, 5), watchdog(2, 5, group_rank=0)]
    assert ruled(*lines) == [
        ("", "undecided", (), "lines of several process groups cannot be told apart")
    ]


def test_two_groups_of_one_name_are_not_mixed() -> None:
    """Each group has one rank of a number, whatever it is called."""
    told = ruled(
        waits(0, 5, group="3(tp)", group_rank=0),
        waits(1, 5, group="3(tp)", group_rank=1),
        waits(2, 5, op="BROADCAST", group="3(tp)", group_rank=0),
    )
    assert told == [("3", "undecided", (), "lines of several process groups cannot be told apart")]


def test_numbers_that_groups_have_on_each_rank_name_no_group() -> None:
    """Up to torch 2.4 a rank counts its own groups: two have the same number."""
    lines = [
        f"[rank{rank}]:[E814 03:12:02.456310117 ProcessGroupNCCL.cpp:1515] [PG 1 Rank {rank}] "
        f"Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught "
        f"collective operation timeout: WorkNCCL(SeqNum=9, OpType={op}, NumelIn=1, NumelOut=1, "
        "Timeout(ms)=600000) ran for 600012 milliseconds before timing out."
        for rank, op in ((0, "ALLREDUCE"), (1, "BROADCAST"))
    ]
    assert ruled(*lines)[0][:3] == ("", "undecided", ())


def test_groups_are_judged_apart() -> None:
    """A number counts in its own group only."""
    told = ruled(
        waits(0, 5, group="3(tp)", group_rank=0),
        waits(1, 5, group="3(tp)", group_rank=1),
        waits(2, 900, group="4(dp)", group_rank=0),
        waits(3, 900, group="4(dp)", group_rank=1),
    )
    assert [(group, verdict) for group, verdict, _, _ in told] == [
        ("3", "undecided"),
        ("4", "undecided"),
    ]


def test_rank_that_waits_elsewhere_is_not_accused() -> None:
    """Who did not come since he waits in another group is held up himself."""
    told = ruled(
        waits(0, 167),
        waits(1, 167),
        notified(2, 166, 166),
        watchdog(2, 9, group_rank=0),
        status(2, 9, 9, 8, "5(tp)", 0),
        watchdog(3, 9, group_rank=1),
        status(3, 9, 9, 8, "5(tp)", 1),
    )
    assert told[0] == ("0", "undecided", (), "rank 2 waits in another group for others")


def test_ranks_in_different_calls_do_not_show_who_is_wrong() -> None:
    """A call that some left and others wait in is lost data, or no common call at all."""
    assert ruled(waits(0, 166), waits(1, 166), waits(2, 165)) == [
        (
            "0",
            "undecided",
            (),
            "rank 2 waits in ALLREDUCE 165, which others have left: data did not come, "
            "or the calls differ",
        )
    ]


def test_few_that_wait_accuse_not_the_many() -> None:
    """One rank that waits for seven may have called one collective too many."""
    told = ruled(waits(0, 9), *(notified(rank, 8, 8) for rank in range(1, 8)))
    assert told == [
        (
            "0",
            "undecided",
            (),
            "only rank 0 called ALLREDUCE 9: those may have called one too many",
        )
    ]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_lines_that_a_terminal_wrapped_tell_the_same(width: int) -> None:
    """The rows of a narrow terminal are joined before they are read."""
    lines = [*waits(0, 167), *waits(1, 167), notified(2, 166, 166)]
    rows = [line[at : at + width] for line in lines for at in range(0, len(line), width)]
    told = lags_of({"console.log": "\n".join(rows) + "\n"})
    assert [(lag.verdict, lag.accused) for lag in told] == [("straggler", (2,))]


def test_cut_number_is_no_number() -> None:
    """A terminal that wrapped the line must not make 16 of 167."""
    line = watchdog(0, 167)
    assert lags_of({"console.log": line[: line.index("SeqNum=16") + 9] + "\n"}) == ()


def test_attempts_are_judged_apart() -> None:
    """What one launch counted says nothing of the next."""
    files = {
        f"run/attempt_{attempt}/{rank}/stderr.log": "\n".join(waits(rank, seq)) + "\n"
        for attempt, seq in ((0, 5), (1, 90))
        for rank in (0, 1)
    }
    told = [(lag.attempt, lag.verdict, lag.call and lag.call.seq) for lag in lags_of(files)]
    assert told == [(0, "undecided", 5), (1, "undecided", 90)]


def test_one_file_for_each_rank_tells_the_same() -> None:
    """It does not matter how the launcher keeps the lines, nor what the files are called."""
    parts = {
        0: waits(0, 167),
        1: waits(1, 167),
        2: [notified(2, 166, 166)],
    }
    texts = {rank: "\n".join(lines) + "\n" for rank, lines in parts.items()}
    told = []
    for names in (("a", "b", "c"), ("z", "k", "m")):
        lags = lags_of({f"{name}.log": texts[rank] for rank, name in enumerate(names)})
        told.append([(lag.verdict, lag.accused, lag.why) for lag in lags])
    why = "rank 2 had not enqueued ALLREDUCE 167, in which ranks 0-1 wait"
    assert told == [[("straggler", (2,), why)]] * 2
