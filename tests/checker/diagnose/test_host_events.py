"""What a machine's log tells, and whether it is of the run and of which rank."""

from typing import Any

from tests.checker.failures import catalogue_of, diagnosed, told

XID: dict[str, Any] = {
    "signs": {"xid": {"log": "NVRM: Xid (PCI:<bus>): 79", "source": "kernel"}},
    "signatures": [{"strong": ["xid"]}],
}
TIMEOUT_TEXT = (
    "[rank{rank}]: [E1130 03:1{rank}:00.000000000 ProcessGroupNCCL.cpp:616] "
    "Timed out waiting 600000ms for recv operation\n"
)
CATALOGUE = catalogue_of("collective-timeout", gpu_lost=(XID, {"category": "hardware"}))


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
