"""The report as SARIF; `tests/script/test_sarif.py` holds it against schema and GitHub."""

import json
from typing import Any

import pytest

from checker.report.render_sarif import artifact_location, render_sarif
from tests.checker.report_records import (
    KERNEL_LINE,
    KILL_CATALOGUE,
    KILL_DIAGNOSIS,
    KILL_REPORT,
    LIMIT,
    PEER_DIAGNOSIS,
    PEER_LINE,
    diagnosis,
    observations,
    read_input,
    report,
    rule,
)

KERNEL_TEXT = (
    "[912318.118233] Memory cgroup out of memory: Killed process 4242 (python3) "
    "total-vm:30212344kB, anon-rss:20111888kB, file-rss:0kB, shmem-rss:0kB, UID:1000"
)
EXIT_TEXT = (
    "E0814 03:11:52.123000 4200 torch/distributed/elastic/multiprocessing/api.py:984] failed "
    "(exitcode: -9) local_rank: 1 (pid: 4242) of binary: /opt/venv/bin/python3"
)
PEER_TEXT = "[rank0]:RuntimeError: Connection closed by peer [10.0.0.2]:21654\\x1b[0m"


def place(name: str, number: int, text: str, width: int) -> dict[str, Any]:
    """A whole line of a log below the folder in which the checker was run."""
    return {
        "artifactLocation": {"uri": name, "uriBaseId": "%SRCROOT%"},
        "region": {
            "startLine": number,
            "startColumn": 1,
            "endLine": number,
            "endColumn": width,
            "snippet": {"text": text},
        },
    }


def rendered(*items: Any, **fields: Any) -> dict[str, Any]:
    """The one run of a report on one log."""
    seen = observations(read_input("a.log"))
    text = render_sarif(report(seen, *items, **fields), KILL_CATALOGUE, "/work")
    run: dict[str, Any] = json.loads(text)["runs"][0]
    return run


def test_a_result_says_all_that_is_known() -> None:
    """Rule, level, message, place, related lines, the way of the failure, and its fingerprint."""
    text = render_sarif(KILL_REPORT, KILL_CATALOGUE, "/work")
    run = json.loads(text)["runs"][0]
    kernel = place("logs/dmesg.log", 482, KERNEL_TEXT, 155)
    ended = place("logs/console.log", 91, EXIT_TEXT, 162)
    peer = place("logs/console.log", 71, PEER_TEXT, 69)
    followed = "peer-connection-lost followed from it on ranks 0, 2-3."
    assert run["results"][0] == {
        "ruleId": "host-oom-kill",
        "ruleIndex": 0,
        "level": "error",
        "message": {
            "text": "FAILED FIRST (certain), rank 1 on host node-a: The kernel killed a training "
            "process because the host ran out of memory. Lower the memory that each rank needs, "
            "then start again. See also the lines [1](1), [2](2). From it followed "
            "peer-connection-lost."
        },
        "locations": [{"physicalLocation": kernel}],
        "partialFingerprints": {"primaryLocationLineHash": "600b1a098ff6a842:1"},
        "properties": {
            "confidence": "certain",
            "role": "initiating",
            "consequence_of": None,
            "rank": 1,
            "ranks": [1],
            "host": "node-a",
            "attempt": None,
            "run": None,
            "time": "2026-08-14T03:11:52.123",
        },
        "relatedLocations": [
            {"physicalLocation": ended, "message": {"text": "It is seen here too."}, "id": 1},
            {"physicalLocation": peer, "message": {"text": followed}, "id": 2},
        ],
        "codeFlows": [
            {
                "threadFlows": [
                    {
                        "locations": [
                            {
                                "location": {
                                    "physicalLocation": kernel,
                                    "message": {"text": "It began here."},
                                }
                            },
                            {"location": {"physicalLocation": peer, "message": {"text": followed}}},
                        ]
                    }
                ]
            }
        ],
    }
    assert (run["results"][1]["level"], run["results"][1]["ruleIndex"]) == ("note", 1)
    assert text.isascii()


def test_a_rule_carries_what_a_person_has_to_do() -> None:
    """Its page is its help where a site is known; else the text alone is."""
    first, second = rendered(KILL_DIAGNOSIS, diagnosis(LIMIT))["tool"]["driver"]["rules"]
    assert first == {
        "id": "host-oom-kill",
        "shortDescription": {
            "text": "The kernel killed a training process because the host ran out of memory."
        },
        "fullDescription": {
            "text": "A rank ends with signal 9 and prints nothing. The processes of the host asked "
            "for more memory than it has; the kernel ended the largest one with SIGKILL, which no "
            "program can catch."
        },
        "help": {
            "text": "Why: The processes of the host asked for more memory than it has; the kernel "
            "ended the largest one with SIGKILL, which no program can catch.\nWhat to do: Lower "
            "the memory that each rank needs, then start again.\n1. Halve `num_workers` of the "
            "DataLoader: every worker holds a copy of what the dataset object holds.\n2. Start "
            "again from the last checkpoint.",
            "markdown": "**Why.** The processes of the host asked for more memory than it has; the "
            "kernel ended the largest one with SIGKILL, which no program can catch.\n\n**What to "
            "do.** Lower the memory that each rank needs, then start again.\n\n1. Halve "
            "`num_workers` of the DataLoader: every worker holds a copy of what the dataset object "
            "holds.\n2. Start again from the last checkpoint.",
        },
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["crash", "failure", "pytorch"]},
        "helpUri": "https://example.org/entries/host-oom-kill/",
    }
    assert "helpUri" not in second


def test_the_level_tells_how_sure_it_is() -> None:
    """Likely is a warning, possible a note, and what does no harm is a note."""
    items = [KILL_DIAGNOSIS._replace(confidence=confidence) for confidence in (3, 2, 1)]
    run = rendered(*items, diagnosis(rule("advice", kind="benign")))
    assert [one["level"] for one in run["results"]] == ["error", "warning", "note", "note"]


def test_a_fingerprint_is_that_of_the_failure() -> None:
    """Numbers and files differ from run to run; the same failure twice in a run is told apart."""
    other = KERNEL_LINE._replace(
        path="elsewhere.log", number=7, text=KERNEL_LINE.text.replace("4242", "17")
    )
    evidence = (KILL_DIAGNOSIS.evidence[0]._replace(line=other),)
    run = rendered(KILL_DIAGNOSIS, KILL_DIAGNOSIS._replace(evidence=evidence, attempt=1))
    prints = [one["partialFingerprints"]["primaryLocationLineHash"] for one in run["results"]]
    assert prints == ["600b1a098ff6a842:1", "600b1a098ff6a842:2"]


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("logs/a.log", {"uri": "logs/a.log", "uriBaseId": "%SRCROOT%"}),
        ("/work/logs/a.log", {"uri": "logs/a.log", "uriBaseId": "%SRCROOT%"}),
        ("/var/log/a.log", {"uri": "var/log/a.log", "uriBaseId": "SYSTEM"}),
        ("./x/../../a.log", {"uri": "../a.log", "uriBaseId": "%SRCROOT%"}),
        ("a b#1:2.log", {"uri": "a%20b%231%3A2.log", "uriBaseId": "%SRCROOT%"}),
        ("\u00fc\udcff.log", {"uri": "%C3%BC%FF.log", "uriBaseId": "%SRCROOT%"}),
        ("-", {"uri": "-", "uriBaseId": "%SRCROOT%"}),
    ],
)
def test_an_address_is_relative(path: str, location: dict[str, str]) -> None:
    """To the folder of the run, else to the root of the system; it never tells that folder."""
    assert artifact_location(path, "/work") == location


def test_what_was_not_looked_at_is_notified() -> None:
    """Silence is not health: inputs, entries, and the errors that no entry explains."""
    run = json.loads(render_sarif(KILL_REPORT, KILL_CATALOGUE, "/work"))["runs"][0]
    unexplained = rendered(unexplained=(PEER_LINE,))["invocations"][0]
    assert run["invocations"][0]["toolExecutionNotifications"] == [
        {"level": "warning", "message": {"text": "Not looked at: 1 input: binary (logs/core.1)."}},
        {
            "level": "warning",
            "message": {"text": "Not looked at: 1 entry: no fact of the machine (shm-limit)."},
        },
    ]
    assert unexplained["toolExecutionNotifications"] == [
        {
            "level": "note",
            "message": {"text": "An error line that no entry explains."},
            "locations": [{"physicalLocation": place("logs/console.log", 71, PEER_TEXT, 69)}],
        }
    ]


def test_what_followed_elsewhere_is_no_part_of_it() -> None:
    """Another attempt has consequences of its own."""
    run = rendered(KILL_DIAGNOSIS, PEER_DIAGNOSIS._replace(attempt=1))
    assert "codeFlows" not in run["results"][0]
