"""Where attempts begin in one file, and what is one attempt although it looks like several."""

from typing import Any

import pytest

from checker.scan.observe import observe, observe_texts
from tests.needs import ROOT

BANNER = "loading config.yaml\nmodel has 7 layers\nstep 1 loss 2.5\nstep 2 loss 2.4\n"
TRACEBACK = 'Traceback (most recent call last):\n  File "t.py", line 3, in f\nValueError: x\n'
AGENT = "W1130 10:37:{:02}.000000 {} torch/distributed/run.py:874] Setting OMP_NUM_THREADS\n"
RESTART = (
    "I1130 10:37:15.369000 35 torch/distributed/elastic/agent/server/api.py:942] [default] "
    "Worker group FAILED. 2/3 attempts left; will restart worker group\n"
    "I1130 10:37:15.516000 35 torch/distributed/elastic/agent/server/api.py:553]"
    "   restart_count=2\n"
)


def attempts_of(**files: str) -> list[tuple[str, int, int]]:
    """Path, first line and number of every attempt."""
    texts = {name + ".log": text for name, text in files.items()}
    return list(observe_texts(texts, frozenset(), {}, {}).attempts)


def test_restart_of_a_real_log_begins_the_second_attempt() -> None:
    """The line that counts the restart begins it; the rank's banner after it begins no third."""
    path = ROOT / "tests/logs/user_exception_one_rank/restarted/console.log"
    seen = observe([str(path)], frozenset())
    assert [(first, number) for _, first, number in seen.attempts] == [(1, 0), (158, 1)]
    ends = [(end.rank, end.line.writer.attempt) for end in seen.exits if end.code == 1]
    assert ends == [(2, 0), (2, 1)]
    states = {(state.rank, state.attempt): state.last_step for state in seen.ranks}
    assert states == {(rank, attempt): 7 for rank in range(4) for attempt in (0, 1)}


def test_restarts_of_several_agents_are_one() -> None:
    """Every agent of a run tells the restart; its number is the launcher's."""
    assert attempts_of(a=BANNER + RESTART + RESTART + BANNER) == [("a.log", 1, 0), ("a.log", 6, 2)]


@pytest.mark.parametrize(
    "end",
    [
        TRACEBACK,
        "slurmstepd: error: *** JOB 811 ON node-a CANCELLED AT 2026-11-30T10:00:00 DUE TO JOB "
        "REQUEUE ***\n",
        "Killed\n",
    ],
)
def test_beginning_that_comes_again_after_an_end_begins_an_attempt(end: str) -> None:
    """Two lines of the beginning are enough, whatever ended the run before."""
    lines = (BANNER + end).count("\n")
    assert attempts_of(a=BANNER + end + BANNER) == [("a.log", 1, 0), ("a.log", lines + 1, 1)]


def test_one_line_of_the_beginning_and_its_first_counter_are_a_beginning() -> None:
    """A terse run prints one line before it counts; that line alone may be of anything."""
    run = "loading config.yaml\nstep 1 loss 2.5\nstep 2 loss 2.4\n"
    assert attempts_of(a=run + "Killed\n" + run) == [("a.log", 1, 0), ("a.log", 5, 1)]
    assert attempts_of(a=run + "Killed\nloading config.yaml\nbye\n") == []
    assert attempts_of(a=run + "Killed\nstep 1 loss 2.5\nstep 2 loss 2.4\n") == []


def test_lines_that_come_again_in_another_order_begin_nothing() -> None:
    """What a run says when it goes down may repeat what it said when it came up."""
    turned = "model has 7 layers\nloading config.yaml\n"
    assert attempts_of(a=BANNER + TRACEBACK + turned) == []


def test_numbers_of_a_beginning_may_differ() -> None:
    """A process id and a seed are others in each attempt."""
    run = "loading config.yaml with seed {0}\nstarted as process 47{0}\nstep 1 loss 2.5\n"
    text = run.format(1) + "Killed\n" + run.format(2)
    assert attempts_of(a=text) == [("a.log", 1, 0), ("a.log", 5, 1)]


def test_what_a_run_prints_again_later_on_is_no_beginning() -> None:
    """Each epoch loads its data anew, also after somebody's helper was killed."""
    epoch = "building the loader\nloading shard {0}\nstep {0} loss 2.5\nstep 1{0} loss 2.4\n"
    text = epoch.format(1) + epoch.format(2) + "Killed\n" + epoch.format(3)
    assert attempts_of(a=text) == []


def test_lines_of_two_writers_are_no_beginning() -> None:
    """Each printed one line again, and neither began again."""
    ranks = "".join(
        f"[rank{n}]: loading config.yaml\n[rank{n}]: model has 7 layers\n" for n in (0, 1)
    )
    again = "[rank0]: loading config.yaml\n[rank1]: model has 7 layers\n"
    assert attempts_of(a=ranks + "Killed\n" + again) == []
    assert attempts_of(a=ranks + "Killed\n" + ranks) == [("a.log", 1, 0), ("a.log", 6, 1)]


def test_counter_that_goes_back_alone_begins_nothing() -> None:
    """A new epoch counts from one again, and a log may repeat its banner without an end."""
    epochs = "step 1 loss 2.5\nstep 2 loss 2.4\n" * 4
    assert attempts_of(a=BANNER + epochs) == []
    assert attempts_of(a=BANNER + BANNER) == []
    assert attempts_of(a=BANNER + TRACEBACK + epochs) == []


def test_exception_that_the_run_survived_ends_no_attempt() -> None:
    """Two further steps show that what was printed was no end."""
    assert attempts_of(a=BANNER + TRACEBACK + "step 3 loss 2\nstep 4 loss 2\n" + BANNER) == []


def test_banner_of_a_slow_rank_after_the_end_of_another_begins_nothing() -> None:
    """Before any step, an exception is the end of its own rank only."""
    ranks = "[rank{0}]: loading config.yaml\n[rank{0}]: model has 7 layers\n"
    failed = "".join(f"[rank0]: {row}\n" for row in TRACEBACK.splitlines())
    assert attempts_of(a=ranks.format(0) + failed + "[rank0]: INFO bye\n" + ranks.format(1)) == []
    both = ranks.format(0) + ranks.format(1)
    assert attempts_of(a=both + failed + "[rank0]: INFO bye\n" + ranks.format(1)) == []
    assert attempts_of(a=both + failed + ranks.format(0)) == [("a.log", 1, 0), ("a.log", 8, 1)]


def test_new_agent_in_an_appended_file_begins_an_attempt() -> None:
    """Another process of the launcher writes on, and the first one is silent from then on."""
    one, other = AGENT.format(2, 35), AGENT.format(40, 77)
    assert attempts_of(a=one + BANNER + other + BANNER) == [("a.log", 1, 0), ("a.log", 6, 1)]
    assert attempts_of(a=one + other + BANNER) == []
    assert attempts_of(a=one + BANNER + other + BANNER + AGENT.format(50, 35)) == []


def test_new_job_in_an_appended_file_begins_an_attempt() -> None:
    """Slurm names another job; steps beside each other are none."""
    told = "slurmstepd: error: *** STEP {} ON node-a CANCELLED AT 2026-11-30T10:00:00 ***\n"
    one, other = told.format("811.0"), told.format("812.0")
    text = "warming up\nstep 7 loss 2\n" + one + "going on from 7\nstep 8 loss 2\n" + other
    assert attempts_of(a=text) == [("a.log", 1, 0), ("a.log", 4, 1)]
    assert attempts_of(a=text + one) == []


def test_next_step_of_a_job_begins_an_attempt() -> None:
    """A script that calls srun again runs again, in the same job."""
    told = "slurmstepd: error: *** STEP 811.{} ON node-a CANCELLED AT 2026-11-30T10:00:00 ***\n"
    text = "step 7 loss 2\n" + told.format(0) + "going on from 7\nstep 8 loss 2\n"
    assert attempts_of(a=text + told.format(1)) == [("a.log", 1, 0), ("a.log", 3, 1)]
    assert attempts_of(a=text + told.format(0)) == []


def test_restart_for_a_node_that_joins_begins_an_attempt() -> None:
    """It uses up no attempt, so that the line has no number; before any step nothing is over."""
    joined = (
        "I1130 10:37:15.369000 35 torch/distributed/elastic/agent/server/api.py:968] [default] "
        "Detected 1 new nodes from group_rank=0; will restart worker group\n"
    )
    assert attempts_of(a=BANNER + joined + BANNER) == [("a.log", 1, 0), ("a.log", 5, 1)]
    assert attempts_of(a=joined + BANNER) == []


def test_files_that_tell_nothing_belong_to_attempts_by_time() -> None:
    """The launcher's log tells when the second attempt began, and a rank's log is cut there."""
    rank = "".join(f"2026-11-30 10:37:{second} step {second} loss 1\n" for second in (5, 9, 20, 25))
    rank = rank.replace(":5 ", ":05 ").replace(":9 ", ":09 ")
    console = AGENT.format(2, 35) + BANNER + RESTART
    told = attempts_of(console=console, rank1=rank)
    assert told[2:] == [("rank1.log", 1, 0), ("rank1.log", 3, 2)]


def test_folders_of_attempts_tell_when_each_began() -> None:
    """Torchrun's folders hold the attempts, and the log of another program is divided by them."""
    row = "2026-11-30 10:37:{} INFO step {} loss 1\n"
    texts = {
        "logs/run_x/attempt_0/0/stderr.log": row.format("05", 5),
        "logs/run_x/attempt_1/0/stderr.log": row.format("20", 6),
        "metrics.txt": "".join(row.format(second, second) for second in (10, 15, 25, 30)),
    }
    seen = observe_texts(texts, frozenset(["metric loss"]), {}, {})
    assert seen.attempts == (("metrics.txt", 1, 0), ("metrics.txt", 3, 1))
    assert [(s.step, s.line.writer.attempt) for s in seen.samples if s.line.path[0] == "l"] == [
        (5, 0),
        (6, 1),
    ]


def test_kernel_lines_have_no_attempt() -> None:
    """They join by time, in whatever file they stand."""
    kernel = "Nov 30 10:37:20 node-b kernel: Out of memory: Killed process 7 (python)\n"
    keys = frozenset(["log Killed process"])
    seen = observe_texts({"a.log": BANNER + RESTART + kernel}, keys, {}, {})
    assert [hit.line.writer.attempt for hit in seen.hits] == [None]


@pytest.mark.parametrize(
    ("steps", "mixed"),
    [
        ([100, 5, 101, 6, 102, 7, 103, 8, 104], True),
        ([1000, 100, 1050, 150, 1100, 200, 1150, 250], True),
        ([*range(1, 60), *range(1, 60), *range(1, 60)], False),
        ([1, 1, 2, 3, 2, 3, 4, 4, 5, 6, 5, 6, 7, 7], False),
        ([*range(1, 100), *range(51, 150)], False),
        ([step for last in range(9, 40) for step in (last, last - 4)], False),
    ],
)
def test_two_counters_in_turn_are_two_runs(steps: list[int], mixed: bool) -> None:
    """Epochs, ranks that are not told apart, and a resumed run count otherwise."""
    text = "".join(f"step {step} loss 2.5\n" for step in steps)
    seen: Any = observe_texts({"a.log": text}, frozenset(["metric loss"]), {}, {})
    assert seen.mixed == (frozenset(["a.log"]) if mixed else frozenset())


def test_beginning_is_found_far_below_in_a_long_log() -> None:
    """Lines after an end are read closely, though nothing else is looked for in them."""
    filler = "".join(f"nothing to see in row {row}\n" for row in range(3000))
    text = BANNER + filler + "Killed\n\n\n" + BANNER + filler
    assert attempts_of(a=text) == [("a.log", 1, 0), ("a.log", 3008, 1)]


FAILED = (
    "E1130 14:0{}:24.076000 {} torch/distributed/elastic/multiprocessing/api.py:1002] failed "
    "(exitcode: -9) local_rank: 1 (pid: {}) of binary: /usr/bin/python3\n"
)
RANK = "[default1]:never got to its first line\n[default1]:nor to its first step\n"


def test_agent_that_tells_again_of_a_failed_process_had_restarted_it() -> None:
    """At its usual log level nothing else does; what follows the first end is the next attempt."""
    twice = BANNER + FAILED.format(1, 35, 90) + RANK + FAILED.format(2, 35, 91)
    assert attempts_of(a=twice) == [("a.log", 1, 0), ("a.log", 6, 1)]
    thrice = twice + RANK + FAILED.format(3, 35, 92)
    assert attempts_of(a=thrice) == [("a.log", 1, 0), ("a.log", 6, 1), ("a.log", 9, 2)]


def test_agents_of_several_nodes_tell_of_one_end() -> None:
    """Each tells of its own processes, and one line may stand in a file twice."""
    ends = [FAILED.format(1, agent, agent + 50) for agent in (35, 36)]
    assert attempts_of(a=BANNER + "".join(ends)) == []
    assert attempts_of(a=BANNER + ends[0] + ends[0]) == []
    again = [FAILED.format(2, agent, agent + 60) for agent in (35, 36)]
    both = BANNER + "".join(ends) + RANK + "".join(again)
    assert attempts_of(a=both) == [("a.log", 1, 0), ("a.log", 7, 1)]


def test_restart_that_the_agent_tells_is_not_counted_again() -> None:
    """The second end is of the attempt that the restart line has begun."""
    text = BANNER + FAILED.format(1, 35, 90) + RESTART + RANK + FAILED.format(2, 35, 91)
    assert attempts_of(a=text) == [("a.log", 1, 0), ("a.log", 7, 2)]


def test_failed_restart_of_a_real_log_is_an_attempt() -> None:
    """The ranks of the second attempt run no step, and torchrun is at its usual log level."""
    path = ROOT / "tests/logs/restart_stale_store/tee/console.log"
    seen = observe([str(path)], frozenset())
    lines = path.read_text().splitlines()
    first = next(n for n, text in enumerate(lines, 1) if "failed (exitcode" in text)
    assert [(at, number) for _, at, number in seen.attempts] == [(1, 0), (first + 1, 1)]
