"""What an incident is, and the failures of which incidents are made."""

from collections.abc import Callable
from typing import NamedTuple

from tests.checker.incidents.building import Run

TIMEOUT = "nccl-watchdog-collective-timeout"
CLOSED = "gloo-connection-closed-by-peer"
HOST_OOM = "host-oom-killer"
GPU_OOM = "cuda-oom-working-set"
DISK_FULL = "torch-save-disk-full"
USER = "user-code-error"
XID = "nvidia-xid-79-fallen-off-bus"
UNANSWERED = "nccl-ib-retry-exceeded"
LIMIT = "slurm-time-limit"
ORDER = "collective-order-desync-different-op"
SIZES = "collective-shape-mismatch"
STUCK = "nccl-watchdog-heartbeat-stuck"
AGENT_TERM = "torchelastic-sigterm-cascade"

SITE = "/opt/venv/lib/python3.11/site-packages/"
BY_RANK, CONSOLES, LABELLED, MIXED = "by_rank", "consoles", "labelled", "interleaved"
TORCHRUN = (BY_RANK, CONSOLES, MIXED)
SRUN = (BY_RANK, LABELLED)
ALL = (BY_RANK, CONSOLES, LABELLED, MIXED)


class Expected(NamedTuple):
    """What the report must say."""

    first: str | None
    """The entry of the headline; None where nothing is certain or likely."""
    rank: int | None = None
    role: str = "initiating"
    followed: tuple[str, ...] = ()
    """What must be a consequence of it, directly or not."""
    independent: tuple[str, ...] = ()
    silent: tuple[int, ...] = ()
    """Of a symptom: the ranks that are pointed at, since they do not show it."""
    lagging: tuple[int, ...] = ()
    """The ranks that the lag table accuses."""
    recovered: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    """What is told of earlier attempts."""
    host: str | None = None
    order: tuple[tuple[str, str], ...] = ()
    """Of other diagnoses: whether they began `before` or `after` the first; else `unknown`."""
    preceded: str | None = None
    """The symptom that came before it and that nothing explains."""
    agrees: bool | str | None = "any"
    """Whether torchrun's word is taken; `any` where it is not asked."""


class Incident(NamedTuple):
    """A run and what must be said of it."""

    name: str
    build: Callable[[], Run]
    layouts: tuple[str, ...]
    expected: Expected


INCIDENTS: list[Incident] = []


def incident(
    layouts: tuple[str, ...], expected: Expected
) -> Callable[[Callable[[], Run]], Callable[[], Run]]:
    """Register a function that builds a run."""

    def _register(build: Callable[[], Run]) -> Callable[[], Run]:
        INCIDENTS.append(Incident(build.__name__.lstrip("_"), build, layouts, expected))
        return build

    return _register


def started(ranks: int, last: int = 12, **options: object) -> tuple[Run, float]:
    """A run that has counted some steps, and when it did the last one."""
    run = Run(ranks, **options)  # type: ignore[arg-type]
    run.ready()
    return run, run.steps(1, last, 5)


def out_of_gpu_memory(run: Run, at: float, rank: int) -> None:
    """A rank has no room on its GPU."""
    run.raised(
        at,
        rank,
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU "
        f"{rank % run.per_node} has a total capacity of 79.10 GiB of which 312.00 MiB is free. "
        "Including non-PyTorch memory, this process has 78.78 GiB memory in use. Of the allocated "
        "memory 76.02 GiB is allocated by PyTorch, and 1.21 GiB is reserved by PyTorch but "
        "unallocated.",
    )


def killed_by_kernel(run: Run, at: float, rank: int) -> None:
    """The kernel kills a rank at the limit of its cgroup."""
    pid, node = run.pid(rank), run.node_of(rank)
    run.kernel(
        at,
        node,
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
        f"oom_memcg=/slurm/job_88123,task_memcg=/slurm/job_88123,task=python3,pid={pid},uid=1000",
    )
    run.kernel(
        at,
        node,
        f"Memory cgroup out of memory: Killed process {pid} (python3) total-vm:48979828kB, "
        "anon-rss:23167252kB, file-rss:83700kB, shmem-rss:20kB, UID:1000 pgtables:46968kB "
        "oom_score_adj:0",
    )


def gpu_lost(run: Run, at: float, node: int) -> None:
    """A GPU of a node no longer answers."""
    for text in (
        "NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
        "bus.",
        "NVRM: GPU 0000:91:00.0: GPU has fallen off the bus.",
    ):
        run.kernel(at, node, text)


def disk_full(run: Run, at: float, rank: int) -> None:
    """A rank cannot write its checkpoint."""
    run.raised(
        at,
        rank,
        "OSError: [Errno 28] No space left on device",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 206, in <module>',
        "    main()",
        '  File SITE + "torch/serialization.py", line 945, in save',
        "    _save(",
        "RuntimeError: [enforce fail at inline_container.cc:672] . unexpected pos 509952 vs 509872",
        frame=SITE + "torch/serialization.py _save",
    )


def key_error(run: Run, at: float, rank: int) -> None:
    """The program of a rank fails at a record of its data."""
    run.raised(at, rank, "KeyError: 'input_ids'", frame="/workspace/data.py collate")
