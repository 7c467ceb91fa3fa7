"""Ends of processes are read however they are spelled, and told once."""

import pytest

from checker.model import LauncherVerdict
from checker.scan.observe import observe_texts

TRACE = 'Traceback (most recent call last):\n  File "/w/train.py", line 9, in main\n    run()\n'

CASES = [
    (
        "E0814 03:12:02.456000 41800 torch/distributed/elastic/multiprocessing/api.py:880] "
        "failed (exitcode: -6) local_rank: 3 (pid: 41825) of binary: /usr/bin/python3",
        [(3, 3, 41825, None, 6, None, "itself")],
    ),
    (
        "[2026-08-14 03:12:02,456] [ERROR] [launch.py:325:sigkill_handler] "
        "['python','-u','t.py','--local_rank=5'] exits with return code = -9",
        [(None, None, None, None, 9, None, None)],
    ),
    (
        "[2026-08-14 03:00:00,000] [INFO] [launch.py:164:main] nnodes=1, num_local_procs=1, "
        "node_rank=0\n[2026-08-14 03:12:02,456] [ERROR] [launch.py:325:sigkill_handler] "
        "['python','-u','t.py','--local_rank=0'] exits with return code = -9",
        [(0, 0, None, None, 9, None, None)],
    ),
    (
        TRACE
        + "torch.multiprocessing.spawn.ProcessExitedException: "
        + "process 1 terminated with signal SIGKILL",
        [(1, 1, None, None, 9, None, None)],
    ),
    (
        TRACE
        + "subprocess.CalledProcessError: "
        + "Command '['python', '-u', 't.py']' died with <Signals.SIGKILL: 9>.",
        [(None, None, None, None, 9, None, None)],
    ),
    (
        TRACE + "KeyError: 'x'\nKilled",
        [(None, None, None, None, 9, None, None)],
    ),
    ("srun: error: trn-07: task 5: Killed", [(5, None, None, "trn-07", 9, None, None)]),
    (
        "srun: error: node-2: task 5: Out Of Memory",
        [(5, None, None, "node-2", None, None, "kernel")],
    ),
    ("srun: error: node-2: task " + "9" * 5000 + ": Killed", []),
    (
        "[2026-08-14 03:12:02,456] [ERROR] [launch.py:325:sigkill_handler] "
        "['python','--local_rank=" + "9" * 5000 + "'] exits with return code = -9",
        [(None, None, None, None, 9, None, None)],
    ),
    (
        "srun: error: trn-07: tasks 8-9: Exited with exit code 1",
        [
            (8, None, None, "trn-07", None, 1, "itself"),
            (9, None, None, "trn-07", None, 1, "itself"),
        ],
    ),
    (
        "mpirun noticed that process rank 13 with PID 41825 on node trn-07 "
        "exited on signal 9 (Killed).",
        [(13, None, 41825, "trn-07", 9, None, None)],
    ),
    (
        "[rank: 1] Child process with PID 41825 terminated with code -9. Forcefully terminating",
        [(None, None, 41825, None, 9, None, None)],
    ),
    (
        "torch.multiprocessing.spawn.ProcessExitedException: "
        "process 1 terminated with signal SIGKILL",
        [(1, 1, None, None, 9, None, None)],
    ),
    ("      Reason:       OOMKilled", [(None, None, None, None, 9, None, "kernel")]),
    ("      Exit Code:    137", [(None, None, None, None, 9, None, None)]),
    ("Killed", [(None, None, None, None, 9, None, None)]),
    (
        "./run.sh: line 3: 12345 Killed                  python train.py",
        [(None, None, 12345, None, 9, None, None)],
    ),
    ("Segmentation fault (core dumped)", [(None, None, None, None, 11, None, "itself")]),
    ("Interrupt", [(None, None, None, None, 2, None, "person")]),
    ("      Exit Code:    130", [(None, None, None, None, 2, None, "person")]),
    (
        TRACE + "KeyboardInterrupt\nsrun: error: trn-07: task 5: Exited with exit code 130",
        [(5, None, None, "trn-07", 2, None, "person")],
    ),
    (
        "[rank: 1] Child process with PID 41825 terminated with code -2. Forcefully terminating",
        [(None, None, 41825, None, 2, None, "person")],
    ),
    ("Killed the old process", []),
    ("nobody was Killed", []),
    (
        "  # slurmstepd: error: *** JOB 88123 ON trn-07 CANCELLED AT 2026-08-14T05:00:00 ***",
        [],
    ),
    ("- `failed (exitcode: -9) local_rank: 3 (pid: 41825)` is a kill", []),
    (
        "slurmstepd: error: *** STEP 88123.0 ON trn-07 CANCELLED AT "
        "2026-08-14T05:00:00 DUE TO TIME LIMIT ***",
        [(None, None, None, "trn-07", 15, None, "scheduler")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_end_is_read(text: str, expected: object) -> None:
    """Rank, local rank, pid, host, signal, code and author come out of one line."""
    seen = observe_texts({"console.log": text + "\n"}, frozenset(), {}, {})
    found = [
        (end.rank, end.local_rank, end.pid, end.host, end.signal, end.code, end.by)
        for end in seen.exits
    ]
    assert found == expected


BLOCK = """\
W0814 03:12:01.123000 41800 torch/distributed/elastic/multiprocessing/api.py:906] \
Sending process 41823 closing signal SIGTERM
E0814 03:12:02.456000 41800 torch/distributed/elastic/multiprocessing/api.py:880] \
failed (exitcode: -9) local_rank: 5 (pid: 41825) of binary: /usr/bin/python3
Failures:
[1]:
  time      : 2026-08-14_03:12:01
  host      : trn-07
  rank      : 8 (local_rank: 0)
  exitcode  : -15 (pid: 41823)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 41823
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-08-14_03:12:02
  host      : trn-07
  rank      : 13 (local_rank: 5)
  exitcode  : -9 (pid: 41825)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 41825
============================================================
"""


def test_one_end_told_three_times_is_one() -> None:
    """The launcher's line, the block and the kernel's record join; the first line stays."""
    kernel = "[ 12.000001] Memory cgroup out of memory: Killed process 41825 (python)\n"
    seen = observe_texts({"console.log": BLOCK, "dmesg.log": kernel}, frozenset(), {}, {})
    found = [(end.line.number, end.rank, end.signal, end.by, end.host) for end in seen.exits]
    assert found == [(2, 13, 9, "kernel", "trn-07"), (8, 8, 15, "launcher", "trn-07")]


@pytest.mark.parametrize(
    ("host", "by"), [("trn-07", "kernel"), ("trn-07.cluster", "kernel"), ("trn-08", None)]
)
def test_kernel_of_another_host_killed_another_process(host: str, by: str | None) -> None:
    """Process ids are equal by chance on many machines."""
    kernel = (
        f"Aug 14 03:12:00 {host} kernel: Memory cgroup out of memory: Killed process 41825 (p)\n"
    )
    seen = observe_texts({"console.log": BLOCK, "kern.log": kernel}, frozenset(), {}, {})
    assert [end.by for end in seen.exits if end.pid == 41825] == [by]


@pytest.mark.parametrize("prefixes", [("0: ", "1: "), ("node-a: ", "node-b: ")])
def test_blocks_of_two_launchers_are_told_apart(prefixes: tuple[str, str]) -> None:
    """Where nothing tells their lines apart, none is taken from the wrong process."""
    blocks = [
        f"Root Cause (first observed failure):\n[0]:\n  host      : {host}\n"
        f"  rank      : {rank} (local_rank: 1)\n  exitcode  : {code} (pid: {pid})\n"
        for host, rank, code, pid in [("node-a", 1, -15, 1001), ("node-b", 5, -9, 2002)]
    ]
    rows = list(zip(*(block.splitlines() for block in blocks), strict=True))
    steps = "".join(prefix + "step 1\n" for prefix in prefixes * 3)
    mixed = "".join(p + row + "\n" for pair in rows for p, row in zip(prefixes, pair, strict=True))
    seen = observe_texts({"job.out": steps + mixed}, frozenset(), {}, {})
    assert [(end.rank, end.pid, end.host) for end in seen.exits] == [
        (1, 1001, "node-a"),
        (5, 2002, "node-b"),
    ]
    bare = "".join(row + "\n" for pair in rows for row in pair)
    assert observe_texts({"job.out": bare}, frozenset(), {}, {}).exits == ()


def test_the_launchers_verdict_is_kept() -> None:
    """What the launcher calls the root cause is kept as its word."""
    seen = observe_texts({"console.log": BLOCK}, frozenset(), {}, {})
    assert [v._replace(line=None) for v in seen.verdicts] == [  # type: ignore[arg-type]
        LauncherVerdict(13, -9, "2026-08-14_03:12:02", "trn-07", False, None)  # type: ignore[arg-type]
    ]
    assert [(v.line.path, v.line.number) for v in seen.verdicts] == [("console.log", 17)]


def test_a_program_that_refuses_its_arguments_is_heard() -> None:
    """What argparse says is an error and a hit, and the launcher tells the end."""
    text = (
        "usage: train.py [-h] [--lr LR]\n"
        "train.py: error: unrecognized arguments: --learning-rate 3\n"
        "E0814 03:12:02.456000 41800 torch/distributed/elastic/multiprocessing/api.py:880] "
        "failed (exitcode: 2) local_rank: 0 (pid: 41825) of binary: /usr/bin/python3\n"
    )
    seen = observe_texts(
        {"console.log": text}, frozenset({"log error: unrecognized arguments"}), {}, {}
    )
    assert [line.text for line in seen.errors] == [
        "train.py: error: unrecognized arguments: --learning-rate 3"
    ]
    assert [hit.line.number for hit in seen.hits] == [2]
    assert [(end.rank, end.code, end.by) for end in seen.exits] == [(0, 2, "itself")]
