"""Hand-made records for the tests of the report: one run whose rank 1 the kernel killed."""

import json
import re
from typing import Any

from checker.catalogue import Catalogue, CatalogueEntry
from checker.judgement import GradedVerdict, Nearest, Report
from checker.model import (
    Diagnosis,
    Exit,
    Fact,
    Input,
    LauncherVerdict,
    Line,
    Moment,
    Observations,
    RankState,
    Sighting,
    Writer,
)


def rule(name: str, **fields: Any) -> dict[str, Any]:
    """An entry as the catalogue carries it; *fields* replace what the test is about."""
    return {
        "id": name,
        "title": f"Title of {name}",
        "category": "crash",
        "layer": "host",
        "frameworks": ["pytorch"],
        "kind": "failure",
        "effect": ["dies"],
        "page": None,
        "on_call": None,
        "proof": "source",
        "updated": "2026-08-01",
        "aliases": [],
        "sections": [],
        "summary": {"symptom": "It dies.", "cause": "It is broken.", "fix": "Mend it."},
        "affects": [],
        "confirm": [{"check": "Look.", "run": "look", "yes": "It shows.", "no": "Nothing."}],
        "stop_safely": [],
        "fix": {"now": ["Mend it."], "for_good": [], "why": "It was broken."},
        "verify": [],
        "resume": {"safe": "yes", "why": "It was written before."},
        "dead_ends": [],
        "references": [],
        "leads_to": [],
        "refines": [],
        "refined_by": [],
        "confused_with": [],
        "examples": [],
        "recovers": "progress",
        "signs": {},
        "signatures": [],
        "against": [],
        "rules_out": [],
        **fields,
    }


KILL = rule(
    "host-oom-kill",
    title="The kernel killed a training process because the host ran out of memory",
    page="https://example.org/entries/host-oom-kill/",
    summary={
        "symptom": "A rank ends with signal 9 and prints nothing.",
        "cause": "The processes of the host asked for more memory than it has; the kernel ended "
        "the largest one with SIGKILL, which no program can catch.",
        "fix": "Lower the memory that each rank needs, then start again.",
    },
    fix={
        "now": [
            "Halve `num_workers` of the DataLoader: every worker holds a copy of what the "
            "dataset object holds.",
            "Start again from the last checkpoint.",
        ],
        "for_good": ["Alert on the available memory of the hosts."],
        "why": "The processes then fit.",
    },
    confirm=[
        {
            "check": "The kernel log of the host names the process id.",
            "run": "sudo dmesg -T | grep -i 'killed process'",
            "yes": "A line with the process id of the rank, at the time of the failure.",
            "no": "No such line: somebody or something else sent the signal.",
        }
    ],
    resume={"safe": "yes", "why": "The process ended between two checkpoints."},
)
PEER = rule(
    "peer-connection-lost",
    title="The connection to a peer was lost",
    kind="symptom",
)
LIMIT = rule("shm-limit", title="Shared memory was full", page=None)


def log_sign(literal: str) -> dict[str, Any]:
    """A sign that a line holds a text, as the generator compiles it."""
    wording = {
        "text": literal,
        "regex": re.escape(literal),
        "literal": literal,
        "types": {},
        "since": None,
        "until": None,
    }
    return {
        "kind": "log",
        "log": [wording],
        "capture": [],
        "at": "inside",
        "source": None,
        "under": None,
        "onset": "printed",
    }


DISK = rule(
    "disk-full",
    title="The disk was full",
    signs={"full": log_sign("No space left on device")},
    signatures=[{"name": None, "strength": "decisive", "all": ["full"], "any": [], "none": []}],
    examples=[
        {
            "name": "a write that failed",
            "diagnosed": True,
            "files": {"a.log": "[rank1]: OSError: [Errno 28] No space left on device\n"},
            "facts": {},
            "versions": {},
            "expect": {"confidence": "certain", "rank": 1},
            "also": [],
        }
    ],
)


def writer(rank: int | None, source: str = "rank", host: str | None = None) -> Writer:
    """Who wrote a line."""
    return Writer(source, rank, rank, host, None)


def line(path: str, number: int, shown: str, who: Writer, moment: Moment | None = None) -> Line:
    """A line whose payload begins after the last `]:`."""
    return Line(path, number, shown.rpartition("]:")[2], shown, who, None, moment, None)


def sighting(seen: Line, text: str, kind: str = "log", **fields: Any) -> Sighting:
    """A sighting of a sign in a line."""
    made = Sighting(
        sign="sign",
        kind=kind,
        line=seen,
        text=text,
        rank=seen.writer.rank,
        local_rank=seen.writer.local_rank,
        host=seen.writer.host,
        pid=None,
        values=(),
        times=1,
        exact=True,
        onset=seen.moment,
        onset_rule="printed",
    )
    return made._replace(**fields)


def diagnosis(of: dict[str, Any], **fields: Any) -> Diagnosis:
    """A certain, initiating diagnosis without evidence."""
    made = Diagnosis(
        rule=of,
        role="initiating",
        consequence_of=None,
        confidence=3,
        attempt=None,
        rank=None,
        ranks=(),
        host=None,
        onset=None,
        order="unknown",
        evidence=(),
        against=(),
        next=None,
    )
    return made._replace(**fields)


def read_input(path: str, lines: int = 10, **fields: Any) -> Input:
    """A file that was read."""
    made = Input(path, "read", None, 100, lines, None, None, None, False)
    return made._replace(**fields)


def observations(*inputs: Input, **fields: Any) -> Observations:
    """What was seen in the inputs: nothing, but for *fields*."""
    made = Observations(
        inputs=inputs,
        hits=(),
        tracebacks=(),
        exits=(),
        samples=(),
        stacks=(),
        facts=(),
        errors=(),
        ranks=(),
        world_size=None,
        sources=frozenset({"rank", "launcher", "kernel"}),
    )
    return made._replace(**fields)


def report(seen: Observations, *diagnoses: Diagnosis, **fields: Any) -> Report:
    """A report of the diagnoses."""
    made = Report(seen, diagnoses, (), (), (), (), 3)
    return made._replace(**fields)


def _keys(item: dict[str, Any]) -> list[str]:
    return [
        "log " + wording["literal"] for sign in item["signs"].values() for wording in sign["log"]
    ]


def catalogue(*rules: dict[str, Any]) -> Catalogue:
    """A catalogue of the rules."""
    entries = tuple(
        CatalogueEntry(item["id"], tuple(_keys(item)), json.dumps(item)) for item in rules
    )
    return Catalogue(entries, "f" * 64, "2026-08-01")


KILLED_AT = Moment(1786677112.123, "local", 0.001)
KERNEL_LINE = line(
    "logs/dmesg.log",
    482,
    "[912318.118233] Memory cgroup out of memory: Killed process 4242 (python3) "
    "total-vm:30212344kB, anon-rss:20111888kB, file-rss:0kB, shmem-rss:0kB, UID:1000",
    writer(None, "kernel", "node-a"),
    Moment(912318.118233, "boot", 0.000001),
)
EXIT_LINE = line(
    "logs/console.log",
    91,
    "E0814 03:11:52.123000 4200 torch/distributed/elastic/multiprocessing/api.py:984] failed "
    "(exitcode: -9) local_rank: 1 (pid: 4242) of binary: /opt/venv/bin/python3",
    writer(None, "launcher"),
    KILLED_AT,
)
PEER_LINE = line(
    "logs/console.log",
    71,
    "[rank0]:RuntimeError: Connection closed by peer [10.0.0.2]:21654\x1b[0m",
    writer(0),
    KILLED_AT,
)
EXIT = Exit(EXIT_LINE, 1, 1, 4242, "node-a", 9, None, None, KILLED_AT)
KILL_DIAGNOSIS = diagnosis(
    KILL,
    rank=1,
    ranks=(1,),
    host="node-a",
    onset=KILLED_AT,
    order=None,
    evidence=(
        sighting(
            KERNEL_LINE,
            "Killed process 4242",
            sign="kill",
            values=(("pid", 4242), ("limit", float("inf"))),
        ),
        sighting(EXIT_LINE, "(exitcode: -9)", "exit", sign="nine", rank=1, onset_rule="earlier"),
    ),
)
PEER_DIAGNOSIS = diagnosis(
    PEER,
    role="consequence",
    consequence_of="host-oom-kill",
    confidence=2,
    rank=0,
    ranks=(0, 2, 3),
    onset=KILLED_AT,
    evidence=(sighting(PEER_LINE, "Connection closed by peer", times=3, exact=False),),
)
VERDICT_LINE = line(
    "logs/console.log", 95, "  exitcode  : -9 (pid: 4242) (SIGKILL)", writer(None, "launcher")
)
VERDICT = GradedVerdict(
    LauncherVerdict(1, -9, "2026-08-14_03:11:52", "node-a", False, VERDICT_LINE),
    True,
    "same",
    "host-oom-kill",
    (1,),
    0,
)
KILL_REPORT = report(
    observations(
        read_input("logs/console.log", 1200),
        read_input("logs/dmesg.log", 482, host="node-a"),
        Input("logs/core.1", "skipped", "binary", 5, None, None, None, None, False),
        ranks=(
            RankState(0, None, None, 9, KILLED_AT, None),
            RankState(1, "node-a", None, 8, KILLED_AT, EXIT),
            RankState(2, None, None, 9, None, None),
            RankState(3, None, None, 9, None, None),
        ),
        facts=(Fact("system.wsl", False, None, None),),
        verdicts=(VERDICT.verdict,),
    ),
    KILL_DIAGNOSIS,
    PEER_DIAGNOSIS,
    verdict=VERDICT,
    nearest=(Nearest("shm-limit", "the line 'No space left on device'"),),
    not_checked=(("shm-limit", "no fact of the machine"),),
)
KILL_CATALOGUE = catalogue(KILL, PEER, LIMIT)
