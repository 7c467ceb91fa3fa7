"""Who is which rank, and that what is known better is never overruled."""

import pytest

from checker.model import Observations
from checker.scan.observe import observe_texts
from checker.scan.places import place_of

pytestmark = pytest.mark.rule("ranks")

FAILED = "RuntimeError: no luck\n"
NCCL = "node-{h}:{pid}:9 [{dev}] NCCL INFO ncclCommInitRank comm 0x1 rank {rank} nranks {size} "
NCCL += "cudaDev {dev} nvmlDev {dev} busId 9{dev}000 commId 0x2 - Init COMPLETE\n"
BLOCK = """Root Cause (first observed failure):
[0]:
  time      : 2026-08-14_03:12:02
  host      : {host}
  rank      : {rank} (local_rank: {local})
  exitcode  : 1 (pid: {pid})
  error_file: <N/A>
"""


def seen_in(files: dict[str, str]) -> Observations:
    """Read texts and look for one line; the names and their order change nothing."""
    keys = frozenset({"log no luck"})
    seen = observe_texts(files, keys, {}, {})
    turned = observe_texts(dict(reversed(list(files.items()))), keys, {}, {})
    assert turned == seen
    return seen


def ranks_of(files: dict[str, str]) -> list[tuple[int | None, int | None]]:
    """Rank and local rank of every line that says so."""
    return [(h.line.writer.rank, h.line.writer.local_rank) for h in seen_in(files).hits]


def nccl(rank: int, size: int, host: str = "a", pid: int = 7, dev: int = 0) -> str:
    """NCCL's line about one process."""
    return NCCL.format(h=host, pid=pid, dev=dev, rank=rank, size=size)


def test_printed_rank_overrules_the_communicator() -> None:
    """A rank within a group of processes is not that of the world, which is printed."""
    text = "[rank5]:" + nccl(1, 2) + "[rank5]:" + nccl(1, 2, pid=8) + "[rank5]: " + FAILED
    assert ranks_of({"a.log": text}) == [(5, None)]


def test_communicator_overrules_a_numbered_node() -> None:
    """Folders are numbered by whoever made them; NCCL was told the ranks."""
    files = {
        f"run/node_{node}/attempt_0/{local}/stderr.log": nccl(
            2 * (1 - node) + local, 4, "ab"[node], local, local
        )
        + FAILED
        for node in (0, 1)
        for local in (0, 1)
    }
    assert ranks_of(files) == [(2, 0), (3, 1), (0, 0), (1, 1)]


def test_communicator_of_one_process_places_its_whole_node() -> None:
    """The ranks of a node follow each other."""
    text = nccl(6, 8, "b", 7, 2) + FAILED
    files = {"x/attempt_0/2/stderr.log": text, "x/attempt_0/0/stderr.log": FAILED}
    assert ranks_of(files) == [(4, 0), (6, 2)]


def test_communicators_of_groups_are_not_taken_for_the_world() -> None:
    """Where one rank is two devices and no size of the world is known, nothing is."""
    devices = [(0, 10), (1, 11), (0, 12), (1, 13)]
    pairs = [nccl(rank, 2, "a", pid, pid - 10) for rank, pid in devices]
    text = "".join(pairs) + "node-a:12:9 [2] misc/socket.cc:484 NCCL WARN no luck\n"
    assert ranks_of({"a.log": text}) == [(None, None)]
    (one,) = seen_in({"a.log": "world_size: 4\n" + text}).hits
    assert one.line.writer.rank is None


def test_numbered_nodes_count_where_all_are_there_and_equally_large() -> None:
    """Node 1 of two with two processes each begins with rank 2."""
    names = [f"run/node_{node}/attempt_0/{local}/stderr.log" for node in (0, 1) for local in (0, 1)]
    assert ranks_of(dict.fromkeys(names, FAILED)) == [(0, 0), (1, 1), (2, 0), (3, 1)]
    assert ranks_of(dict.fromkeys(names[2:], FAILED)) == [(None, 0), (None, 1)]
    assert ranks_of(dict.fromkeys(names[:3], FAILED)) == [(None, 0), (None, 1), (None, 0)]
    eight = dict.fromkeys(names, "world_size=8\n" + FAILED)
    assert ranks_of(eight) == [(None, 0), (None, 1), (None, 0), (None, 1)]


@pytest.mark.parametrize(
    "hint",
    [
        "world_size=16\n",
        "SLURM_NNODES=2\n",
        "  group_world_size=2\n",
        "[rank9]: hello\n",
        nccl(9, 16),
        BLOCK.format(host="node-b", rank=9, local=1, pid=7),
    ],
)
def test_local_rank_is_no_rank_where_there_may_be_several_nodes(hint: str) -> None:
    """Anything that speaks of a second node leaves the rank open; without it there is one node."""
    files = {"x/attempt_0/0/stderr.log": FAILED, "x/attempt_0/1/stderr.log": FAILED}
    assert ranks_of(files) == [(0, 0), (1, 1)]
    assert ranks_of({**files, "z.log": hint}) == [(None, 0), (None, 1)]


def test_launcher_that_tells_the_first_rank_of_its_node_places_all() -> None:
    """Torchrun prints the ranks that a node got when the nodes have met."""
    met = (
        "[2026-08-14 03:00:00,000] torch.distributed.elastic.agent.server.api: [INFO] [default] "
        "Rendezvous complete for workers. Result:\n  restart_count=0\n  group_rank=1\n"
        "  group_world_size=2\n  local_ranks=[0, 1]\n  global_ranks=[2, 3]\n"
        "  global_world_sizes=[4, 4]\n"
    )
    text = met + "[default0]:" + FAILED + "[default1]:" + FAILED
    assert ranks_of({"node.log": text}) == [(2, 0), (3, 1)]
    assert seen_in({"node.log": text}).world_size == 4


def test_process_of_unknown_rank_is_told_by_local_rank_and_host() -> None:
    """NCCL's lines name the host of the process in whose log they stand."""
    alone = "node-b:7:9 [1] NCCL INFO Bootstrap : Using eth0\n" + FAILED
    (hit,) = seen_in({"x/attempt_0/1/stderr.log": alone, "z.log": "world_size=16\n"}).hits
    assert hit.line.writer[:4] == ("rank", None, 1, "node-b")


def test_process_that_prints_its_rank_is_that_rank() -> None:
    """Lightning and others say so once; in a console of all it is nobody's."""
    said = "Initializing distributed: GLOBAL_RANK: 6, MEMBER: 7/8\n"
    assert ranks_of({"x/attempt_0/2/stdout.log": said + FAILED}) == [(6, 2)]
    assert ranks_of({"console.log": said + FAILED}) == [(None, None)]


def test_task_is_a_rank_unless_a_launcher_runs_in_it() -> None:
    """A task is a rank, or one torchrun on each node that starts the ranks."""
    plain = "0: step\n1: step\n2: step\n1: " + FAILED
    assert ranks_of({"a.log": plain}) == [(1, None)]
    inside = "0: [default0]: step\n1: [default1]: step\n1: step\n1: [default0]: " + FAILED
    assert ranks_of({"a.log": inside}) == [(None, 0)]
    assert ranks_of({"a.log": "world_size=16\n" + plain + plain}) == [(None, None)] * 2


def test_task_of_a_node_is_no_end_of_the_rank_of_that_number() -> None:
    """Where torchrun runs in a task, srun reports the end of a node's launcher."""
    end = "srun: error: node-b: task 1: Exited with exit code 1\n"
    assert [end.rank for end in seen_in({"a.log": end}).exits] == [1]
    agent = (
        "E0814 03:12:02.456000 41800 torch/distributed/elastic/multiprocessing/api.py:880] "
        "failed (exitcode: 1) local_rank: 5 (pid: 41825) of binary: /usr/bin/python3\n"
    )
    block = BLOCK.format(host="node-b", rank=13, local=5, pid=41825)
    both = seen_in({"a.log": agent + block + end})
    assert [(end.rank, end.local_rank, end.host) for end in both.exits] == [(13, 5, "node-b")]


def test_equal_process_ids_of_two_containers_are_two_processes() -> None:
    """In every container ids begin anew, so an id alone names no rank."""
    files = {
        "a.log": nccl(0, 4, "a", 7) + "node-a:7:9 [0] NCCL WARN no luck\n",
        "b.log": nccl(2, 4, "b", 7)
        + "node-b:7:9 [0] NCCL WARN no luck\n"
        + BLOCK.format(host="node-b", rank=2, local=0, pid=7),
    }
    assert [rank for rank, _ in ranks_of(files)] == [0, 2]
    assert [(end.rank, end.host) for end in seen_in(files).exits] == [(2, "node-b")]


def test_size_of_the_world_is_the_printed_one_unless_refuted() -> None:
    """A communicator can be of a part; a printed size smaller than a rank is of something else."""
    assert seen_in({"a.log": "world_size=8\n" + nccl(1, 2)}).world_size == 8
    assert seen_in({"a.log": nccl(1, 2)}).world_size == 2
    assert seen_in({"a.log": "world_size=2\n" + nccl(5, 8)}).world_size == 8
    assert seen_in({"a.log": "world_size=2\n[rank9]: x\n"}).world_size is None
    assert seen_in({"a.log": "  group_world_size=2\n"}).world_size is None


AGENTS = [
    "W0814 03:00:00.000000 4180{task} torch/distributed/run.py:792] Setting OMP_NUM_THREADS",
    "[2026-08-14 03:00:00,123] torch.distributed.run: [WARNING] Setting OMP_NUM_THREADS",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("prefix", ["{task}: ", "[1,{task}]<stderr>:"])
def test_task_in_which_torchrun_writes_is_no_rank(agent: str, prefix: str) -> None:
    """It is a node, and its ranks print without a prefix of their own."""
    lines = [f"step {step} loss 2.{step}" for step in range(4)]
    text = "".join(
        prefix.format(task=task) + line.format(task=task) + "\n"
        for line in [agent, *lines]
        for task in (0, 1)
    )
    failed = prefix.format(task=1) + FAILED
    assert ranks_of({"job.out": text + failed}) == [(None, None)]
    alone = text.replace(agent.format(task=0), "ready").replace(agent.format(task=1), "ready")
    assert ranks_of({"job.out": alone + failed}) == [(1, None)]


@pytest.mark.parametrize("form", ["run/node{node}/rank_{rank}.log", "node-{node}_rank{rank}.log"])
def test_rank_that_files_of_two_nodes_tell_is_local(form: str) -> None:
    """Ranks of all nodes together differ, so these are counted anew on each."""
    places = [(node, rank) for node in (0, 1) for rank in (0, 1)]
    files = {form.format(node=node, rank=rank): FAILED for node, rank in places}
    assert sorted(ranks_of(files)) == [(0, 0), (1, 1), (2, 0), (3, 1)]
    files = {form.format(node=node, rank=2 * node + rank): FAILED for node, rank in places}
    assert sorted(rank or 0 for rank, _ in ranks_of(files)) == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["llm-worker-{}.log", "run_node_{}.out", "pod_{}.log"])
def test_numbers_of_pods_and_machines_are_no_ranks(name: str) -> None:
    """The first worker of a PyTorchJob is counted after the master, and has its own local ranks."""
    files = {name.format(number): FAILED for number in range(3)}
    assert ranks_of(files) == [(None, None)] * 3
    files = {f"run_{number}.log": FAILED for number in range(3)}
    assert sorted(rank or 0 for rank, _ in ranks_of(files)) == [0, 1, 2]


def test_a_size_that_no_run_has_is_none() -> None:
    """A number that would make a list of millions of ranks is not believed."""
    assert seen_in({"a.log": "world_size=262144\n"}).world_size == 262144
    assert seen_in({"a.log": "world_size=9999999\n"}).world_size is None
    assert seen_in({"a.log": "world_size=8\nworld_size=9999999\n"}).world_size == 8


def claimed(folders: tuple[str, ...], apart: float | None, more: str = "") -> dict[str, str]:
    """Folders of equally called files, one written so many seconds after the other."""
    times = ["" if apart is None else f"2026-11-30 10:{int(apart * n):02}:00,000 " for n in (0, 1)]
    return {
        f"{folder}/rank{rank}/stderr.log": more + f"{time}INFO begins\n{time}ERROR {FAILED}"
        for folder, time in zip(folders, times, strict=True)
        for rank in (0, 1)
    }


@pytest.mark.parametrize("folders", [("trn-00", "trn-01"), ("logs/gpu-a", "logs/gpu-b")])
@pytest.mark.parametrize("apart", [0, None])
def test_a_rank_that_two_hosts_claim_at_once_is_a_local_one(
    folders: tuple[str, ...], apart: float | None
) -> None:
    """Folders that are called alike are nodes; which of them has the first ranks nothing tells."""
    files = claimed(folders, apart)
    assert ranks_of(files) == [(None, 0), (None, 1), (None, 0), (None, 1)]
    assert [given.rank for given in seen_in(files).inputs] == [None] * 4


@pytest.mark.parametrize(
    ("folders", "apart", "more"),
    [
        (("trn-00", "trn-01"), 5, ""),
        (("run-1", "run-2"), None, ""),
        (("attempt0", "attempt1"), None, ""),
        (("stdout", "stderr"), 0, ""),
        (("trn-00", "trn-01"), 0, "world_size: 2\n"),
    ],
)
def test_a_rank_that_is_claimed_again_is_the_same(
    folders: tuple[str, ...], apart: float | None, more: str
) -> None:
    """Runs that follow each other, both streams of a rank, and whole jobs name their ranks."""
    told = ranks_of(claimed(folders, apart, more))
    assert [rank for rank, _ in told] == [0, 1, 0, 1]


def test_a_local_rank_of_a_host_becomes_a_rank_by_the_communicator() -> None:
    """What NCCL says of one process of the node tells the others."""
    files = claimed(("trn-00", "trn-01"), 0)
    files["trn-01/rank0/stderr.log"] += nccl(2, 4, "trn-01", 7, 0)
    assert ranks_of(files)[2:] == [(2, 0), (3, 1)]


@pytest.mark.parametrize(
    ("path", "rank", "local", "attempt", "node"),
    [
        ("attempt_0_3_stderr.log", None, 3, 0, ""),
        ("all/attempt_0_rank_3.stdout", None, 3, 0, "all"),
        ("all/attempt-1-local_rank-3-stderr.log.2.gz", None, 3, 1, "all"),
        ("all/trn-07_attempt_1_3_error.json", None, 3, 1, "all/trn-07"),
        ("all/node2.attempt_1.3.stdout.txt", None, 3, 1, "all/node2"),
        ("attempt_0_3.log", None, None, None, None),
        ("attempt_3_stderr.log", None, None, None, None),
        ("reattempt_0_3_stderr.log", None, None, None, None),
        ("attempt_0_3_4_stderr.log", None, None, None, None),
        ("attempt_0_global_rank3.stdout", 3, None, None, None),
    ],
)
def test_copies_of_files_of_torchrun_are_known_by_their_names(
    path: str, rank: int | None, local: int | None, attempt: int | None, node: str | None
) -> None:
    """The attempt, a local rank and a stream are told apart by nothing but their order."""
    place = place_of(path)
    assert (place.rank, place.local_rank, place.attempt, place.node) == (
        rank,
        local,
        attempt,
        node,
    )


@pytest.mark.parametrize("form", ["rank{}.log", "logs/node_rank_{}.txt"])
def test_a_rank_in_the_name_of_a_file_of_several_local_ranks_is_that_of_a_node(form: str) -> None:
    """What torchrun's agent wrote for all processes of its node is often called so."""
    text = "".join(f"[default{local}]:{FAILED}" for local in (0, 1))
    files = {form.format(node): text for node in (0, 1)}
    assert ranks_of(files) == [(0, 0), (1, 1), (2, 0), (3, 1)]
    assert ranks_of({form.format(1): text}) == [(None, 0), (None, 1)]
    assert [given.rank for given in seen_in(files).inputs] == [None, None]
    own = {form.format(rank): f"[default{rank % 2}]:{FAILED}" for rank in (2, 3)}
    assert ranks_of(own) == [(2, 0), (3, 1)]
