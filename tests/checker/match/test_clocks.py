"""Clocks of several hosts are one time line, as far as what all hosts saw tells."""

import time
from collections.abc import Sequence

import pytest

from checker.match.onset import compare_moments
from checker.match.scene import build_scene
from checker.model import Moment, Observations
from checker.scan.moments import doubt_between, earliest_gap
from checker.scan.observe import observe_texts

pytestmark = pytest.mark.rule("roles")

KEYS = frozenset({"log no luck", "log Watchdog caught", "log gone wrong", "metric loss"})
MET = "node-{}:7:9 [0] NCCL INFO comm 0x1 rank {} nranks 2 cudaDev 0 busId 9c000 - Init COMPLETE\n"
START = 1_796_180_400.0


def clock(seconds: float, ahead: float = 0.0, zone: str = "") -> str:
    """A time as a host prints it whose clock is ahead."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(START + seconds + ahead)) + zone


def rank_log(rank: int, ahead: float, steps: Sequence[int], fails: float, zone: str = "") -> str:
    """The log of a rank on a host of its own, that counts every ten seconds and fails."""
    rows = [f"{clock(10 * step, ahead, zone)} INFO step {step} loss 2.0\n" for step in steps]
    failed = f"{clock(fails, ahead, zone)} ERROR no luck\n"
    return MET.format("ab"[rank], rank) + "".join(rows) + failed


def read(files: dict[str, str]) -> Observations:
    """Read texts; names and their order change nothing but the names."""
    scene = build_scene(observe_texts(files, KEYS, {}, {}), ())
    turned = dict(reversed(list(files.items())))
    assert build_scene(observe_texts(turned, KEYS, {}, {}), ()) == scene
    return scene.observations


def failures(files: dict[str, str]) -> list[Moment]:
    """When the ranks failed, by name of the file."""
    return [hit.line.moment for hit in read(files).hits if hit.line.moment is not None]


@pytest.mark.parametrize("ahead", [0.0, 420.0, -420.0, 7200.0, -32400.0])
def test_steps_that_both_hosts_print_tell_how_far_their_clocks_are_apart(ahead: float) -> None:
    """Rank 0 failed five seconds before rank 1, however the second clock is set."""
    files = {
        "rank0.log": rank_log(0, 0.0, range(9), 95.0),
        "rank1.log": rank_log(1, ahead, range(9), 100.0),
    }
    first, second = failures(files)
    assert compare_moments(first, second) == "before"
    assert earliest_gap(first, second) == 5.0
    offsets = [(o.host, o.shift, o.doubt, o.by) for o in read(files).clocks]
    assert offsets == ([("node-b", -ahead, 1.0, "step")] if ahead else [])


def test_what_is_nearer_than_the_clocks_are_known_is_in_no_order() -> None:
    """Steps that come to one host now and then later tell its clock less surely."""
    late = [0, 13, 26, 28, 41, 45, 60, 71, 84]
    rows = "".join(f"{clock(at, 900.0)} INFO step {n} loss 2.0\n" for n, at in enumerate(late))
    unsure = MET.format("node-b", 1) + rows + f"{clock(98.0, 900.0)} ERROR no luck\n"
    first, second = failures({"rank0.log": rank_log(0, 0.0, range(9), 95.0), "rank1.log": unsure})
    assert compare_moments(first, second) is None
    assert abs(earliest_gap(first, second) or 0.0) < doubt_between(first, second)


def test_hosts_of_which_nothing_was_measured_may_be_a_second_apart() -> None:
    """Time servers keep clocks together, but not to the millisecond."""
    near = {"rank0.log": rank_log(0, 0.0, (), 95.0), "rank1.log": rank_log(1, 0.0, (), 96.0)}
    first, second = failures(near)
    assert (doubt_between(first, second), compare_moments(first, second)) == (1.0, None)
    far = {**near, "rank1.log": rank_log(1, 0.0, (), 98.0)}
    assert compare_moments(*failures(far)) == "before"


def test_operation_that_all_gave_up_tells_minutes_not_seconds() -> None:
    """Ranks begin to wait one after another, so a timeout tells a clock to the minute."""
    gave_up = (
        "{} Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE)\n"
    )
    files = {
        f"rank{rank}.log": MET.format("ab"[rank], rank)
        + gave_up.format(clock(600.0, ahead))
        + f"{clock(fails, ahead)} ERROR no luck\n"
        for rank, ahead, fails in ((0, 0.0, 100.0), (1, 3600.0, 130.0))
    }
    _, first, _, second = failures(files)
    assert compare_moments(first, second) is None
    assert [(o.host, o.shift, o.doubt, o.by) for o in read(files).clocks] == [
        ("node-b", -3600.0, 61.0, "timeout")
    ]


def on_hosts(seen: dict[str, str]) -> dict[str, str]:
    """Logs of a rank on each of two hosts, an hour apart, that saw something else than steps."""
    return {
        f"rank{rank}.log": MET.format("ab"[rank], rank)
        + seen["ab"[rank]]
        + f"{clock(95.0 + 9 * rank, 3600.0 * rank)} ERROR no luck\n"
        for rank in (0, 1)
    }


def offsets(files: dict[str, str]) -> list[tuple[str | None, float, float, str]]:
    """How far which host's clock is off, by how much that can be wrong, and what told."""
    return [(o.host, o.shift, o.doubt, o.by) for o in read(files).clocks]


JOINED = (
    "{} node-{}:7:9 [0] NCCL INFO ncclCommInitRank comm 0x1 rank {} nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 9c000 commId 0x5f3a - Init COMPLETE\n"
)


def test_communicator_that_both_joined_tells_a_clock_to_two_seconds() -> None:
    """NCCL returns on all ranks once the last one has come."""
    files = on_hosts(
        {"a": JOINED.format(clock(1), "a", 0), "b": JOINED.format(clock(2, 3600), "b", 1)}
    )
    assert offsets(files) == [("node-b", -3601.0, 3.0, "communicator")]
    assert compare_moments(*failures(files)) == "before"
    files["rank1.log"] = files["rank1.log"].replace("0x5f3a", "0x77")
    assert offsets(files) == []


def test_step_that_slurm_cancels_on_all_nodes_tells_a_clock_to_five_seconds() -> None:
    """Each node's daemon prints its own time; two steps are cancelled at two times."""
    told = "slurmstepd: error: *** STEP 811.{} ON node-{} CANCELLED AT {} ***\n"
    times = [clock(200).replace(" ", "T"), clock(203, 3600).replace(" ", "T")]
    files = on_hosts({"a": "", "b": ""})
    files["slurm.log"] = told.format(0, "a", times[0]) + told.format(0, "b", times[1])
    assert offsets(files) == [("node-b", -3603.0, 6.0, "cancel")]
    files["slurm.log"] = told.format(0, "a", times[0]) + told.format(1, "b", times[1])
    assert offsets(files) == []


def test_rendezvous_of_all_agents_tells_a_clock_to_ten_seconds() -> None:
    """The agents leave it together, and look for each other now and then."""
    agent = (
        "node-{0}: I{1}.000000 35 torch/distributed/elastic/agent/server/api.py:525] [default] "
        "Rendezvous complete for workers. Result:\nnode-{0}:   group_rank={2}\n"
    )
    times = [clock(at, ahead)[5:].replace("-", "") for at, ahead in ((1, 0), (5, 3600))]
    files = on_hosts({"a": "", "b": ""})
    files["agents.log"] = agent.format("a", times[0], 0) + agent.format("b", times[1], 1)
    assert offsets(files) == [("node-b", -3604.0, 11.0, "rendezvous")]


def test_what_tells_a_clock_best_is_believed() -> None:
    """Steps that agree to the second are better than a communicator."""
    steps = {
        host: "".join(f"{clock(10 * n, ahead)} INFO step {n} loss 2.0\n" for n in range(9))
        for host, ahead in (("a", 0.0), ("b", 3600.0))
    }
    files = on_hosts(
        {
            "a": JOINED.format(clock(1), "a", 0) + steps["a"],
            "b": JOINED.format(clock(2, 3600), "b", 1) + steps["b"],
        }
    )
    assert offsets(files) == [("node-b", -3600.0, 1.0, "step")]


def test_two_common_steps_tell_nothing() -> None:
    """Of two that agree by chance nobody knows how far they scatter."""
    for common, told in ((2, []), (3, [("node-b", -3600.0, 1.0, "step")])):
        files = {
            "rank0.log": rank_log(0, 0.0, range(9), 95.0),
            "rank1.log": rank_log(1, 3600.0, range(9 - common, 9), 100.0),
        }
        assert offsets(files) == told


def test_clock_that_may_be_right_is_not_corrected() -> None:
    """Steps that scatter by three seconds do not show that a clock is two seconds off."""
    scatter = (2, 2, 5, -1, 6, -2, 2, 5, -1)
    rows = "".join(
        f"{clock(10 * n, late)} INFO step {n} loss 2.0\n" for n, late in enumerate(scatter)
    )
    files = {
        "rank0.log": rank_log(0, 0.0, range(9), 95.0),
        "rank1.log": MET.format("b", 1) + rows + f"{clock(97.0)} ERROR no luck\n",
    }
    assert offsets(files) == []
    assert compare_moments(*failures(files)) == "before"


def test_clock_is_compared_through_another_host() -> None:
    """The third host shares no step with the first, and many with the second."""
    counted = ((0.0, range(31)), (420.0, range(20, 40)), (-900.0, range(33, 43)))
    files = {
        f"rank{rank}.log": MET.format(host, rank).replace("nranks 2", "nranks 3")
        + "".join(f"{clock(10 * n, ahead)} INFO step {n} loss 2.0\n" for n in steps)
        for rank, (host, (ahead, steps)) in enumerate(zip("abc", counted, strict=True))
    }
    assert offsets(files) == [("node-b", -420.0, 1.0, "step"), ("node-c", 900.0, 1.0, "step")]


def test_doubt_between_hosts_is_none_within_one() -> None:
    """Lines that one clock timed a second apart are in order."""
    files = {
        "rank0.log": rank_log(0, 0.0, (), 95.0) + f"{clock(96.0)} ERROR gone wrong\n",
        "rank1.log": rank_log(1, 0.0, (), 96.0),
    }
    first, second, other = failures(files)
    assert (compare_moments(first, second), compare_moments(first, other)) == ("before", None)


def test_zone_that_is_printed_is_used() -> None:
    """Five o'clock in the zone of the one host is before four o'clock in that of the other."""
    rows = ("2026-12-02T05:00:00+02:00 ERROR no luck\n", "2026-12-02T04:00:00Z ERROR no luck\n")
    files = {f"rank{rank}.log": MET.format("ab"[rank], rank) + rows[rank] for rank in (0, 1)}
    assert compare_moments(*failures(files)) == "before"
    west = {**files, "rank0.log": files["rank0.log"].replace("+02:00", "-02:00")}
    assert compare_moments(*failures(west)) == "after"


@pytest.mark.parametrize(
    ("dated", "yearless", "verdict"),
    [
        ("2026-12-02 03:00:09", "Dec  2 03:00:50", "before"),
        ("2026-12-02 03:00:50", "Dec  2 03:00:09", "after"),
        ("2026-12-31 23:59:50", "Jan  1 00:00:09", "before"),
        ("2027-01-01 00:00:09", "Dec 31 23:59:50", "after"),
    ],
)
def test_time_without_a_year_is_of_the_nearest_one(dated: str, yearless: str, verdict: str) -> None:
    """A kernel log without a year lies beside the run that it tells of, and not in 1970."""
    files = {
        "a_rank0.log": MET.format("a", 0) + f"{dated} ERROR no luck\n",
        "b_rank1.log": MET.format("b", 1) + f"{dated} INFO step 1 loss 2.0\n",
        "kernel.log": f"{yearless} node-a kernel: gone wrong\n",
    }
    failed, kernel = failures(files)
    assert compare_moments(failed, kernel) == verdict
    assert abs(earliest_gap(failed, kernel) or 1e9) < 60.0


def test_zones_are_read_and_a_time_without_one_is_placed_by_what_both_saw() -> None:
    """A log in UTC and one in local time are compared by their steps."""
    files = {
        "rank0.log": rank_log(0, 0.0, range(9), 95.0, "Z"),
        "rank1.log": rank_log(1, 7200.0, range(9), 100.0, "+02:00"),
    }
    assert compare_moments(*failures(files)) == "before"
    files["rank1.log"] = rank_log(1, 7200.0, range(9), 100.0)
    first, second = failures(files)
    assert (first.clock, second.clock, compare_moments(first, second)) == ("utc", "local", "before")
    files["rank1.log"] = rank_log(1, 7200.0, (), 100.0)
    assert compare_moments(*failures(files)) is None


def test_seconds_since_boot_are_placed_by_a_line_that_shows_both() -> None:
    """The journal prints its own time before the kernel's; dmesg prints only the second."""
    journal = "Dec  2 03:00:0{0} node-a kernel: [  10{0}.000000] usb 1-1: new device\n"
    files = {
        "dmesg.txt": "[  107.500000] EXT4-fs error (device x): gone wrong\n",
        "rank0.log": rank_log(0, 0.0, range(3), 30.0),
    }
    assert compare_moments(*failures(files)) is None
    files["node-a.journal"] = "".join(journal.format(n) for n in range(9))
    kernel, failed = failures(files)
    assert (kernel.clock, compare_moments(kernel, failed)) == ("boot", "before")
    assert [(o.host, o.clock, o.by) for o in read(files).clocks] == [("node-a", "boot", "line")]


def test_file_of_an_unknown_host_is_placed_only_by_what_is_far() -> None:
    """Ranks of one host write their steps seconds apart; minutes are another host's clock."""
    near = {
        f"rank{rank}.log": rank_log(rank, 0.0, range(9), 95.0 + 2 * rank).partition("\n")[2]
        for rank in (0, 1)
    }
    assert compare_moments(*failures(near)) == "before"
    late = rank_log(1, 10.0, range(9), 97.0).partition("\n")[2]
    assert earliest_gap(*failures({**near, "rank1.log": late})) == 12.0
    far = rank_log(1, 600.0, range(9), 97.0).partition("\n")[2]
    assert earliest_gap(*failures({**near, "rank1.log": far})) == 2.0


def test_turn_of_the_year_lies_between_two_times_without_a_year() -> None:
    """The second of January comes after the thirty-first of December."""
    text = "Dec 31 23:59:59 n kernel: no luck\nJan  1 00:00:09 n kernel: no luck\n"
    first, second = failures({"k.log": text})
    assert compare_moments(first, second) == "before"
