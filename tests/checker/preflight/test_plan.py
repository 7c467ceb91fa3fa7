"""What is asked of a planned run, on constructed machines."""

from pathlib import Path
from typing import Any

import pytest

from checker.preflight.plan import RunPlan, plan_facts
from tests.checker.probe.trees import machine_of

MOUNTS = (
    "22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
    "41 22 0:46 / /mnt/d rw - 9p D:\\134 rw,aname=drvfs\n"
)
# The second row listens on port 29500, the third one only is connected to it.
SOCKETS = (
    "  sl  local_address rem_address   st tx_queue rx_queue\n"
    "   0: 00000000:0016 00000000:0000 0A 00000000:00000000\n"
    "   1: 0100007F:733C 00000000:0000 0A 00000000:00000000\n"
    "   2: 0100007F:733D 0100007F:7333 01 00000000:00000000\n"
)


def asked(folder: Path, plan: RunPlan, **files: str) -> dict[str, Any]:
    """Ask on a machine of these files: values, or reasons in a tuple."""
    given = {
        "/proc/self/mountinfo": MOUNTS,
        "/proc/net/tcp": files.get("tcp", SOCKETS),
        **({"/proc/net/tcp6": files["tcp6"]} if "tcp6" in files else {}),
        "/mnt/d/runs/x": "",
    }
    facts = plan_facts(machine_of(folder, given), plan)
    return {fact.name: (fact.unknown,) if fact.unknown else fact.value for fact in facts}


def test_a_folder_that_is_not_there_yet_is_judged_by_its_mount(tmp_path: Path) -> None:
    """What does not fit twice is a shortage: the new checkpoint comes before the old one goes."""
    told = asked(tmp_path, RunPlan("/mnt/d/runs/new/out", 10**18))

    free = told.pop("plan.free")
    assert 0 < free < 10**18
    assert told == {
        "checkpoint.folder": "/mnt/d/runs/new/out",
        "checkpoint.mount.type": "9p",
        "checkpoint.mount.source": "D:\\",
        "checkpoint.mount.answers": True,
        "plan.shortage": 2 * 10**18 - free,
        "plan.port": 29500,
        "plan.port_taken": True,
    }


def test_without_a_size_nothing_is_said_of_a_shortage(tmp_path: Path) -> None:
    """And without a folder nothing of it at all."""
    assert asked(tmp_path, RunPlan("/out", None))["plan.shortage"] == ("no size was named",)
    assert asked(tmp_path, RunPlan("/out", 1))["plan.shortage"] == 0
    assert list(asked(tmp_path, RunPlan(None, 1))) == ["plan.port", "plan.port_taken"]


@pytest.mark.parametrize(
    ("port", "files", "taken"),
    [
        (29500, {}, True),
        (29501, {}, False),
        (22, {}, True),
        (29500, {"tcp": "", "tcp6": SOCKETS}, True),
        (29500, {"tcp": "broken\nrow\n"}, False),
    ],
)
def test_only_who_listens_holds_a_port(
    tmp_path: Path, port: int, files: dict[str, str], taken: bool
) -> None:
    """In the tables of both families."""
    assert asked(tmp_path, RunPlan(None, None, port), **files)["plan.port_taken"] is taken


def test_a_link_is_followed_to_where_the_data_will_lie(tmp_path: Path) -> None:
    """`/out` on the disk may be a link to a Windows drive."""
    (tmp_path / "root/mnt/d/runs").mkdir(parents=True)
    (tmp_path / "root/out").symlink_to(tmp_path / "root/mnt/d/runs")

    told = asked(tmp_path, RunPlan("/out/new", None))
    assert (told["checkpoint.folder"], told["checkpoint.mount.type"]) == ("/mnt/d/runs/new", "9p")
