"""What a machine's log tells, and whether it is of the run and of which rank."""

from typing import Any

from tests.checker.failures import catalogue_of, diagnosed, told

XID: dict[str, Any] = {
    "signs": {"xid": {"log": "NVRM: Xid (PCI:<bus>): 79", "source": "kernel"}},
    "signatures": [{"strong": ["xid"]}],
}
HOST_KILL: dict[str, Any] = {
    "signs": {"kill": {"log": "Killed process <pid> (python", "source": "kernel"}},
    "signatures": [{"strong": ["kill"]}],
}
TIMEOUT_TEXT = (
    "[rank{rank}]: [E1130 03:1{rank}:00.000000000 ProcessGroupNCCL.cpp:616] "
    "Timed out waiting 600000ms for recv operation\n"
)
CATALOGUE_XID: tuple[dict[str, Any], dict[str, Any]] = (XID, {"category": "hardware"})
CATALOGUE = catalogue_of("collective-timeout", gpu_lost=CATALOGUE_XID)


def kernel_line(day: int, time: str) -> str:
    """A line of the kernel that tells of a lost GPU."""
    return f"Dec {day:2} {time} node-a kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=7, lost\n"


def test_event_of_the_next_day_is_not_of_a_run_that_only_timed_out() -> None:
    """Timeouts without the end of a process end a run all the same."""
    run = "".join(TIMEOUT_TEXT.format(rank=rank).replace("E1130", "E1201") for rank in range(4))
    near = diagnosed(CATALOGUE, {"run.log": run, "kern.log": kernel_line(1, "03:05:00")})
    assert [row[0] for row in told(near)] == ["gpu-lost", "collective-timeout"]
    far = diagnosed(CATALOGUE, {"run.log": run, "kern.log": kernel_line(2, "03:05:00")})
    assert [row[0] for row in told(far)] == ["collective-timeout"]


def test_event_while_a_run_hung_until_it_was_cancelled_is_of_the_run() -> None:
    """The time that Slurm gives for the cancel is the end, however long all were silent."""
    run = (
        "2026-12-01 03:00:00 INFO step 10 loss 2.0\n2026-12-01 03:00:10 INFO step 11 loss 2.0\n"
        "slurmstepd: error: *** STEP 8.0 ON node-a CANCELLED AT {} DUE TO TIME LIMIT ***\n"
    )
    kernel = {"kern.log": kernel_line(1, "05:00:00")}
    hung = diagnosed(CATALOGUE, {"run.log": run.format("2026-12-01T06:00:00"), **kernel})
    assert [row[0] for row in told(hung)] == ["gpu-lost"]
    over = diagnosed(CATALOGUE, {"run.log": run.format("2026-12-01T03:30:00"), **kernel})
    assert told(over) == []


def steps_every(minutes: int, end: str = "") -> dict[str, str]:
    """A run that prints six steps from three o'clock on, and perhaps how it ended."""
    steps = [
        f"2026-12-01 {3 + n * minutes // 60:02}:{n * minutes % 60:02}:00 INFO step {n} loss 2.0\n"
        for n in range(6)
    ]
    return {"run.log": "".join(steps) + end}


def test_event_after_a_mere_silence_counts_for_three_usual_gaps() -> None:
    """Who prints every half hour has shown nothing when it is silent for twelve minutes."""
    for minutes, time, confidence in (
        (30, "05:42:00", "likely"),
        (30, "06:59:00", "likely"),
        (30, "07:02:00", "possible"),
        (1, "03:14:00", "likely"),
        (1, "03:17:00", "possible"),
    ):
        files = {**steps_every(minutes), "kern.log": kernel_line(1, time)}
        rows = told(diagnosed(CATALOGUE, files))
        assert [row[:3] for row in rows] == [("gpu-lost", confidence, "initiating")], time


def test_event_after_an_end_that_was_told_is_of_no_run() -> None:
    """An exit, an exception that nothing followed and a regular end are ends."""
    raised = (
        "Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 3, in <module>\n    main()\nValueError: no\n'
    )
    event = {"kern.log": kernel_line(1, "05:38:00")}
    for end in (
        raised,
        "train.sh: line 3: 4012 Killed                  python train.py\n",
        "2026-12-01 05:30:05 INFO Training completed. Do not forget to share your model\n",
    ):
        report = diagnosed(CATALOGUE, {**steps_every(30, end), **event})
        assert "gpu-lost" in [row[0] for row in told(report)], end
        late = {"kern.log": kernel_line(1, "05:42:00")}
        report = diagnosed(CATALOGUE, {**steps_every(30, end), **late})
        assert "gpu-lost" not in [row[0] for row in told(report)], end


def test_event_long_after_a_silence_speaks_neither_for_nor_against_others() -> None:
    """What may be of no run refutes nothing, and an event of its own time is told instead."""
    doubted = {
        "signs": {**XID["signs"], "slow": {"log": "the loader fell behind the others"}},
        "signatures": [{"name": "slow without a lost GPU", "strong": ["slow"], "none": ["xid"]}],
    }
    slow = catalogue_of("collective-timeout", slow=(doubted, {}), gpu_lost=CATALOGUE_XID)
    run = steps_every(1, "2026-12-01 03:05:01 WARNING the loader fell behind the others\n")
    late = {**run, "kern.log": kernel_line(2, "03:05:00")}
    assert [row[:2] for row in told(diagnosed(slow, late))] == [("slow", "likely")]
    both = {**late, "kern.log": kernel_line(1, "03:05:30") + late["kern.log"]}
    (found,) = diagnosed(slow, both).diagnoses
    assert [(s.line and s.line.number, s.late) for s in found.evidence] == [(1, False)]


NCCL = (
    "node-{h}:{pid}:9 [{dev}] NCCL INFO ncclCommInitRank comm 0x1 rank {rank} nranks 4 "
    "cudaDev {dev} nvmlDev {dev} busId {bus}000 commId 0x2 - Init COMPLETE\n"
)
JOINED = "".join(
    NCCL.format(h=host, pid=10 + rank, dev=rank % 2, rank=rank, bus=bus)
    for rank, (host, bus) in enumerate([("a", "3b"), ("a", "9c"), ("b", "3b"), ("b", "9c")])
)


def test_device_names_the_rank_by_nccls_bus_id() -> None:
    """Equal bus ids of two hosts are two devices; without the host neither is meant."""
    line = "Dec  1 03:05:00 {} kernel: NVRM: Xid (PCI:0000:9c:00): 79, pid=7, lost\n"
    for host, rank in (("node-a", 1), ("node-b", 3), ("node-c", None)):
        report = diagnosed(CATALOGUE, {"run.log": JOINED, "kern.log": line.format(host)})
        assert [(d.rank, d.host) for d in report.diagnoses] == [(rank, host)]
    bare = "[  12.000001] NVRM: Xid (PCI:0000:9c:00): 79, pid=7, lost\n"
    (found,) = diagnosed(CATALOGUE, {"run.log": JOINED, "dmesg.log": bare}).diagnoses
    assert (found.rank, found.host) == (None, None)
    one_host = "".join(JOINED.splitlines(keepends=True)[:2])
    (found,) = diagnosed(CATALOGUE, {"run.log": one_host, "dmesg.log": bare}).diagnoses
    assert found.rank == 1


def test_device_of_a_rank_is_no_proof_that_an_event_is_of_the_run() -> None:
    """Whoever used the device the day before is not known."""
    run = JOINED + "[rank1]: 2026-12-01 03:00:00 INFO step 1\n"
    early = {"run.log": run, "kern.log": kernel_line(1, "02:55:00")}
    assert [d.rank for d in diagnosed(CATALOGUE, early).diagnoses] == [0]
    before = {"run.log": run, "kern.log": kernel_line(1, "01:00:00")}
    assert told(diagnosed(CATALOGUE, before)) == []


UID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
KILL = (
    "Dec  1 03:02:03 gpu-17 kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),"
    "cpuset=x,mems_allowed=0,oom_memcg={group},task_memcg={group},task=python,pid=40122,uid=0\n"
    "Dec  1 03:02:03 gpu-17 kernel: Memory cgroup out of memory: Killed process 40122 (python) "
    "total-vm:9kB, anon-rss:9kB, file-rss:0kB, shmem-rss:0kB, UID:0\n"
)
POD = "/kubepods.slice/kubepods-pod{}.slice/cri-containerd-x.scope"


def test_cgroup_names_the_rank_whose_log_lies_in_the_folder_of_its_pod() -> None:
    """A container has process ids of its own, but the pod's id is in the kernel's line."""
    kills = catalogue_of("host-oom-killer", kill=(HOST_KILL, {}))
    start = "2026-12-01T03:02:02.000000001Z stdout F "
    files = {
        f"pods/train_worker-{rank}_{UID[:-1]}{rank}/pytorch/0.log": start
        + f"[rank{rank}]: step 1\n"
        + start
        + f"[rank{rank}]: step 2\n"
        for rank in range(3)
    }
    group = POD.format((UID[:-1] + "2").replace("-", "_"))
    files["kern.log"] = KILL.format(group=group)
    assert [d.rank for d in diagnosed(kills, files).diagnoses] == [2]
    files["kern.log"] = KILL.format(group=POD.format(UID[:-1].replace("-", "_") + "9"))
    assert [d.rank for d in diagnosed(kills, files).diagnoses] == [None]


def test_kill_in_another_job_of_the_host_is_not_of_the_run() -> None:
    """Slurm's cgroups name the job, and the run's own log does too."""
    kills = catalogue_of("host-oom-killer", kill=(HOST_KILL, {}))
    run = "slurmstepd: error: Detected 1 oom_kill event in StepId=811.0. Some were killed.\n"
    group = "/slurm/uid_1000/job_{}/step_0/task_0"
    ours = {"job.log": run, "kern.log": KILL.format(group=group.format(811))}
    assert [row[0] for row in told(diagnosed(kills, ours))] == ["kill"]
    theirs = {"job.log": run, "kern.log": KILL.format(group=group.format(999))}
    assert told(diagnosed(kills, theirs)) == []


EVICTED: dict[str, Any] = {
    "signs": {"evicted": {"log": "pod is evicted successfully", "source": "service"}},
    "signatures": [{"strong": ["evicted"]}],
}
KUBELET = (
    "Dec  1 03:02:03 gpu-17 kubelet[9]: I1201 03:02:03.000000       9 eviction_manager.go:627] "
    '"Eviction manager: pod is evicted successfully" pod="train/node-{}"\n'
)


def test_pod_that_a_kubelet_names_is_the_host_inside_it() -> None:
    """The kubelet's own host is the machine; the rank is told where it is alone in its pod."""
    evictions = catalogue_of("host-oom-killer", evicted=(EVICTED, {"category": "hardware"}))
    alone = JOINED.replace("node-a:11", "node-c:11").replace("node-b:13", "node-d:13")
    for run, pod, where in (
        (JOINED, "b", (None, "node-b")),
        (alone, "b", (2, "node-b")),
        (alone, "x", (None, "gpu-17")),
        (alone.replace("nranks 4", "nranks 8"), "b", (None, "node-b")),
    ):
        report = diagnosed(evictions, {"run.log": run, "kubelet.log": KUBELET.format(pod)})
        assert [(d.rank, d.host) for d in report.diagnoses] == [where]


ECC: dict[str, Any] = {
    "signs": {
        "contained": {"log": "NVRM: Xid (PCI:<bus>): 94", "source": "kernel", "onset": "earlier"},
        "told": {"log": "uncorrectable ECC error encountered", "onset": "earlier"},
    },
    "signatures": [{"strong": ["contained"]}, {"strong": ["told"]}],
}
MEMORY = catalogue_of("collective-timeout", ecc=(ECC, {"category": "hardware"}))
RANK_TOLD = "Dec  1 03:05:{} node-{} train[5]: [rank{}]: uncorrectable ECC error encountered\n"
GPU_TOLD = "Dec  1 03:{}:00 node-{} kernel: NVRM: Xid (PCI:0000:{}:00): 94, Contained\n"


def devices_told(run: str, kernel: str) -> list[tuple[int | None, tuple[int, ...], str | None]]:
    """List rank, ranks and host of every diagnosis of a memory error."""
    report = diagnosed(MEMORY, {"run.log": run, "kern.log": kernel})
    return [(d.rank, d.ranks, d.host) for d in report.diagnoses if d.rule["id"] == "ecc"]


def test_failure_that_a_rank_and_the_kernel_tell_is_one() -> None:
    """The only device of the host that has it is the rank's."""
    run, kernel = RANK_TOLD.format("02", "b", 1), GPU_TOLD.format("05", "b", "52")
    (found,) = diagnosed(MEMORY, {"run.log": run, "kern.log": kernel}).diagnoses
    assert (found.rank, found.host, found.role, found.confidence) == (1, "node-b", "initiating", 3)
    assert devices_told(run, kernel * 2) == [(1, (1,), "node-b")]


def test_failure_of_a_rank_is_apart_from_that_of_another_host_or_time() -> None:
    """A device elsewhere, or one that failed afterwards or long before, is another failure."""
    began = "Dec  1 02:50:00 node-b train[5]: [rank1]: Timed out waiting 1ms for recv operation\n"
    run = began + RANK_TOLD.format("02", "b", 1)
    for kernel in (
        GPU_TOLD.format("05", "c", "52"),
        GPU_TOLD.format("06", "b", "52"),
        GPU_TOLD.format("54", "b", "52").replace(" 03:", " 02:"),
    ):
        assert len(devices_told(run, kernel)) == 2, kernel


def test_rank_of_a_known_device_joins_that_one_only() -> None:
    """NCCL tells which device a rank uses."""
    run = JOINED + RANK_TOLD.format("02", "b", 3)
    assert devices_told(run, GPU_TOLD.format("05", "b", "9c")) == [(3, (3,), "node-b")]
    other = devices_told(run, GPU_TOLD.format("05", "b", "3b"))
    assert sorted(other) == [(2, (2,), "node-b"), (3, (3,), "node-b")]


def test_ranks_that_name_no_device_are_no_failure_beside_the_devices_of_their_host() -> None:
    """Both ends of a link tell it, and so do the ranks; whose device is whose is not known."""
    run = RANK_TOLD.format("02", "b", 9) + RANK_TOLD.format("02", "b", 10)
    kernel = GPU_TOLD.format("05", "b", "1b") + GPU_TOLD.format("05", "b", "43")
    assert sorted(devices_told(run, kernel), key=str) == [
        (None, (), "node-b"),
        (None, (9, 10), "node-b"),
    ]
