"""The commands: a `Request` and the catalogue enter, an `Outcome` leaves.

COMMANDS is the one list of them; the command line and its help follow it.
"""

import time
from typing import Callable, List, NamedTuple, Tuple

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.check import find_entry_id, run_check
from checker.identity import NAME, VERSION
from checker.outcome import DEFECT, NOTHING_RECOGNIZED, Outcome
from checker.preflight.command import run_preflight
from checker.report.explain import explain_rows
from checker.report.phrases import counted
from checker.report.terminal import paint, wrap_text
from checker.scan.moments import days_since_epoch
from checker.selftest import run_examples
from checker.snapshot.commands import run_merge, run_snapshot
from checker.watch.command import run_watch
from checker.why import run_why


class Command(NamedTuple):
    """One command, as it is written and as help shows it."""

    name: str
    words: str
    help: str
    run: Callable[[Request, Catalogue], Outcome]


def _run_explain(request: Request, catalogue: Catalogue) -> Outcome:
    if len(request.words) != 1:
        raise UsageError("'explain' needs one id", "the command 'list' shows all ids")
    name = find_entry_id(request.words[0], catalogue)
    rows = explain_rows(catalogue.by_id()[name].rule())
    return Outcome(NOTHING_RECOGNIZED, paint(rows, request.color))


def _run_list(request: Request, catalogue: Catalogue) -> Outcome:
    _refuse_words(request)
    lines: List[str] = []
    for entry in catalogue.entries:
        lines += wrap_text(entry.rule()["title"], entry.id + ": ", "    ")
    return Outcome(NOTHING_RECOGNIZED, "".join(line + "\n" for line in lines))


def _run_version(request: Request, catalogue: Catalogue) -> Outcome:
    _refuse_words(request)
    age = catalogue_age(catalogue.date, int(time.time()) // 86400)
    return Outcome(
        NOTHING_RECOGNIZED,
        "{} {}\ncatalogue {} of {}, {}\nsha256    {}\n".format(
            NAME,
            VERSION,
            catalogue.date,
            counted(len(catalogue.entries), "entry", "entries"),
            age,
            catalogue.sha256,
        ),
    )


def catalogue_age(date: str, today: int) -> str:
    """Say how old the catalogue is; *today* counts days since 1970-01-01."""
    year, month, day = (int(part) for part in date.split("-"))
    days = today - days_since_epoch(year, month, day)
    if days < 0:
        return "newer than this machine's clock"
    return counted(days, "day") + " old"


def _run_self_test(request: Request, catalogue: Catalogue) -> Outcome:
    _refuse_words(request)
    result = run_examples(catalogue)
    summary = "self-test: {} of {}, {}\n".format(
        counted(result.examples, "example"),
        counted(len(catalogue.entries), "entry", "entries"),
        counted(len(result.failures), "failure"),
    )
    text = summary + "".join(failure + "\n" for failure in result.failures)
    return Outcome(DEFECT if result.failures or not result.examples else 0, text)


def _refuse_words(request: Request) -> None:
    if request.words:
        raise UsageError(
            "'{}' takes no '{}'".format(request.command, request.words[0]),
            "write {} alone".format(request.command),
        )


COMMANDS: Tuple[Command, ...] = (
    Command("check", "[PATH ...]", "diagnose logs, or what runs (the default)", run_check),
    Command("why", "ID PATH ...", "tell how an entry was judged, sign by sign", run_why),
    Command("snapshot", "[PATH ...]", "write what a diagnosis needs into one file", run_snapshot),
    Command("merge", "SNAPSHOT ...", "diagnose snapshots of many machines as one", run_merge),
    Command("watch", "LOG | -- COMMAND", "follow a run, report when it stalls or fails", run_watch),
    Command("preflight", "[FOLDER]", "tell what a run would meet on this machine", run_preflight),
    Command("explain", "ID", "tell all about an entry", _run_explain),
    Command("list", "", "list all entries", _run_list),
    Command("self-test", "", "run the built-in examples on this machine", _run_self_test),
    Command("version", "", "show version, catalogue and its age", _run_version),
)
