"""Entries that are known before a run, and facts of a machine."""

import json
from typing import Any

import pytest

from checker.model import Fact
from checker.preflight.risk_text import risk_rows, risks_json, unanswered
from checker.preflight.risks import asked_facts, outlook_of
from tests.published import published_catalogue


def facts(**values: Any) -> list[Fact]:
    """Make facts; a tuple holds the reason why there is none."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return [
        Fact(name, None, value[0], None)
        if isinstance(value, tuple)
        else Fact(name, value, None, None)
        for name, value in named.items()
    ]


def risks(**values: Any) -> list[str]:
    """Name the published entries that lie ahead."""
    outlook = outlook_of(published_catalogue(), facts(**values))
    return [risk.rule["id"] for risk in outlook.risks]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, []),
        (
            {"checkpoint__mount__type": "9p", "system__wsl": True},
            ["wsl2-checkpoint-9p-deadlock"],
        ),
        ({"checkpoint__mount__type": "9p", "system__wsl": False}, []),
        ({"checkpoint__mount__type": "ext4", "system__wsl": True}, []),
        ({"checkpoint__mount__answers": False}, ["storage-mount-does-not-answer"]),
        ({"plan__shortage": 5}, ["torch-save-disk-full"]),
        ({"plan__shortage": 0, "plan__free": 0}, ["torch-save-disk-full"]),
        ({"plan__shortage": 0, "plan__free": 7}, []),
        ({"mounts__no_inodes": ["/scratch"]}, ["inode-exhaustion"]),
        ({"mounts__no_inodes": []}, []),
        ({"shm__size": 67108864, "shm__free": 67108864}, ["dataloader-shm-bus-error"]),
        ({"shm__size": 1 << 34, "shm__free": 4096}, ["nccl-shm-no-space"]),
        ({"plan__port_taken": True}, ["master-port-address-in-use"]),
        ({"limit__open_files": 256}, ["dataloader-too-many-open-files"]),
        ({"limit__open_files": 1024}, []),
        (
            {"gpu__trouble": "Failed to initialize NVML: Driver/library version mismatch"},
            ["nvidia-driver-library-version-mismatch"],
        ),
        ({"gpu__trouble": ""}, []),
        ({"quota__exceeded": ["Over disk quota on /home, remove 2K"]}, ["disk-quota-exceeded"]),
        ({"quota__exceeded": []}, []),
        ({"plan__driver_too_old": True}, ["cuda-driver-too-old"]),
        ({"plan__driver_too_old": False}, []),
    ],
)
def test_the_entries_say_what_lies_ahead(values: dict[str, Any], expected: list[str]) -> None:
    """And what rules an entry out removes it."""
    assert risks(**values) == expected


def test_a_risk_is_told_with_its_facts_and_what_helps() -> None:
    """And with the entry that it would become."""
    given = facts(plan__port_taken=True, mounts__no_inodes=("did not answer in 3 s",))
    rows = [text for _, text in risk_rows(outlook_of(published_catalogue(), given), given)]

    assert rows[0].startswith("RISK: The master port is already in use")
    assert "  plan.port_taken = yes (A program on this machine listens on the master port)" in rows
    assert "  More about it: python3 trainwreck.py explain master-port-address-in-use" in rows
    assert "not known: mounts.no_inodes: did not answer in 3 s" in rows
    assert rows[-1].startswith("1 risk; ")


def test_sizes_can_be_read() -> None:
    """A number of bytes has its groups apart."""
    given = facts(plan__shortage=1751302115328)
    rows = [text for _, text in risk_rows(outlook_of(published_catalogue(), given), given)]

    assert rows[2].startswith("  plan.shortage = 1,751,302,115,328 bytes (Space that the ")


def test_what_was_not_answered_counts_only_where_an_entry_asks_for_it() -> None:
    """A kernel log that may not be read is no risk, nor is a GPU that is not there."""
    given = facts(
        kernel__log=("no right",), gpu__trouble=("absent",), shm__size=("did not answer in 3 s",)
    )
    outlook = outlook_of(published_catalogue(), given)

    assert [fact.name for fact in unanswered(outlook, given)] == ["shm.size"]
    assert "kernel.log" not in asked_facts(published_catalogue())


def test_the_same_as_data() -> None:
    """For the script that submits the job."""
    given = facts(plan__port_taken=True)
    told = json.loads(risks_json(outlook_of(published_catalogue(), given), given))

    (risk,) = told["risks"]
    assert (told["schema_version"], risk["id"], risk["evidence"]) == (
        1,
        "master-port-address-in-use",
        [{"sign": "port_taken", "text": "plan.port_taken = yes", "value": True}],
    )
    assert told["facts"] == [{"name": "plan.port_taken", "value": True, "unknown": None}]
