"""Which files belong to one run."""

from checker.diagnose.runs import Runs, runs_of
from checker.scan.observe import observe_texts

KEYS = frozenset(["log Connection closed by peer", "log Killed process", "traceback *"])
DAY = "2026-11-30"


def steps(first: int, ranks: range, world: int, minute: int = 10) -> str:
    """Ranks that say how many they are, and count."""
    return "".join(
        f"[default{rank - first}]:{DAY} 10:{minute}:0{second},585 INFO "
        f"rank {rank}: step {second} loss 2.0, world size {world}\n"
        for second in range(1, 4)
        for rank in ranks
    )


def ending(agent: int, pid: int, rank: int = 2, host: str = "localhost", minute: int = 11) -> str:
    """What a launcher prints of its failed rank."""
    return (
        f"E1130 10:{minute}:10.905000 {agent} "
        "torch/distributed/elastic/multiprocessing/api.py:1002] "
        f"failed (exitcode: 1) local_rank: {rank % 4} (pid: {pid}) of binary: /bin/python3\n"
        "============================================================\ntrain.py FAILED\n"
        "------------------------------------------------------------\n"
        "Root Cause (first observed failure):\n[0]:\n"
        f"  time      : {DAY}_10:{minute}:10\n  host      : {host}\n"
        f"  rank      : {rank} (local_rank: {rank % 4})\n  exitcode  : 1 (pid: {pid})\n"
        "  error_file: <N/A>\n"
        "============================================================\n"
    )


def console(agent: int, minute: int = 10) -> str:
    """The whole console of a launch of four ranks."""
    return steps(0, range(4), 4, minute) + ending(agent, agent + 3, minute=minute + 1)


def runs(files: dict[str, str]) -> Runs:
    """Group files, which must not depend on their order."""
    return runs_of(observe_texts(files, KEYS, {}, {}))


def told(files: dict[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """Label and files of every run."""
    return [tuple(run) for run in runs(files).runs]


def test_two_launches_of_a_whole_job_are_two_runs() -> None:
    """Rank 2 cannot be two processes of two launchers in one run."""
    files = {"a/console.log": console(100), "b/console.log": console(200, 20)}
    assert told(files) == [("a", ("a/console.log",)), ("b", ("b/console.log",))]
    flat = {"job-1.out": console(100), "job-2.out": console(200, 20)}
    assert told(flat) == [("job-1.out", ("job-1.out",)), ("job-2.out", ("job-2.out",))]


def test_nodes_of_one_job_are_one_run() -> None:
    """Other ranks, or the same local ranks on another node, are no other run."""
    for hosts in (("node-a", "node-b"), ("localhost", "localhost")):
        files = {
            "a/console.log": steps(0, range(4), 8) + ending(100, 103, 2, hosts[0]),
            "b/console.log": steps(4, range(4, 8), 8) + ending(200, 203, 6, hosts[1]),
        }
        assert told(files) == []
    bare = {"a.log": ending(100, 103), "b.log": ending(200, 203, minute=30)}
    assert told(bare) == []


def test_launches_on_one_host_at_other_times_are_two_runs() -> None:
    """Where the size of the job is not known, host and time tell; time alone does not."""
    one = ending(100, 103, host="node-a")
    later = ending(200, 203, host="node-a", minute=30)
    assert [label for label, _ in told({"a/c.log": one, "b/c.log": later})] == ["a", "b"]
    near = ending(200, 203, host="node-a")
    assert told({"a/c.log": one, "b/c.log": near}) == []


def test_launchers_with_other_ranks_on_one_host_are_one_run() -> None:
    """Two launchers of a job can share a machine, and the second one tell its failure late."""
    one = ending(100, 103, 2, "node-a")
    later = ending(200, 203, 6, "node-a", minute=41)
    assert told({"a/c.log": one, "b/c.log": later}) == []


def test_restarts_of_one_launcher_are_one_run() -> None:
    """The launcher's process stays while it starts its ranks again."""
    again = console(100, 20).replace("pid: 103", "pid: 903")
    assert told({"a.log": console(100), "b.log": again}) == []
    assert told({"a.log": console(100) + again}) == []


def test_rotated_logs_are_one_run() -> None:
    """A rank whose log goes on in another file proves nothing."""
    files = {"rank0.log.1": steps(0, range(1), 4), "rank0.log": steps(0, range(1), 4, 30)}
    assert told(files) == []


def test_run_ids_of_torchrun_tell_runs_apart() -> None:
    """The folder of the ranks' logs is named after the run; `none` is no name."""
    path = "logs/{}/attempt_0/{}/stderr.log"
    files = {
        path.format(run, rank): "RuntimeError: Connection closed by peer\n"
        for run in ("one_abcdefgh", "two_ijklmnop")
        for rank in (0, 1)
    }
    assert [label for label, _ in told(files)] == [
        "logs/one_abcdefgh/attempt_0",
        "logs/two_ijklmnop/attempt_0",
    ]
    unnamed = {
        path.replace("one", "none").replace("two", "none"): text for path, text in files.items()
    }
    assert told(unnamed) == []


def test_what_proves_nothing_stays_with_its_folder() -> None:
    """A kernel log in the folder of a run is of that run; above several it is shared."""
    kernel = (
        "[  562.849352] Memory cgroup out of memory: Killed process 12 (python3) total-vm:1kB\n"
    )
    files = {
        "logs/a/console.log": console(100),
        "logs/a/host/dmesg.log": kernel,
        "logs/b/console.log": console(200, 30),
        "logs/dmesg.log": kernel,
        "logs/c/train.log": steps(0, range(4), 4, 50),
    }
    found = runs(files)
    assert [run.label for run in found.runs] == ["logs/a", "logs/b", "logs/c"]
    assert found.runs[0].paths == ("logs/a/console.log", "logs/a/host/dmesg.log")
    assert found.shared == ("logs/dmesg.log",)


def test_logs_of_one_time_are_united_across_folders() -> None:
    """Consoles in one folder and the ranks' logs in another belong together by their times."""
    path = "ranks/{}/attempt_0/0/stderr.log"
    error = f"{DAY} 10:{{}}:02,000 ERROR Connection closed by peer\n"
    files = {
        "consoles/1.log": console(100),
        "consoles/2.log": console(200, 30),
        path.format("one_abcdefgh"): error.format(10),
        path.format("two_ijklmnop"): error.format(30),
    }
    assert [paths for _, paths in told(files)] == [
        ("consoles/1.log", path.format("one_abcdefgh")),
        ("consoles/2.log", path.format("two_ijklmnop")),
    ]
