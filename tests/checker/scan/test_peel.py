"""Prefixes are peeled, and what they say is kept."""

import pytest

from checker.scan.peel import Peeler

CASES = [
    (
        "[rank13]:[E814 03:11:52.123456789 ProcessGroupNCCL.cpp:629] [Rank 13] Watchdog caught",
        ("rank", 13, None, None, None, "ERROR", "yearless", "[Rank 13] Watchdog caught"),
    ),
    (
        "[default3]:[rank3]: KeyError: 'x'",
        ("rank", 3, 3, None, None, None, None, "KeyError: 'x'"),
    ),
    (
        "2026-08-14 03:11:52,123 - ERROR - trainer - boom",
        (None, None, None, None, None, "ERROR", "local", "boom"),
    ),
    (
        "2026-08-14 03:11:52,123 - trainer - ERROR - boom",
        (None, None, None, None, None, "ERROR", "local", "boom"),
    ),
    (
        "E0814 03:12:02.456000 41800 torch/distributed/elastic/multiprocessing/api.py:880] failed",
        ("launcher", None, None, None, 41800, "ERROR", "yearless", "failed"),
    ),
    (
        "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1)",
        ("launcher", None, None, None, None, "ERROR", None, "failed (exitcode: 1)"),
    ),
    (
        "[2024-01-02 03:04:05,678] torch.distributed.elastic.multiprocessing.api: [ERROR] failed",
        ("launcher", None, None, None, None, "ERROR", "local", "failed"),
    ),
    (
        "[2026-08-14 03:11:52,123] [INFO] [launch.py:325:sigkill_handler] Killing subprocess 7",
        ("launcher", None, None, None, None, "INFO", "local", "Killing subprocess 7"),
    ),
    (
        "[2026-08-14 03:11:52,123] [INFO] [logging.py:107:log_dist] [Rank 0] step=120, skipped=3",
        ("rank", 0, None, None, None, "INFO", "local", "step=120, skipped=3"),
    ),
    (
        "[1,13]<stderr>:RuntimeError: x",
        ("rank", 13, None, None, None, None, None, "RuntimeError: x"),
    ),
    (
        "[prterun-x@1,13]<stderr>:RuntimeError: x",
        ("rank", 13, None, None, None, None, None, "RuntimeError: x"),
    ),
    (
        "submitit WARNING (2026-08-14 04:12:00,003) - Caught signal",
        (None, None, None, None, None, "WARNING", "local", "Caught signal"),
    ),
    (
        "[Fri Aug 14 03:11:52 2026] INFO: task python:4711 blocked for more than 120 seconds.",
        (
            "kernel",
            None,
            None,
            None,
            None,
            None,
            "local",
            "INFO: task python:4711 blocked for more than 120 seconds.",
        ),
    ),
    (
        "2026-08-14 03:11:52,123 - relay - INFO - INFO: task pt_main_thread:4711 blocked for more "
        "than 120 seconds.",
        (
            "kernel",
            None,
            None,
            None,
            None,
            "INFO",
            "local",
            "INFO: task pt_main_thread:4711 blocked for more than 120 seconds.",
        ),
    ),
    (
        "2026-08-14 03:11:52,475 - launcher - INFO - [rank7]: ValueError: x",
        ("rank", 7, None, None, None, "INFO", "local", "ValueError: x"),
    ),
    (
        "2026-08-14 03:11:52,123 INFO: task 4 of 9 begins",
        (None, None, None, None, None, "INFO", "local", "task 4 of 9 begins"),
    ),
    ("[1,mpirank:13,algo-2]<stderr>:x", ("rank", 13, None, None, None, None, None, "x")),
    (
        "trn-07:41825:42311 [5] NCCL INFO comm 0x55d1 rank 13",
        ("rank", None, None, "trn-07", 41825, "INFO", None, "NCCL INFO comm 0x55d1 rank 13"),
    ),
    (
        "[2026-08-14 03:11:52] trn-07:41825:42311 [5] net_ib/p2p.cc:88 NCCL WARN NET/IB: Got",
        (
            "rank",
            None,
            None,
            "trn-07",
            41825,
            "WARNING",
            "local",
            "net_ib/p2p.cc:88 NCCL WARN NET/IB: Got",
        ),
    ),
    (
        "Aug 14 03:02:01 trn-07 train[5220]: trn-07:5220:5301 [0] NCCL WARN NET/IB : Got",
        ("rank", None, None, "trn-07", 5220, "WARNING", "yearless", "NCCL WARN NET/IB : Got"),
    ),
    (
        "2026-08-14T03:11:52Z trn-07:5220:5301 [0] NCCL INFO Channel 00",
        ("rank", None, None, "trn-07", 5220, "INFO", "utc", "NCCL INFO Channel 00"),
    ),
    (
        "[2026-08-14 03:11:52] trn-07:5220:5301 [-1] misc/socket.cc:88 (poll) NCCL WARN Got",
        (
            "rank",
            None,
            None,
            "trn-07",
            5220,
            "WARNING",
            "local",
            "misc/socket.cc:88 (poll) NCCL WARN Got",
        ),
    ),
    (
        "<4>1 2026-08-14T03:11:41.118+02:00 trn-07 kernel - - - NVRM: Xid",
        ("kernel", None, None, "trn-07", None, None, "utc", "NVRM: Xid"),
    ),
    (
        "Aug 14 03:11:41 trn-07 kernel: NVRM: Xid",
        ("kernel", None, None, "trn-07", None, None, "yearless", "NVRM: Xid"),
    ),
    ("<6>[ 912318.118204] NVRM: x", ("kernel", None, None, None, None, None, "boot", "NVRM: x")),
    (
        "[Fri Aug 14 03:11:41 2026] NVRM: x",
        ("kernel", None, None, None, None, None, "local", "NVRM: x"),
    ),
    (
        '{"log":"step 120\\n","stream":"stdout","time":"2026-08-14T03:11:52.48Z"}',
        (None, None, None, None, None, None, "utc", "step 120"),
    ),
    (
        "2026-08-14T03:11:52.481920331+00:00 stderr F very long piece",
        (None, None, None, None, None, None, "utc", "very long piece"),
    ),
    (
        "2026-08-14T03:11:52.481920331Z step 120",
        (None, None, None, None, None, None, "utc", "step 120"),
    ),
    (
        "(RayTrainWorker pid=41825, ip=10.1.2.3) step 120",
        ("rank", None, None, "10.1.2.3", 41825, None, None, "step 120"),
    ),
    ("[rank: 1] Child process", ("rank", 1, None, None, None, None, None, "Child process")),
    (
        "[rank0]:[titan] 2026-08-14 03:11:52,123 - root - INFO - step: 120",
        ("rank", 0, None, None, None, "INFO", "local", "step: 120"),
    ),
    (
        " [2026-08-14 03:11:52.123456] iteration      120/  500000 |",
        (None, None, None, None, None, None, "local", "iteration      120/  500000 |"),
    ),
    (
        "slurmstepd: error: Detected 2 oom_kill events",
        (
            "scheduler",
            None,
            None,
            None,
            None,
            None,
            None,
            "slurmstepd: error: Detected 2 oom_kill events",
        ),
    ),
    (
        '  File "x.py", line 3, in f',
        (None, None, None, None, None, None, None, '  File "x.py", line 3, in f'),
    ),
    (
        "2026-06-12T04:10:11+0000 node-a kernel: Out of memory: Killed process 13029 (python)",
        (
            "kernel",
            None,
            None,
            "node-a",
            None,
            None,
            "utc",
            "Out of memory: Killed process 13029 (python)",
        ),
    ),
    (
        "2026-06-12T04:10:11+0000 node-a slurmstepd[77]: error: Detected 1 oom_kill event",
        (
            "scheduler",
            None,
            None,
            "node-a",
            77,
            None,
            "utc",
            "error: Detected 1 oom_kill event",
        ),
    ),
    (
        "kernel: Killed process 21945 (python) total-vm:1234kB, anon-rss:1000kB",
        (
            "kernel",
            None,
            None,
            None,
            None,
            None,
            None,
            "Killed process 21945 (python) total-vm:1234kB, anon-rss:1000kB",
        ),
    ),
    (
        "Killed process 21945 (python) total-vm:1234kB, anon-rss:1000kB",
        (
            "kernel",
            None,
            None,
            None,
            None,
            None,
            None,
            "Killed process 21945 (python) total-vm:1234kB, anon-rss:1000kB",
        ),
    ),
    ("kernel: [3, 3]", (None, None, None, None, None, None, None, "kernel: [3, 3]")),
    (
        "[2026-08-14T05:00:00.123] [81234.0] error: Detected 1 oom_kill event",
        (
            "scheduler",
            None,
            None,
            None,
            None,
            "ERROR",
            "local",
            "error: Detected 1 oom_kill event",
        ),
    ),
    (
        "[2026-08-14T05:00:00.123] launch task StepId=81234.0 request from UID:1000",
        (
            "scheduler",
            None,
            None,
            None,
            None,
            None,
            "local",
            "launch task StepId=81234.0 request from UID:1000",
        ),
    ),
    (
        "[2026-08-14T05:00:00.123] step 3",
        (None, None, None, None, None, None, "local", "step 3"),
    ),
    ("ERROR: something", (None, None, None, None, None, "ERROR", None, "ERROR: something")),
]


@pytest.mark.parametrize(("shown", "expected"), CASES)
def test_prefix_is_peeled(shown: str, expected: "tuple[object, ...]") -> None:
    """Source, ranks, host, pid, level, clock and payload come out of one line."""
    peeled = Peeler(()).peel(shown)
    clock = peeled.moment.clock if peeled.moment else None
    assert (
        peeled.source,
        peeled.task if peeled.rank is None else peeled.rank,
        peeled.local_rank,
        peeled.host,
        peeled.pid,
        peeled.level,
        clock,
        peeled.text,
    ) == expected


@pytest.mark.parametrize(
    ("rows", "payload", "task", "host"),
    [
        ([" 3: step 1", " 4: step 1", "13: step 1"], "step 1", 13, None),
        (["[3] step 1", "[4] step 1", "[13] step 1"], "step 1", 13, None),
        (["trn-07: step 1", "trn-08: step 1", "trn-07: step 2"], "step 2", None, "trn-07"),
    ],
)
def test_ambiguous_prefix_counts_where_it_recurs(
    rows: "list[str]", payload: str, task: object, host: object
) -> None:
    """A shape that could be anything is peeled only in a file where it recurs."""
    peeled = Peeler(rows).peel(rows[-1])
    assert (peeled.text, peeled.task, peeled.host) == (payload, task, host)
    assert Peeler(()).peel(rows[-1]).text == rows[-1]


@pytest.mark.parametrize(
    "raised",
    [
        "torch.OutOfMemoryError: CUDA out of memory.",
        "torch.distributed.DistStoreError: timed out",
        "socket.timeout: timed out",
        "my_lib2.Stalled: no batch",
    ],
)
@pytest.mark.parametrize("head", ["", "[rank3]: "])
def test_the_class_of_an_exception_is_no_host(raised: str, head: str) -> None:
    """What recurs before a colon is a host's name only where it is not an exception's class."""
    peeled = Peeler([head + raised] * 3).peel(head + raised)
    assert (peeled.host, peeled.text) == (None, raised)


@pytest.mark.parametrize(
    ("rows", "task", "payload"),
    [
        ([f"[{step}] loss=2.{step}" for step in range(100, 500, 100)], None, "[400] loss=2.400"),
        ([f"[{epoch}] loss=2.{epoch}" for epoch in range(4)], None, "[3] loss=2.3"),
        (
            [f" {n}: 27{n}.1, 27{n}.2 avg loss" for n in range(1, 5)],
            None,
            " 4: 274.1, 274.2 avg loss",
        ),
        ([f"{task}: using cuda:{task}" for task in range(4)], 3, "using cuda:3"),
        ([f"[{task}] step {step}" for step in (1, 2) for task in (4, 9)], 9, "step 2"),
    ],
    ids=["steps", "epochs", "darknet", "each task once", "tasks"],
)
def test_a_number_that_only_rises_is_no_task(
    rows: "list[str]", task: "int | None", payload: str
) -> None:
    """What a program counts stands in front as the label of a task does, but never comes again."""
    peeled = Peeler(rows).peel(rows[-1])
    assert (peeled.task, peeled.text) == (task, payload)


def test_no_host_stands_behind_a_rank() -> None:
    """A launcher puts the host before the rank, so what stands behind a rank is the program's."""
    peeled = Peeler(["[rank3]: stage-2: loaded"] * 3).peel("[rank3]: stage-2: loaded")
    assert (peeled.rank, peeled.host, peeled.text) == (3, None, "stage-2: loaded")


@pytest.mark.parametrize(
    "line",
    [
        '{"log":"x","a":' + "[" * 100000,
        '{"log":"x","a":' + "[" * 2000 + "]" * 2000 + "}",
        '{"log":"x","a":' + "9" * 5000 + "}",
        '{"MESSAGE":"x","__REALTIME_TIMESTAMP":"' + "9" * 5000 + '"}',
        '{"MESSAGE":"x","__REALTIME_TIMESTAMP":"\u00b2","_PID":"\u00b2"}',
    ],
    ids=["cut", "deep", "huge number", "huge time", "digit that is no number"],
)
def test_no_json_breaks_the_reading(line: str) -> None:
    """A line that begins as JSON of a container is peeled whatever follows."""
    assert Peeler([line]).peel(line).moment is None


def test_no_ray_tag_breaks_the_reading() -> None:
    """A superscript counts as a digit for Python, and is no number of a process."""
    assert Peeler([]).peel("(train pid=\u00b2) x").pid is None


def test_a_clock_is_no_rank() -> None:
    """A time without a date is not the label that srun puts before the lines of a task."""
    rows = ["03:02:09 ERROR train: lost", "03:02:10 step 2", "03:02:11 step 3"]
    peeled = Peeler(rows).peel(rows[0])
    assert (peeled.task, peeled.level, peeled.text) == (None, "ERROR", "train: lost")
    assert Peeler(rows).peel(rows[1]).text == "03:02:10 step 2"


@pytest.mark.parametrize("rows", [["INFO a", "ERROR   b"], ["INFO     a", "ERROR      b"]])
def test_a_message_behind_a_level_keeps_its_indentation(rows: "list[str]") -> None:
    """Blanks that fill levels up to one column are of the head, those beyond are not."""
    rows = ["2026-08-14 03:02:09 " + row for row in rows]
    assert Peeler(rows[:1]).peel(rows[1]).text == "  b"
