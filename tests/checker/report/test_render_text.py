"""The report as text."""

from itertools import pairwise

import pytest

from checker.model import Input, RankState
from checker.report.render_text import render_text
from checker.report.story import recognized
from tests.checker.report_records import (
    EXIT,
    KILL,
    KILL_CATALOGUE,
    KILL_DIAGNOSIS,
    KILL_REPORT,
    PEER,
    PEER_DIAGNOSIS,
    PEER_LINE,
    VERDICT,
    diagnosis,
    observations,
    read_input,
    report,
    rule,
)

WHOLE = """\
FAILED FIRST (certain), rank 1 on host node-a: The kernel killed a training
  process because the host ran out of memory
  host-oom-kill, began 2026-08-14 03:11:52

What to do now
  Lower the memory that each rank needs, then start again.

Evidence
  logs/dmesg.log:482  (kernel)
    | [912318.118233] Memory cgroup out of memory: Killed process 4242
    | (python3) total-vm:30212344kB, anon-rss:20111888kB, file-rss...
  logs/console.log:91  (rank 1)
    | E0814 03:11:52.123000 4200 torch/distributed/elastic/multiprocessing/api.p
    | y:984] failed (exitcode: -9) local_rank: 1 (pid: 42...

Why
  The processes of the host asked for more memory than it has; the kernel ended
  the largest one with SIGKILL, which no program can catch.

What followed from it
  peer-connection-lost (likely), ranks 0, 2-3: The connection to a peer was lost
    logs/console.log:71  (rank 0, at least 3 times)
      | Connection closed by peer

Ranks
  rank 1: last step 8, ended by signal 9 (SIGKILL)
  ranks 0, 2-3: last step 9
  torchrun names rank 1 (exit -9, logs/console.log:95): what the logs show says
    the same.

Steps
  1. Halve `num_workers` of the DataLoader: every worker holds a copy of what
     the dataset object holds.
  2. Start again from the last checkpoint.

Checkpoints
  The last checkpoint is safe to resume from: The process ended between two
  checkpoints.

How to confirm
  1. The kernel log of the host names the process id.
     $ sudo dmesg -T | grep -i 'killed process'
     yes: A line with the process id of the rank, at the time of the failure.
     no:  No such line: somebody or something else sent the signal.

Not looked at
  - 1 input: binary (logs/core.1)
  - 1 entry: no fact of the machine (shm-limit)

Read 2 files, 1,682 lines; looked for 3 of 3 entries; trainwreck 0.1.0,
catalogue of 2026-08-01.
More about it: python3 trainwreck.py explain host-oom-kill
https://example.org/entries/host-oom-kill/
"""


def test_a_whole_report() -> None:
    """The story fits a screen and stands before the steps, the checks and the gaps."""
    assert render_text(KILL_REPORT, KILL_CATALOGUE, False) == WHOLE


def first_lines(text: str, number: int) -> list[str]:
    """The first lines of a report."""
    return text.split("\n")[:number]


def test_nothing_recognized_is_not_called_health() -> None:
    """Errors that no entry explains are quoted, and absent logs are asked for."""
    seen = observations(read_input("a.log"), sources=frozenset({"rank"}), world_size=2)
    text = render_text(report(seen, unexplained=(PEER_LINE,)), KILL_CATALOGUE, False)
    assert (
        text
        == """\
No known failure recognized. The log reports errors that no entry explains
(below).

Errors that no entry explains
  logs/console.log:71  (rank 0)
    | [rank0]:RuntimeError: Connection closed by peer [10.0.0.2]:21654\\x1b[0m

What would decide
  Give these too, if you can get them:
    - the logs of ranks 0-1
    - the launcher's console output
    - the kernel log of the hosts (dmesg -T, as root)

Read 1 file, 10 lines; looked for 3 of 3 entries; trainwreck 0.1.0, catalogue of
2026-08-01.
To begin the entry that is missing, add: --draft -o entries/ID.md
"""
    )


def test_nothing_readable_is_said_first() -> None:
    """Inputs are summed up by the reason why they were not read."""
    seen = observations(
        Input("a", "unreadable", "no such file", None, None, None, None, None, False),
        Input("b", "unreadable", "no such file", None, None, None, None, None, False),
        sources=frozenset(),
    )
    text = render_text(report(seen), KILL_CATALOGUE, False)
    assert first_lines(text, 4) == [
        "Nothing was readable, so nothing is known about this run.",
        "",
        "Not looked at",
        "  - 2 inputs: no such file (a, b)",
    ]


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (
            diagnosis(PEER, role="consequence", ranks=(0, 2), rank=0),
            [
                "SYMPTOM, ITS CAUSE NOT SEEN (certain), ranks 0, 2: The connection to a peer was",
                "  lost",
                "  peer-connection-lost",
            ],
        ),
        (
            diagnosis(KILL, confidence=1, host="node-a", attempt=1),
            [
                "No known failure recognized; possible, but not proven:",
                "POSSIBLE, host node-a: The kernel killed a training process because the host ran",
                "  out of memory",
                "  host-oom-kill, attempt 1",
            ],
        ),
        (
            diagnosis(rule("advice", kind="benign", title="advice on threads"), confidence=1),
            [
                "No known failure recognized; no harm found:",
                "HARMLESS, THOUGH IT LOOKS BAD (possible), rank not known: Advice on threads",
                "  advice",
            ],
        ),
        (
            diagnosis(rule("limit", kind="stop", title="the time limit was reached"), rank=3),
            [
                "STOPPED FROM OUTSIDE (certain), rank 3: The time limit was reached",
                "  limit",
            ],
        ),
    ],
)
def test_the_verdict_names_what_it_is_sure_of(found: object, lines: list[str]) -> None:
    """A symptom, a guess, something harmless and a stop are never called a first failure."""
    text = render_text(report(observations(read_input("a")), found), KILL_CATALOGUE, False)
    assert first_lines(text, len(lines)) == lines


def headings(text: str) -> list[str]:
    """The headings of a report, in order."""
    lines = text.split("\n")
    return [line for before, line in pairwise(lines) if not before and line[:1].isalpha()][:-1]


def test_of_a_mere_possibility_the_checks_come_first() -> None:
    """Nobody should mend what is not known to be broken."""
    found = report(observations(read_input("a")), KILL_DIAGNOSIS._replace(confidence=1))
    assert headings(render_text(found, KILL_CATALOGUE, False)) == [
        "Evidence",
        "Why",
        "How to confirm",
        "What to do if it is confirmed",
    ]


def test_how_to_stop_a_run_is_told_only_while_it_may_live() -> None:
    """A run whose ranks have all ended needs no stopping."""
    stuck = KILL_DIAGNOSIS._replace(rule={**KILL, "stop_safely": ["End the launcher."]})
    ended = RankState(0, None, None, 9, None, EXIT)
    for ranks, told in (((), True), ((ended,), False), ((ended, ended._replace(exit=None)), True)):
        found = report(observations(read_input("a"), ranks=ranks), stuck)
        text = render_text(found, KILL_CATALOGUE, False)
        assert ("Before you stop the run\n  1. End the launcher.\n" in text) is told


def test_only_the_cheapest_checks_are_shown() -> None:
    """The others are a command away."""
    many = KILL_DIAGNOSIS._replace(rule={**KILL, "confirm": KILL["confirm"] * 4})
    text = render_text(report(observations(read_input("a")), many), KILL_CATALOGUE, False)
    assert text.count("$ sudo dmesg -T") == 2
    assert "\n  2 more checks with the command 'explain'\n" in text


def test_the_rank_that_shows_no_symptom_is_named() -> None:
    """The others wait for it; where as many ranks are silent, nobody is singled out."""
    waiting = diagnosis(PEER, role="consequence", ranks=(0, 1, 2), rank=0)
    for size, told in ((4, True), (3, False), (6, False)):
        seen = observations(read_input("a"), world_size=size)
        text = render_text(report(seen, waiting), KILL_CATALOGUE, False)
        assert ("\n  Not seen on rank 3: look there first.\n" in text) is told


def test_what_nearly_fits_is_told_only_while_something_is_open() -> None:
    """A certain first failure needs no alternatives."""
    heading = "\nNearest entries, and what is missing\n  - shm-limit: the line 'No space left on"
    assert heading not in render_text(KILL_REPORT, KILL_CATALOGUE, False)
    unsure = KILL_REPORT._replace(diagnoses=(KILL_DIAGNOSIS._replace(confidence=2),))
    assert heading in render_text(unsure, KILL_CATALOGUE, False)


def test_independent_failures_follow_with_their_own_consequences() -> None:
    """Each has its evidence and its remedy in short; an unknown order is admitted."""
    second = diagnosis(rule("nvme-lost"), role="independent", confidence=2, host="node-b")
    late = diagnosis(
        rule("write-failed"), role="consequence", consequence_of="nvme-lost", confidence=2
    )
    found = report(observations(read_input("a")), KILL_DIAGNOSIS, second, late)
    text = render_text(found, KILL_CATALOGUE, False)
    assert "  Nothing tells whether it was before nvme-lost; this one is surer.\n" in text
    assert (
        """
Independent of it
INDEPENDENT (likely), host node-b: Title of nvme-lost
  nvme-lost
  Do: Mend it.
  What followed from it:
  write-failed (likely): Title of write-failed
"""
        in text
    )


def test_another_explanation_of_the_same_lines_is_no_second_failure() -> None:
    """It is told as competing, with what speaks for and against it, and with what would decide."""
    tell = "Only the kernel's kill is in its log."
    top = KILL_DIAGNOSIS._replace(
        confidence=2, rivals=("killed-by-hand",), next={"command": "dmesg -T", "decides": tell}
    )
    other = diagnosis(
        rule("killed-by-hand"),
        role="independent",
        confidence=2,
        rank=1,
        evidence=KILL_DIAGNOSIS.evidence[1:],
        against=KILL_DIAGNOSIS.evidence[:1],
        rivals=("host-oom-kill",),
    )
    text = render_text(report(observations(read_input("a")), top, other), KILL_CATALOGUE, False)
    assert (
        """
It, or this: both rest on the same lines
COMPETING (likely), rank 1: Title of killed-by-hand
  killed-by-hand
  logs/console.log:91  (rank 1)
    | E0814 03:11:52.123000 4200 torch/distributed/elastic/multiprocessing/api.p
    | y:984] failed (exitcode: -9) local_rank: 1 (pid: 42...
  Against it:
  logs/dmesg.log:482  (kernel)
    | [912318.118233] Memory cgroup out of memory: Killed process 4242
    | (python3) total-vm:30212344kB, anon-rss:20111888kB, file-rss...
  Do: Mend it.

What would decide
  $ dmesg -T
    Only the kernel's kill is in its log.
"""
        in text
    )
    assert "Independent of it" not in text


def test_a_symptom_beside_a_guess_stands_apart() -> None:
    """The verdict is the guess, marked as one; the symptom is quoted below it."""
    guess = KILL_DIAGNOSIS._replace(confidence=1, attempt=0)
    seen = PEER_DIAGNOSIS._replace(consequence_of=None, attempt=0)
    text = render_text(report(observations(read_input("a")), guess, seen), KILL_CATALOGUE, False)
    assert text.startswith("PERHAPS FAILED FIRST, rank 1 on host node-a: The kernel killed a")
    assert (
        """
Symptoms whose cause was not seen
  peer-connection-lost (likely), ranks 0, 2-3: The connection to a peer was lost
    logs/console.log:71  (rank 0, at least 3 times)
"""
        in text
    )
    assert "attempt" not in text


def test_earlier_attempts_and_recovered_failures_take_a_line_each() -> None:
    """History does not stand among what is wrong now."""
    now = KILL_DIAGNOSIS._replace(attempt=1)
    before = diagnosis(rule("port-in-use"), attempt=0, rank=0)
    passed = diagnosis(rule("link-flap"), attempt=1, rank=2)
    found = report(observations(read_input("a")), now, before, recovered=(passed,))
    assert """
Earlier attempts
  port-in-use (certain), rank 0, attempt 0: Title of port-in-use

Seen, but the run recovered from it
  link-flap (certain), rank 2, attempt 1: Title of link-flap
""" in render_text(found, KILL_CATALOGUE, False)


def test_the_check_that_would_decide_is_shown_once() -> None:
    """It can be copied; under "How to confirm" stand the others, of which LOGS is explained."""
    checks = [
        {"check": "Look.", "run": "grep x LOGS", "yes": "It shows.", "no": "Nothing."},
        {"check": "Look again.", "run": None, "yes": "It shows.", "no": "Nothing."},
    ]
    asked = KILL_DIAGNOSIS._replace(
        rule={**KILL, "confirm": checks},
        next={"command": "grep x LOGS", "decides": "Look. If so: It shows."},
        confidence=2,
    )
    seen = observations(read_input("logs/a.log"), read_input("logs/b.log"))
    text = render_text(report(seen, asked), KILL_CATALOGUE, False)
    assert (
        """
What would decide
  $ grep x LOGS
    Look. If so: It shows.
  LOGS stands for your logs: logs
"""
        in text
    )
    assert "\nHow to confirm\n  1. Look again.\n" in text


def test_the_word_of_the_launcher_is_overruled_at_the_top() -> None:
    """Who looked at torchrun's summary first should see at once why it is not believed."""
    graded = VERDICT._replace(agrees=False, why="abort", entry="host-oom-kill", ranks=(3,))
    found = report(observations(read_input("a")), KILL_DIAGNOSIS, verdict=graded)
    assert first_lines(render_text(found, KILL_CATALOGUE, False), 5)[3:] == [
        "  torchrun names rank 1 (exit -9, logs/console.log:95): that is the abort after",
        "  a timeout; rank 3 failed first (host-oom-kill).",
    ]


def test_an_earlier_symptom_without_a_cause_takes_the_headline_back() -> None:
    """What is seen first is not what failed first where something unseen came before it."""
    found = report(observations(read_input("a")), KILL_DIAGNOSIS._replace(preceded_by="waited"))
    text = render_text(found, KILL_CATALOGUE, False)
    assert text.startswith("FIRST FAILURE SEEN (certain), rank 1 on host node-a: ")
    assert (
        "\n  Before it began waited, whose cause was not seen: look for an earlier failure.\n"
        in text
    )


def test_no_line_but_of_paths_and_commands_is_wider_than_the_terminal() -> None:
    """The report fits into 80 columns."""
    text = render_text(KILL_REPORT, KILL_CATALOGUE, False)
    assert [line for line in text.split("\n") if len(line) > 80] == []


def test_colors_repeat_what_the_words_say() -> None:
    """Without its escapes the colored report is the plain one."""
    colored = render_text(KILL_REPORT, KILL_CATALOGUE, True)
    assert colored.startswith("\x1b[1;31mFAILED FIRST (certain), rank 1")
    for code in ("\x1b[1;31m", "\x1b[1m", "\x1b[36m", "\x1b[0m"):
        colored = colored.replace(code, "")
    assert colored == WHOLE


def test_only_what_is_likely_and_no_harmless_entry_is_recognized() -> None:
    """A consequence alone counts too: the symptom of a failure is a failure."""
    assert recognized([PEER_DIAGNOSIS])
    assert not recognized([diagnosis(KILL, confidence=1)])
    assert not recognized([diagnosis(rule("advice", kind="benign"), confidence=2)])
