"""Every form of envelope and tag gives what the program printed, and what the form tells.

The forms are as the tools print them; what stands in them is made up.
"""

from typing import NamedTuple

import pytest

from checker.scan.observe import observe_texts
from checker.scan.peel import Peeler


class Form(NamedTuple):
    """Lines of one form, and what the last of them says."""

    name: str
    lines: list[str]
    text: str
    number: int | None = None
    """The rank, or the number of the launched task."""
    host: str | None = None
    pid: int | None = None
    source: str | None = None
    clock: str | None = None


XID = "NVRM: Xid (PCI:0000:4e:00): 79, pid=41825, name=python, GPU has fallen off the bus."
KILL = "Out of memory: Killed process 41825 (python) total-vm:1kB"
LOCKUP = "watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [python:25222]"
ERROR = "RuntimeError: no batch"
LAUNCHERS = [
    Form("srun --label", [" 8: a", " 9: b", "10: " + ERROR], ERROR, 10, None, None, "rank"),
    Form("srun --label, zeros", ["08: a", "09: b", "10: " + ERROR], ERROR, 10, None, None, "rank"),
    Form("mpirun --tag-output", ["[1,13]<stderr>:" + ERROR], ERROR, 13, None, None, "rank"),
    Form(
        "mpirun --tag-output --timestamp-output",
        ["Fri Aug  7 03:11:52 2026[1,13]<stderr>:" + ERROR],
        ERROR,
        13,
        source="rank",
        clock="local",
    ),
    Form("mpirun --output tag", ["[1,13]<stderr>: " + ERROR], ERROR, 13, source="rank"),
    Form(
        "mpirun --output tag-fullname",
        ["[prterun-trn-07-3117@1,13]<stdout>: " + ERROR],
        ERROR,
        13,
        source="rank",
    ),
    Form(
        "mpirun --output tag-detailed",
        ["[1,13][trn-07:41825]<stderr>: " + ERROR],
        ERROR,
        13,
        "trn-07",
        41825,
        "rank",
    ),
    Form("mpirun --output rank", ["[13]<stderr>: " + ERROR], ERROR, 13, source="rank"),
    Form("mpiexec -l", ["[0] a", "[1] b", "[13] " + ERROR], ERROR, 13, source="rank"),
    Form("horovodrun", ["[13]<stderr>:" + ERROR], ERROR, 13, source="rank"),
    Form("pdsh", ["trn-07: a", "trn-08: b", "trn-07: " + ERROR], ERROR, None, "trn-07"),
    Form(
        "Ray, worker elsewhere",
        ["(RayTrainWorker pid=41825, ip=10.1.2.3) " + ERROR],
        ERROR,
        None,
        "10.1.2.3",
        41825,
        "rank",
    ),
    Form("Ray, unnamed task", ["(pid=41825) " + ERROR], ERROR, None, None, 41825, "rank"),
    Form(
        "Ray, task named by a call",
        ["(MapBatches(tokenize) pid=41825) " + ERROR],
        ERROR,
        None,
        None,
        41825,
        "rank",
    ),
    Form(
        "Ray, actor named by its arguments",
        ["(PPO(env=Pendulum-v1; env-runners=2) pid=41825) " + ERROR],
        ERROR,
        None,
        None,
        41825,
        "rank",
    ),
    Form(
        "Ray, said by several",
        ["(RayTrainWorker pid=41825) " + ERROR + " [repeated 7x across cluster]"],
        ERROR,
        None,
        None,
        41825,
        "rank",
    ),
    Form(
        "Ray, its daemon",
        ["(raylet, ip=10.1.2.3) A worker died"],
        "A worker died",
        None,
        "10.1.2.3",
        None,
        "service",
    ),
    Form(
        "Ray, its autoscaler",
        ["(autoscaler +1m4s) Adding 1 node(s)"],
        "Adding 1 node(s)",
        source="service",
    ),
]
CONTAINERS = [
    Form("kubectl --prefix", ["[pod/llm-worker-3/pytorch] " + ERROR], ERROR, None, "llm-worker-3"),
    Form(
        "kubectl --prefix --timestamps",
        ["[pod/llm-worker-3/pytorch] 2026-08-14T03:11:52.481920331Z " + ERROR],
        ERROR,
        None,
        "llm-worker-3",
        clock="utc",
    ),
    Form(
        "stern",
        ["llm-worker-3 pytorch a", "llm-worker-2 pytorch b", "llm-worker-3 pytorch " + ERROR],
        ERROR,
        None,
        "llm-worker-3",
    ),
    Form(
        "stern of all namespaces",
        [f"ml-team llm-worker-{n} pytorch {text}" for n, text in ((3, "a"), (2, "b"), (3, ERROR))],
        ERROR,
        None,
        "llm-worker-3",
    ),
    Form(
        "docker compose",
        ["trainer-1   | a", "store-1     | b", "trainer-10  |   " + ERROR],
        "  " + ERROR,
        None,
        "trainer-10",
    ),
    Form("CRI", ["2026-08-14T03:11:52.481920331Z stdout F " + ERROR], ERROR, clock="utc"),
    Form("CRI, partial", ["2026-08-14T03:11:52.481920331Z stdout P " + ERROR], ERROR, clock="utc"),
    Form(
        "docker json-file",
        [
            '{"log":"\\u001b[31mRuntimeError: no \\u003cbatch\\u003e\\u001b[0m\\n",'
            '"stream":"stderr","time":"2026-08-14T03:11:52.48Z"}'
        ],
        "RuntimeError: no <batch>",
        clock="utc",
    ),
    Form(
        "docker json-file in kubectl's prefix in Ray's",
        [
            "(RayTrainWorker pid=41825) [pod/llm-worker-3/pytorch] "
            '{"log":"[rank3]: RuntimeError: no batch\\n","stream":"stderr",'
            '"time":"2026-08-14T03:11:52.48Z"}'
        ],
        ERROR,
        3,
        "llm-worker-3",
        41825,
        "rank",
        "utc",
    ),
]
KERNEL = [
    Form("dmesg", ["[912318.118204] " + XID], XID, source="kernel", clock="boot"),
    Form("dmesg -x", ["kern  :warn  : [912318.118204] " + XID], XID, source="kernel", clock="boot"),
    Form("dmesg -r", ["<4>[912318.118204] " + XID], XID, source="kernel", clock="boot"),
    Form("dmesg -T", ["[Thu Dec 10 23:30:05 2026] " + XID], XID, source="kernel", clock="local"),
    Form(
        "dmesg -T -x",
        ["kern  :warn  : [Thu Dec 10 23:30:05 2026] " + XID],
        XID,
        source="kernel",
        clock="local",
    ),
    Form(
        "dmesg -d",
        ["[912318.118204 <    0.000000>] " + XID],
        XID,
        source="kernel",
        clock="boot",
    ),
    Form(
        "dmesg -T -d",
        ["[Thu Dec 10 23:30:05 2026 <    1.000000>] " + XID],
        XID,
        source="kernel",
        clock="local",
    ),
    Form("dmesg -H", ["[Dec10 23:30] " + XID], XID, source="kernel", clock="yearless"),
    Form("dmesg -H, same minute", ["[  +1.000000] " + KILL], KILL, source="kernel"),
    Form("dmesg --time-format=delta", ["[<    1.000000>] " + KILL], KILL, source="kernel"),
    Form(
        "dmesg --time-format=iso",
        ["2026-12-10T23:30:06,118204+00:00 " + KILL],
        KILL,
        source="kernel",
        clock="utc",
    ),
    Form(
        "dmesg -x --time-format=iso",
        ["kern  :err   : 2026-12-10T23:30:06,118204+00:00 " + KILL],
        KILL,
        source="kernel",
        clock="utc",
    ),
    Form("dmesg -t", [KILL], KILL, source="kernel"),
    Form(
        "dmesg --json", ['         "msg": "' + row + '"' for row in ("a", "b", KILL)], KILL
    )._replace(source="kernel"),
    Form("dmesg with callers", ["[912318.118204] [   T41] " + XID], XID)._replace(
        source="kernel", clock="boot"
    ),
    Form("a terminal, by rsyslog", [" kernel:[912318.118204] " + XID], XID)._replace(
        source="kernel", clock="boot"
    ),
    Form("a terminal, by journald", ["kernel:" + LOCKUP], LOCKUP, source="kernel"),
    Form("/dev/kmsg", ["4,1234,912318118204,-;" + XID], XID, source="kernel", clock="boot"),
    Form("/dev/kmsg with caller", ["4,1234,912318118204,-,caller=T41;" + XID], XID)._replace(
        source="kernel", clock="boot"
    ),
]
JOURNAL = [
    Form("short", ["Aug 14 03:11:41 trn-07 kernel: " + XID], XID, None, "trn-07")._replace(
        source="kernel", clock="yearless"
    ),
    Form("short-precise", ["Aug 14 03:11:41.118204 trn-07 kernel: " + XID], XID)._replace(
        host="trn-07", source="kernel", clock="yearless"
    ),
    Form("short-iso", ["2026-08-14T03:11:41+02:00 trn-07 kernel: " + XID], XID)._replace(
        host="trn-07", source="kernel", clock="utc"
    ),
    Form(
        "short-iso-precise", ["2026-08-14T03:11:41.118204+02:00 trn-07 kernel: " + XID], XID
    )._replace(host="trn-07", source="kernel", clock="utc"),
    Form(
        "short-iso of a unit",
        ["2026-08-14T03:11:41+02:00 trn-07 train.sh[812]: " + ERROR] * 3,
        ERROR,
        None,
        "trn-07",
        812,
        "service",
        "utc",
    ),
    Form("short-full", ["Fri 2026-08-14 03:11:41 UTC trn-07 kernel: " + XID], XID)._replace(
        host="trn-07", source="kernel", clock="utc"
    ),
    Form("short-full, local", ["Fri 2026-08-14 03:11:41 CEST trn-07 kernel: " + XID], XID)._replace(
        host="trn-07", source="kernel", clock="local"
    ),
    Form(
        "with-unit", ["Fri 2026-08-14 03:11:41 UTC trn-07 train.service[812]: " + ERROR], ERROR
    )._replace(host="trn-07", pid=812, source="service", clock="utc"),
    Form("short-unix", ["1786677101.118204 trn-07 kernel: " + XID], XID)._replace(
        host="trn-07", source="kernel", clock="utc"
    ),
    Form("short-monotonic", ["[912318.118204] trn-07 kernel: " + XID], XID)._replace(
        host="trn-07", source="kernel", clock="boot"
    ),
    Form(
        "short-monotonic of a unit", ["[912318.118204] trn-07 train.sh[812]: " + ERROR], ERROR
    )._replace(host="trn-07", pid=812, source="service", clock="boot"),
    Form("short-delta", ["[912318.118204 <    1.000000 >] trn-07 kernel: " + XID], XID)._replace(
        host="trn-07", source="kernel", clock="boot"
    ),
    Form("export", ["MESSAGE=a", "MESSAGE=b", "MESSAGE=" + KILL], KILL, source="kernel"),
    Form("verbose", ["    MESSAGE=a", "    MESSAGE=b", "    MESSAGE=" + KILL], KILL)._replace(
        source="kernel"
    ),
    Form(
        "json",
        [
            '{"_HOSTNAME":"trn-07","PRIORITY":"4","SYSLOG_IDENTIFIER":"kernel",'
            '"__REALTIME_TIMESTAMP":"1786677101000000","MESSAGE":"' + XID + '"}'
        ],
        XID,
        None,
        "trn-07",
        None,
        "kernel",
        "utc",
    ),
    Form(
        "json, a message in bytes",
        [
            '{"_HOSTNAME":"trn-07","_TRANSPORT":"stdout","_PID":"812","MESSAGE":'
            + str(list(("\x1b[31m" + ERROR).encode())).replace(" ", "")
            + "}"
        ],
        ERROR,
        None,
        "trn-07",
        812,
        "service",
    ),
    Form(
        "json, an exception in one message",
        [
            '{"_HOSTNAME":"trn-07","_TRANSPORT":"stdout","_PID":"812","MESSAGE":'
            '"Traceback (most recent call last):\\n  File \\"t.py\\", line 3, in f\\n'
            + ERROR
            + '"}'
        ],
        ERROR,
        None,
        "trn-07",
        812,
        "service",
    ),
]
PROGRAMS = [
    Form("vLLM", ["ERROR 11-30 09:14:02 [core.py:39] " + ERROR], ERROR, clock="yearless"),
    Form(
        "vLLM up to 0.7", ["INFO 11-30 09:14:02 engine.py:161] " + ERROR], ERROR, clock="yearless"
    ),
    Form(
        "Lightning",
        ["[rank: 1] Seed set to 42"],
        "Seed set to 42",
        1,
        source="rank",
    ),
    Form(
        "NeMo",
        ["[NeMo W 2026-08-14 03:11:52 nemo_logging:405] " + ERROR],
        ERROR,
        clock="local",
    ),
    Form(
        "Composer",
        ["2026-08-14 03:11:52,123: rank3[41825][MainThread]: ERROR: composer.cli: " + ERROR],
        ERROR,
        3,
        None,
        41825,
        "rank",
        "local",
    ),
    Form(
        "transformers' examples",
        ["08/14/2026 03:11:52 - INFO - __main__ - " + ERROR],
        ERROR,
        clock="local",
    ),
    Form("detectron2", ["[08/14 03:11:52 d2.engine]: " + ERROR], ERROR, clock="yearless"),
    Form(
        "GitHub Actions",
        ["2026-08-14T03:11:52.4819203Z ##[error]Process completed with exit code 1."],
        "Process completed with exit code 1.",
        clock="utc",
    ),
    Form("GitHub Actions, group", ["2026-08-14T03:11:52.4819203Z ##[group]Run"], "Run")._replace(
        clock="utc"
    ),
    Form(
        "gh run view --log",
        ["train (1)\tRun python t.py\t\ufeff2026-08-14T03:11:52.4819203Z " + ERROR],
        ERROR,
        clock="utc",
    ),
    Form("a fence", ["```python"], ""),
    Form("a quoted fence", ["> a", "> b", "> ```"], ""),
    Form("a quoted mail", ["> a", "> b", "> " + ERROR], ERROR),
    Form("a quote of a quote", ["> > a", ">> b", "> > " + ERROR], ERROR),
    Form(
        "labels in a quote",
        ["> 0: a", "> 1: b", ">", "> 1: " + ERROR],
        ERROR,
        1,
        source="rank",
    ),
]


@pytest.mark.parametrize(
    "form", LAUNCHERS + CONTAINERS + KERNEL + JOURNAL + PROGRAMS, ids=lambda form: form.name
)
def test_a_form_is_read(form: Form) -> None:
    """What the program printed, and all that the form tells, come out of the last line."""
    peeled = Peeler(form.lines).lines(form.lines[-1].replace("\x1b[31m", ""))[-1]
    clock = peeled.moment.clock if peeled.moment else None
    number = peeled.task if peeled.rank is None else peeled.rank
    told = (peeled.text, number, peeled.host, peeled.pid, peeled.source, clock)
    assert told == form[2:]


def test_a_time_of_dev_kmsg_is_in_microseconds() -> None:
    """The kernel's seconds since boot are the same from all its forms."""
    moments = [
        Peeler(()).peel(line).moment
        for line in ("4,1234,912318118204,-;x", "[912318.118204] x", "<4>[912318.118204] x")
    ]
    assert [moment.seconds if moment else None for moment in moments] == [912318.118204] * 3


def test_the_lines_of_a_record_are_read_one_by_one() -> None:
    """An exception that was logged as one message is read as if it had been printed."""
    line = JOURNAL[-1].lines[0]
    assert [(peeled.text, peeled.shown) for peeled in Peeler([line]).lines(line)] == [
        (text, text)
        for text in (
            "Traceback (most recent call last):",
            '  File "t.py", line 3, in f',
            "RuntimeError: no batch",
        )
    ]


def test_a_prompt_is_no_quote() -> None:
    """Three signs are those of Python's own prompt."""
    rows = [">>> import torch", ">>> torch.cuda.is_available()", ">>> x"]
    assert Peeler(rows).peel(rows[0]).text == rows[0]


@pytest.mark.parametrize("quote", ["", "> "])
@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_pasted_exception_ends_with_its_fence(quote: str, fence: str) -> None:
    """What a person put around a log is no part of its messages."""
    rows = ["It fails:", fence + "text", "Traceback (most recent call last):"]
    rows += ['  File "train.py", line 3, in f', "    x()", ERROR, fence, "", "Thanks"]
    text = "".join(quote + row + "\n" for row in rows)
    (block,) = observe_texts({"a.log": text}, frozenset(), {}, {}).tracebacks
    assert (block.parts[0].type, block.parts[0].message) == ("RuntimeError", "no batch")


@pytest.mark.parametrize("indent", ["", "  ", "    "])
@pytest.mark.parametrize(
    "tag", ["[1,13]<stderr>:", "[1,13]<stderr>: ", "[prterun-a-1@1,13]<stderr>: "]
)
def test_a_tag_of_mpi_leaves_the_indentation(tag: str, indent: str) -> None:
    """Whether a blank is of the tag or of the text is told by its being one too many."""
    assert Peeler(()).peel(tag + indent + "raise").text == indent + "raise"
