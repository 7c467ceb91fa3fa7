"""How much memory and time it takes to join the snapshots of many nodes, in a process of its own.

    python tests/bench/merge.py [NODES ...]

Each node has eight ranks under torchrun in one console, with steps and NCCL's watchdog on every
rank, what two looks at each process show, and as many facts as a look at a machine gives. On one
rank memory ran out, which is where it began.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from checker.catalogue import Catalogue
from checker.facts import fact_kinds
from checker.model import Fact, Input, Line, Moment, Writer
from checker.probe.looking import MachineView
from checker.probe.process_facts import PROCESSES
from checker.snapshot.excerpts import ExcerptShelf, KeptLog
from checker.snapshot.writing import Station, Taken, write_snapshot
from tests.bench.built import real_rows, write_script

LOCAL = 8
NOTHING = Catalogue((), "0" * 64, "2026-01-01")
CONSOLE = "/var/log/job/console.log"
WAITED = (
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4711, OpType=ALLREDUCE, "
    "NumelIn=268435456, NumelOut=268435456, Timeout(ms)=600000) ran for 600{part:03} milliseconds "
    "before timing out."
)
DOWN = "To avoid data inconsistency, we are taking the entire process down."
MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.02 GiB is free."
)
MEASURE = """
import os, subprocess, sys, time
began = time.monotonic()
child = subprocess.Popen([sys.executable, "-I", "-S", sys.argv[1], "merge", sys.argv[2]])
used = os.wait4(child.pid, 0)[2]
cpu = used.ru_utime + used.ru_stime
print(f"{used.ru_maxrss / 1024:.0f} | {cpu:.1f} | {time.monotonic() - began:.0f}")
"""
FULL = (
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line 412, in <module>',
    "    save(model, path)",
    '  File "/workspace/train.py", line 88, in save',
    "    torch.save(state, file)",
    MEMORY,
)


def console(node: int, nodes: int) -> Iterator[str]:
    """Write what torchrun shows of one node."""
    first = node * LOCAL
    for step in range(1, 6):
        for local in range(LOCAL):
            at = f"2026-08-14 03:10:{step:02},{(local * 7 + step) % 1000:03}"
            head = f"[default{local}]:{at} INFO train rank {first + local}: "
            yield f"{head}step {step} loss 2.{step}"
    if node == nodes // 3:
        yield from (f"[default3]:[rank{first + 3}]: {row}" for row in FULL)
    for local in range(LOCAL):
        rank = first + local
        mark = (
            f"[default{local}]:[rank{rank}]:[E814 03:22:{local:02}.{rank:06} ProcessGroupNCCL.cpp:"
        )
        yield f"{mark}629] [Rank {rank}] {WAITED.format(part=rank % 97)}"
        yield f"{mark}695] [Rank {rank}] {DOWN}"


def facts_of(first: int) -> Iterator[Fact]:
    """Tell of a machine what a look at it tells, and of its processes."""
    values = {"text": "none", "number": 4096, "truth": True, "list": []}
    for name, kind in fact_kinds().items():
        if not kind.of_process:
            # So many periods held back by a quota would be a failure of their own.
            sound = 0 if name == "cpu.cgroup.throttled" else values[kind.type]
            yield Fact(name, sound, None, None)
    for local in range(LOCAL):
        text = f"process {4000 + local} (train.py) waits for another process or host"
        writer = Writer("rank", first + local, local, None, None)
        moment = Moment(1786679000.0, "utc", 1.0)
        line = Line(PROCESSES, local + 1, text, text, writer, 4000 + local, moment, None)
        yield Fact("process.reading", "waits-for-peer", None, line)


def write_node(target: Path, node: int, nodes: int) -> None:
    """Write the snapshot of one node."""
    rows = tuple(enumerate(console(node, nodes), 1))
    shelf = ExcerptShelf()
    shelf.keep(KeptLog(CONSOLE, (), rows, 0, False, ()))
    first = node * LOCAL
    processes = tuple((None, 4000 + local, first + local) for local in range(LOCAL))
    view = MachineView(tuple(facts_of(first)), {}, (), (), processes, nodes * LOCAL)
    size = sum(len(text) + 1 for _, text in rows)
    given = Input(CONSOLE, "read", None, size, len(rows), None, None, None, False)
    station = Station(f"gpu{node:04}", f"boot-{node}", 1786679000.0, 100.0 + node, 200.0 + node)
    write_snapshot(str(target), Taken(shelf, [given], view, station), NOTHING)


def told(script: Path, nodes: int) -> str:
    """Write the snapshots, join them, and return a row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for node in range(nodes):
            write_node(folder / f"gpu{node:04}.snap", node, nodes)
        size = sum(path.stat().st_size for path in folder.iterdir())
        # A small process between, since what was resident before an exec counts after it too.
        command = [sys.executable, "-I", "-S", "-c", MEASURE, str(script), name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        verdict, used = done.stdout.split("\n")[0], done.stdout.rstrip().split("\n")[-1]
    return f"| {nodes} | {size / nodes / 1024:.1f} | {used} | {verdict} |"


def main(counts: list[int]) -> int:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        script = write_script(Path(name) / "trainwreck.py", real_rows())
        print("| nodes | KiB each | resident MiB | CPU seconds | seconds | verdict |")
        print("| ---: | ---: | ---: | ---: | ---: | --- |")
        for nodes in counts:
            print(told(script, nodes), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or [100, 500, 2000]))
