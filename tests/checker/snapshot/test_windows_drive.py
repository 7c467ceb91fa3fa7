"""The stall of a Windows drive in WSL2: a snapshot constructed from documented formats.

Nobody saw this machine. The kernel release and the options of the mount are those that WSL2
documents, the wait point is the function of the kernel's 9p client.
"""

from pathlib import Path

from checker.model import Fact, Input, Line, Moment, Writer
from checker.pipeline import diagnose_paths
from checker.probe.looking import MachineView
from checker.probe.process_facts import PROCESSES
from checker.snapshot.excerpts import ExcerptShelf, KeptLog
from checker.snapshot.writing import Station, Taken, write_snapshot
from tests.published import published_catalogue

AT = 1773454327.0
READING = (
    "process 4242 (train.py) waits for storage that does not answer: thread 4242 (python3) is in "
    "state D and waits in p9_client_rpc; it writes /mnt/d/runs/v9/checkpoint-1500/model.safetensors"
)
LOG = (
    "{'loss': 1.2113, 'grad_norm': 0.81, 'learning_rate': 9.1e-05, 'epoch': 0.41}",
    "[INFO|trainer.py:3993] 2026-03-14 02:11:07,412 >> Saving model checkpoint to "
    "/mnt/d/runs/v9/checkpoint-1500",
)
FACTS = {
    "system.kernel": "6.6.87.2-microsoft-standard-WSL2",
    "system.wsl": True,
    "mounts.silent": ["/mnt/d (9p) did not answer in 3 s (state D, waits in p9_client_rpc)"],
    "checkpoint.folder": "/mnt/d/runs/v9/checkpoint-1500",
    "checkpoint.mount.type": "9p",
    "checkpoint.mount.source": "D:\\134",
    "checkpoint.mount.answers": False,
    "process.state": ["D"],
    "process.wait_point": ["p9_client_rpc"],
}


def test_the_stall_is_diagnosed_from_the_snapshot_alone(tmp_path: Path) -> None:
    """With the drive that does not answer and the process that writes to it as evidence."""
    shelf = ExcerptShelf()
    shelf.keep(KeptLog("/home/me/run.log", (), tuple(enumerate(LOG, 1)), 0, False, ()))
    given = Input("/home/me/run.log", "read", None, 99, 2, None, None, None, False)
    writer = Writer("rank", 0, 0, None, None)
    line = Line(PROCESSES, 1, READING, READING, writer, 4242, Moment(AT, "utc", 1.0), None)
    facts = tuple(Fact(name, value, None, None) for name, value in FACTS.items())
    facts += (Fact("process.reading", "storage-stall", None, line),)
    view = MachineView(facts, {}, (), (), ((None, 4242, 0),), 1)
    station = Station("laptop", "boot-1", AT, 5.0, 6.0)
    target = str(tmp_path / "wsl2.snap")
    write_snapshot(target, Taken(shelf, [given], view, station), published_catalogue())

    first = diagnose_paths(published_catalogue(), [target], None).diagnoses[0]
    assert (first.rule["id"], first.role, first.confidence) == (
        "wsl2-checkpoint-9p-deadlock",
        "initiating",
        2,
    )
    assert {one.text.partition(" = ")[0] for one in first.evidence} >= {
        "checkpoint.mount.type",
        "checkpoint.mount.answers",
    }
