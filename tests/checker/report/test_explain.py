"""An entry in full."""

from checker.report.explain import explain_rows
from checker.report.terminal import paint
from tests.checker.report_records import KILL, rule

WHOLE = rule(
    "host-oom-kill",
    title=KILL["title"],
    aliases=["oom-killer"],
    page="https://example.org/entries/host-oom-kill/",
    summary=KILL["summary"],
    sections=[{"heading": "Why only sometimes", "text": "Because it *depends*.\n\n- on this\n"}],
    affects=[
        {"package": "torch", "range": ">=2.1", "fixed_in": "2.4", "note": None, "source": "x"},
        {"package": "linux", "range": None, "fixed_in": None, "note": "Any.", "source": None},
    ],
    stop_safely=["Save the kernel log."],
    fix=KILL["fix"],
    confirm=KILL["confirm"],
    verify=["The memory stays flat."],
    dead_ends=[{"try": "Raise the timeout.", "why": "The process is dead."}],
    resume=KILL["resume"],
    confused_with=[{"id": "killed-by-hand", "tell": "The kernel log is silent."}],
    leads_to=[{"id": "peer-connection-lost", "where": "run", "within": None}],
    refines=["rank-killed"],
    references=[
        {"url": "https://example.org/oom", "title": "Out of memory", "says": "x", "supports": []}
    ],
)


def test_an_entry_is_explained_in_full() -> None:
    """What the page says in sections, the terminal says in the same order."""
    assert (
        paint(explain_rows(WHOLE), False)
        == """\
The kernel killed a training process because the host ran out of memory
  host-oom-kill; failure; formerly oom-killer; the mechanism was read in the
  upstream source; updated 2026-08-01

What is seen
  A rank ends with signal 9 and prints nothing.

Why
  The processes of the host asked for more memory than it has; the kernel ended
  the largest one with SIGKILL, which no program can catch.

Why only sometimes
  Because it *depends*.

  - on this

Affected
  - torch >=2.1, fixed in 2.4
  - linux (all versions): Any.

How to confirm
  1. The kernel log of the host names the process id.
     $ sudo dmesg -T | grep -i 'killed process'
     yes: A line with the process id of the rank, at the time of the failure.
     no:  No such line: somebody or something else sent the signal.

Before you stop the run
  1. Save the kernel log.

What to do now
  1. Halve `num_workers` of the DataLoader: every worker holds a copy of what
     the dataset object holds.
  2. Start again from the last checkpoint.

For good
  1. Alert on the available memory of the hosts.

Why that helps
  The processes then fit.

How to know that it worked
  - The memory stays flat.

Checkpoints
  The last checkpoint is safe to resume from: The process ended between two
  checkpoints.

What does not help
  - Raise the timeout: The process is dead.

Easily confused with
  - killed-by-hand: The kernel log is silent.

Leads to
  - peer-connection-lost

A special case of
  - rank-killed

Sources
  - Out of memory
    https://example.org/oom
  - This entry's page
    https://example.org/entries/host-oom-kill/
"""
    )
