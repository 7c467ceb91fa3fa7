"""Stacks of many processes, compared. `Stack` records enter; who stands where leaves.

Line numbers and addresses are kept for the reader and not compared. Below the frame in which a
process waits for others, frames differ by chance, so they are not compared either.
"""

import re
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Stack
from checker.scan.stacks import CURRENT_THREAD

ProcessKey = Tuple[Any, ...]
_STACK_KINDS = ("python", "native", "kernel")
_FRAME_PLACE = lazy_pattern(r"(.{0,400}) \(([^()]{0,1000})\)$")
_COMPILED_PARTS = lazy_pattern(r"\.(?:isra|part|constprop|cold|llvm)\b.{0,40}$|@@?GLIBC.{0,20}$")
_COLLECTIVES = frozenset((
    "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_to_all",
    "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
    "gather", "gather_object", "monitored_barrier", "recv", "reduce", "reduce_scatter",
    "reduce_scatter_tensor", "scatter", "scatter_object_list", "send",
))  # fmt: skip
_COLLECTIVES_FILE = "distributed_c10d.py"
# Its hooks wait for the other ranks' gradients, in threads that no Python stack shows.
_BACKWARD = ("_engine_run_backward", "graph.py")
_NATIVE_WAITS = ("c10d::", "gloo::", "nccl")
# How Python itself runs: the same below every program.
_INTERPRETER = (
    "_Py", "Py", "??", "__clone", "__libc_start", "_start", "builtin_", "cfunction_", "clone",
    "main", "method_", "object_vacall", "partial_", "pybind11::", "pymain_", "run_eval_code",
    "run_mod", "slot_", "start_thread", "type_call", "vectorcall_",
)  # fmt: skip
# Processes beside the ranks: loader workers, torchrun's agent, Python's own trackers.
_HELPERS = (
    ("_worker_loop", "worker.py"),
    ("_invoke_run", "api.py"),
    ("launch_agent", "api.py"),
    ("main", "resource_tracker.py"),
    ("main", "forkserver.py"),
)


class StackCluster(NamedTuple):
    """Processes that stand at one place."""

    frames: Tuple[Tuple[str, str], ...]
    """Function and file of each frame that was compared, outermost first."""
    waits: bool
    """The last of them waits for other ranks."""
    stacks: Tuple[Stack, ...]
    """One for each process."""


def process_of_stack(stack: Stack) -> ProcessKey:
    """Name the process of a dump as well as it is known."""
    line = stack.line
    pid = stack.pid or line.pid
    if line.writer.rank is not None:
        return ("rank", line.writer.rank, pid)
    return (line.path, line.writer.host, pid)


def compared_stacks(stacks: Iterable[Stack]) -> Dict[ProcessKey, Stack]:
    """Choose for each training process the thread that matters, of dumps that are alike."""
    by_kind: Dict[str, Dict[ProcessKey, Stack]] = {}
    helpers: Set[ProcessKey] = set()
    for stack in stacks:
        process = process_of_stack(stack)
        chosen = by_kind.setdefault(stack.kind, {})
        if process not in chosen or _matters(stack) or not _matters(chosen[process]):
            chosen[process] = stack
        if stack.kind == "python" and _is_helper(stack):
            helpers.add(process)
    most = max((len(chosen) for chosen in by_kind.values()), default=0)
    kind = next(
        (kind for kind in _STACK_KINDS if len(by_kind.get(kind, ())) == most), _STACK_KINDS[0]
    )
    found = by_kind.get(kind, {})
    training = {process: found[process] for process in found if process not in helpers}
    return training or found


def _matters(stack: Stack) -> bool:
    """Tell whether it is the main thread; where none is named so, it is the last one."""
    return stack.thread in ("MainThread", CURRENT_THREAD)


def _is_helper(stack: Stack) -> bool:
    return any(comparable_frame(frame) in _HELPERS for frame in stack.frames)


def clusters_of(compared: Dict[ProcessKey, Stack]) -> List[StackCluster]:
    """Group processes by where they stand; the largest group first."""
    groups: Dict[Tuple[Tuple[Tuple[str, str], ...], bool], List[Stack]] = {}
    for process in sorted(compared, key=repr):
        groups.setdefault(_significant(compared[process]), []).append(compared[process])
    clusters = [
        StackCluster(frames, waits, tuple(sorted(members, key=_rank_order)))
        for (frames, waits), members in groups.items()
    ]
    return sorted(clusters, key=lambda cluster: (-len(cluster.stacks), cluster.frames))


def _rank_order(stack: Stack) -> Tuple[int, str, int]:
    rank = stack.line.writer.rank
    return -1 if rank is None else rank, stack.line.path, stack.line.number


def suspect_clusters(clusters: Sequence[StackCluster]) -> List[StackCluster]:
    """Return the minorities, if most processes stand at one place and those do not wait for them.

    Who waits for others while they work is not late but early.
    """
    total = sum(len(cluster.stacks) for cluster in clusters)
    if not clusters or 2 * len(clusters[0].stacks) <= total:
        return []
    others = clusters[1:]
    return list(others) if clusters[0].waits else [one for one in others if not one.waits]


def _significant(stack: Stack) -> Tuple[Tuple[Tuple[str, str], ...], bool]:
    frames: List[Tuple[str, str]] = []
    for shown in reversed(stack.frames):
        frame = comparable_frame(shown)
        if stack.kind == "native" and frame[0].startswith(_INTERPRETER):
            continue
        frames.append(frame)
        if _waits_for_ranks(stack.kind, *frame):
            return tuple(frames), True
    return tuple(frames), False


def comparable_frame(shown: str) -> Tuple[str, str]:
    """Return the function and the name of the file of a frame."""
    found = _FRAME_PLACE.match(shown)
    name, place = (found.group(1), found.group(2)) if found else (shown, "")
    name = _COMPILED_PARTS.sub("", name).partition("<")[0] or name
    path = place.rpartition(":")[0] or place
    return name, re.split(r"[\\/]", path)[-1]


def _waits_for_ranks(kind: str, name: str, file: str) -> bool:
    if kind == "native":
        return name.startswith(_NATIVE_WAITS)
    called = name.rpartition(".")[2]
    return (called in _COLLECTIVES and file == _COLLECTIVES_FILE) or (called, file) == _BACKWARD
