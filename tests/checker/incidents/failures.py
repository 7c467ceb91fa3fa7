"""Incidents with one failure, and what it makes the other ranks say."""

from tests.checker.incidents.building import Run
from tests.checker.incidents.registry import (
    ALL,
    BY_RANK,
    CLOSED,
    CONSOLES,
    DISK_FULL,
    GPU_OOM,
    HOST_OOM,
    LABELLED,
    SITE,
    SRUN,
    TIMEOUT,
    TORCHRUN,
    UNANSWERED,
    USER,
    XID,
    Expected,
    disk_full,
    gpu_lost,
    incident,
    key_error,
    killed_by_kernel,
    out_of_gpu_memory,
    started,
)

# A rank runs out of GPU memory.


def _gpu_oom(ranks: int, rank: int) -> Run:
    run, end = started(ranks)
    out_of_gpu_memory(run, end + 1, rank)
    run.timed_out(end + 601, run.others(rank), 4711)
    return run


@incident(ALL, Expected(GPU_OOM, 3, followed=(TIMEOUT,)))
def _gpu_memory_of_one_rank_and_seven_timeouts() -> Run:
    return _gpu_oom(8, 3)


@incident(ALL, Expected(GPU_OOM, 37, followed=(TIMEOUT,)))
def _gpu_memory_of_one_rank_and_sixty_three_timeouts() -> Run:
    return _gpu_oom(64, 37)


@incident(ALL, Expected(GPU_OOM, 5, followed=(CLOSED,)))
def _gpu_memory_of_one_rank_and_lost_connections() -> Run:
    run, end = started(8)
    out_of_gpu_memory(run, end + 1, 5)
    run.lost_peer(end + 2, run.others(5))
    return run


@incident(TORCHRUN, Expected(GPU_OOM, 2, followed=(TIMEOUT,), agrees=False))
def _torchrun_names_a_rank_that_the_watchdog_aborted() -> Run:
    run, end = started(16)
    out_of_gpu_memory(run, end + 1, 2)
    run.timed_out(end + 601, range(8, 16), 77)
    run.torchrun_ends(end + 603, 9, -6)
    return run


@incident(TORCHRUN, Expected(GPU_OOM, 6, followed=(CLOSED,), agrees=True))
def _torchrun_names_the_rank_that_failed_first() -> Run:
    run, end = started(8)
    out_of_gpu_memory(run, end + 1, 6)
    run.lost_peer(end + 1.5, (0, 1))
    run.torchrun_ends(end + 2, 6, 1)
    return run


@incident(ALL, Expected(GPU_OOM, None))
def _gpu_memory_of_all_ranks_at_once() -> Run:
    run, end = started(8)
    for rank in range(8):
        out_of_gpu_memory(run, end + 1, rank)
    return run


# The kernel kills a rank.


def _killed(ranks: int, rank: int, offsets: dict[int, float] | None = None) -> Run:
    run, end = started(ranks, offsets=offsets)
    killed_by_kernel(run, end + 1, rank)
    run.lost_peer(end + 1.4, run.others(rank))
    run.torchrun_ends(end + 2, rank, -9)
    return run


@incident(TORCHRUN, Expected(HOST_OOM, 5, followed=(CLOSED,), agrees=True))
def _a_killed_rank() -> Run:
    return _killed(8, 5)


@incident(TORCHRUN, Expected(HOST_OOM, 21, followed=(CLOSED,), host="node-c", agrees=True))
def _a_killed_rank_of_sixty_four() -> Run:
    return _killed(64, 21)


@incident(TORCHRUN, Expected(HOST_OOM, 11, followed=(CLOSED,), host="node-b"))
def _a_killed_rank_whose_clock_is_seven_minutes_ahead() -> Run:
    return _killed(16, 11, {1: 420})


@incident(TORCHRUN, Expected(HOST_OOM, 11, followed=(CLOSED,), host="node-b"))
def _a_killed_rank_whose_clock_is_two_hours_behind() -> Run:
    return _killed(16, 11, {1: -7200})


@incident(TORCHRUN, Expected(HOST_OOM, 1, followed=(CLOSED,), host="node-a"))
def _a_killed_rank_among_nodes_of_other_zones() -> Run:
    return _killed(32, 1, {1: 3600, 2: -3600, 3: 10800})


@incident(SRUN, Expected(HOST_OOM, None, followed=(CLOSED,), host="node-b"))
def _a_killed_rank_under_srun() -> Run:
    run, end = started(16)
    run.lost_peer(end + 1.4, run.others(11))
    run.slurm(
        end + 3,
        "slurmstepd: error: Detected 1 oom_kill event in StepId=88123.0. Some of the step tasks "
        "have been OOM Killed.",
    )
    run.slurm(end + 4, "srun: error: node-b: task 11: Out Of Memory")
    return run


@incident(TORCHRUN, Expected(CLOSED, None, role="consequence"))
def _a_kill_by_nobody_knows_whom() -> Run:
    run, end = started(8)
    run.lost_peer(end + 1.4, run.others(4))
    run.torchrun_ends(end + 2, 4, -9)
    return run


# A rank does not arrive.


def _waiting(ranks: int, rank: int, words: str) -> Run:
    run, end = started(ranks)
    for number in range(1, 12):
        run.log(end + 60 * number, rank, words.format(number))
    run.timed_out(end + 600, run.others(rank), 4711)
    return run


@incident(ALL, Expected(TIMEOUT, None, role="consequence", silent=(6,)))
def _a_straggler_in_data_loading() -> Run:
    return _waiting(8, 6, "tokenized shard {} of 40")


@incident(ALL, Expected(TIMEOUT, None, role="consequence", silent=(41,)))
def _a_straggler_in_data_loading_of_sixty_four() -> Run:
    return _waiting(64, 41, "tokenized shard {} of 40")


@incident(ALL, Expected(TIMEOUT, None, role="consequence", silent=(0,)))
def _a_save_by_rank_zero_only() -> Run:
    return _waiting(8, 0, "writing part {} of the checkpoint")


@incident(ALL, Expected(TIMEOUT, None, role="consequence", silent=(2,)))
def _a_frozen_process() -> Run:
    run, end = started(8)
    run.steps(13, 20, end + 1, without=(2,))
    run.timed_out(end + 610, run.others(2), 99)
    return run


@incident(ALL, Expected(UNANSWERED, None, role="consequence", followed=(TIMEOUT,)))
def _a_fabric_fault_that_all_ranks_see() -> Run:
    run, end = started(16)
    run.add(
        end + 1,
        "rank",
        9,
        "node-b:41101:42311 [1] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from "
        "peer 10.1.2.9<41234> with status=12 opcode=32653 len=0 vendor err 129 (Recv)",
    )
    run.timed_out(end + 601, range(16), 300)
    return run


@incident(TORCHRUN, Expected(TIMEOUT, None, role="consequence", silent=(6,), agrees=False))
def _torchrun_names_a_rank_that_only_waited() -> Run:
    run = _waiting(8, 6, "tokenized shard {} of 40")
    run.torchrun_ends(620, 3, -6)
    return run


# A GPU or its node fails.


@incident(ALL, Expected(XID, None, followed=(TIMEOUT,), host="node-b"))
def _a_gpu_falls_off_the_bus() -> Run:
    run, end = started(16)
    gpu_lost(run, end + 1, 1)
    run.timed_out(end + 601, run.others(10), 4711)
    return run


# One rank's disk or data, and what it makes the others say.


@incident(ALL, Expected(DISK_FULL, 0, followed=(CLOSED,)))
def _a_full_disk_at_rank_zero() -> Run:
    run, end = started(8)
    run.log(end + 0.5, 0, "saving checkpoint-12")
    disk_full(run, end + 1, 0)
    run.lost_peer(end + 2, run.others(0))
    return run


@incident(ALL, Expected(DISK_FULL, 0, followed=(TIMEOUT,)))
def _a_full_disk_at_rank_zero_of_sixty_four() -> Run:
    run, end = started(64)
    run.log(end + 0.5, 0, "saving checkpoint-12")
    disk_full(run, end + 1, 0)
    run.timed_out(end + 601, run.others(0), 812, 10)
    return run


def _torn_down(ranks: int, rank: int) -> Run:
    run, end = started(ranks)
    key_error(run, end + 1, rank)
    run.lost_peer(end + 1.2, run.others(rank))
    for other in run.others(rank)[:7]:
        run.add(
            end + 1.6,
            "rank",
            other,
            "Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f2a>",
            "Traceback (most recent call last):",
            '  File SITE + "torch/utils/data/dataloader.py", line 1604, in __del__',
            "    self._shutdown_workers()",
            "RuntimeError: DataLoader worker (pid 9) is killed by signal: Terminated.",
        )
    run.torchrun_ends(end + 2, rank, 1)
    return run


@incident(TORCHRUN, Expected(USER, 4, followed=(CLOSED,), agrees=True))
def _a_storm_of_teardown() -> Run:
    return _torn_down(8, 4)


@incident(TORCHRUN, Expected(USER, 50, followed=(CLOSED,)))
def _a_storm_of_teardown_of_sixty_four() -> Run:
    return _torn_down(64, 50)


@incident(SRUN, Expected(USER, 50, followed=(CLOSED,)))
def _an_exception_of_one_task_under_srun() -> Run:
    run, end = started(64)
    key_error(run, end + 1, 50)
    run.slurm(end + 1.1, "srun: error: node-g: task 50: Exited with exit code 1")
    run.lost_peer(end + 1.4, run.others(50))
    run.slurm(end + 2, "srun: Terminating StepId=88123.0")
    run.slurm(
        end + 2,
        "slurmstepd: error: *** STEP 88123.0 ON node-a CANCELLED AT 2026-08-14T03:00:20 ***",
    )
    return run


@incident(ALL, Expected(USER, None))
def _the_same_exception_on_all_ranks() -> Run:
    run, end = started(8)
    for rank in range(8):
        key_error(run, end + 1, rank)
    return run


@incident((CONSOLES, LABELLED), Expected("cuda-device-side-assert-index", 2, followed=(TIMEOUT,)))
def _an_index_out_of_range_on_one_rank() -> Run:
    run, end = started(8)
    for thread in range(3):
        run.add(
            end + 1,
            "rank",
            2,
            "../aten/src/ATen/native/cuda/Indexing.cu:1284: indexSelectLargeIndex: block: "
            f"[134,0,0], thread: [{thread},0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
        )
    run.raised(
        end + 1.1,
        2,
        "RuntimeError: CUDA error: device-side assert triggered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the "
        "stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    )
    run.timed_out(end + 601, run.others(2), 51)
    return run


@incident(ALL, Expected("dataloader-shm-bus-error", 7, followed=(CLOSED,)))
def _a_worker_without_shared_memory() -> Run:
    run, end = started(8)
    run.add(
        end + 1,
        "rank",
        7,
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
        "shared memory (shm).",
    )
    run.raised(
        end + 1.1,
        7,
        "RuntimeError: DataLoader worker (pid 31373) is killed by signal: Bus error. It is "
        "possible that dataloader's workers are out of shared memory. Please try to raise your "
        "shared memory limit.",
    )
    run.lost_peer(end + 2, run.others(7))
    return run


@incident(ALL, Expected("master-port-address-in-use", 0))
def _a_port_that_another_run_holds() -> Run:
    run = Run(8)
    for rank in range(8):
        run.log(0, rank, "starting")
    run.raised(
        3,
        0,
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
        "network address. port: 29577, useIpv6: false, code: -98, name: EADDRINUSE, message: "
        "address already in use",
        frame=SITE + "torch/distributed/rendezvous.py _create_store",
    )
    return run


@incident(ALL, Expected("torch-load-truncated-archive", None))
def _a_truncated_checkpoint_that_all_ranks_load() -> Run:
    run = Run(8)
    run.ready()
    for rank in range(8):
        run.raised(
            4,
            rank,
            "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central "
            "directory",
            frame=SITE + "torch/serialization.py __init__",
        )
    return run


@incident(ALL, Expected("ddp-unused-parameters", None))
def _parameters_that_a_step_left_unused() -> Run:
    run = Run(8)
    run.ready()
    run.steps(1, 1, 5)
    for rank in range(8):
        run.raised(
            7,
            rank,
            "RuntimeError: Expected to have finished reduction in the prior iteration before "
            "starting a new one. This error indicates that your module has parameters that were "
            "not used in producing loss.",
            frame=SITE + "torch/nn/parallel/distributed.py forward",
        )
    return run


@incident((BY_RANK,), Expected("trainer-nan-filter-logs-zero-loss", None))
def _a_loss_that_became_no_number() -> Run:
    run = Run(1)
    run.ready()
    for step, (loss, norm) in enumerate([(0.81, 0.63), (0.47, "nan"), (0.0, "nan"), (0.0, "nan")]):
        run.add(
            5 + step,
            "rank",
            0,
            f"{{'loss': {loss}, 'grad_norm': {norm}, 'learning_rate': 0.0005, 'epoch': 0.{step}}}",
        )
    run.add(9, "rank", 0, "{'eval_loss': nan, 'eval_runtime': 0.0067, 'epoch': 0.5}")
    run.add(10, "rank", 0, "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 0.0004, 'epoch': 0.6}")
    return run
