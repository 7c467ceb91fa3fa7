"""Stories of failures, from the lines of logs to what the report says."""

import itertools
import random
from typing import Any

import pytest

from checker.diagnose.diagnosis import diagnose
from checker.judgement import Report
from checker.report.phrases import place_phrase
from checker.scan.observe import observe, observe_texts
from tests.checker.failures import (
    DISK_FULL,
    HOST_OOM,
    TIMEOUT,
    catalogue_of,
    diagnosed,
    told,
)
from tests.needs import ROOT

pytestmark = pytest.mark.rule("general", "shown")

READY = "".join(
    f"[default{rank}]:2026-11-30 10:13:53,585 INFO rank {rank}: ready, world size 4\n"
    for rank in range(4)
)
PEERS = "".join(
    f"[default{rank}]:[rank{rank}]: RuntimeError: [pair.cc:553] Connection closed by peer\n"
    for rank in (0, 1, 3)
)
ELASTIC = (
    "E1130 10:14:10.905000 12658 torch/distributed/elastic/multiprocessing/api.py:1002] "
    "failed (exitcode: {code}) local_rank: {rank} (pid: {pid}) of binary: /opt/venv/bin/python3\n"
)
KERNEL = (
    "[  562.849352] Memory cgroup out of memory: Killed process {pid} (python3) "
    "total-vm:1728416kB, anon-rss:1039168kB\n"
)


def shouted(rank: int, text: str) -> str:
    """Prefix every line as torchrun does for a rank."""
    return "".join(f"[default{rank}]:[rank{rank}]: {line}\n" for line in text.splitlines())


KEY_ERROR = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 87, in collate
    ids = record["input_ids"]
KeyError: 'input_ids'
"""
LOST = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 40, in step
    loss.backward()
  File "/opt/venv/lib/python3.11/site-packages/torch/_tensor.py", line 623, in backward
    torch.autograd.backward(
RuntimeError: [pair.cc:553] Connection closed by peer [127.0.0.1]:20896
"""


def in_every_order(files: dict[str, str], **asked: Any) -> Report:
    """Diagnose the files in every order; all must say the same."""
    catalogue = asked.pop("catalogue", None) or catalogue_of()
    reports = [
        diagnosed(catalogue, dict(order), **asked)
        for order in itertools.permutations(files.items())
    ]
    assert all(report.diagnoses == reports[0].diagnoses for report in reports)
    return reports[0]


def test_kernel_kill_of_a_rank_is_certain_and_explains_the_peers() -> None:
    """The kernel's record and the launcher's exit join by process id; lost peers follow."""
    console = READY + PEERS + ELASTIC.format(code=-9, rank=2, pid=12676)
    report = in_every_order({"console.log": console, "dmesg.log": KERNEL.format(pid=12676)})
    assert told(report) == [
        ("host-oom-killer", "certain", "initiating", 2, None),
        ("peer-connection-lost", "likely", "consequence", None, "host-oom-killer"),
    ]
    assert report.diagnoses[1].ranks == (0, 1, 3)


def test_lone_kill_is_possible_and_not_near_to_itself() -> None:
    """An exit by SIGKILL without a kernel log is one of several, and near to no other."""
    report = in_every_order({"console.log": READY + ELASTIC.format(code=-9, rank=2, pid=12676)})
    assert told(report) == [("host-oom-killer", "possible", "initiating", 2, None)]
    assert report.nearest == ()


def test_nearest_are_entries_of_which_something_telling_was_seen() -> None:
    """An exit code fits nearly every entry; a message of its own makes one near."""
    memory = {
        "signs": {"full": {"log": "CUDA out of memory. Tried"}, "one": {"exit": {"code": 1}}},
        "signatures": [{"strong": ["full", "one"]}],
    }
    catalogue = catalogue_of("disk-full", memory_full=(memory, {}))
    ended = ELASTIC.format(code=1, rank=2, pid=12676)
    assert diagnosed(catalogue, {"console.log": READY + ended}).nearest == ()
    (near,) = diagnosed(
        catalogue, {"console.log": READY + "RuntimeError: CUDA out of memory. Tried to\n"}
    ).nearest
    assert near.id == "memory-full"


def test_users_exception_explains_the_lost_connections_of_its_peers() -> None:
    """The exception of one rank's own code is told; its peers' exceptions are consequences."""
    console = READY + shouted(2, KEY_ERROR) + "".join(shouted(rank, LOST) for rank in (0, 1, 3))
    console += ELASTIC.format(code=1, rank=2, pid=12676)
    report = in_every_order({"console.log": console})
    assert told(report) == [
        ("user-code-error", "likely", "initiating", 2, None),
        ("peer-connection-lost", "likely", "consequence", None, "user-code-error"),
    ]
    sighting = report.diagnoses[0].evidence[0]
    assert sighting.text == "KeyError: 'input_ids'"
    assert dict(sighting.values)["frame"] == "/workspace/train.py:87 in collate"
    assert report.diagnoses[0].ranks == (2,)
    assert report.unexplained == ()


def test_the_order_of_a_console_does_not_tell_which_rank_was_first() -> None:
    """All ranks print the same exception, and nothing has a time: no rank is the first."""
    console = READY + "".join(shouted(rank, KEY_ERROR) for rank in (2, 0, 3, 1))
    (diagnosis,) = diagnosed(catalogue_of(), {"console.log": console}).diagnoses
    assert diagnosis.rule["id"] == "user-code-error"
    assert (diagnosis.rank, diagnosis.ranks) == (None, (0, 1, 2, 3))
    assert place_phrase(diagnosis) == "ranks 0-3, all at once as far as the logs tell"


@pytest.mark.parametrize(
    ("times", "rank"),
    [
        (("10,400", "10,500", "10,008"), 2),
        (("10,008", "10,500", "10,008"), None),
        (("09,900", "10,500", "10,008"), 0),
    ],
)
def test_times_tell_which_rank_was_first(times: tuple[str, ...], rank: int | None) -> None:
    """A rank was first if its time is before all others, whatever the order of the lines."""
    console = READY + "".join(
        f"[default{number}]:2026-11-30 10:14:{time} ERROR The loader stopped answering us\n"
        for number, time in enumerate(times)
    )
    stuck = {
        "signs": {"late": {"log": "The loader stopped answering us"}},
        "signatures": [{"strong": ["late"]}],
    }
    catalogue = catalogue_of("disk-full", loader_stopped=(stuck, {}))
    (diagnosis,) = diagnosed(catalogue, {"console.log": console}).diagnoses
    assert (diagnosis.rank, diagnosis.ranks) == (rank, (0, 1, 2))


def test_timeouts_alone_are_a_symptom_whose_cause_was_not_seen() -> None:
    """Waiting ranks are never what failed first."""
    console = READY + "".join(
        shouted(rank, "RuntimeError: Timed out waiting 10000ms for recv operation to complete")
        for rank in range(3)
    )
    report = in_every_order({"console.log": console})
    assert told(report) == [("collective-timeout", "certain", "consequence", None, None)]
    assert report.diagnoses[0].ranks == (0, 1, 2)


@pytest.mark.parametrize(("host", "confidence"), [("node-a", "certain"), ("node-b", "possible")])
def test_equal_pid_joins_only_on_the_same_host(host: str, confidence: str) -> None:
    """Process ids repeat across machines; a kill on another host is another process."""
    block = (
        "Root Cause (first observed failure):\n[0]:\n  time      : 2026-11-30_10:14:10\n"
        "  host      : node-a\n  rank      : 2 (local_rank: 2)\n"
        "  exitcode  : -9 (pid: 12676)  (SIGKILL)\n  error_file: <N/A>\n"
    )
    kernel = f"Nov 30 10:14:10 {host} kernel: " + KERNEL.format(pid=12676)
    report = in_every_order({"console.log": READY + block, "messages": kernel})
    assert told(report)[0][:2] == ("host-oom-killer", confidence)


def test_kill_told_late_can_explain_timeouts_printed_before() -> None:
    """What the launcher noticed afterwards happened before the timeouts that it caused."""
    timeout = (
        "[default1]:2026-11-30 10:14:08,000 ERROR "
        "Timed out waiting 3000ms for recv operation to complete\n"
    )
    kernel = "[Mon Nov 30 10:14:09 2026] " + KERNEL.format(pid=12676).partition("] ")[2]
    console = READY + timeout + ELASTIC.format(code=-9, rank=2, pid=12676)
    report = in_every_order({"console.log": console, "dmesg.log": kernel})
    assert told(report) == [
        ("host-oom-killer", "certain", "initiating", 2, None),
        ("collective-timeout", "certain", "consequence", 1, "host-oom-killer"),
    ]
    onset = report.diagnoses[1].onset
    assert onset is not None
    assert onset.seconds % 60 == 5


def test_failure_during_the_wait_explains_the_timeout() -> None:
    """A peer that fails minutes after a wait began is why the wait never ended."""
    failed = "".join(
        f"2026-08-14T03:07:10.100000Z stderr F [rank3]: {line}\n" for line in KEY_ERROR.splitlines()
    )
    timeout = (
        "2026-08-14T03:{minute}:02.456123Z stderr F [rank0]: RuntimeError: "
        "Timed out waiting 600000ms for recv operation to complete\n"
    )
    report = in_every_order({"a.log": failed, "b.log": timeout.format(minute="12")})
    assert told(report) == [
        ("user-code-error", "likely", "initiating", 3, None),
        ("collective-timeout", "certain", "consequence", 0, "user-code-error"),
    ]
    assert [d.order for d in report.diagnoses] == [None, "unknown"]
    report = in_every_order({"a.log": failed, "b.log": timeout.format(minute="06")})
    assert told(report)[1] == ("collective-timeout", "certain", "consequence", 0, None)


def test_handled_exception_is_no_failure() -> None:
    """An exception that was caught and logged as a warning says nothing."""
    lines = "2026-11-30 10:14:00,000 WARNING train: skipping a bad record\n" + KEY_ERROR
    steps = "".join(
        f"2026-11-30 10:14:0{second},000 INFO train: step {second} loss 2.0\n"
        for second in range(1, 5)
    )
    assert told(in_every_order({"train.log": steps + lines + steps})) == []
    assert told(in_every_order({"train.log": steps + lines})) == []


def test_version_outside_the_sourced_range_removes_the_diagnosis() -> None:
    """A version that is known not to have the failure refutes it, and the report says so."""
    affects = [
        {"package": "deepspeed", "range": ">=0.17,<0.18.4", "source": "https://example.org/fix"}
    ]
    catalogue = catalogue_of("user-code-error", save_hang=(DISK_FULL, {"affects": affects}))
    log = {
        "train.log": "Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 3, in save\n'
        "OSError: [Errno 28] No space left on device\n"
    }
    old = in_every_order(log, catalogue=catalogue, versions={"deepspeed": "0.18.3"})
    assert told(old) == [("save-hang", "certain", "initiating", None, None)]
    new = in_every_order(log, catalogue=catalogue, versions={"deepspeed": "0.18.4"})
    assert told(new) == []
    assert [(near.id, near.missing) for near in new.nearest] == [
        ("save-hang", "ruled out by deepspeed 0.18.4: only >=0.17,<0.18.4 has it")
    ]


def test_two_failures_without_relation_stay_two() -> None:
    """A full disk on one rank and the user's mistake on another are told beside each other."""
    full = KEY_ERROR.replace("KeyError: 'input_ids'", "OSError: [Errno 28] No space left on device")
    console = READY + shouted(1, full) + shouted(2, KEY_ERROR)
    report = in_every_order({"console.log": console})
    assert told(report) == [
        ("disk-full", "certain", "initiating", 1, None),
        ("user-code-error", "likely", "independent", 2, None),
    ]
    assert [d.order for d in report.diagnoses] == [None, "unknown"]


def test_exact_entry_hides_the_general_one() -> None:
    """The general entry gives way to a likely exact one, which keeps its confidence beside."""
    full: dict[str, Any] = {
        "signs": {"any": {"traceback": "OSError"}},
        "signatures": [{"strong": ["any"]}],
    }
    catalogue = catalogue_of(
        disk_full=(DISK_FULL, {"relations": {"refines": ["system-error"]}}),
        system_error=(full, {}),
    )
    log = KEY_ERROR.replace("KeyError: 'input_ids'", "OSError: [Errno 28] No space left on device")
    report = in_every_order({"train.log": log}, catalogue=catalogue)
    assert told(report) == [("disk-full", "certain", "initiating", None, None)]
    assert report.diagnoses[0].general == {"id": "system-error", "confidence": "likely"}


def test_rivals_on_one_sighting_are_at_most_likely() -> None:
    """Two unrelated entries that rest on the same line cannot both be certain."""
    catalogue = catalogue_of(disk_full=(DISK_FULL, {}), quota_full=(DISK_FULL, {}))
    log = KEY_ERROR.replace("KeyError: 'input_ids'", "OSError: [Errno 28] No space left on device")
    report = in_every_order({"train.log": log}, catalogue=catalogue)
    assert {(d.rule["id"], d.confidence) for d in report.diagnoses} == {
        ("disk-full", 2),
        ("quota-full", 2),
    }


def test_failure_that_its_writer_survived_is_recovered() -> None:
    """Two further steps of the same writer show that it passed."""
    retry = {"signs": {"retry": "checkpoint save failed"}, "signatures": [{"strong": ["retry"]}]}
    steps = "".join(f"INFO train: step {step} loss 2.0\n" for step in (7, 8))
    catalogue = catalogue_of(save_failed=(retry, {}))
    report = in_every_order(
        {"train.log": "ERROR checkpoint save failed\n" + steps}, catalogue=catalogue
    )
    assert told(report) == []
    assert [d.rule["id"] for d in report.recovered] == ["save-failed"]
    lasting = catalogue_of(save_failed=(retry, {"effect": "damages"}))
    report = in_every_order(
        {"train.log": "ERROR checkpoint save failed\n" + steps}, catalogue=lasting
    )
    assert told(report) == [("save-failed", "likely", "initiating", None, None)]


def test_entry_that_needs_what_was_not_read_is_named() -> None:
    """An entry that only a kernel log can show is not looked for without one."""
    detect = {"signs": {"kill": HOST_OOM["signs"]["kill"]}, "signatures": [{"decisive": ["kill"]}]}
    catalogue = catalogue_of("disk-full", kill=(detect, {}))
    report = in_every_order({"train.log": "ready\n"}, catalogue=catalogue)
    assert report.not_checked == (("kill", "no kernel log among the inputs"),)
    assert report.looked_for == 1


def test_only_limits_what_is_told() -> None:
    """Asked for one entry, the report tells of no other."""
    catalogue = catalogue_of()
    keys = frozenset(key for entry in catalogue.entries for key in entry.keys)
    console = READY + PEERS + ELASTIC.format(code=-9, rank=2, pid=12676)
    seen = observe_texts(
        {"console.log": console, "dmesg.log": KERNEL.format(pid=12676)}, keys, {}, {}
    )
    report = diagnose(catalogue, seen, "peer-connection-lost")
    assert told(report) == [
        ("peer-connection-lost", "likely", "consequence", None, "host-oom-killer")
    ]


def test_timeout_is_told_with_its_wait_in_seconds() -> None:
    """A capture is evidence in one unit."""
    log = "RuntimeError: Timed out waiting 10000ms for recv operation to complete\n"
    report = in_every_order({"a.log": log}, catalogue=catalogue_of(timeout=(TIMEOUT, {})))
    assert dict(report.diagnoses[0].evidence[0].values)["waited"] == 10


def test_order_of_the_records_changes_nothing() -> None:
    """Whatever order the files were read in, the diagnosis is the same."""
    catalogue = catalogue_of()
    keys = frozenset(key for entry in catalogue.entries for key in entry.keys)
    console = READY + shouted(2, KEY_ERROR) + "".join(shouted(rank, LOST) for rank in (0, 1, 3))
    console += ELASTIC.format(code=1, rank=2, pid=7) + ELASTIC.format(code=-9, rank=1, pid=8)
    seen = observe_texts({"a.log": console, "dmesg.log": KERNEL.format(pid=8)}, keys, {}, {})
    first = diagnose(catalogue, seen)
    assert len(first.diagnoses) == 3
    for seed in range(5):
        mixed = seen._replace(
            **{
                name: tuple(random.Random(seed).sample(records, len(records)))
                for name, records in seen._asdict().items()
                if isinstance(records, tuple)
            }
        )
        again = diagnose(catalogue, mixed)
        assert again._replace(observations=seen) == first._replace(observations=seen)


@pytest.mark.parametrize(
    ("folder", "first"),
    [
        ("host_oom_kill/tee", ("host-oom-killer", "certain", "initiating", 2, None)),
        ("user_exception_one_rank/tee", ("user-code-error", "likely", "initiating", 2, None)),
        ("user_exception_one_rank/plain", ("user-code-error", "likely", "initiating", 2, None)),
        ("user_exception_one_rank/log_dir", ("user-code-error", "likely", "initiating", 2, None)),
        ("healthy", None),
    ],
)
def test_real_logs(folder: str, first: tuple[Any, ...] | None) -> None:
    """What failed first in the captured logs is told; whatever else is told follows from it."""
    catalogue = catalogue_of()
    keys = frozenset(key for entry in catalogue.entries for key in entry.keys)
    logs = ROOT / "tests" / "logs" / folder
    found = told(diagnose(catalogue, observe([str(logs)], keys)))
    assert found[:1] == ([first] if first else [])
    assert {cause for *_, cause in found[1:]} <= {first[0] if first else None}


WEAK: dict[str, Any] = {"signs": {"a": "odd words"}, "signatures": [{"weak": ["a"]}]}


def test_merely_possible_is_not_shown_beside_what_is_likely_on_its_rank() -> None:
    """A possibility on the rank that a likely failure explains is left out; elsewhere it stays."""
    catalogue = catalogue_of("user-code-error", odd=(WEAK, {}))
    mistake = shouted(2, KEY_ERROR)
    same = in_every_order({"c.log": READY + shouted(2, "odd words") + mistake}, catalogue=catalogue)
    assert [item[0] for item in told(same)] == ["user-code-error"]
    other = in_every_order(
        {"c.log": READY + shouted(1, "odd words") + mistake}, catalogue=catalogue
    )
    assert [item[0] for item in told(other)] == ["user-code-error", "odd"]


def test_at_most_three_possibilities_are_shown() -> None:
    """More would be guessing."""
    more = {f"odd_{letter}": (WEAK, {}) for letter in "dcba"}
    report = in_every_order({"a.log": "odd words\n"}, catalogue=catalogue_of("disk-full", **more))
    assert [item[0] for item in told(report)] == ["odd-a", "odd-b", "odd-c"]


def test_nothing_merely_possible_is_shown_of_a_run_that_ended_well() -> None:
    """Where every process ended with code 0, a weak sign was nothing."""
    catalogue = catalogue_of("disk-full", odd=(WEAK, {}))
    log = "odd words\nsrun: error: node1: task 0: Exited with exit code {}\n"
    bad = in_every_order({"a.log": log.format(1)}, catalogue=catalogue)
    assert [item[0] for item in told(bad)] == ["odd"]
    steps = "".join(f"step {step} loss 2.0\n" for step in (1, 2, 3))
    good = in_every_order({"a.log": "odd words\n" + steps}, catalogue=catalogue)
    assert told(good) == []


def test_benign_is_shown_only_alone() -> None:
    """What looks bad and is not is told where nothing else is."""
    harmless = {"signs": {"a": "looks bad"}, "signatures": [{"decisive": ["a"]}]}
    catalogue = catalogue_of("user-code-error", harmless=(harmless, {"kind": "benign"}))
    alone = in_every_order({"a.log": "looks bad\n"}, catalogue=catalogue)
    assert told(alone) == [("harmless", "possible", "independent", None, None)]
    beside = in_every_order({"a.log": "looks bad\n" + KEY_ERROR}, catalogue=catalogue)
    assert [item[0] for item in told(beside)] == ["user-code-error"]


def test_symptom_hides_no_possible_cause() -> None:
    """A sure symptom on the same rank leaves the question of its cause open."""
    catalogue = catalogue_of("collective-timeout", odd=(WEAK, {}))
    log = "odd words\nRuntimeError: Timed out waiting 10000ms for recv operation to complete\n"
    report = in_every_order({"c.log": READY + shouted(1, log)}, catalogue=catalogue)
    assert told(report) == [
        ("odd", "possible", "initiating", 1, None),
        ("collective-timeout", "certain", "consequence", 1, None),
    ]


def test_possible_kernel_line_of_a_run_that_ended_well_is_not_shown() -> None:
    """What a machine's log says weakly was nothing where all processes ended with code 0."""
    weak = {
        "signs": {"slow": {"log": "task blocked for more", "source": "kernel"}},
        "signatures": [{"weak": ["slow"]}],
    }
    catalogue = catalogue_of("disk-full", slow=(weak, {}))
    kernel = "[  562.849352] INFO: task blocked for more than 122 seconds\n"
    for code, shown in ((1, ["slow"]), (0, [])):
        end = f"srun: error: node1: task 0: Exited with exit code {code}\n"
        report = in_every_order({"a.log": end, "k.log": kernel}, catalogue=catalogue)
        assert [item[0] for item in told(report)] == shown


def test_possibility_whose_writer_went_on_is_not_shown() -> None:
    """Steps after a weak sign make it nothing, even where they prove no recovery."""
    detect = {"signs": {"a": "odd words", "b": "well again"}, "signatures": [{"weak": ["a"]}]}
    catalogue = catalogue_of("disk-full", odd=(detect, {"recovers": "b"}))
    steps = "".join(f"step {step} loss 2.0\n" for step in (1, 2, 3))
    stuck = in_every_order({"a.log": steps + "odd words\n"}, catalogue=catalogue)
    assert [item[0] for item in told(stuck)] == ["odd"]
    moved = in_every_order({"a.log": "odd words\n" + steps}, catalogue=catalogue)
    assert told(moved) == []


def test_symptom_on_the_users_exception_leaves_it_the_users() -> None:
    """A wrapper that names the exception is what others show of it, not its explanation."""
    wrapper = {"signs": {"a": {"traceback": "KeyError"}}, "signatures": [{"decisive": ["a"]}]}
    catalogue = catalogue_of("user-code-error", wrapper=(wrapper, {"kind": "symptom"}))
    report = in_every_order({"c.log": READY + shouted(2, KEY_ERROR)}, catalogue=catalogue)
    assert told(report) == [
        ("user-code-error", "likely", "initiating", 2, None),
        ("wrapper", "certain", "consequence", 2, "user-code-error"),
    ]


LONE_KILL = {
    "signs": {"kill": HOST_OOM["signs"]["kill"]},
    "signatures": [{"strong": ["kill"]}],
}
DMESG = (
    "[Mon Nov 30 10:14:09 2026] Memory cgroup out of memory: Killed process 9 (python3) "
    "total-vm:1728416kB, anon-rss:1039168kB\n"
)


def stepping(*seconds: int, rank: int = 0) -> str:
    """Steps of a rank, one at each second."""
    return "".join(
        f"[default{rank}]:2026-11-30 10:14:{second:02},585 INFO step {second} loss 2.0\n"
        for second in seconds
    )


def ended_well(*ranks: int) -> str:
    """Regular ends of ranks."""
    return "".join(f"srun: error: n: task {rank}: Exited with exit code 0\n" for rank in ranks)


@pytest.mark.parametrize(
    ("console", "kernel", "confidence"),
    [
        (stepping(7, 8, 9), DMESG, "likely"),
        (stepping(7, 8, 11), DMESG, "likely"),
        (stepping(7, 11, 12), DMESG, "recovered"),
        (stepping(7, 11, 12) + stepping(7, 8, rank=1), DMESG, "likely"),
        (stepping(7, 11, 12), DMESG + DMESG.replace("10:14:09", "10:14:11"), "likely"),
        (stepping(7, 11, 12), KERNEL.format(pid=9), "possible"),
        (stepping(7, 8) + ended_well(0), DMESG, "likely"),
        (stepping(7, 8) + ended_well(0, 1, 2, 3), DMESG, "recovered"),
        (stepping(7, 8) + ended_well(0, 1, 2, 3), KERNEL.format(pid=9), "recovered"),
        (stepping(7, 11, 12) + KERNEL.format(pid=9), "", "likely"),
        (KERNEL.format(pid=9) + stepping(7, 11, 12), "", "possible"),
        ("[default0]: no counter\n", DMESG, "likely"),
        (stepping(7, 11, 12) + ELASTIC.format(code=1, rank=0, pid=7), DMESG, "likely"),
        (stepping(7, 11, 12) + shouted(0, KEY_ERROR), DMESG, "likely"),
        (stepping(7, 11, 12) + PEERS, DMESG, "likely"),
    ],
)
def test_kill_that_only_the_kernel_saw_counts_unless_the_ranks_went_on(
    console: str, kernel: str, confidence: str
) -> None:
    """Steps of all ranks after it show that it hit none of them; a later failure of one does not.

    Where clocks cannot be compared, the same steps only make it less sure.
    """
    catalogue = catalogue_of("peer-connection-lost", kill=(LONE_KILL, {}))
    report = in_every_order({"c.log": READY + console, "dmesg": kernel}, catalogue=catalogue)
    found = {id_: level for id_, level, *_ in told(report)}
    found.update({d.rule["id"]: "recovered" for d in report.recovered})
    assert found["kill"] == confidence


def test_word_that_the_process_printed_itself_is_no_end() -> None:
    """A process that counts on after `Killed` was not killed."""
    text = "step 1 loss 2.5\nKilled\n"
    later = "step 2 loss 2.4\nstep 3 loss 2.3\n"
    assert told(diagnosed(catalogue_of(), {"a.log": text})) != []
    assert told(diagnosed(catalogue_of(), {"a.log": text + later})) == []
