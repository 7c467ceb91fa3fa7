"""Which processes of a machine train, and what each of them is, in constructed trees."""

import os
from pathlib import Path

from checker.probe.processes import find_processes
from tests.checker.probe.trees import machine_of

TORCH = "7f00-7f01 r-xp 00000000 08:01 9 /opt/venv/lib/python3.11/site-packages/torch/libtorch.so\n"


def process(
    pid: int, parent: int, command: str, *environment: str, maps: str = "", name: str = "python3"
) -> dict[str, str]:
    """The kernel's texts about one process of this user."""
    folder = f"/proc/{pid}/"
    return {
        folder + "stat": f"{pid} ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 900 0 0\n",
        folder + "status": f"Name:\t{name}\nUid:\t{os.getuid()}\t{os.geteuid()}\t0\t0\n",
        folder + "cmdline": command.replace(" ", "\0") + "\0",
        folder + "environ": "\0".join(environment),
        folder + "maps": maps,
    }


def told(folder: Path, files: dict[str, str], pid: int | None = None) -> list[tuple[object, ...]]:
    """List id, role, rank and owner of what is found."""
    found = find_processes(machine_of(folder, files), pid)
    assert found.unknown is None
    return [(one.pid, one.role, one.rank, one.owner) for one in found.processes]


RANKS = {
    **process(9000, 1, "python3 /opt/venv/bin/torchrun train.py"),
    **process(9001, 9000, "python3 -u train.py", "RANK=4", "LOCAL_RANK=0"),
    **process(9002, 9000, "python3 -u train.py", "RANK=5", "LOCAL_RANK=1"),
    **process(9003, 9002, "python3 -u train.py", "RANK=5", "LOCAL_RANK=1", name="pt_data_worker"),
    **process(9004, 9003, "ptxas -o x", name="ptxas"),
}


def test_ranks_their_launcher_and_their_helpers(tmp_path: Path) -> None:
    """What a rank starts works for it, however deep below."""
    others = process(9100, 1, "python3 /usr/bin/networkd-dispatcher")

    assert told(tmp_path, {**RANKS, **others}) == [
        (9000, "launcher", None, None),
        (9001, "rank", 4, None),
        (9002, "rank", 5, None),
        (9003, "helper", 5, 9002),
        (9004, "helper", 5, 9002),
    ]


def test_a_lone_program_is_known_by_what_it_has_loaded_or_by_its_name(tmp_path: Path) -> None:
    """A program that does neither trains nothing."""
    files = {
        **process(9001, 1, "python3 run.py", maps=TORCH),
        **process(9002, 1, "python3 pretrain_gpt.py"),
        **process(9003, 1, "python3 serve.py"),
        **process(9004, 1, "bash train.sh", name="bash"),
        **process(9005, 1, "python3 trainwreck.py other.log"),
    }

    assert told(tmp_path, files) == [(9001, "rank", None, None), (9002, "rank", None, None)]


def test_a_wrapper_that_has_the_environment_of_a_rank_is_none(tmp_path: Path) -> None:
    """Such as `timeout` or a shell script."""
    files = {
        **process(9001, 1, "timeout 60 python3 train.py", "RANK=0", name="timeout"),
        **process(9002, 9001, "python3 train.py", "RANK=0"),
    }

    assert told(tmp_path, files) == [(9002, "rank", 0, None)]


def test_a_process_that_a_person_names_is_looked_at(tmp_path: Path) -> None:
    """With what it started, and without what did not start from it."""
    other = process(9100, 1, "python3 serve.py")

    assert told(tmp_path, {**RANKS, **other}, 9002) == [
        (9002, "rank", 5, None),
        (9003, "helper", 5, 9002),
        (9004, "helper", 5, 9002),
    ]
    assert told(tmp_path, {**RANKS, **other}, 9100) == [(9100, "rank", None, None)]
    assert told(tmp_path, {**RANKS, **other}, 9200) == []
