"""Incidents with several failures or attempts, runs that were ended, and healthy ones."""

from tests.checker.incidents.building import Run
from tests.checker.incidents.registry import (
    AGENT_TERM,
    ALL,
    CLOSED,
    CONSOLES,
    DISK_FULL,
    GPU_OOM,
    HOST_OOM,
    LIMIT,
    SRUN,
    TIMEOUT,
    TORCHRUN,
    XID,
    Expected,
    disk_full,
    gpu_lost,
    incident,
    killed_by_kernel,
    out_of_gpu_memory,
    started,
)

# Two failures, several attempts, and what passed.


@incident(TORCHRUN, Expected(HOST_OOM, 1, independent=(XID,), host="node-a"))
def _two_failures_whose_order_is_known() -> Run:
    run, end = started(16)
    killed_by_kernel(run, end + 1, 1)
    gpu_lost(run, end + 40, 1)
    run.torchrun_ends(end + 2, 1, -9)
    return run


@incident(TORCHRUN, Expected(HOST_OOM, 12, independent=(DISK_FULL,)))
def _two_failures_that_have_nothing_to_do_with_each_other() -> Run:
    run, end = started(16)
    disk_full(run, end + 1, 1)
    run.log(end + 30, 12, "still waiting for a batch")
    killed_by_kernel(run, end + 40, 12)
    run.torchrun_ends(end + 41, 12, -9)
    return run


def _skipped_batch(run: Run, at: float, rank: int) -> None:
    run.log(
        at,
        rank,
        "batch skipped: CUDA out of memory. Tried to allocate 336.00 MiB. GPU 3 has a total "
        "capacity of 79.15 GiB of which 141.25 MiB is free.",
        "WARNING",
    )


@incident(ALL, Expected(None, recovered=(GPU_OOM,)))
def _a_retry_that_went_well() -> Run:
    run, end = started(8)
    _skipped_batch(run, end + 0.5, 3)
    run.steps(13, 20, end + 2)
    return run


@incident(ALL, Expected(DISK_FULL, 0, recovered=(GPU_OOM,)))
def _a_retry_that_went_well_before_a_failure() -> Run:
    run, end = started(8)
    _skipped_batch(run, end + 0.5, 3)
    end = run.steps(13, 20, end + 2)
    disk_full(run, end + 1, 0)
    return run


def _restarted() -> tuple[Run, float]:
    run, end = started(8)
    out_of_gpu_memory(run, end + 1, 3)
    run.lost_peer(end + 2, run.others(3))
    run.agent(
        end + 3,
        0,
        "E",
        f"failed (exitcode: 1) local_rank: 3 (pid: {run.pid(3)}) of binary: /opt/venv/bin/python3",
    )
    at = run.clock(end + 4, 0)
    run.add(
        end + 4,
        "agent",
        0,
        f"I{at:%m%d %H:%M:%S}.000000 41050 torch/distributed/elastic/agent/server/api.py:906] "
        "[default] Worker group FAILED. 3/3 attempts left; will restart worker group",
    )
    for rank in range(8):
        run.log(end + 9, rank, f"ready, pid {run.pid(rank) + 40}, world size 8")
    return run, run.steps(1, 6, end + 12)


@incident((CONSOLES,), Expected(DISK_FULL, 0, earlier=(GPU_OOM,)))
def _a_restart_that_ends_otherwise() -> Run:
    run, end = _restarted()
    disk_full(run, end + 1, 0)
    return run


@incident((CONSOLES,), Expected(None, earlier=(GPU_OOM,)))
def _a_restart_that_goes_on() -> Run:
    return _restarted()[0]


@incident(TORCHRUN, Expected(GPU_OOM, 9, preceded=TIMEOUT))
def _a_failure_long_after_timeouts_that_nothing_explains() -> Run:
    run, end = started(16)
    run.timed_out(end + 601, run.others(9), 4711)
    run.log(
        end + 1300,
        9,
        "training failed: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 1 has a total "
        "capacity of 79.15 GiB of which 1.21 GiB is free.",
        "ERROR",
    )
    run.torchrun_ends(end + 1302, 9, 1)
    return run


# Ended from outside.


def _slurm_ends(ranks: int, reason: str) -> Run:
    run, end = started(ranks)
    for what in ("STEP 88123.0", "JOB 88123"):
        at = run.clock(end + 1, 0)
        run.slurm(
            end + 1,
            f"slurmstepd: error: *** {what} ON node-a CANCELLED AT {at:%Y-%m-%dT%H:%M:%S}{reason} "
            "***",
        )
    run.slurm(end + 1, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    run.lost_peer(end + 1.5, range(1, min(ranks, 4)))
    return run


@incident(SRUN, Expected(LIMIT, None, followed=(CLOSED,)))
def _a_time_limit() -> Run:
    return _slurm_ends(8, " DUE TO TIME LIMIT")


@incident(SRUN, Expected(LIMIT, None, followed=(CLOSED,)))
def _a_time_limit_of_sixty_four() -> Run:
    return _slurm_ends(64, " DUE TO TIME LIMIT")


@incident(SRUN, Expected("slurm-preempted-or-requeued", None, followed=(CLOSED,)))
def _a_preemption() -> Run:
    return _slurm_ends(8, " DUE TO PREEMPTION")


@incident(SRUN, Expected("slurm-job-cancelled", None, followed=(CLOSED,)))
def _a_cancelled_job() -> Run:
    return _slurm_ends(8, "")


@incident(TORCHRUN, Expected(LIMIT, None, followed=(AGENT_TERM,)))
def _a_time_limit_that_torchrun_passes_on() -> Run:
    run = _slurm_ends(16, " DUE TO TIME LIMIT")
    for node in range(2):
        run.agent(18.5, node, "W", "Received 15 death signal, shutting down workers")
        for rank in range(8 * node, 8 * node + 8):
            run.agent(18.6, node, "W", f"Sending process {run.pid(rank)} closing signal SIGTERM")
    return run


@incident(TORCHRUN, Expected(AGENT_TERM, None, followed=(TIMEOUT,)))
def _one_node_is_drained_and_the_others_wait() -> Run:
    run, end = started(16)
    run.agent(end + 1, 1, "W", "Received 15 death signal, shutting down workers")
    for rank in range(8, 16):
        run.agent(end + 1, 1, "W", f"Sending process {run.pid(rank)} closing signal SIGTERM")
    run.timed_out(end + 601, range(8), 13)
    return run


@incident(TORCHRUN, Expected("interrupted-by-ctrl-c", None))
def _a_person_presses_ctrl_c() -> Run:
    run, end = started(8)
    run.agent(end + 1, 0, "W", "Received 2 death signal, shutting down workers")
    for rank in range(8):
        run.agent(end + 1, 0, "W", f"Sending process {run.pid(rank)} closing signal SIGINT")
        run.raised(end + 1.1, rank, "KeyboardInterrupt")
    return run


@incident(TORCHRUN, Expected("torchrun-sighup-terminal-closed", None))
def _a_terminal_is_closed() -> Run:
    run, end = started(8)
    run.agent(end + 1, 0, "W", "Received 1 death signal, shutting down workers")
    for rank in range(8):
        run.agent(end + 1, 0, "W", f"Sending process {run.pid(rank)} closing signal SIGHUP")
    return run


@incident(SRUN, Expected(GPU_OOM, 3, followed=(CLOSED,), independent=(LIMIT,)))
def _a_failure_before_the_time_limit() -> Run:
    run, end = started(8)
    out_of_gpu_memory(run, end + 1, 3)
    run.lost_peer(end + 2, run.others(3)[:3])
    at = run.clock(end + 3600, 0)
    run.slurm(
        end + 3600,
        f"slurmstepd: error: *** STEP 88123.0 ON node-a CANCELLED AT {at:%Y-%m-%dT%H:%M:%S} DUE TO "
        "TIME LIMIT ***",
    )
    return run


# Nothing failed.


@incident(ALL, Expected(None))
def _a_healthy_run_that_says_error() -> Run:
    run, end = started(8)
    run.log(end + 0.5, 0, "eval: word error rate 0.0312, error 0.11, failed samples: 0")
    run.log(end + 0.6, 0, "deprecated option, ignored", "WARNING")
    run.steps(13, 24, end + 1)
    return run


@incident(ALL, Expected(None))
def _a_healthy_run_of_sixty_four() -> Run:
    run, end = started(64)
    run.steps(13, 16, end + 1)
    for rank in range(64):
        run.log(end + 9, rank, "training finished")
    return run
