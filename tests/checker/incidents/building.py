"""Builds the logs of one synthetic run of many ranks; the texts are those that programs print."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any, NamedTuple

START = datetime(2026, 8, 14, 3, 0, 0)
LETTERS = "abcdefghijklmnop"


class Said(NamedTuple):
    """A line, by whom and when."""

    seconds: float
    order: int
    source: str
    """`rank`, `agent`, `kernel` or `scheduler`."""
    who: int
    """The rank, or the node."""
    text: str


class Called(NamedTuple):
    """A collective that a rank called."""

    seq: int
    op: str = "ALLREDUCE"
    numel: int = 8192

    @property
    def recorded(self) -> str:
        """What the flight recorder calls it."""
        return {"ALLREDUCE": "nccl:all_reduce", "BROADCAST": "nccl:broadcast"}[self.op]


class Run:
    """One run: events are added, then laid out as files."""

    def __init__(
        self,
        ranks: int,
        per_node: int = 8,
        offsets: dict[int, float] | None = None,
        start: datetime = START,
    ):
        self.ranks = ranks
        self.per_node = min(ranks, per_node)
        self.offsets = offsets or {}
        """Seconds by which the clock of a node is ahead."""
        self.start = start
        self.zones: dict[int, int] = {}
        """Hours by which the zone of a node is ahead of UTC; then its logger prints the zone."""
        self.booted: dict[int, float] = {}
        """Seconds that a node was up before the run; then its kernel counts from there."""
        self.said: list[Said] = []
        self.dumps: dict[str, str] = {}
        """Dumps of the flight recorder."""

    def node_of(self, rank: int) -> int:
        """The node on which a rank runs."""
        return rank // self.per_node

    def host(self, node: int) -> str:
        """The name of a node."""
        return f"node-{LETTERS[node]}"

    def pid(self, rank: int) -> int:
        """The process id of a rank."""
        return 41000 + 100 * self.node_of(rank) + rank % self.per_node

    def others(self, *ranks: int) -> list[int]:
        """All ranks but these."""
        return [rank for rank in range(self.ranks) if rank not in ranks]

    def clock(self, seconds: float, node: int) -> datetime:
        """What the clock of a node shows."""
        ahead = self.offsets.get(node, 0) + 3600 * self.zones.get(node, 0)
        return self.start + timedelta(seconds=seconds + ahead)

    def add(self, seconds: float, source: str, who: int, *lines: str) -> None:
        """Let somebody print lines."""
        for line in lines:
            self.said.append(Said(seconds, len(self.said), source, who, line))

    def log(self, seconds: float, rank: int, text: str, level: str = "INFO") -> None:
        """A line of the program's own logger."""
        node = self.node_of(rank)
        at = self.clock(seconds, node)
        stamp = at.strftime("%Y-%m-%d %H:%M:%S,") + f"{at.microsecond // 1000:03}"
        if node in self.zones:
            zone = timezone(timedelta(hours=self.zones[node]))
            stamp = at.replace(tzinfo=zone).isoformat(timespec="milliseconds")
        self.add(seconds, "rank", rank, f"{stamp} {level} train rank {rank}: {text}")

    def ready(self) -> None:
        """All ranks say who they are."""
        for rank in range(self.ranks):
            self.log(0, rank, f"ready, pid {self.pid(rank)}, world size {self.ranks}")

    def steps(self, first: int, last: int, begin: float, without: Iterable[int] = ()) -> float:
        """All ranks count steps, one a second; return when the last one was done."""
        for step in range(first, last + 1):
            for rank in self.others(*without):
                at = begin + step - first + rank / 1000
                self.log(at, rank, f"step {step} loss {2.5 - step / 1000:.4f}")
        return begin + last - first

    def raised(self, seconds: float, rank: int, *said: str, frame: str = "") -> None:
        """An exception as torch prints it, with the rank in front of each line."""
        path, _, function = (frame or "/workspace/train.py main").partition(" ")
        block = [
            "Traceback (most recent call last):",
            '  File "/workspace/train.py", line 206, in <module>',
            "    main()",
            f'  File "{path}", line 118, in {function}',
            "    run(batch)",
            *said,
        ]
        self.add(seconds, "rank", rank, *(f"[rank{rank}]: {line}" for line in block))

    def glog(self, seconds: float, rank: int, file: str, text: str) -> None:
        """An error of torch's C++ logger."""
        self._glog(seconds, rank, file, f"[Rank {rank}] {text}")

    def in_group(self, seconds: float, rank: int, file: str, text: str) -> None:
        """An error of torch's C++ logger that names the group of all ranks."""
        self._glog(seconds, rank, file, f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] {text}")

    def _glog(self, seconds: float, rank: int, file: str, text: str) -> None:
        at = self.clock(seconds, self.node_of(rank))
        stamp = f"{at.month}{at.day:02} {at:%H:%M:%S}.{at.microsecond:06}123"
        self.add(seconds, "rank", rank, f"[rank{rank}]:[E{stamp} {file}] {text}")

    def timed_out(self, seconds: float, ranks: Iterable[int], seq: int, minutes: int = 10) -> None:
        """The NCCL watchdog of ranks that waited ends them, as in torch 2.6."""
        for rank in ranks:
            self.gave_up(seconds + rank / 1000, rank, Called(seq), minutes)

    def gave_up(self, at: float, rank: int, call: Called, minutes: int = 10) -> None:
        """The NCCL watchdog of one rank ends it."""
        limit = minutes * 60000
        caught = (
            f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={call.seq}, "
            f"OpType={call.op}, NumelIn={call.numel}, NumelOut={call.numel}, "
            f"Timeout(ms)={limit}) ran for {limit + 30 + rank % 9} milliseconds "
            "before timing out."
        )
        self.glog(at, rank, "ProcessGroupNCCL.cpp:629", caught)
        self.glog(
            at + 0.5,
            rank,
            "ProcessGroupNCCL.cpp:695",
            "To avoid data inconsistency, we are taking the entire process down.",
        )
        self.add(
            at + 0.6,
            "rank",
            rank,
            "terminate called after throwing an instance of 'c10::DistBackendError'",
            f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog "
            f"thread terminated with exception: [Rank {rank}] {caught}",
        )

    def status(self, at: float, rank: int, call: Called) -> None:
        """The watchdog names group and counters of a rank that waited, as in torch 2.6."""
        self.in_group(
            at,
            rank,
            "ProcessGroupNCCL.cpp:2241",
            f" failure detected by watchdog at work sequence id: {call.seq} PG status: last "
            f"enqueued work: {call.seq}, last completed work: {call.seq - 1}",
        )

    def notified(self, at: float, rank: int, last: int) -> None:
        """A rank that waited in nothing is told that others gave up, as in torch 2.6."""
        self.in_group(
            at,
            rank,
            "ProcessGroupNCCL.cpp:1858",
            "Received a dump signal due to a collective timeout from  rank 0 and we will try our "
            f"best to dump the debug info. Last enqueued NCCL work: {last}, last completed NCCL "
            f"work: {last}.This is most likely caused by incorrect usages of collectives, e.g., "
            "wrong sizes used across ranks, the order of collectives is not same for all ranks "
            "or the scheduled collective, for some reason, didn't run.",
        )

    def recorded(self, rank: int, calls: Sequence[Called], waits: bool = True) -> None:
        """The flight recorder's dump of a rank, in the JSON form of version 2.10."""
        entries = []
        for call in calls:
            done = not waits or call is not calls[-1]
            at = self.start.replace(tzinfo=UTC).timestamp() + call.seq - calls[0].seq
            entries.append(
                {
                    "record_id": call.seq,
                    "pg_id": 0,
                    "process_group": ["0", "default_pg"],
                    "collective_seq_id": call.seq,
                    "p2p_seq_id": 0,
                    "op_id": call.seq,
                    "profiling_name": call.recorded,
                    "time_created_ns": int(at) * 10**9,
                    "input_sizes": [[call.numel]],
                    "input_dtypes": ["Float"],
                    "output_sizes": [[call.numel]],
                    "output_dtypes": ["Float"],
                    "state": "completed" if done else "started",
                    "retired": done,
                    "timeout_ms": 600000,
                    "is_p2p": False,
                    "frames": [],
                }
            )
        ranks = str(list(range(self.ranks)))
        content: dict[str, Any] = {
            "version": "2.10",
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": ranks}},
            "entries": entries,
        }
        self.dumps[f"nccl_trace_rank_{rank}"] = json.dumps(content)

    def lost_peer(self, seconds: float, ranks: Iterable[int]) -> None:
        """Gloo notices that a peer is gone."""
        for rank in ranks:
            self.raised(
                seconds + rank / 1000,
                rank,
                "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection "
                "closed by peer [10.0.0.3]:21654",
                frame="/opt/venv/lib/python3.11/site-packages/torch/autograd/graph.py backward",
            )

    def agent(self, seconds: float, node: int, level: str, text: str) -> None:
        """A line of a node's torchrun."""
        at = self.clock(seconds, node)
        stamp = f"{at:%m%d %H:%M:%S}.{at.microsecond // 1000:03}000"
        where = "torch/distributed/elastic/multiprocessing/api.py:908"
        self.add(
            seconds, "agent", node, f"{level}{stamp} {41000 + 100 * node + 50} {where}] {text}"
        )

    def torchrun_ends(self, seconds: float, rank: int, code: int, killed: bool = True) -> None:
        """The torchrun of a rank's node notices its end, ends the others, and sums up."""
        node, at = self.node_of(rank), self.clock(seconds, self.node_of(rank))
        mates = [r for r in range(self.ranks) if self.node_of(r) == node and r != rank]
        for mate in mates if killed else ():
            text = f"Sending process {self.pid(mate)} closing signal SIGTERM"
            self.agent(seconds, node, "W", text)
        local = rank % self.per_node
        self.agent(
            seconds + 0.2,
            node,
            "E",
            f"failed (exitcode: {code}) local_rank: {local} (pid: {self.pid(rank)}) of binary: "
            "/opt/venv/bin/python3",
        )
        block = ["Root Cause (first observed failure):", *self._failure(0, at, rank, code)]
        failures = [
            line
            for number, mate in enumerate(mates if killed else (), 1)
            for line in self._failure(number, at + timedelta(seconds=1), mate, -15)
        ]
        self.add(
            seconds + 0.4,
            "agent",
            node,
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60,
            "/workspace/train.py FAILED",
            "-" * 60,
            "Failures:",
            *(failures or ["  <NO_OTHER_FAILURES>"]),
            "-" * 60,
            *block,
            "=" * 60,
        )

    def _failure(self, number: int, at: datetime, rank: int, code: int) -> list[str]:
        names = {-15: " (SIGTERM)", -9: " (SIGKILL)", -6: " (SIGABRT)", -7: " (SIGBUS)"}
        return [
            f"[{number}]:",
            f"  time      : {at:%Y-%m-%d_%H:%M:%S}",
            f"  host      : {self.host(self.node_of(rank))}",
            f"  rank      : {rank} (local_rank: {rank % self.per_node})",
            f"  exitcode  : {code} (pid: {self.pid(rank)}){names.get(code, '')}",
            "  error_file: <N/A>",
            f"  traceback : Signal {-code} received by PID {self.pid(rank)}"
            if code < 0
            else "  traceback : To enable traceback see: "
            "https://pytorch.org/docs/stable/elastic/errors.html",
        ]

    def kernel(self, seconds: float, node: int, text: str) -> None:
        """A line of a node's journal, or of its ring buffer."""
        at = self.clock(seconds, node)
        if node in self.booted:
            since = seconds + self.booted[node]
            self.add(seconds, "kernel", node, f"[{since:12.6f}] {text}")
            return
        self.add(seconds, "kernel", node, f"{at:%b %d %H:%M:%S} {self.host(node)} kernel: {text}")

    def slurm(self, seconds: float, text: str) -> None:
        """A line of Slurm in the job's output."""
        self.add(seconds, "scheduler", 0, text)

    # Layouts. Each takes a number that decides the names of the files and their order.

    def by_rank(self, seed: int) -> dict[str, str]:
        """A file for each rank, each torchrun, each kernel, and for the job."""
        groups: dict[tuple[str, int], list[Said]] = {}
        for one in self._ordered():
            groups.setdefault((one.source, one.who), []).append(one)
        return self._files([[one.text for one in group] for group in groups.values()], seed)

    def consoles(self, seed: int) -> dict[str, str]:
        """A console for each node with the local rank in front, as `torchrun --tee 3` prints it."""
        return self._consoles(self._ordered(), seed)

    def interleaved(self, seed: int) -> dict[str, str]:
        """Such consoles, in which lines that came within two seconds are mixed.

        What each writer printed keeps its order.
        """
        source, mixed = Random(seed), []
        windows: dict[int, dict[tuple[str, int], list[Said]]] = {}
        for one in self._ordered():
            writers = windows.setdefault(int(one.seconds // 2), {})
            writers.setdefault((one.source, one.who), []).append(one)
        for _, writers in sorted(windows.items()):
            while writers:
                writer = source.choice(sorted(writers))
                mixed.append(writers[writer].pop(0))
                if not writers[writer]:
                    del writers[writer]
        return self._consoles(mixed, seed)

    def _consoles(self, lines: Iterable[Said], seed: int) -> dict[str, str]:
        nodes: dict[tuple[str, int], list[str]] = {}
        for one in lines:
            node = self.node_of(one.who) if one.source == "rank" else one.who
            local = f"[default{one.who % self.per_node}]:" if one.source == "rank" else ""
            kind = one.source if one.source in ("kernel", "scheduler") else "console"
            nodes.setdefault((kind, node), []).append(local + one.text)
        return self._files(list(nodes.values()), seed)

    def labelled(self, seed: int) -> dict[str, str]:
        """One job output with the rank in front, as `srun --label` prints it, and the kernels."""
        width = len(str(self.ranks - 1))
        job: list[str] = []
        kernels: dict[int, list[str]] = {}
        for one in self._ordered():
            if one.source == "kernel":
                kernels.setdefault(one.who, []).append(one.text)
            elif one.source != "agent":
                job.append(f"{one.who:{width}}: {one.text}" if one.source == "rank" else one.text)
        return self._files([job, *kernels.values()], seed)

    def _files(self, groups: Sequence[Sequence[str]], seed: int) -> dict[str, str]:
        """Name the files; a dump is known by its own name, wherever it lies."""
        folders = list(LETTERS)
        Random(seed).shuffle(folders)
        files = _named(groups, seed)
        for number, (name, text) in enumerate(self.dumps.items()):
            files[f"{folders[number % len(folders)]}/{name}"] = text
        return files

    def _ordered(self) -> list[Said]:
        return sorted(self.said, key=lambda one: (one.seconds, one.order))


def _named(groups: Sequence[Sequence[str]], seed: int) -> dict[str, str]:
    """Give the files names that tell nothing, in an order that the seed decides."""
    names = [f"{one}{two}{three}.txt" for one in LETTERS for two in "qrxz" for three in "jkvw"]
    Random(seed).shuffle(names)
    files = dict(zip(names, groups, strict=False))
    return {name: "".join(line + "\n" for line in files[name]) for name in sorted(files)}
