"""Real logs are understood; hits are counted; texts and files give the same."""

from pathlib import Path
from typing import Any

import pytest

from checker.model import Observations
from checker.scan.observe import observe, observe_texts
from tests.needs import ROOT

LOGS = ROOT / "tests" / "logs"


def scanned(name: str) -> Observations:
    """Scan a folder of the captured logs."""
    return observe([str(LOGS / name)], frozenset())


def blamed(seen: Observations) -> list[tuple[Any, ...]]:
    """Name rank and origin of every exception block that is not the launcher's."""
    return [
        (block.line.writer.rank, block.parts[0].type)
        for block in seen.tracebacks
        if block.line.writer.source == "rank"
    ]


@pytest.mark.parametrize("folder", ["tee", "plain"])
def test_user_exception_on_one_rank(folder: str) -> None:
    """The exception, its peers' errors, the ends and the last steps come out by rank."""
    seen = scanned("user_exception_one_rank/" + folder)
    assert sorted(blamed(seen)) == [(1, "RuntimeError"), (2, "KeyError"), (3, "RuntimeError")]
    ends = sorted((end.rank, end.signal, end.code, end.by) for end in seen.exits)
    assert ends == [
        (0, 15, None, "launcher"),
        (1, 15, None, "launcher"),
        (2, None, 1, "itself"),
        (3, 15, None, "launcher"),
    ]
    assert [(state.rank, state.last_step) for state in seen.ranks] == [
        (0, 7),
        (1, 7),
        (2, 7),
        (3, 7),
    ]
    assert seen.world_size == 4
    assert [verdict.rank for verdict in seen.verdicts] == [2]


def test_rank_killed() -> None:
    """The killed rank's end is known, and that nobody says by whom."""
    seen = scanned("rank_killed/tee")
    assert [(end.rank, end.by) for end in seen.exits if end.signal == 9] == [(1, None)]
    assert sorted(blamed(seen)) == [(0, "RuntimeError"), (2, "RuntimeError")]


def test_host_oom_kill() -> None:
    """The kernel's record joins the launcher's by the process id."""
    seen = scanned("host_oom_kill/tee")
    assert [(end.rank, end.by) for end in seen.exits if end.signal == 9] == [(2, "kernel")]
    assert "kernel" in seen.sources


def test_collective_timeout() -> None:
    """The late rank goes on for ten seconds after its peers' last lines."""
    seen = scanned("collective_timeout/all_reduce")
    times = {state.rank: state.last_moment for state in seen.ranks}
    late, peer = times[3], times[0]
    assert late is not None
    assert peer is not None
    assert late.seconds - peer.seconds > 10
    assert sorted(blamed(seen)) == [(rank, "RuntimeError") for rank in (0, 1, 2)]


def test_healthy_run_shows_no_failure() -> None:
    """Retries, NaN in a table and warnings are no unhandled exception, end or error."""
    seen = scanned("healthy/tee")
    assert [block for block in seen.tracebacks if not block.handled] == []
    assert seen.exits == ()
    assert seen.errors == ()


def test_hits_are_counted_and_the_last_is_kept() -> None:
    """Of a shape that one writer repeats, first ones and the last are kept; it counts the rest."""
    text = "".join(f"[rank{row % 2}]: loss scale {row} too low\n" for row in range(300))
    seen = observe_texts({"a.log": text}, frozenset({"log too low"}), {}, {})
    ranks = [hit for hit in seen.hits if hit.line.writer.rank == 1]
    assert len(ranks) == 64
    assert [hit.times for hit in ranks] == [1] * 63 + [87]
    assert {hit.exact for hit in ranks} == {True}
    assert ranks[-1].line.number == 300
    assert ranks[0].line.text == "loss scale 1 too low"


def test_counts_beyond_what_is_read_closely_are_not_exact() -> None:
    """A shape of thousands of lines is counted without its writers, and says so."""
    text = "".join(f"loss scale {row} too low\n" for row in range(5000))
    seen = observe_texts({"a.log": text}, frozenset({"log too low"}), {}, {})
    assert len(seen.hits) == 64
    assert {hit.exact for hit in seen.hits} == {False}
    assert seen.hits[-1].line.number == 5000


def test_lines_around_a_hit_are_of_its_writer() -> None:
    """Above and below come lines of the same rank, not those between."""
    rows = [f"[rank{row % 3}]: row {row}" for row in range(60)]
    rows[30] = "[rank0]: CUDA out of memory"
    seen = observe_texts({"a.log": "\n".join(rows)}, frozenset({"log CUDA out of memory"}), {}, {})
    hit = seen.hits[0]
    assert hit.above == tuple(f"row {row}" for row in range(6, 30, 3))
    assert hit.below == ("row 33", "row 36")


def test_texts_and_files_give_the_same(tmp_path: Path) -> None:
    """An example inside an entry is read as the file would be."""
    text = (LOGS / "rank_killed" / "tee" / "console.log").read_text()
    path = tmp_path / "console.log"
    path.write_text(text)
    keys = frozenset({"log Connection closed by peer"})
    from_texts = observe_texts({str(path): text}, keys, {}, {})
    assert observe([str(path)], keys) == from_texts


def test_given_facts_and_versions_are_facts() -> None:
    """Facts of an example stand beside those that logs print."""
    seen = observe_texts(
        {"a.log": "NCCL version 2.21.5+cuda12.4\n"},
        frozenset(),
        {"system.wsl": True},
        {"torch": "2.8.0"},
    )
    assert [(fact.name, fact.value) for fact in seen.facts] == [
        ("system.wsl", True),
        ("version torch", "2.8.0"),
        ("version nccl", "2.21.5+cuda12.4"),
    ]


def test_local_ranks_of_several_nodes_are_no_ranks() -> None:
    """With a world larger than the local ranks seen, a local rank names no rank."""
    text = "".join(f"[default{row}]:world size 16, step 1\n" for row in range(8))
    seen = observe_texts({"a.log": text}, frozenset({"log step"}), {}, {})
    assert {hit.line.writer.rank for hit in seen.hits} == {None}
    assert sorted(hit.line.writer.local_rank or 0 for hit in seen.hits) == list(range(8))


def test_sibling_files_that_differ_in_a_number_are_tasks() -> None:
    """Slurm's one file a task gives ranks; a single numbered file does not."""
    files = {f"run_{task}.err": "CUDA out of memory\n" for task in range(4)}
    seen = observe_texts(files, frozenset({"log CUDA out of memory"}), {}, {})
    assert [hit.line.writer.rank for hit in seen.hits] == [0, 1, 2, 3]
    one = observe_texts(
        {"run_0.err": "CUDA out of memory\n"}, frozenset({"log CUDA out of memory"}), {}, {}
    )
    assert [hit.line.writer.rank for hit in one.hits] == [None]


def test_nccl_joins_process_and_rank() -> None:
    """NCCL's line on the world communicator tells which rank a process is."""
    text = (
        "trn-07:41825:42311 [5] NCCL INFO comm 0x1 rank 13 nranks 64 cudaDev 5 - Init COMPLETE\n"
        "trn-07:41825:42311 [5] NCCL INFO comm 0x2 rank 1 nranks 8 cudaDev 5 - Init COMPLETE\n"
        "trn-07:41825:42311 [5] misc/socket.cc:484 NCCL WARN socket closed\n"
    )
    seen = observe_texts({"a.log": text}, frozenset({"log NCCL WARN"}), {}, {})
    assert [(hit.line.writer.rank, hit.line.writer.host) for hit in seen.hits] == [(13, "trn-07")]


WATCHDOG = "[Rank 14] Watchdog caught collective operation timeout:"
REST = "WorkNCCL(SeqNum=3, Timeout(ms)=600000) ran for 600029 milliseconds before timing out."


@pytest.mark.parametrize(
    ("rows", "below"),
    [
        ([WATCHDOG + " ", REST, "[rank14]: step 9"], (REST, "step 9")),
        ([WATCHDOG + " and so on.", REST, "[rank14]: step 9"], ("step 9",)),
        ([WATCHDOG + " ", "srun: error: a: task 1: Killed", "[rank14]: step 9"], ("step 9",)),
    ],
)
def test_a_line_that_a_terminal_wrapped_is_read_on(rows: list[str], below: object) -> None:
    """The second half has no prefix; it is no other writer's line if the first ends abruptly."""
    head = "[rank14]:[E909 12:00:00.123456789 ProcessGroupNCCL.cpp:632] " + rows[0]
    text = "".join(f"[rank14]: step {step}\n" for step in range(9)) + "\n".join([head, *rows[1:]])
    seen = observe_texts({"a.log": text}, frozenset({"log Watchdog caught"}), {}, {})
    assert [hit.below for hit in seen.hits] == [below]


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("4.19.52-microsoft-standard", True),
        ("5.15.167.4-microsoft-standard-WSL2", True),
        ("4.4.0-19041-Microsoft", False),
    ],
)
def test_a_kernel_of_wsl2_is_known(release: str, told: bool) -> None:
    """Early ones do not name WSL2; the first WSL is another thing."""
    seen = observe_texts({"a.log": f"Linux version {release} (gcc)\n"}, frozenset(), {}, {})
    assert [fact.name for fact in seen.facts] == ["system.wsl"] * told


def test_a_kill_that_only_the_kernel_tells_is_its_line_alone() -> None:
    """It makes no end of a process of the run, but the kernel was heard."""
    text = "[  12.000001] Out of memory: Killed process 41825 (python) total-vm:1kB\n"
    seen = observe_texts({"dmesg": text}, frozenset(), {}, {})
    assert (seen.exits, seen.sources) == ((), frozenset({"kernel"}))


def test_wrapped_kernel_lines_have_one_writer() -> None:
    """Lines that the driver continues below blanks, without a time, are the kernel's too."""
    text = (
        "[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0\n"
        "               NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
        "               NVRM: fallen off the bus and is not responding to commands.\n"
    )
    wanted = "NVRM: fallen off the bus"
    seen = observe_texts({"dmesg.log": text}, frozenset({"log " + wanted}), {}, {})
    (hit,) = seen.hits
    assert hit.line.writer.source == "kernel"
    assert hit.above == (
        "NVRM: The NVIDIA GPU 0000:b3:00.0",
        "               NVRM: (PCI ID: 10de:26b5) installed in this system has",
    )
    assert seen.sources == {"kernel"}
