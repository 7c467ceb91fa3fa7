"""What the kernel's texts about a process tell, and what of them nobody may see."""

import pytest

from checker.probe.proc_texts import (
    Status,
    folders_named,
    parse_status,
    serves,
    short_command,
    told_command,
    told_environment,
    told_rank,
    told_world_size,
    wait_family,
)


def test_a_name_can_hold_anything() -> None:
    """Blanks and brackets in it end nothing."""
    row = "412 (a) b (c) S 400 412 400 0 -1 4194304 1 0 0 0 250 50 0 0 20 0 9 0 8812 1 2 3\n"

    assert parse_status(row) == Status("a) b (c", "S", 400, 300, 8812, 400)


def test_of_an_environment_only_ranks_are_told() -> None:
    """No other name leaves, and no value that is long or holds control characters."""
    text = "\0".join(
        [
            *("RANK=3", "WORLD_SIZE=8", "MASTER_ADDR=node-a", "HF_TOKEN=hf_x", "PATH=/secret"),
            *(
                "AWS_SECRET_ACCESS_KEY=x",
                "RANKED=1",
                "LOCAL_RANK=1\x1b[2J",
                "MASTER_PORT=" + "9" * 999,
            ),
        ]
    )
    told = told_environment(text)

    assert told == {"RANK": "3", "WORLD_SIZE": "8", "MASTER_ADDR": "node-a"}
    assert (told_rank(told), told_world_size(told)) == (3, 8)


@pytest.mark.parametrize(
    ("environment", "rank"),
    [
        ({"OMPI_COMM_WORLD_RANK": "5"}, 5),
        ({"PMI_RANK": "6"}, 6),
        ({"SLURM_PROCID": "7"}, 7),
        ({"RANK": "1", "SLURM_PROCID": "0"}, 1),
        ({"RANK": "one"}, None),
    ],
)
def test_ranks_by_each_launcher(environment: dict[str, str], rank: int | None) -> None:
    """What torch.distributed itself reads comes first."""
    assert told_rank(environment) == rank


def test_of_a_command_no_value_is_told_that_could_be_a_secret() -> None:
    """Numbers and folders of outputs are; the script and the names of options always."""
    words = (
        "/opt/venv/bin/python3 -u train.py --lr 3e-4 --batch-size 8 --hub-token hf_abc "
        "--api_key=sk-1 --output_dir /data/run1 --url https://user:pw@host/x prompt --bf16"
    )

    assert " ".join(told_command(words.replace(" ", "\0") + "\0")) == (
        "/opt/venv/bin/python3 -u train.py --lr ... --batch-size 8 --hub-token ... "
        "--api_key=... --output_dir /data/run1 --url ... ... --bf16"
    )


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["/usr/bin/python3", "-u", "/w/train.py", "--x"], "train.py"),
        (["python3", "-m", "torch.distributed.run", "train.py"], "torch.distributed.run"),
        (["python3", "-m", "axolotl.cli.train", "x.yaml"], "axolotl.cli.train"),
        (["/usr/bin/python3", "/opt/venv/bin/torchrun", "..."], "torchrun"),
        (["python3", "-c", "..."], "python3 -c"),
        ([], "?"),
    ],
)
def test_programs_are_named_by_their_script(command: list[str], name: str) -> None:
    """As people do."""
    assert short_command(command) == name


def test_folders_that_options_name() -> None:
    """With and without an equals sign."""
    assert folders_named(["python3", "t.py", "--out=/a", "--ckpt-dir", "b/c", "--lr", "1"]) == [
        "/a",
        "b/c",
    ]


@pytest.mark.parametrize(
    ("function", "family"),
    [
        ("request_wait_answer", "fuse"),
        ("fuse_lock_inode", "lock"),
        ("p9_client_rpc", "9p"),
        ("rpc_wait_bit_killable", "nfs"),
        ("nfs_wb_all", "nfs"),
        ("io_schedule", "disk"),
        ("futex_do_wait", "futex"),
        ("poll_schedule_timeout", "peer"),
        ("kernel_clone", "start"),
        ("do_signal_stop", "stopped"),
        ("uvm_va_space_mm_shutdown", "driver"),
        ("hrtimer_nanosleep", "sleep"),
        ("somewhere_else", ""),
    ],
)
def test_families_of_wait_points(function: str, family: str) -> None:
    """By how the kernel's functions are called."""
    assert wait_family(function) == family


def test_a_wait_can_only_be_for_file_systems_of_its_kind() -> None:
    """A wait for a lock or a disk can be for any."""
    assert serves("fuse", "fuse.sshfs")
    assert serves("nfs", "nfs4")
    assert serves("lock", "fuse.sshfs")
    assert not serves("fuse", "nfs4")
    assert not serves("9p", "ext4")
