"""The one command that would decide."""

import pytest

from checker.pipeline import diagnose_texts
from tests.checker.failures import catalogue_of

SEARCH = {"check": "Look.", "run": "grep -rn Xid LOGS", "yes": "It is.", "no": "It is not."}
KERNEL = {"check": "Look.", "run": "dmesg -T", "yes": "It is.", "no": "It is not."}
STEPS = "[rank0]: step 1 loss 2.5\n[rank1]: step 1 loss 2.5\n"


@pytest.mark.parametrize(
    ("confirm", "log", "command"),
    [
        ([SEARCH, KERNEL], STEPS + "world_size: 2\n", "dmesg -T"),
        ([SEARCH, KERNEL], STEPS + "world_size: 4\n", "grep -rn Xid LOGS"),
        ([SEARCH, KERNEL], STEPS, "grep -rn Xid LOGS"),
        ([SEARCH], STEPS + "world_size: 2\n", "grep -rn Xid LOGS"),
        ([KERNEL, SEARCH], STEPS, "dmesg -T"),
    ],
)
def test_what_was_searched_already_decides_nothing(
    confirm: list[dict[str, str]], log: str, command: str
) -> None:
    """Where the logs of all ranks were read, a command that searches only logs comes last."""
    detect = {"signs": {"a": "no space"}, "signatures": [{"strong": ["a"]}]}
    catalogue = catalogue_of(disk_full=(detect, {"confirm": confirm}))
    report = diagnose_texts(catalogue, {"a.log": log + "[rank1]: no space\n"}, {}, {})
    (found,) = report.diagnoses
    decides = "Look. If so: It is. If not: It is not."
    assert found.next == {"command": command, "decides": decides}
