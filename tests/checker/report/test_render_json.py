"""The report as JSON."""

import json

from checker.model import ClockOffset
from checker.report.render_json import render_json
from tests.checker.report_records import (
    KILL_CATALOGUE,
    KILL_DIAGNOSIS,
    KILL_REPORT,
    observations,
    read_input,
    report,
)

WHOLE = """\
{
  "schema_version": 1,
  "tool": {
    "name": "trainwreck",
    "version": "0.1.0",
    "catalogue": {
      "entries": 3,
      "sha256": "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "date": "2026-08-01"
    }
  },
  "masked": null,
  "compared": null,
  "inputs": [
    {
      "path": "logs/console.log",
      "status": "read",
      "reason": null,
      "bytes": 100,
      "lines": 1200,
      "host": null,
      "rank": null,
      "attempt": null,
      "part_of": null
    },
    {
      "path": "logs/dmesg.log",
      "status": "read",
      "reason": null,
      "bytes": 100,
      "lines": 482,
      "host": "node-a",
      "rank": null,
      "attempt": null,
      "part_of": null
    },
    {
      "path": "logs/core.1",
      "status": "skipped",
      "reason": "binary",
      "bytes": 5,
      "lines": null,
      "host": null,
      "rank": null,
      "attempt": null,
      "part_of": null
    }
  ],
  "machine": {
    "probed": true,
    "facts": [
      {
        "name": "system.wsl",
        "value": false,
        "unknown": null
      }
    ]
  },
  "diagnoses": [
    {
      "id": "host-oom-kill",
      "title": "The kernel killed a training process because the host ran out of memory",
      "kind": "failure",
      "role": "initiating",
      "consequence_of": null,
      "confidence": "certain",
      "attempt": null,
      "run": null,
      "general": null,
      "rivals": [],
      "preceded_by": null,
      "rank": 1,
      "ranks": [
        1
      ],
      "host": "node-a",
      "time": "2026-08-14T03:11:52.123",
      "order": null,
      "evidence": [
        {
          "kind": "log",
          "path": "logs/dmesg.log",
          "line": 482,
          "rank": null,
          "host": "node-a",
          "time": "boot+912318.118233",
          "text": "Killed process 4242",
          "sign": "kill",
          "count": 1,
          "count_exact": true,
          "values": {
            "limit": "inf",
            "pid": 4242
          },
          "onset": "boot+912318.118233",
          "onset_rule": "printed",
          "late": false,
          "untied": false
        },
        {
          "kind": "exit",
          "path": "logs/console.log",
          "line": 91,
          "rank": 1,
          "host": null,
          "time": "2026-08-14T03:11:52.123",
          "text": "(exitcode: -9)",
          "sign": "nine",
          "count": 1,
          "count_exact": true,
          "values": {},
          "onset": "2026-08-14T03:11:52.123",
          "onset_rule": "earlier",
          "late": false,
          "untied": false
        }
      ],
      "against": [],
      "summary": {
        "symptom": "A rank ends with signal 9 and prints nothing.",
        "cause": "The processes of the host asked for more memory than it has; the kernel ended the largest one with SIGKILL, which no program can catch.",
        "fix": "Lower the memory that each rank needs, then start again."
      },
      "fix": [
        "Halve `num_workers` of the DataLoader: every worker holds a copy of what the dataset object holds.",
        "Start again from the last checkpoint."
      ],
      "confirm": [
        {
          "check": "The kernel log of the host names the process id.",
          "run": "sudo dmesg -T | grep -i 'killed process'",
          "yes": "A line with the process id of the rank, at the time of the failure.",
          "no": "No such line: somebody or something else sent the signal."
        }
      ],
      "next": null,
      "url": "https://example.org/entries/host-oom-kill/"
    },
    {
      "id": "peer-connection-lost",
      "title": "The connection to a peer was lost",
      "kind": "symptom",
      "role": "consequence",
      "consequence_of": "host-oom-kill",
      "confidence": "likely",
      "attempt": null,
      "run": null,
      "general": null,
      "rivals": [],
      "preceded_by": null,
      "rank": 0,
      "ranks": [
        0,
        2,
        3
      ],
      "host": null,
      "time": "2026-08-14T03:11:52.123",
      "order": "unknown",
      "evidence": [
        {
          "kind": "log",
          "path": "logs/console.log",
          "line": 71,
          "rank": 0,
          "host": null,
          "time": "2026-08-14T03:11:52.123",
          "text": "Connection closed by peer",
          "sign": "sign",
          "count": 3,
          "count_exact": false,
          "values": {},
          "onset": "2026-08-14T03:11:52.123",
          "onset_rule": "printed",
          "late": false,
          "untied": false
        }
      ],
      "against": [],
      "summary": {
        "symptom": "It dies.",
        "cause": "It is broken.",
        "fix": "Mend it."
      },
      "fix": [
        "Mend it."
      ],
      "confirm": [
        {
          "check": "Look.",
          "run": "look",
          "yes": "It shows.",
          "no": "Nothing."
        }
      ],
      "next": null,
      "url": null
    }
  ],
  "recovered": [],
  "ranks": [
    {
      "rank": 0,
      "local_rank": null,
      "host": null,
      "attempt": null,
      "run": null,
      "last_step": 9,
      "last_time": "2026-08-14T03:11:52.123",
      "exit": null,
      "collective": null
    },
    {
      "rank": 1,
      "local_rank": null,
      "host": "node-a",
      "attempt": null,
      "run": null,
      "last_step": 8,
      "last_time": "2026-08-14T03:11:52.123",
      "exit": {
        "signal": 9,
        "code": null,
        "by": null,
        "time": "2026-08-14T03:11:52.123",
        "path": "logs/console.log",
        "line": 91
      },
      "collective": null
    },
    {
      "rank": 2,
      "local_rank": null,
      "host": null,
      "attempt": null,
      "run": null,
      "last_step": 9,
      "last_time": null,
      "exit": null,
      "collective": null
    },
    {
      "rank": 3,
      "local_rank": null,
      "host": null,
      "attempt": null,
      "run": null,
      "last_step": 9,
      "last_time": null,
      "exit": null,
      "collective": null
    }
  ],
  "paces": [],
  "clocks": [],
  "launcher_verdict": {
    "rank": 1,
    "exit": -9,
    "time": "2026-08-14T03:11:52",
    "host": "node-a",
    "recorded": false,
    "path": "logs/console.log",
    "line": 95,
    "agrees": true,
    "why": "same",
    "reason": "what the logs show says the same.",
    "entry": "host-oom-kill",
    "others": 0
  },
  "unexplained": [],
  "nearest": [
    {
      "id": "shm-limit",
      "missing": "the line 'No space left on device'"
    }
  ],
  "coverage": {
    "entries": 3,
    "looked_for": 3,
    "not_checked": [
      {
        "id": "shm-limit",
        "reason": "no fact of the machine"
      }
    ]
  }
}
"""  # noqa: E501


def test_a_whole_report() -> None:
    """Every key of the design is there, in its order."""
    assert render_json(KILL_REPORT, KILL_CATALOGUE) == WHOLE


def test_the_text_is_ascii_whatever_the_log_held() -> None:
    """Letters of any language and undecodable bytes of a path are escapes."""
    seen = observations(read_input("gr\u00fc\udc80.log"))
    text = render_json(report(seen), KILL_CATALOGUE)
    assert text.isascii()
    assert json.loads(text)["inputs"][0]["path"] == "gr\u00fc\udc80.log"


def test_values_that_json_has_no_number_for_are_text() -> None:
    """Infinity and NaN do not make the document unreadable."""
    odd = KILL_DIAGNOSIS.evidence[0]._replace(
        values=(("b", float("nan")), ("a", 0.1), ("c", (1, float("-inf"))))
    )
    found = report(observations(read_input("a")), KILL_DIAGNOSIS._replace(evidence=(odd,)))
    document = json.loads(render_json(found, KILL_CATALOGUE))
    assert document["diagnoses"][0]["evidence"][0]["values"] == {
        "a": 0.1,
        "b": "nan",
        "c": [1, "-inf"],
    }


def test_a_hidden_general_entry_stands_beside_the_exact_one() -> None:
    """Its own confidence is kept."""
    exact = KILL_DIAGNOSIS._replace(general={"id": "killed", "confidence": "likely"})
    document = json.loads(render_json(report(observations(read_input("a")), exact), KILL_CATALOGUE))
    assert document["diagnoses"][0]["general"] == {"id": "killed", "confidence": "likely"}


def test_clocks_that_were_shifted_are_told_with_their_doubt() -> None:
    """A host or, where it is not known, the file; what is added to its times, and what told."""
    offsets = (
        ClockOffset("node-b", None, "local", -3600.0, 2.5, "step"),
        ClockOffset(None, "rank1.log", "local", 7200.0, 10.0, "rendezvous"),
    )
    seen = observations(read_input("a"))._replace(clocks=offsets)
    document = json.loads(render_json(report(seen), KILL_CATALOGUE))
    assert document["clocks"] == [
        {
            "host": "node-b",
            "path": None,
            "clock": "local",
            "added_seconds": -3600.0,
            "doubt_seconds": 2.5,
            "by": "step",
        },
        {
            "host": None,
            "path": "rank1.log",
            "clock": "local",
            "added_seconds": 7200.0,
            "doubt_seconds": 10.0,
            "by": "rendezvous",
        },
    ]
