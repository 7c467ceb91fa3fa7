"""What two looks at a process mean: changes and open files enter, a reading leaves.

A state alone decides nothing. A thread stands where it was at one place of the kernel in both
looks without having been on a processor, and what it waits for is told by a second signal: a
mount that does not answer, a child that is dead, helpers that work, a stopped state.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from checker.probe.gpu_use import GpuUse
from checker.probe.open_files import Holdings, OpenFile, absolute_folders, is_of_disk
from checker.probe.proc_texts import STORAGE_FAMILIES, serves, wait_family
from checker.probe.processes import TrainingProcess, is_pythons_own
from checker.probe.sampling import Change, ThreadChange

_IDLE_SHARE, _BUSY_SHARE = 0.05, 0.5
_HELPER_SHARE = 0.1
_COMPILERS = frozenset((
    "cicc", "ptxas", "nvcc", "fatbinary", "cudafe++", "cc1plus", "cc1", "gcc", "g++", "c++",
    "clang", "clang++", "ninja", "ld", "as", "hipcc", "triton",
))  # fmt: skip
_COMPILE_WORKER = "compile_worker"


class ProcessReading(NamedTuple):
    """What a process does, in a word that entries ask for and in words that people read."""

    kind: str
    text: str
    thread: Optional[ThreadChange] = None
    stuck: bool = False
    """Whether it cannot go on by itself, as far as two looks tell."""


class Looked(NamedTuple):
    """Everything that is known of one process."""

    process: TrainingProcess
    change: Optional[Change]
    """None where it ended between the looks."""
    holdings: Optional[Holdings]
    silent: Dict[str, str]
    """Devices of mounts that did not answer, with the reason."""
    helpers: Tuple["Looked", ...]
    """What works for it."""
    gpu: Optional[GpuUse] = None
    """What the GPU that it uses did, where that is known."""


def read_process(one: Looked) -> ProcessReading:
    """Tell what a process does, and what its GPU shows."""
    change = one.change
    if change is None:
        return ProcessReading("gone", "ended while it was looked at", None, True)
    found = _reading_of_threads(one, change)
    if one.gpu is None or found.kind == "waits-in-collective":
        return found
    return found._replace(text="{} ({})".format(found.text, one.gpu.words))


def _reading_of_threads(one: Looked, change: Change) -> ProcessReading:
    # What cannot go on comes first, and then what a GPU or a processor shows to work.
    for rule in (
        *(_stopped, _half_dead, _in_driver, _in_storage, _starting),
        *(_spinning, _on_gpu, _working),
    ):
        found = rule(one, change)
        if found is not None:
            return found
    for rule in (_compiling, _bereft, _starved, _behind_helper):
        found = rule(one, change)
        if found is not None:
            return found
    return _idle(change)


def _stopped(one: Looked, change: Change) -> Optional[ProcessReading]:
    main = change.main
    if main is None:
        return None
    if set(main.states) <= {"T", "t"}:
        who = "a debugger" if "t" in main.states else "SIGSTOP, Ctrl-Z or job control"
        text = "is stopped (state {}) by {}, and goes on after SIGCONT"
        return ProcessReading("stopped", text.format(main.states, who), main, True)
    if main.wait and wait_family(main.wait) == "frozen":
        return ProcessReading("frozen", "is frozen by its cgroup's freezer", main, True)
    return None


def _half_dead(one: Looked, change: Change) -> Optional[ProcessReading]:
    main = change.main
    if main is None or main.states != "Z":
        return None
    alive = [thread for thread in change.threads if thread is not main and "Z" not in thread.states]
    if not alive:
        return ProcessReading(
            "dead", "is dead, and its parent does not ask how it ended (zombie)", main, True
        )
    moving = [thread for thread in alive if not thread.stood]
    if moving:
        text = "works, although its first thread has ended: " + thread_words(moving[0], change)
        return ProcessReading("working", text, moving[0])
    text = "has ended, but cannot go away: " + thread_words(alive[0], change)
    return ProcessReading("cannot-end", text, alive[0], True)


def _in_driver(one: Looked, change: Change) -> Optional[ProcessReading]:
    for thread in _standing(change):
        family = wait_family(thread.wait)
        if family in ("driver", "rdma") and "D" in thread.states:
            what = "the GPU driver" if family == "driver" else "the network card's driver"
            text = "waits in {}: {}".format(what, thread_words(thread, change))
            return ProcessReading("driver-stall", text, thread, True)
    return None


def _in_storage(one: Looked, change: Change) -> Optional[ProcessReading]:
    """Tell a wait for a file system that does not answer from one that is merely going on."""
    waiting = [t for t in _standing(change) if wait_family(t.wait) in STORAGE_FAMILIES]
    waiting += [t for t in _standing(change) if not t.wait and set(t.states) == {"D"}]
    for thread in waiting:
        place = _silent_place(one, wait_family(thread.wait))
        if place:
            text = "waits for storage that does not answer: {}; {}"
            words = text.format(thread_words(thread, change), place)
            return ProcessReading("storage-stall", words, thread, True)
    for thread in waiting:
        if wait_family(thread.wait) != "lock":
            text = "waits for storage: " + thread_words(thread, change)
            return ProcessReading("storage-wait", text, thread, True)
    return None


def _silent_place(one: Looked, family: str) -> str:
    """Say which of its mounts does not answer, and which of its files lie on it."""
    holdings = one.holdings
    if holdings is None or not one.silent:
        return ""
    named = [(file.path, _use_of(file)) for file in holdings.files]
    folders = absolute_folders(one.process.folders, holdings.folder)
    named += [(path, "its options name") for path in folders]
    named += [(holdings.folder, "it works in")] if holdings.folder else []
    for path, use in named:
        mount = holdings.mount_of(path)
        if mount is not None and mount.device in one.silent and serves(family, mount.type):
            return "{} {} on {} ({}), which {}".format(
                use, path, mount.point, mount.type, _short_reason(one.silent[mount.device])
            )
    for mount in holdings.mounts:
        if mount.device in one.silent and serves(family, mount.type):
            reason = _short_reason(one.silent[mount.device])
            return "its mount {} ({}) {}".format(mount.point, mount.type, reason)
    return ""


def _short_reason(reason: str) -> str:
    return reason.partition(" (")[0]


def _use_of(file: OpenFile) -> str:
    return "it writes" if file.writes else "it reads"


def _starting(one: Looked, change: Change) -> Optional[ProcessReading]:
    main = change.main
    if main is None or wait_family(main.wait) != "start":
        return None
    return ProcessReading("starting", "starts a program: " + thread_words(main, change), main)


def _spinning(one: Looked, change: Change) -> Optional[ProcessReading]:
    """Tell a rank whose GPU is full of a kernel that only waits, and that prints nothing."""
    if one.gpu is None or not one.gpu.spins or change.io.get("wchar"):
        return None
    text = "waits for its peers in a collective, as load without power shows ({})"
    return ProcessReading("waits-in-collective", text.format(one.gpu.words), change.main)


def _on_gpu(one: Looked, change: Change) -> Optional[ProcessReading]:
    """Tell a rank whose GPU works, for which its main thread may wait."""
    if one.gpu is None or not one.gpu.works:
        return None
    return ProcessReading("working", "works on its GPU", change.main)


def _working(one: Looked, change: Change) -> Optional[ProcessReading]:
    """Tell work, also of a process that has to wait for a processor."""
    main, share = change.main, change.seconds / max(change.span, 0.01)
    moves = (
        main is not None
        and not main.stood
        and (share >= _IDLE_SHARE or main.states == "R" or change.io.get("wchar", 0) > 0)
    )
    if share < _BUSY_SHARE and not moves:
        return None
    text = "works: {:.0f} % of a processor in {:.1f} s".format(100 * share, change.span)
    return ProcessReading("working", text + _unprinted(one, change))


def _unprinted(one: Looked, change: Change) -> str:
    """Say that silence of what works can be the buffer of its output."""
    streams = one.holdings.streams.values() if one.holdings else ()
    buffered = "PYTHONUNBUFFERED" not in one.process.environment and any(
        is_of_disk(target) or target.startswith("pipe:") for target in streams
    )
    if not buffered or change.io.get("wchar") != 0:
        return ""
    return ", and wrote nothing; what it prints may wait in the buffer of its output"


def _compiling(one: Looked, change: Change) -> Optional[ProcessReading]:
    for helper in one.helpers:
        if helper.process.name in _COMPILERS or (
            _works(helper) and any(_COMPILE_WORKER in word for word in helper.process.command)
        ):
            text = "waits for a compiler: process {} ({})"
            words = text.format(helper.process.pid, helper.process.name)
            return ProcessReading("compiling", words, change.main)
    return None


def _bereft(one: Looked, change: Change) -> Optional[ProcessReading]:
    main = change.main
    dead = [helper for helper in one.helpers if _is_dead(helper)]
    if main is None or not dead or not main.stood:
        return None
    first = dead[0].process
    text = "waits while its child {} ({}) is dead and not asked how it ended: {}"
    words = text.format(first.pid, first.name, thread_words(main, change))
    return ProcessReading("dead-child", words, main, True)


def _is_dead(helper: Looked) -> bool:
    change = helper.change
    return change is not None and bool(change.threads) and change.threads[0].states == "Z"


def _starved(one: Looked, change: Change) -> Optional[ProcessReading]:
    main = change.main
    busy = [helper for helper in one.helpers if _works(helper)]
    if main is None or not busy or wait_family(main.wait) not in ("futex", "peer", "sleep", ""):
        return None
    if _may_work_on_gpu(one):
        return None
    text = "waits for data: {} of its {} helpers work (process {}: {:.0f} % of a processor); {}"
    words = text.format(
        len(busy),
        len(one.helpers),
        busy[0].process.pid,
        100 * _share_of(busy[0]),
        thread_words(main, change),
    )
    return ProcessReading("starved-by-data", words, main)


def _may_work_on_gpu(one: Looked) -> bool:
    """Whether it has a GPU that is not seen to idle: its main thread may wait for that."""
    if one.gpu is not None:
        return not one.gpu.idles
    return one.holdings is not None and bool(one.holdings.devices)


def _behind_helper(one: Looked, change: Change) -> Optional[ProcessReading]:
    for helper in one.helpers:
        if helper.change is None or is_pythons_own(helper.process):
            continue
        found = _in_storage(helper, helper.change)
        if found is not None:
            text = "waits behind its helper {}, which {}"
            return ProcessReading(
                found.kind, text.format(helper.process.pid, found.text), found.thread, True
            )
    return None


def _works(helper: Looked) -> bool:
    main = helper.change.main if helper.change is not None else None
    return _share_of(helper) >= _HELPER_SHARE or (main is not None and main.states == "R")


def _share_of(helper: Looked) -> float:
    if helper.change is None:
        return 0.0
    return helper.change.seconds / max(helper.change.span, 0.01)


_WAITS = {
    "peer": ("waits-for-peer", "waits for another process or host"),
    "futex": ("waits-for-lock", "waits for a lock or an event of another thread or process"),
    "child": ("waits-for-child", "waits for the end of a child"),
    "sleep": ("sleeps", "sleeps"),
    "lock": ("waits-for-lock", "waits for a lock in the kernel"),
    "throttled": ("throttled", "is slowed down by the kernel"),
    "dying": ("cannot-end", "is ending"),
}


def _idle(change: Change) -> ProcessReading:
    main = change.main or (change.threads[0] if change.threads else None)
    if main is None:
        return ProcessReading("unclear", "tells nothing of its threads")
    kind, words = _WAITS.get(wait_family(main.wait), ("unclear", "shows no work"))
    return ProcessReading(kind, "{}: {}".format(words, thread_words(main, change)), main)


def _standing(change: Change) -> List[ThreadChange]:
    """List the threads that were at one place in both looks, those in state D first."""
    return sorted(
        (thread for thread in change.threads if thread.stood),
        key=lambda thread: (thread.tid != change.pid, "D" not in thread.states),
    )


def thread_words(thread: ThreadChange, change: Change) -> str:
    """Tell of one thread what both looks show."""
    where = ", waits in " + thread.wait if thread.wait else ""
    used = "no time" if thread.seconds == 0 else "{:.2f} s".format(thread.seconds)
    return "thread {} ({}), state {}{}, {} on a processor in {:.1f} s".format(
        thread.tid, thread.name, thread.states, where, used, change.span
    )


def readings_of(looked: Sequence[Looked]) -> List[Tuple[Looked, ProcessReading]]:
    """Read all ranks and launchers, and of helpers those that are stuck in storage or a driver."""
    found = []
    for one in looked:
        reading = read_process(one)
        if one.process.role != "helper" or reading.kind in ("storage-stall", "driver-stall"):
            found.append((one, reading))
    return found
